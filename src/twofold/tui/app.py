"""The full screen app. It needs the extra `tui`; what it shows and does is in the screens."""

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Final

from textual.app import App

from twofold.tui.picture_screen import PictureScreen

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""What ends the app as Ctrl-C does, where the system has it."""

SWITCH_SECONDS: Final = 0.0005
"""How long a player's thread may go on where the one that draws waits: Python runs one of them at a
time. By its own 5 ms a picture, which begins and ends many waits, would be late."""


class TwofoldApp(App[bool]):
    """Shows one screen until the user leaves; returns whether it was interrupted.

    Colours are those that the screens name and the terminal's own, on a dark terminal and on a
    light one alike.

    Args:
        first: the screen to begin with.
    """

    TITLE = "twofold"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = ""
    CSS = "Screen { background: ansi_default; color: ansi_default; overflow: hidden; }"

    def __init__(self, first: PictureScreen) -> None:
        super().__init__(ansi_color=True)
        self._first = first

    def on_mount(self) -> None:
        """Show the first screen."""
        self.push_screen(self._first)
        if not self.is_headless and threading.current_thread() is threading.main_thread():
            self._listen_signals()

    def _listen_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for name in SIGNALS:
            with contextlib.suppress(AttributeError, NotImplementedError):  # not on Windows
                loop.add_signal_handler(getattr(signal, name), self.action_interrupt)

    def action_interrupt(self) -> None:
        """Leave at once."""
        self.exit(True)


def run(first: PictureScreen) -> bool:
    """Show a screen until the user leaves; whether by Ctrl-C or a signal."""
    app = TwofoldApp(first)
    with _quick_switches():
        interrupted = app.run()
    if app.return_code:
        raise SystemExit(app.return_code)  # an error of ours, which Textual has printed
    return bool(interrupted)


@contextlib.contextmanager
def _quick_switches() -> Iterator[None]:
    """Let threads take turns often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
