"""Paces to choose from, about evenly spread on a logarithmic scale."""

from typing import Final

PACES: Final = (
    0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0, 80.0, 150.0, 300.0, 600.0, 1000.0, 2000.0,
)  # fmt: skip
"""Moves a second; beyond the last a player plays as fast as it can."""

PLEASANT: Final = 8.0
"""Pace at the start, in moves a second."""


def faster(pace: float | None) -> float | None:
    """The next faster pace; None for as fast as it can."""
    if pace is None:
        return None
    return next((one for one in PACES if one > pace), None)


def slower(pace: float | None) -> float:
    """The next slower pace."""
    return next((one for one in reversed(PACES) if pace is None or one < pace), PACES[0])
