"""Threads for jobs and players of the server, with low priority where possible."""

import contextlib
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from twofold.errors import LimitExceeded, ResourceError

CLOSE_SECONDS: Final = 5.0
"""Seconds to wait for a thread to end; it is then abandoned."""

NICENESS: Final = 5
"""Nice value of threads that compute, on Linux."""

IMPORTING: Final = threading.Lock()
"""Held while a player is imported and made: two threads that import modules which import each
other may see them partly initialised."""

_LOG: Final = logging.getLogger("twofold.play")


T = TypeVar("T")


class JobThreads:
    """Up to `count` threads that run queued jobs; `polite` ones at low priority."""

    def __init__(self, count: int, name: str, *, polite: bool = False) -> None:
        self._count = count
        self._name = name
        self._polite = polite
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._ends: dict[object, Callable[[], object] | None] = {}  # of jobs queued or running
        self._closed = False

    def start(self, job: Callable[[], object], end: Callable[[], object] | None = None) -> None:
        """Queue a job; `end` makes it end soon. Raises ResourceError if the threads are closed."""
        mark = object()

        def run() -> None:
            try:
                job()
            finally:
                with self._lock:
                    del self._ends[mark]

        with self._lock:
            if self._closed:
                raise ResourceError("the server is shutting down")
            self._ends[mark] = end
            if len(self._ends) > len(self._threads) < self._count:
                self._threads.append(start_thread(self._run, self._name))
            self._jobs.put(run)

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """End all jobs and their threads."""
        with self._lock:
            ends = list(self._ends.values())
            threads = [] if self._closed else self._threads
            self._closed = True
        for end in filter(None, ends):
            end()
        for _ in threads:
            self._jobs.put(None)
        join(threads, seconds)

    def _run(self) -> None:
        if self._polite:
            stand_back()
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except BaseException:  # the thread serves the next job
                _LOG.exception("a job of %s failed", self._name)
            finally:
                del job  # it may keep a closed page in memory


class Seats:
    """Up to `count` threads that run at the same time."""

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closed = False

    def start(self, run: Callable[[], None]) -> None:
        """Run something in a thread; raises LimitExceeded if all are busy, and once closed."""
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if self._closed or len(self._threads) >= self._count:
                raise LimitExceeded(f"{self._count} players are playing, the maximum. End one")
            self._threads.append(start_thread(run, self._name))

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Start no more threads, and wait for the others; the caller stops them."""
        with self._lock:
            self._closed = True
            threads, self._threads = self._threads, []
        join(threads, seconds)


def start_thread(run: Callable[[], object], name: str) -> threading.Thread:
    """Start a thread that does not keep the process alive."""
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def join(threads: list[threading.Thread], seconds: float = CLOSE_SECONDS) -> None:
    """Wait for threads to end, `seconds` in all."""
    until = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            _LOG.warning("the thread %s did not end within %g s", thread.name, seconds)


def stand_back() -> None:
    """Lower this thread's priority (Linux only)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class Reading(Generic[T]):
    """Reads an iterator in a background thread.

    Args:
        source: the iterator.
        name: of the thread.
        take: called with each item, in the thread.

    Attributes:
        latest: the newest item; None before the first.
        error: the exception that ended the source.
    """

    def __init__(self, source: Iterator[T], name: str, take: Callable[[T], object]) -> None:
        self.latest: T | None = None
        self.error: BaseException | None = None
        self._source = source
        self._take = take
        self._thread = start_thread(self._run, name)

    def _run(self) -> None:
        try:
            for one in self._source:
                self.latest = one
                self._take(one)
        except BaseException as error:  # raised again, or shown, by the waiting thread
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False after the timeout."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
