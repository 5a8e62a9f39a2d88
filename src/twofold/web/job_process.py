"""The process of a job: a command of twofold that saves and ends when its input is closed.

The server holds the other end of the input. When the server ends, the command is interrupted as by
Ctrl-C, so that no job outlives its server. The command runs in `main`; `CommandProcess` is the
server's side.
"""

import contextlib
import io
import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from twofold.errors import INTERRUPTED
from twofold.game.notation import printable

NICENESS: Final = 10
"""Nice value of a job, if the system has it."""

GRACE_SECONDS: Final = 120.0
"""Seconds to save; then the process is ended."""

PROGRAM: Final = (sys.executable, "-P", "-m", "twofold.web.job_process")
"""Runs a command. `-P`: Python files in the working folder are not imported."""

PROGRESS: Final = ("TWOFOLD_PROGRESS", "json")
"""Environment variable that makes commands write progress as JSON; see `twofold.cli._output`."""

MAX_LINE: Final = 2_000
"""Maximum number of characters read of a line, and kept of the last message."""

_READER_SECONDS: Final = 2.0


class CommandProcess:
    """A running command of twofold. Thread-safe. Raises OSError if it cannot be started.

    `words` are those after `twofold`, `program` the ones before.

    Attributes:
        progress: 0 to 1; None if unknown.
        words: its last message on stderr.
    """

    def __init__(
        self, words: Sequence[str], folder: Path, program: Sequence[str] = PROGRAM
    ) -> None:
        self.progress: float | None = None
        self.words = ""
        self._lock = threading.Lock()
        apart: dict[str, Any] = {"start_new_session": True}  # Ctrl-C in the terminal is not for it
        if sys.platform == "win32":
            flags = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
            apart = {"creationflags": flags}
        self._process = subprocess.Popen(
            [*program, *words],
            cwd=folder,
            env=dict([*os.environ.items(), PROGRESS]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **apart,
        )
        self._reader = threading.Thread(target=self._read, name="twofold-job-reader", daemon=True)
        self._reader.start()

    def wait(self, seconds: float | None = None) -> int | None:
        """Wait for the exit code; None if it is still running after `seconds`."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self.stop()
        self._reader.join(_READER_SECONDS)  # a process that it started may keep the pipe open
        return code

    def stop(self) -> None:
        """Make it save and end, as by Ctrl-C; kill it if it does not end."""
        with self._lock:
            pipe, self._process.stdin = self._process.stdin, None
        if pipe is None:
            return
        with contextlib.suppress(OSError):
            pipe.close()
        if self._process.poll() is None:
            timer = threading.Timer(GRACE_SECONDS + 10, self._process.kill)
            timer.daemon = True
            timer.start()

    def _read(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None
        with pipe:
            while data := pipe.readline(MAX_LINE):
                line = data.decode("utf-8", "replace")
                if line.startswith('{"progress": '):
                    with contextlib.suppress(ValueError):  # cut off
                        self.progress = json.loads(line)["progress"]
                elif line.strip():
                    self.words = printable(line.strip().removeprefix("twofold: "))[:MAX_LINE]


# ---- in the process


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
