"""Flags and alarms that end searches early."""

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.kernels.search.context import NODE_LIMIT, NODES

Words = NDArray[np.uint64]


class Stop:
    """A flag that any thread may raise to end searches, within about 20 ms.

    A search reads it at each chance node above its lowest layer. It cannot be lowered.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._raised = False
        self._searches: list[Words] = []

    @property
    def is_raised(self) -> bool:
        """True once the flag is raised."""
        return self._raised

    def raise_flag(self) -> None:
        """End the current and all later searches under this flag."""
        with self._lock:
            self._raised = True
            for words in self._searches:
                words[NODE_LIMIT] = 0

    @contextmanager
    def over(self, searches: list[Words]) -> Iterator[None]:
        """Make the flag end these searches, given by their contexts' words, inside `with`.

        Set their node limits before.
        """
        with self._lock:
            self._searches += searches
            if self._raised:
                for words in searches:
                    words[NODE_LIMIT] = 0
        try:
            yield
        finally:
            with self._lock:
                for words in searches:
                    self._searches = [other for other in self._searches if other is not words]


def was_stopped(words: Words) -> bool:
    """True if a search was ended early: its result is then invalid."""
    return bool(words[NODES] >= words[NODE_LIMIT])


class Alarms:
    """Calls functions at given times of a clock, in a thread that starts when needed."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._numbers = itertools.count()
        self.reset()

    def reset(self) -> None:
        """Drop all alarms and the thread; required after a fork, which copies no thread."""
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, Callable[[], None]]] = []
        self._thread: threading.Thread | None = None

    @contextmanager
    def at(self, when: float, ring: Callable[[], None]) -> Iterator[None]:
        """Call `ring` at a time of the clock, unless the `with` block ends before."""
        alarm = (when, next(self._numbers), ring)
        with self._changed:
            heapq.heappush(self._waiting, alarm)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="alarms", daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                if alarm in self._waiting:
                    self._waiting.remove(alarm)
                    heapq.heapify(self._waiting)

    def _run(self) -> None:
        with self._changed:
            while True:
                while self._waiting and self._waiting[0][0] <= self._clock():
                    heapq.heappop(self._waiting)[2]()
                left = self._waiting[0][0] - self._clock() if self._waiting else None
                if left is None or left > 0:
                    self._changed.wait(left)


ALARMS: Final = Alarms()
"""The alarms of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ALARMS.reset)
