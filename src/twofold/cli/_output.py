"""What commands print and what they show while one waits; signals that end them."""

import importlib.metadata
import json
import math
import os
import platform
import shutil
import signal
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, NoReturn, TypeVar

import msgspec
import typer
from rich.console import Console
from rich.live import Live
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

import twofold
from twofold.cli import continue_with
from twofold.errors import INTERRUPTED, InvalidInput
from twofold.game.notation import printable
from twofold.kernels import BUILT, COMPILING
from twofold.limits import cores

SCHEMA: Final = 2
"""Version of the JSON documents; raised when a field changes its name or meaning."""

MIN_WIDTH: Final = 40
"""Words are not wrapped to fewer columns."""


class Machine(msgspec.Struct, frozen=True):
    """What figures depend on.

    Attributes:
        twofold: version of twofold.
        python: version of Python.
        numba: version of Numba.
        numpy: version of NumPy.
        processor: name of the processor.
        cores: number of cores that this process may use.
        system: name and version of the operating system.
    """

    twofold: str | None
    python: str
    numba: str | None
    numpy: str | None
    processor: str
    cores: int
    system: str


def write_json(command: str, body: msgspec.Struct, timing: msgspec.Struct | None = None) -> None:
    """Print the one JSON document of a command.

    What depends on time is in `timing`, what depends on the machine in `machine`, so that
    everything else can be compared between runs.
    """
    document = {"schema": SCHEMA, "command": command, **msgspec.to_builtins(body)}
    document["timing"] = {} if timing is None else msgspec.to_builtins(timing)
    document["machine"] = machine()
    print_out(json.dumps(_readable(document), indent=2, allow_nan=False))


def _readable(value: Any) -> Any:
    """Bytes of file names that are no text as hexadecimal escapes: JSON has no place for them."""
    if isinstance(value, dict):
        return {_readable(key): _readable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(one) for one in value]
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return value


def print_out(text: str = "") -> None:
    """Print a line of the command's own output; see `plain` for names in it."""
    sys.stdout.write(plain(text) + "\n")


def print_bytes(parts: Iterable[bytes]) -> None:
    """Print a file, as it is: not every terminal has all characters; raises as `check_output`."""
    check_output()
    sys.stdout.flush()
    sys.stdout.buffer.writelines(parts)


def check_output() -> None:
    """Check that there is an output, for commands that exist to write data to it.

    Raises:
        InvalidInput: the shell has closed it, as by `>&-`.
    """
    if sys.__stdout__ is None:
        raise InvalidInput("expected a standard output to write to, got a closed one")


def print_words(text: str, hang: int = 0) -> None:
    """Print lines of words; in a terminal they are `wrapped`, elsewhere they stay as they are."""
    print_out(wrapped(text, hang) if sys.stdout.isatty() else text)


def wrapped(text: str, hang: int = 0) -> str:
    """Lines that are no longer than the terminal is wide; no word is broken.

    `hang` is the number of columns that the rest of a long line is indented by.
    """
    width = max(shutil.get_terminal_size().columns, MIN_WIDTH)
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join("\n".join(wrapper.wrap(line)) for line in text.split("\n"))


def print_note(text: str = "") -> None:
    """Print a line that is not output: on stderr."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def plain(text: str) -> str:
    """Lines in which names of files and players cannot change the terminal: escape codes show."""
    return "\n".join(map(printable, text.split("\n")))


def can_redraw(is_terminal: bool) -> bool:
    """Whether lines that are shown can be drawn again: in a terminal that moves its cursor."""
    return is_terminal and os.environ.get("TERM", "") not in ("dumb", "unknown")


# ---- the machine


def machine() -> dict[str, Any]:
    """What figures depend on: versions, processor, cores, system."""
    here = Machine(
        version_of("twofold"),
        platform.python_version(),
        version_of("numba"),
        version_of("numpy"),
        processor(),
        cores(),
        platform.platform(),
    )
    return msgspec.structs.asdict(here)


def version_of(name: str) -> str | None:
    """The version of an installed distribution, without importing it."""
    if name == "twofold":
        return twofold.__version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """The name of the processor, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


AT_ONCE: Final = 0.1
"""Seconds in which two signals are one."""


