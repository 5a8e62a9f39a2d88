"""The process of a job: a command of twofold that ends, saved, once its input ends.

The server holds the other end of the input. When it closes that, or is killed, the command gets
what Ctrl-C would give it. So no job outlives its server.
"""

import contextlib
import io
import os
import runpy
import signal
import sys
import threading
import time
from typing import Any, Final

from twofold.errors import INTERRUPTED

NICENESS: Final = 10
"""How far a job stands back behind other programs, where the system can do that."""

GRACE_SECONDS: Final = 120.0
"""Longest time to save; then the process is ended."""


def main() -> None:
    """Run the command that the arguments name, as `python -m twofold` does."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # `nohup` has it ignored
    sys.stderr = _patient_output()
    threading.Thread(target=_end_with, args=(_own_input(),), daemon=True).start()
    runpy.run_module("twofold", run_name="__main__", alter_sys=True)


class _Patient(io.FileIO):
    """Output whose reader may have gone: a killed server must not end what is being saved."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


def _patient_output() -> io.TextIOWrapper:
    """The same stderr, which nothing can break."""
    raw = _Patient(2, "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), "utf-8", errors="backslashreplace", line_buffering=True
    )


def _own_input() -> int:
    """The pipe from the server; processes that the command starts do not get it."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return pipe


def _end_with(pipe: int) -> None:
    """Interrupt the command when the pipe ends."""
    with contextlib.suppress(OSError):
        while os.read(pipe, 64):
            pass
    _interrupt()
    time.sleep(GRACE_SECONDS)
    os._exit(INTERRUPTED)


def _interrupt() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


if __name__ == "__main__":
    main()
