"""A program as a shared library: its functions, its CPU time, and no output of its own."""

import ctypes
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TextIO, TypeVar

Found = TypeVar("Found")

_EMPTY_CALLS: Final = 1_000


class Clock:
    """Adds up the CPU time of calls, less that of an empty call."""

    def __init__(self) -> None:
        self.seconds = self._cost = 0.0
        for _ in range(_EMPTY_CALLS):
            self.call(int)
        self._cost, self.seconds = self.seconds / _EMPTY_CALLS, 0.0

    def call(self, work: Callable[..., Found], *arguments: object) -> Found:
        """The result of a call, whose time counts."""
        began = time.thread_time()
        found = work(*arguments)
        self.seconds += time.thread_time() - began - self._cost
        return found


class TimedProgram:
    """What programs asked through their library have in common; `clock` has their CPU time."""

    def __init__(self) -> None:
        self.clock = Clock()

    def begin(self) -> None:
        """Nothing: no move depends on the ones before it."""

    def cpu_seconds(self) -> float:
        """Of its moves."""
        return self.clock.seconds

    def close(self) -> None:
        """Nothing."""


def load(path: Path) -> ctypes.CDLL:
    """Load a shared library."""
    return ctypes.CDLL(os.path.abspath(path))


def own_output() -> TextIO:
    """The standard output for the adapter alone: a library's own output goes to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(kept, "w", encoding="utf-8")
