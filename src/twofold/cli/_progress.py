"""Progress on stderr: a line that is renewed in a terminal, else one now and then."""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from twofold.cli._common import can_redraw, print_note

Now = TypeVar("Now")

SAY_EVERY: Final = 10.0
"""Seconds between lines where a line cannot be renewed."""

_DRAW_EVERY: Final = 0.1


@contextlib.contextmanager
def live(describe: Callable[[Now], str]) -> Iterator[Callable[[Now], None]]:
    """A function to be told of progress, which shows it.

    Args:
        describe: puts it into a line of text.
    """
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

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
        yield lambda now: shown.update(Text(describe(now)), refresh=True) if is_due() else None
