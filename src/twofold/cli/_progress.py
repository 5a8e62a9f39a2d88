"""What a command waits for, on stderr: words, a spinner, a line that is renewed."""

import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.live import Live
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from twofold.cli._output import can_redraw, plain, print_note
from twofold.kernels import BUILT, COMPILING

LOADING: Final = "loading ..."
"""Said in a terminal while a player is being made ready."""

WAIT_SECONDS: Final = 1.0
"""What takes longer than this says so."""

SAY_EVERY: Final = 10.0
"""Seconds between lines where a line cannot be renewed."""

PROGRESS: Final = "TWOFOLD_PROGRESS"
"""With the value `json` commands write lines of progress for the program that started them."""

_DRAW_EVERY: Final = 0.1
_LINE_EVERY: Final = 0.5

Now = TypeVar("Now")


@contextmanager
def waiting(text: str | Callable[[], str]) -> Iterator[None]:
    """Say on stderr what is being waited for, once it takes longer than a second.

    Args:
        text: what is waited for; or a function that is asked each second, and gives an empty text
            where there is nothing to say.
    """
    over = threading.Event()
    words = (lambda: text) if isinstance(text, str) else text
    teller = threading.Thread(target=_tell, args=(words, over), daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _tell(words: Callable[[], str], over: threading.Event) -> None:
    """Print the words each time they change."""
    said, spinner = "", None
    while not over.wait(WAIT_SECONDS):
        text = words()
        if text == said:
            continue
        said = text
        if not can_redraw(sys.stderr.isatty()):
            print_note(text)
            continue
        if spinner is not None:
            spinner.stop()
        spinner = _start_spinner(text)
    if spinner is not None:
        spinner.stop()


def _start_spinner(text: str) -> Any:
    """A spinner with the time that has passed, on stderr; it leaves nothing behind."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    progress.add_task(text)
    progress.start()
    return progress


def loading(text: str = "") -> AbstractContextManager[None]:
    """Say what is being waited for while players are made ready: whether kernels are compiled.

    Without kernels to compile it is `text`; by default `LOADING`, and only in a terminal.
    """
    before = len(BUILT)

    def words() -> str:
        if len(BUILT) > before:
            return COMPILING
        return text or (LOADING if can_redraw(sys.stderr.isatty()) else "")

    return waiting(words)


def duration_words(seconds: float) -> str:
    """A length of time in two units: `1 h 05 m`, `3 m 07 s`, `12 s`."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02} m"


def progress_lines() -> Callable[[float | None], None] | None:
    """Writes the part that is done to stderr: `{"progress": 0.25}`, at most twice a second.

    None where no program asks for such lines, see `PROGRESS`.
    """
    if os.environ.get(PROGRESS) != "json":
        return None
    said = [-math.inf]

    def say(done: float | None) -> None:
        if done is not None and time.monotonic() - said[0] >= _LINE_EVERY:
            said[0] = time.monotonic()
            print_note(json.dumps({"progress": round(done, 5)}))

    return say


@contextmanager
def live(
    describe: Callable[[Now], str], share: Callable[[Now], float | None] = lambda _: None
) -> Iterator[Callable[[Now], None]]:
    """A function to be told of progress, which shows it.

    Args:
        describe: puts it into a line of text.
        share: the part that is done, 0 to 1, for `progress_lines`.
    """
    if (say := progress_lines()) is not None:
        yield lambda now: say(share(now))
        return
    console = Console(stderr=True)
    said = [time.monotonic()]
    redraws = can_redraw(console.is_terminal)
    every = _DRAW_EVERY if redraws else SAY_EVERY

    def is_due() -> bool:
        due = time.monotonic() - said[0] >= every
        if due:
            said[0] = time.monotonic()
        return due

    if not redraws:
        yield lambda now: print_note(f"twofold: {describe(now)}") if is_due() else None
        return
    with Live(console=console, transient=True, auto_refresh=False) as shown:
        yield (
            lambda now: shown.update(Text(plain(describe(now))), refresh=True) if is_due() else None
        )
