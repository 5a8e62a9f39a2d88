"""The full screen app, which needs the extra `tui`: when it can be opened, and with what."""

import asyncio
import codecs
import contextlib
import functools
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Final

from textual.app import App

from twofold.cli.tui.screen import PictureScreen

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that end the app as Ctrl-C does, if the system has them."""

SWITCH_SECONDS: Final = 0.0005
"""Switch interval of the interpreter: how long a player's thread may keep the lock while the thread
that draws waits. With Python's default of 5 ms pictures would be late."""


class TwofoldApp(App[bool]):
    """Shows the screen `first` until the user leaves; returns True if it was interrupted.

    Colours are those that the screens name and the terminal's own, for dark and light terminals.
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
            loop = asyncio.get_running_loop()
            for name in SIGNALS:
                with contextlib.suppress(AttributeError, NotImplementedError):  # not on Windows
                    loop.add_signal_handler(getattr(signal, name), self.action_interrupt)

    def action_interrupt(self) -> None:
        """Leave at once."""
        self.exit(True)


def run(first: PictureScreen) -> bool:
    """Show a screen until the user leaves; True after Ctrl-C or a signal."""
    app = TwofoldApp(first)
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        with _lenient_input():
            interrupted = app.run()
    finally:
        sys.setswitchinterval(before)
    if app.return_code:
        raise SystemExit(app.return_code)  # an error that Textual has printed
    return bool(interrupted)


@contextlib.contextmanager
def _lenient_input() -> Iterator[None]:
    """Ignore typed bytes that are not UTF-8, such as a letter of a terminal with Latin-1.

    Textual's driver decodes strictly, and its error would end the app.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:  # Windows has another driver
        yield
        return
    decoder = codecs.getincrementaldecoder
    linux_driver.getincrementaldecoder = (  # type: ignore[attr-defined]
        lambda name: functools.partial(decoder(name), errors="ignore")
    )
    try:
        yield
    finally:
        linux_driver.getincrementaldecoder = decoder  # type: ignore[attr-defined]
