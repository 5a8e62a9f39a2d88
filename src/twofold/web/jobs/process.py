"""A command in its own process: its progress, its last message, its exit code."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from twofold.notation import printable
from twofold.web.jobs.child import GRACE_SECONDS

PROGRAM: Final = (sys.executable, "-P", "-m", "twofold.web.jobs.child")
"""Runs a command. `-P`: Python files in the working folder are not imported."""

PROGRESS: Final = ("TWOFOLD_PROGRESS", "json")
"""Environment variable that makes commands write progress as JSON; see `twofold.cli._progress`."""

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
                share = _share(line)
                if share is not None:
                    self.progress = share
                elif line.strip():
                    self.words = printable(line.strip().removeprefix("twofold: "))[:MAX_LINE]


def _share(line: str) -> float | None:
    if not line.startswith('{"progress": '):
        return None
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return min(max(float(json.loads(line)["progress"]), 0.0), 1.0)
    return None
