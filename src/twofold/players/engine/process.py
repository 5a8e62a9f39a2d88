"""Runs another program, reads and writes its lines with time limits, and always ends it.

On POSIX the program runs in a session of its own: Ctrl-C does not reach it, and its process group
is killed with it. If this process is killed, the program reads the end of its input, and ends by
itself.
"""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.game.notation import shown
from twofold.limits import MAX_ENGINE_LINE

JOIN_SECONDS: Final = 1.0
"""Time limit for the end of a thread after the other end of its stream is closed."""

SETTLE_SECONDS: Final = 0.2
"""Time limit for the last output to arrive."""

TAIL_BYTES: Final = 4_096
"""Bytes of stderr that are kept."""

_CHUNK: Final = 65_536
_WAITING: Final = 64
"""Largest number of unread chunks; then the program blocks."""


class Output:
    """Reads a stream in a thread of its own, up to its end: timed reads of pipes on any system."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._chunks: queue.Queue[bytes] = queue.Queue(_WAITING)
        self._closed = threading.Event()
        self._ended = False
        self._thread = threading.Thread(target=self._pump, name="engine-output", daemon=True)
        self._thread.start()

    def get(self, seconds: float) -> bytes | None:
        """The next bytes, empty at the end; None after the timeout."""
        if self._ended:
            return b""
        try:
            chunk = self._chunks.get(timeout=max(seconds, 0.0))
        except queue.Empty:
            return None
        self._ended = not chunk
        return chunk

    def close(self) -> None:
        """End the thread, after the other end of the stream is closed."""
        self._closed.set()
        self._thread.join(JOIN_SECONDS)
        self._ended = True

    def _pump(self) -> None:
        with self._stream:
            chunk = None
            while chunk != b"" and not self._closed.is_set():
                try:
                    chunk = self._stream.read(_CHUNK)
                except OSError:
                    chunk = b""
                while not self._closed.is_set():
                    with contextlib.suppress(queue.Full):
                        self._chunks.put(chunk, timeout=0.2)
                        break


class Tail:
    """Reads a stream in a separate thread, so that its pipe never fills, and keeps its end."""

    def __init__(self, stream: Any) -> None:
        self.data = b""
        """The last bytes so far."""
        self._stream = stream
        self._thread = threading.Thread(target=self._keep, name="engine-errors", daemon=True)
        self._thread.start()

    def settle(self) -> None:
        """Wait a moment for the last output."""
        self._thread.join(SETTLE_SECONDS)

    def close(self) -> None:
        """End the thread, after the other end of the stream is closed."""
        self._thread.join(JOIN_SECONDS)

    def _keep(self) -> None:
        with self._stream, contextlib.suppress(OSError):
            while chunk := self._stream.read(_CHUNK):
                self.data = (self.data + chunk)[-TAIL_BYTES:]


QUIT_SECONDS: Final = 1.0
"""Time limit for a program to end after `quit`."""

LOOK_SECONDS: Final = 1.0
"""Interval of checks for a program that has ended while a child of it keeps its output open."""

WRITE_SECONDS: Final = 5.0
"""Time limit for a program to read its input."""

TAIL_SHOWN: Final = 200
"""Characters of the end of stderr in a message."""

_POSIX: Final = os.name == "posix"
_NEW_GROUP: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows only


class EngineEnded(Exception):
    """The program has ended or closed its output; the text says how, as part of a sentence."""


class EngineOverflow(Exception):
    """The program does not end its line, or does not read; the text says which."""


class EngineProcess:
    """A running program; raises `InvalidSpec` if there is no such program.

    Args:
        words: the program and its arguments; started without a shell.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._process = _started(words)
        self._output = Output(self._process.stdout)
        self._errors = Tail(self._process.stderr)
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._finalizer = weakref.finalize(
            self, _end, self._process, self._output, self._errors, polite=False
        )

    def write(self, lines: Sequence[str]) -> None:
        """Write lines, all at once; raises `EngineEnded` or `EngineOverflow`."""
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
        """The next line, without the line break; None after the timeout.

        Raises `EngineEnded` at the end of the output, `EngineOverflow` if the line is too long.
        """
        until = time.monotonic() + seconds
        while not self._lines:
            left = until - time.monotonic()
            chunk = self._output.get(min(left, LOOK_SECONDS))
            if chunk is None and self.wait(0) is None:
                if left <= LOOK_SECONDS:
                    return None
                continue
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
        """The end of the program in words, after its output or input is closed."""
        code = self.wait(QUIT_SECONDS)
        if code is None:
            return "the end of its output"
        if code < 0:
            named = {one.value: one.name for one in signal.Signals}
            return f"its end by {named.get(-code, f'signal {-code}')}"
        return f"its end with exit code {code}"

    def last_words(self) -> str:
        """The end of its stderr, for a message; empty if there is none."""
        self._errors.settle()
        text = " ".join(self._errors.data.decode("utf-8", "replace").split())
        return ascii(text[-TAIL_SHOWN:])[1:-1]

    def hang_up(self) -> None:
        """Close the program's input."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def wait(self, seconds: float) -> int | None:
        """The exit code; None if the program does not end in time."""
        return _ended(self._process, seconds)

    def kill(self) -> None:
        """End the program immediately."""
        self._finalizer()

    def close(self) -> None:
        """Close the program's input, and kill it if it does not end."""
        if self._finalizer.detach() is not None:
            _end(self._process, self._output, self._errors, polite=True)


def _started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=_POSIX,
            creationflags=_NEW_GROUP,
        )
    except OSError:
        raise InvalidSpec(f"expected a program that can be run, got {shown(words[0])}") from None
    assert process.stdin is not None
    with contextlib.suppress(AttributeError, OSError):  # Windows, before Python 3.12
        os.set_blocking(process.stdin.fileno(), False)
    return process


def _end(process: subprocess.Popen[bytes], output: Output, errors: Tail, *, polite: bool) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    if process.returncode is None and (not polite or _ended(process, QUIT_SECONDS) is None):
        # Before `wait`, while its process id cannot be reused.
        if _POSIX:
            with contextlib.suppress(OSError):  # it may have left its group
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        _ended(process, None)
    output.close()
    errors.close()


def _ended(process: subprocess.Popen[bytes], seconds: float | None) -> int | None:
    """The exit code of a program, or None after the timeout; then kills its group.

    A group's id is not reused while one of its processes exists.
    """
    if process.returncode is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            if _POSIX:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
    return process.returncode
