"""The process of a job: a command of twofold that saves and ends when its input is closed.

The server holds the other end of the input. When the server ends, the command is interrupted as by
Ctrl-C, so that no job outlives its server.
"""

import contextlib
import io
import os
import runpy
import signal
import sys
import threading
import time
from typing import Final

from twofold.errors import INTERRUPTED

NICENESS: Final = 10
"""Nice value of a job, if the system has it."""

GRACE_SECONDS: Final = 120.0
"""Seconds to save; then the process is ended."""


def main() -> None:
    """Run the command in the arguments, as `python -m twofold` does."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # `nohup` may have ignored it
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8")
    pipe = os.dup(0)  # from the server, hidden from processes that the command starts
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_end_with, args=(pipe,), daemon=True).start()
    runpy.run_module("twofold", run_name="__main__", alter_sys=True)


def _end_with(pipe: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(pipe, 64):
            pass
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    time.sleep(GRACE_SECONDS)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
