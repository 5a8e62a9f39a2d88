"""Paces of autoplay: the choices, the next move's time, and the measured speed."""

import time
from collections import deque
from typing import Final

PACES: Final = (
    0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0, 80.0, 150.0, 300.0, 600.0, 1000.0, 2000.0,
)  # fmt: skip
"""Moves per second to choose from, about evenly spaced on a logarithmic scale. After the last comes
no limit."""

PLEASANT: Final = 8.0
"""Initial pace, in moves per second."""

FIRST_MOVES: Final = 20
FIRST_PACE: Final = 10.0
"""If no pace is chosen, the first `FIRST_MOVES` moves of a watched game are played at `FIRST_PACE`
moves per second, so that a person can follow them, and the rest without a limit."""


def faster(pace: float | None) -> float | None:
    """The next faster pace; None for no limit."""
    if pace is None:
        return None
    return next((one for one in PACES if one > pace), None)


def slower(pace: float | None) -> float:
    """The next slower pace."""
    return next((one for one in reversed(PACES) if pace is None or one < pace), PACES[0])


def next_due(due: float, moves_per_second: float, now: float) -> float:
    """When the next move is due, given when the last one was; missed moves are skipped."""
    return max(due + 1 / moves_per_second, now)


class SpeedWindow:
    """Moves per second over the last second; marks less than `apart` seconds apart are skipped."""

    SECONDS: Final = 1.0

    def __init__(self, apart: float = 0.0) -> None:
        self._apart = apart
        self._marks: deque[tuple[float, int]] = deque()  # times and move numbers

    def mark(self, move_number: int) -> None:
        """Record the current move number."""
        marks, now = self._marks, time.monotonic()
        if not marks or now - marks[-1][0] >= self._apart:
            marks.append((now, move_number))
        while len(marks) > 2 and marks[1][0] <= now - self.SECONDS:
            marks.popleft()

    def clear(self) -> None:
        """Discard all marks."""
        self._marks.clear()

    @property
    def speed(self) -> float:
        """Moves per second; 0 if unknown."""
        if not self._marks:
            return 0.0
        (began, first), (ended, last) = self._marks[0], self._marks[-1]
        return (last - first) / (ended - began) if ended > began else 0.0
