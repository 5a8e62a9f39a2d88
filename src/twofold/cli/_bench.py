"""The live view of a bench: how far each player is, and how it does."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rich.table import Table

if TYPE_CHECKING:
    from twofold.arena.games import GameRow

_MOST: Final = 12
"""Most players that are shown at a time: those at work, and those that come next."""


@dataclass(slots=True)
class _PlayerLine:
    """What is known of one player so far."""

    name: str
    wanted: int
    done: int
    played: int = 0
    moves: int = 0
    total: float = 0.0
    squares: float = 0.0
    begun: float = field(default=math.nan)
    last: float = field(default=math.nan)

    def add(self, row: "GameRow") -> None:
        now = time.monotonic()
        self.begun = now - row.seconds if math.isnan(self.begun) else self.begun
        self.last = now
        self.played += 1
        self.moves += row.moves
        self.total += row.score
        self.squares += row.score * row.score

    @property
    def missing(self) -> int:
        return self.wanted - self.done - self.played

    def cells(self) -> tuple[str, ...]:
        games = f"{self.done + self.played:,}/{self.wanted:,}"
        if not self.played:
            return self.name, games, "", "", ""
        seconds = max(self.last - self.begun, 1e-9)
        mean = self.total / self.played
        spread = max(self.squares / self.played - mean * mean, 0.0)
        half = 1.96 * math.sqrt(spread / self.played)
        left = self.missing * seconds / self.played
        return (
            self.name,
            games,
            f"{mean:,.0f} ± {half:,.0f}",
            f"{self.moves / seconds:,.0f}",
            "" if not self.missing else time_left(left),
        )


def time_left(seconds: float) -> str:
    """A length of time in two units: `1 h 05 m`, `3 m 07 s`, `12 s`."""
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02} m"


class BenchProgress:
    """A table that Rich can show again and again.

    Args:
        players: for each its name, the games wanted, and those of them still to be played.
    """

    def __init__(self, players: Sequence[tuple[str, int, int]]) -> None:
        self._lines = [
            _PlayerLine(name, wanted, wanted - missing) for name, wanted, missing in players
        ]

    def add(self, number: int, row: "GameRow") -> None:
        """Count a finished game of a player."""
        self._lines[number].add(row)

    def __rich__(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
        table.add_column("player", max_width=30, no_wrap=True, overflow="ellipsis")
        for name in ("games", "mean of the new ones", "moves/s", "left"):
            table.add_column(name, justify="right", no_wrap=True)
        active = [line for line in self._lines if line.missing or line.played]
        first = next((n for n, line in enumerate(active) if line.missing), 0)
        start = max(0, min(first - _MOST // 2, len(active) - _MOST))
        for line in active[start : start + _MOST]:
            table.add_row(*line.cells())
        return table
