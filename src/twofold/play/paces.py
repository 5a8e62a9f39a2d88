"""Paces: how fast a player plays on, as it is chosen, kept and measured."""

import time
from collections import deque
from typing import Final

PACES: Final = (
    0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0, 80.0, 150.0, 300.0, 600.0, 1000.0, 2000.0,
)  # fmt: skip
"""Moves a second to choose from, about evenly spread on a logarithmic scale. Beyond the last a
player plays as fast as it can."""

PLEASANT: Final = 8.0
"""Pace at the start, in moves a second."""

FIRST_MOVES: Final = 20
FIRST_PACE: Final = 10.0
"""Without a chosen pace the first moves of a watched game are slow, so that one sees what happens:
the first `FIRST_MOVES` moves at `FIRST_PACE` moves a second. The rest are as fast as possible."""


def faster(pace: float | None) -> float | None:
    """The next faster pace; None for as fast as it can."""
    if pace is None:
        return None
    return next((one for one in PACES if one > pace), None)


def slower(pace: float | None) -> float:
    """The next slower pace."""
    return next((one for one in reversed(PACES) if pace is None or one < pace), PACES[0])


def next_due(due: float, moves_per_second: float, now: float) -> float:
    """When the next move is due after one that was due then; missed moves are skipped."""
    return max(due + 1 / moves_per_second, now)


class SpeedWindow:
    """Moves a second, of the last second.

    Args:
        apart: least seconds between two moments that are compared.
    """

    SECONDS: Final = 1.0

    def __init__(self, apart: float = 0.0) -> None:
        self._apart = apart
        self._marks: deque[tuple[float, int]] = deque()  # times and move numbers

    def mark(self, move_number: int) -> None:
        """The game has come to a move number now."""
        marks, now = self._marks, time.monotonic()
        if not marks or now - marks[-1][0] >= self._apart:
            marks.append((now, move_number))
        while len(marks) > 2 and marks[1][0] <= now - self.SECONDS:
            marks.popleft()

    def clear(self) -> None:
        """Begin again: the time until now does not count."""
        self._marks.clear()

    @property
    def speed(self) -> float:
        """Moves a second; 0 where nothing is known."""
        if not self._marks:
            return 0.0
        (began, first), (ended, last) = self._marks[0], self._marks[-1]
        return (last - first) / (ended - began) if ended > began else 0.0