@contextmanager
def catching_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that work ends where it is consistent.

    The second Ctrl-C is a KeyboardInterrupt as usual. One that comes at once is still the first:
    `timeout` sends its signal to a command and then to all of its group.
    """
    asked = threading.Event()
    first = 0.0

    def ask(_number: int, _frame: object) -> None:
        nonlocal first
        if not asked.is_set():
            first = time.monotonic()
            asked.set()
        elif time.monotonic() - first > AT_ONCE:
            signal.signal(signal.SIGINT, before)
            signal.raise_signal(signal.SIGINT)

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


LOADING: Final = "loading ..."
"""Said in a terminal while a player is being made ready."""

WAIT_SECONDS: Final = 1.0
"""What takes longer than this says so."""

SAY_EVERY: Final = 10.0
"""Seconds between lines where a line cannot be renewed."""

PROGRESS: Final = "TWOFOLD_PROGRESS"
"""With the value `json` commands write lines of progress for the program that started them."""

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
    """Print the words each time they change; in a terminal beside a spinner and the time."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    spinner = Progress(*columns, console=Console(stderr=True), transient=True)
    task, said = spinner.add_task(""), ""
    redraws = can_redraw(sys.stderr.isatty())
    while not over.wait(WAIT_SECONDS):
        text = words()
        if text == said:
            continue
        said = text
        if redraws:
            spinner.update(task, description=text)
            spinner.start()
        else:
            print_note(text)
    if redraws and said:
        spinner.stop()


def loading(text: str = "") -> AbstractContextManager[None]:
    """Say what is being waited for while players are made ready: whether kernels are compiled.

    Without kernels to compile it is `text`; by default `LOADING`, and only in a terminal.
    """
    before, redraws = len(BUILT), can_redraw(sys.stderr.isatty())

    def words() -> str:
        if len(BUILT) > before and (redraws or not before):  # a line stays: once is enough
            return COMPILING
        return text or LOADING * redraws

    return waiting(words)


def draws() -> bool:
    """Whether `live` draws pictures: in a terminal, and no program asks for lines."""
    return os.environ.get(PROGRESS) != "json" and can_redraw(Console(stderr=True).is_terminal)


@contextmanager
def live(
    describe: Callable[[Now], str] | None,
    share: Callable[[Now], float | None] = lambda _: None,
    picture: Callable[[Now, int], Any] | None = None,
    every: float = SAY_EVERY,
) -> Iterator[Callable[[Now], None]]:
    """A function to be told of progress, which shows the newest on stderr.

    The program that started the command may ask for lines `{"progress": 0.25}`, see `PROGRESS`; it
    gets two a second at most.

    Args:
        describe: puts it into a line of text, for a terminal too where there is no `picture`; None
            says nothing.
        share: the part that is done, 0 to 1, for a program.
        picture: what a terminal of some width shows of it instead.
        every: seconds between lines elsewhere.
    """
    if not draws():
        for_program = os.environ.get(PROGRESS) == "json"
        said = [-math.inf if for_program else time.monotonic()]
        pause = _LINE_EVERY if for_program else every

        def tell(now: Now) -> None:
            if time.monotonic() - said[0] < pause:
                return
            if not for_program:
                text = f"twofold: {describe(now)}" if describe else ""
            else:
                done = share(now)
                text = "" if done is None else json.dumps({"progress": round(done, 5)})
            if text:
                said[0] = time.monotonic()
                print_note(text)

        yield tell
        return
    console = Console(stderr=True)
    newest: list[Now] = []

    def drawn() -> Any:
        if newest and picture is not None:
            return picture(newest[0], console.width)
        return Text(plain(describe(newest[0]))) if newest and describe else ""

    shown = Live(get_renderable=drawn, console=console, transient=True, refresh_per_second=4)

    def show(now: Now) -> None:
        newest[:] = [now]
        if not shown.is_started:
            shown.start()

    try:
        yield show
    finally:
        shown.stop()


def end_interrupted(words: str, again: str = "") -> NoReturn:
    """End a command that was interrupted: say what is saved, and the command that continues.

    Raises:
        typer.Exit: with the code of an interruption.
    """
    print_note(f"twofold: interrupted{words}{continue_with(again) if again else ''}")
    raise typer.Exit(INTERRUPTED)
