"""Another program as lines in and lines out, with time limits, that leaves nothing behind.

On POSIX the program runs below `engine_guard`, in a session of its own: Ctrl-C does not reach it,
it is killed with all that it has started, and it ends even where this process is killed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from twofold.engine.streams import Output, Tail, output_of
from twofold.errors import InvalidSpec
from twofold.limits import MAX_ENGINE_LINE
from twofold.notation import shown

KILL_SECONDS: Final = 10.0
"""How long our guard may take to end a program and all that it has started."""

QUIT_SECONDS: Final = 1.0
"""How long a program may take to end once it is told to."""

GRACE_SECONDS: Final = 5.0
"""How long a program may go on that has lost this process."""

WRITE_SECONDS: Final = 5.0
"""How long a program may leave what it is told unread."""

TAIL_SHOWN: Final = 200
"""Characters of the end of its errors that a message shows."""

_GUARD: Final = Path(__file__).with_name("guard.py")
_POSIX: Final = os.name == "posix"
_NEW_GROUP: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows alone


class EngineEnded(Exception):
    """The program has ended, or has closed its output; says how, as part of a sentence."""


class EngineOverflow(Exception):
    """The program does not end its line, or does not read; says which, as part of a sentence."""


class EngineProcess:
    """A program that is running.

    Args:
        words: the program and its arguments; no shell sees them.
        grace: seconds after which it is killed once its input has ended; on POSIX.

    Raises:
        InvalidSpec: there is no such program.
    """

    def __init__(self, words: Sequence[str], grace: float = GRACE_SECONDS) -> None:
        if shutil.which(words[0]) is None:
            raise InvalidSpec(f"expected a program that can be run, got {shown(words[0])}")
        self._process = _started(words, grace)
        self._output = output_of(self._process.stdout)
        self._errors = Tail(self._process.stderr)
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._finalizer = weakref.finalize(
            self, _end, self._process, self._output, self._errors, polite=False
        )

    def write(self, lines: Sequence[str]) -> None:
        """Tell it lines, all at once.

        Raises:
            EngineEnded: it reads no more.
            EngineOverflow: it does not read.
        """
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        until = time.monotonic() + WRITE_SECONDS
        assert self._process.stdin is not None
        try:
            while data:
                written = self._process.stdin.write(data)
                data = data[written or 0 :]
                if data and time.monotonic() > until:
                    raise EngineOverflow(f"a program that read nothing for {WRITE_SECONDS:g} s")
                if not written:
                    time.sleep(0.001)
        except (OSError, ValueError):  # ValueError: closed here
            raise EngineEnded(self.how_it_ended()) from None

    def read(self, seconds: float) -> str | None:
        """Its next line, without its end; None if none comes in time.

        Raises:
            EngineEnded: its output has ended.
            EngineOverflow: its line is too long.
        """
        until = time.monotonic() + seconds
        while not self._lines:
            chunk = self._output.get(until - time.monotonic())
            if chunk is None:
                return None
            if not chunk:
                raise EngineEnded(self.how_it_ended())
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._lines.extend(lines)
            self._check_length(self._rest)
        line = self._lines.popleft()
        self._check_length(line)
        return line.decode("utf-8", "replace").strip()

    def _check_length(self, line: bytes) -> None:
        if len(line) > MAX_ENGINE_LINE:
            raise EngineOverflow(f"a line of more than {MAX_ENGINE_LINE} bytes: {shown(line[:40])}")

    def how_it_ended(self) -> str:
        """In words, once its output or its input is closed."""
        code = self.wait(QUIT_SECONDS)
        if code is None:
            return "the end of its output"
        if _POSIX and code > 128:
            return f"its end by {_signal_name(code - 128)}"
        return f"its end with exit code {code}"

    def last_words(self) -> str:
        """The end of what it wrote to stderr, for a message; empty if it wrote nothing."""
        self._errors.settle()
        text = " ".join(self._errors.data.decode("utf-8", "replace").split())
        return ascii(text[-TAIL_SHOWN:])[1:-1]

    def hang_up(self) -> None:
        """Close its input."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def wait(self, seconds: float) -> int | None:
        """Its exit code, once it ends; None if it does not in time."""
        return _ended(self._process, seconds)

    def kill(self) -> None:
        """End it now."""
        self._finalizer()

    def close(self) -> None:
        """Hang up, give it a moment to end by itself, and see that it does."""
        if self._finalizer.detach() is not None:
            _end(self._process, self._output, self._errors, polite=True)


def _started(words: Sequence[str], grace: float) -> "subprocess.Popen[bytes]":
    guard = [sys.executable, "-I", "-S", str(_GUARD), str(grace)] if _POSIX else []
    process = subprocess.Popen(
        [*guard, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=_POSIX,
        creationflags=_NEW_GROUP,
    )
    assert process.stdin is not None
    with contextlib.suppress(AttributeError, OSError):  # Windows, before Python 3.12
        os.set_blocking(process.stdin.fileno(), False)
    return process


def _signal_name(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _end(process: "subprocess.Popen[bytes]", output: Output, errors: Tail, *, polite: bool) -> None:
    """End a program and all that it has started, and the threads that read from it."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    if process.returncode is None and (not polite or _ended(process, QUIT_SECONDS) is None):
        _kill(process)
    output.close()
    errors.close()


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a program that has not been waited for, so that its number is still its own."""
    if not _POSIX:
        process.kill()
    else:
        for number in (signal.SIGTERM, signal.SIGCONT):  # to the guard, which may be stopped
            os.kill(process.pid, number)
        if _ended(process, KILL_SECONDS) is None:
            os.killpg(process.pid, signal.SIGKILL)
    _ended(process, None)


def _ended(process: "subprocess.Popen[bytes]", seconds: float | None) -> int | None:
    """The exit code of a program, once it ends, and with it its group; None if not in time.

    The number of a group is not given to others as long as one of the group is left.
    """
    if process.returncode is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            if _POSIX:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
    return process.returncode
