"""A command at work in a process of its own: its progress, its last words, its end."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Final

from twofold.notation import printable
from twofold.web.jobs.child import GRACE_SECONDS

PROGRAM: Final = (sys.executable, "-P", "-m", "twofold.web.jobs.child")
"""What runs a command. `-P`: Python files in the working folder are not imported."""

PROGRESS: Final = ("TWOFOLD_PROGRESS", "json")
"""Has commands write their progress as lines of JSON, see `twofold.cli._progress`."""

MAX_LINE: Final = 2_000
"""Characters of a line that are read at a time; of the last words as many are kept."""

_READER_SECONDS: Final = 2.0


class CommandProcess:
    """A command of twofold that runs. Every method may be called from any thread.

    Args:
        words: the command without `twofold`.
        folder: its working folder.
        program: what runs it.

    Attributes:
        progress: the part that is done, 0 to 1; None where not known yet.
        words: its last words on stderr; empty if there are none.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, words: Sequence[str], folder: Path, program: Sequence[str] = PROGRAM
    ) -> None:
        self.progress: float | None = None
        self.words = ""
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [*program, *words],
            cwd=folder,
            env=dict([*os.environ.items(), PROGRESS]),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **_apart(),
        )
        self._reader = threading.Thread(target=self._read, name="twofold-job-reader", daemon=True)
        self._reader.start()

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit code once it has ended; None if it has not ended after some seconds."""
        try:
            code = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self.stop()
        self._reader.join(_READER_SECONDS)  # what the command has started may hold the pipe
        return code

    def stop(self) -> None:
        """Have it save and end, as Ctrl-C does; kill it where it does not end."""
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
            for line in _lines(pipe):
                self._take(line)

    def _take(self, line: str) -> None:
        share = _share(line)
        if share is not None:
            self.progress = share
        elif line.strip():
            self.words = printable(line.strip().removeprefix("twofold: "))[:MAX_LINE]


def _apart() -> dict[str, Any]:
    """Options that keep a terminal's Ctrl-C from the process; Windows sets its priority here."""
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.BELOW_NORMAL_PRIORITY_CLASS
        return {"creationflags": flags}
    return {"start_new_session": True}


def _lines(pipe: IO[bytes]) -> Any:
    while line := pipe.readline(MAX_LINE):
        yield line.decode("utf-8", "replace")


def _share(line: str) -> float | None:
    """The part that is done, of a line of progress; None for another line."""
    if not line.startswith('{"progress": '):
        return None
    with contextlib.suppress(ValueError, TypeError, KeyError):
        return min(max(float(json.loads(line)["progress"]), 0.0), 1.0)
    return None
