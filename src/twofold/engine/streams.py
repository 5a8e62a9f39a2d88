"""A program's output with a time limit, and the end of its errors, as bytes.

If the system can wait for pipes, the caller's thread reads the output: a switch between threads
costs a line a tenth of a millisecond on a busy machine. Elsewhere, as on Windows, a thread reads
it.
"""

import contextlib
import os
import queue
import select
import threading
import time
from typing import Any, Final, Protocol

JOIN_SECONDS: Final = 1.0
"""Time limit for the end of a thread after the other end of its stream is closed."""

SETTLE_SECONDS: Final = 0.2
"""Time limit for the last output to arrive."""

AWAKE_SECONDS: Final = 0.0003
"""Time of busy polling before a blocking wait."""

QUICK_SECONDS: Final = 0.001
"""After a longer wait, the next one blocks immediately."""

TAIL_BYTES: Final = 4_096
"""Bytes of stderr that are kept."""

_CHUNK: Final = 65_536
_WAITING: Final = 64
"""Largest number of unread chunks; then the program blocks."""


class Output(Protocol):
    """A stream with timed reads, by one thread at a time."""

    def get(self, seconds: float) -> bytes | None:
        """The next bytes, empty at the end; None after the timeout."""

    def close(self) -> None:
        """Close the stream, after its other end is closed."""


def output_of(stream: Any) -> Output:
    """The best reader of a stream on this system."""
    return PolledOutput(stream) if os.name == "posix" else PumpedOutput(stream)


class Waiter:
    """Waits for bytes in a pipe; on POSIX.

    After a short wait it polls busily for a moment, if there is a core to spare: on an idle machine
    a wake-up takes longer than an engine's quick move.
    """

    def __init__(self, stream: Any) -> None:
        self._poll = select.poll()
        self._poll.register(stream, select.POLLIN)
        self._can_stay_awake = (os.cpu_count() or 1) > 1
        self._was_quick = False

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for bytes or the end, at most `seconds` (None: no limit); False if none came."""
        began = time.perf_counter()
        ready = bool(self._poll.poll(0))
        if self._was_quick and not ready:
            until = began + (AWAKE_SECONDS if seconds is None else min(AWAKE_SECONDS, seconds))
            while not ready and time.perf_counter() < until:
                ready = bool(self._poll.poll(0))
        if not ready:
            ready = bool(self._poll.poll(None if seconds is None else max(1e3 * seconds, 0.0)))
        lasted = time.perf_counter() - began
        self._was_quick = self._can_stay_awake and lasted < QUICK_SECONDS
        return ready


class PolledOutput:
    """Reads a stream in the caller's thread; on POSIX."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._waiter = Waiter(stream)

    def get(self, seconds: float) -> bytes | None:
        """The next bytes, empty at the end; None after the timeout."""
        try:
            if not self._waiter.wait(seconds):
                return None
            return bytes(self._stream.read(_CHUNK))
        except (OSError, ValueError):  # ValueError: closed here
            return b""

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


class PumpedOutput:
    """Reads a stream in a separate thread, up to its end."""

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
