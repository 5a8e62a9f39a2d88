"""What Ctrl-C and the other signals that end a program do to a command."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

OTHER_SIGNALS: Final = ("SIGTERM", "SIGHUP")
"""What ends a command as Ctrl-C does, where the system has it: it is told to end, or its terminal
is closed."""


@contextmanager
def ending_as_ctrl_c_does() -> Iterator[None]:
    """Have the other signals that end a command do what Ctrl-C does at that moment.

    So the terminal is left in order, and what is saved on Ctrl-C is saved then, too. A signal that
    is ignored already, as `nohup` has it, stays ignored.
    """

    def end(_number: int, frame: FrameType | None) -> None:
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # a job in the background: Ctrl-C is not for it
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    numbers = [getattr(signal, name) for name in OTHER_SIGNALS if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []
    caught = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def catching_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl-C into an event, so that work ends where it is consistent.

    The second Ctrl-C is a KeyboardInterrupt as usual.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
