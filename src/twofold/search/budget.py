"""Budget: limits of one search, and the flags and timers that end it early."""

import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidBudget, LimitExceeded
from twofold.game import notation
from twofold.game.notation import shown
from twofold.kernels.context import NODE_LIMIT, NODES
from twofold.limits import MAX_NODES, MAX_PLY, MAX_SECONDS

_UNITS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_NUMBER: Final = r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]{1,3})?"
_TIME: Final = re.compile("".join(rf"(?:({_NUMBER})\s*{unit}\s*)?" for unit in _UNITS), re.ASCII)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one search, None for no limit; the first one reached ends it.

    `ply` is the depth in plies, `seconds` wall-clock time (never reproducible), `nodes` the number
    of positions.

    Raises:
        InvalidBudget: a value is not a positive number, or `ply` or `nodes` is not whole.
        LimitExceeded: a value exceeds `twofold.limits`.
    """

    ply: int | None = None
    seconds: float | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        _check("ply", self.ply, MAX_PLY, Integral)
        _check("time in seconds", self.seconds, MAX_SECONDS, Real)
        _check("nodes", self.nodes, MAX_NODES, Integral)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `"ply=3"`, `"time=50ms"`, `"nodes=1e6"` or several, separated by commas.

        Raises:
            InvalidBudget: a syntax error.
            LimitExceeded: a value exceeds `twofold.limits`.
        """
        notation.check_length(text, "a budget", InvalidBudget)
        values: dict[str, Any] = {}
        for part in text.split(","):
            key, equals, value = part.strip().partition("=")
            if not equals or key not in ("ply", "time", "nodes"):
                raise InvalidBudget(f"expected ply=, time= or nodes=, got {shown(part)}")
            if key in values:
                raise InvalidBudget(f"expected each part of a budget once, got {key!r} twice")
            values[key] = _seconds(value) if key == "time" else _whole(key, value)
        return cls(values.get("ply"), values.get("time"), values.get("nodes"))

    def __str__(self) -> str:
        parts = []
        if self.ply is not None:
            parts.append(f"ply={self.ply}")
        if self.seconds is not None:
            parts.append(f"time={notation.format_number(self.seconds)}s")
        if self.nodes is not None:
            parts.append(f"nodes={self.nodes}")
        return ",".join(parts)


def parse_seconds(text: str, name: str = "a time", most: float = MAX_SECONDS) -> float:
    """Parse a time such as `50ms`, `1.5` (seconds), `2m` or `1h30m`. Returns seconds.

    Args:
        text: the text; the units are us, ms, s, m, h and d.
        name: what errors call it, such as `--time`.
        most: largest time, in seconds.

    Raises:
        InvalidBudget: no time, or not above 0.
        LimitExceeded: a longer time.
    """
    seconds = _seconds(text, name)
    if not seconds > 0:
        raise InvalidBudget(f"expected {name} above 0, got {shown(text)}")
    if seconds > most:
        days = most / _UNITS["d"]
        raise LimitExceeded(f"expected {name} up to {days:g} d, got {shown(text)}")
    return seconds


def _seconds(text: str, name: str = "a time") -> float:
    text = text.strip()
    if re.fullmatch(_NUMBER, text, re.ASCII):
        return notation.parse_number(text, name, InvalidBudget)
    found = _TIME.fullmatch(text)
    if not found or not text:
        raise InvalidBudget(f"expected {name} such as 50ms, 0.5s, 2m or 1h30m, got {shown(text)}")
    parts = zip(found.groups(), _UNITS.values(), strict=True)
    return sum(
        notation.parse_number(number, name, InvalidBudget) * unit
        for number, unit in parts
        if number
    )


def _whole(key: str, text: str) -> int:
    value = notation.parse_number(text.strip(), key, InvalidBudget)
    if value != math.floor(value):
        raise InvalidBudget(f"expected {key} as a whole number, got {shown(text)}")
    return int(value)


def _check(name: str, value: float | None, most: float, kind: type) -> None:
    if value is None:
        return
    if not isinstance(value, kind) or isinstance(value, bool):
        what = "a number" if kind is Real else "a whole number"
        raise InvalidBudget(f"expected {name} as {what}, got {shown(value)}")
    if not value > 0:
        raise InvalidBudget(f"expected {name} above 0, got {value}")
    if value > most:
        raise LimitExceeded(f"expected {name} up to {most}, got {value}")


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


class _Deadlines(threading.Thread):
    """Calls functions at their times, in one thread: to start one for each search is slow."""

    def __init__(self) -> None:
        super().__init__(name="deadlines", daemon=True)
        self.changed, self.wakes = threading.Condition(), math.inf
        self.rings: dict[object, tuple[float, Callable[[], None]]] = {}
        self.start()

    def run(self) -> None:
        with self.changed:
            while True:
                now = time.monotonic()
                for key in [key for key, (when, _) in self.rings.items() if when <= now]:
                    self.rings.pop(key)[1]()
                self.wakes = min((when for when, _ in self.rings.values()), default=math.inf)
                self.changed.wait(min(self.wakes - now, MAX_SECONDS))


@cache
def _deadlines(process: int) -> _Deadlines:
    """The thread of a process: one that was forked has none of its parent's threads."""
    return _Deadlines()


@contextmanager
def ringing(seconds: float, ring: Callable[[], None]) -> Iterator[None]:
    """Call `ring` after a time, in another thread, unless the `with` block ends before.

    `ring` must be short and raise nothing.
    """
    deadlines, key, when = _deadlines(os.getpid()), object(), time.monotonic() + seconds
    with deadlines.changed:
        deadlines.rings[key] = when, ring
        if when < deadlines.wakes:
            deadlines.changed.notify()
    try:
        yield
    finally:
        with deadlines.changed:
            deadlines.rings.pop(key, None)
