"""Serves the engine protocol over streams with two threads: one reads and searches, one watches.

Most searches are short and no command comes during them, so the thread that reads `go` also
searches: a thread switch takes as long as a quick move. During a longer search the main thread
reads, so that it sees `stop`; otherwise it only waits, so that Ctrl-C reaches it.
"""

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Final

from twofold.engine.process import Waiter
from twofold.engine.server import EngineServer, ServerSearch
from twofold.limits import MAX_ENGINE_LINE
from twofold.players import Player
from twofold.players.faults import as_fault

LAST_SECONDS: Final = 0.3
"""Time limit of a search after the end of the input, for piped input."""

SHORT_SECONDS: Final = 0.005
"""Length of a search after which the other thread reads."""

LOOK_SECONDS: Final = 0.5
"""Interval of checks for Ctrl-C on Windows, where it does not wake a waiting thread."""

_CHUNK: Final = 65_536


def serve(player: Player, source: IO[bytes], sink: IO[bytes]) -> None:
    """Serve the protocol until `quit`, the end of the input, or a closed output.

    Args:
        player: the player, started for some rules; it is closed at the end.
        source: input, unbuffered: a thread may still read it at the end.
        sink: output, flushed after each reply.

    Raises:
        OSError: a reply cannot be written, for example to a full disk.
    """
    gone = threading.Event()
    failed: list[OSError] = []

    def write(text: str) -> None:
        try:
            sink.write(text.encode())
            sink.flush()
        except (ConnectionError, ValueError):  # no reader any more; ValueError: closed
            gone.set()
        except OSError as error:
            if error.errno != errno.EINVAL:  # no reader any more, on Windows
                failed.append(error)
            gone.set()

    def lines() -> Iterator[str]:
        for line in lines_of(source, waiter_of(source)):
            yield line
            if gone.is_set():
                return

    Turns(player, lines(), write).run()
    if failed:
        raise failed[0]


class Turns:
    """Threads that take turns at reading.

    Args:
        player: the player, started for some rules; it is closed at the end.
        lines: lines from the client.
        write: writes text to the client.
    """

    def __init__(self, player: Player, lines: Iterator[str], write: Callable[[str], None]) -> None:
        self._server = EngineServer(player, write, self._begin)
        self._lines = lines
        self._reading = threading.Lock()
        self._last: ServerSearch | None = None
        self._waiting: ServerSearch | None = None
        self._news = threading.Event()
        self._ended = False
        self._last_seconds = LAST_SECONDS
        self._error: Exception | None = None

    def run(self) -> None:
        """Execute the lines up to `quit` or their end, and close the player."""
        try:
            self._add_worker()
            while not self._ended:
                self._watch()
            if self._error is not None:
                raise self._error
            self._server.close(self._last_seconds)
        finally:
            self._server.close()

    def _watch(self) -> None:
        """Wait for a search; if it lasts, read on up to the next one."""
        if not self._news.wait(LOOK_SECONDS):
            return
        self._news.clear()
        search = self._last
        time.sleep(SHORT_SECONDS)  # always: otherwise each move of a game wakes this thread
        if search is None or search.is_over:
            return
        self._news.set()  # check again if the lock is taken
        if self._reading.acquire(blocking=False):
            try:
                if self._waiting is None:  # otherwise a worker has not taken the search yet
                    self._read_on()
            finally:
                self._reading.release()

    def _add_worker(self) -> None:
        threading.Thread(target=self._work, name="engine-worker", daemon=True).start()

    def _work(self) -> None:
        try:
            while (search := self._next()) is not None:
                search.run()
                if search.is_left_behind:  # another worker has replaced this one
                    return
        except BaseException as error:
            self._error = as_fault(error)  # Ctrl-C reaches the main thread
            self._end()

    def _next(self) -> ServerSearch | None:
        """The search that the other thread has read, or the next one; None at the end."""
        with self._reading:
            if self._waiting is None:
                self._read_on()
            search, self._waiting = self._waiting, None
            return search

    def _read_on(self) -> None:
        """Execute lines up to the next search, or their end."""
        if self._ended:
            return
        for line in self._lines:
            if not self._server.obey(line):
                self._last_seconds = 0.0
                break
            if self._waiting is not None:
                return
        self._end()

    def _begin(self, search: ServerSearch) -> None:
        if self._last is not None and self._last.is_left_behind:
            self._add_worker()
        self._last = self._waiting = search
        self._news.set()

    def _end(self) -> None:
        self._ended = True
        self._news.set()


def waiter_of(source: IO[bytes]) -> Waiter | None:
    """A `Waiter` for a stream, where the system supports it."""
    with contextlib.suppress(OSError, ValueError):
        return Waiter(source) if os.name == "posix" else None
    return None


def lines_of(source: IO[bytes], waiter: Waiter | None = None) -> Iterator[str]:
    """The lines of a stream; too long ones are truncated to a length that is still refused."""
    rest = b""
    while chunk := _read(source, waiter):
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: MAX_ENGINE_LINE + 2]
        yield from map(_text_of, lines)
    if rest:
        yield _text_of(rest)


def _read(source: IO[bytes], waiter: Waiter | None) -> bytes:
    if waiter is not None:
        waiter.wait()
    return source.read(_CHUNK)


def _text_of(line: bytes) -> str:
    line = line.rstrip(b"\r")
    if len(line) > MAX_ENGINE_LINE:  # latin-1 keeps the length, so that it is refused
        return line.decode("latin-1")
    return line.decode("utf-8", "replace")
