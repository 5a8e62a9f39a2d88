"""JobThreads: threads that do jobs for the server, and leave it the processor when it needs it."""

import contextlib
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from twofold.errors import LimitExceeded

CLOSE_SECONDS: Final = 5.0
"""How long to wait for a thread that does not end; it is left behind then."""

NICENESS: Final = 5
"""How far threads that think stand back behind those that answer, where the system can do that."""

_LOG: Final = logging.getLogger("twofold.web")


class JobThreads:
    """Some threads that do jobs one after the other; each starts when it is first needed.

    Args:
        count: most jobs at a time.
        name: of the threads.
        polite: whether the threads stand back behind those of the server.
    """

    def __init__(self, count: int, name: str, *, polite: bool = False) -> None:
        self._count = count
        self._name = name
        self._polite = polite
        self._jobs: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._waiting = 0  # jobs given and not done
        self._closed = False

    def submit(self, job: Callable[[], object]) -> bool:
        """Do a job as soon as a thread is free; False, and it is not done, once closed."""
        with self._lock:
            if self._closed:
                return False
            self._waiting += 1
            if self._waiting > len(self._threads) < self._count:
                self._threads.append(start_thread(self._run, self._name))
            self._jobs.put(job)
        return True

    @property
    def is_closed(self) -> bool:
        """Whether no more jobs are done."""
        return self._closed

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """End the threads once they have done what was given to them."""
        with self._lock:
            threads = [] if self._closed else self._threads
            self._closed = True
        for _ in threads:
            self._jobs.put(None)
        join(threads, seconds)

    def _run(self) -> None:
        if self._polite:
            stand_back()
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except Exception:
                _LOG.exception("a job of %s failed", self._name)
            finally:
                del job  # it may hold a page that is gone
                with self._lock:
                    self._waiting -= 1


class Seats:
    """Threads that run beside each other, up to a number.

    Args:
        count: most threads at a time.
        name: of the threads.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closed = False

    def start(self, run: Callable[[], None]) -> None:
        """Run something in a thread.

        Raises:
            LimitExceeded: there are as many threads as may be, or no more are wanted.
        """
        with self._lock:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if self._closed or len(self._threads) >= self._count:
                raise LimitExceeded(f"expected at most {self._count} players at a time: end one")
            self._threads.append(start_thread(run, self._name))

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Start no more threads, and wait for those there are, which others tell to end."""
        with self._lock:
            self._closed = True
            threads, self._threads = self._threads, []
        join(threads, seconds)


def start_thread(run: Callable[[], None], name: str) -> threading.Thread:
    """Start a thread that does not keep the process alive."""
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


def join(threads: list[threading.Thread], seconds: float = CLOSE_SECONDS) -> None:
    """Wait for threads to end, for so many seconds in all."""
    until = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
        if thread.is_alive():
            _LOG.warning("the thread %s did not end within %g s", thread.name, seconds)


def stand_back() -> None:
    """Let this thread run behind those that answer the page: only Linux has that for threads."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
