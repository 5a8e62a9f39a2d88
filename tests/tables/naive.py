"""Chances of endgame boards by recursion from the rules: the naive twin of the tables."""

from functools import cache

from twofold.game import reference
from twofold.tables.layers import Halves
from twofold.tables.pattern import EndgamePattern

Cells = tuple[int, ...]

QUICK = ("44-16", "44-16/4-8", "441-8", "442-8")
"""Patterns whose recursion takes a few seconds in all."""

SLOW = ("442-16/4-8", "443-8", "444-8")
"""Patterns whose recursion takes half a minute in all."""

LARGE = 16
"""Exponents from here up to 31 mean large tiles; no target is as large."""

SPAWNS = ((1, 0.9), (2, 0.1))


class Recursion:
    """Chances of boards by recursion with a dictionary; 4x4, row by row."""

    def __init__(self, pattern: EndgamePattern) -> None:
        self.pattern = pattern
        self.before = cache(self._before)
        self.after = cache(self._after)

    def chance_of_move(self, cells: Cells, move: int) -> float | None:
        """The chance after a move; None if it changes nothing, or the table does not list it."""
        raise NotImplementedError

    def half_sum(self, cells: Cells) -> int:
        """The sum of the tiles in free cells, in units of 2."""
        return sum(2**one // 2 for one in cells if 0 < one < LARGE)

    def _before(self, cells: Cells) -> float:
        if self.half_sum(cells) > self.pattern.highest:
            return 0.0
        return max(self.chance_of_move(cells, move) or 0.0 for move in reference.MOVES)

    def _after(self, cells: Cells) -> float:
        empty = [cell for cell, one in enumerate(cells) if not one]
        total = 0.0
        for cell in empty:
            for exponent, chance in SPAWNS:
                total += chance * self.before((*cells[:cell], exponent, *cells[cell + 1 :]))
        return total / len(empty) if empty else 0.0


class Naive(Recursion):
    """Chances of the boards of a dense pattern."""

    def board(self, layer: int, number: int) -> Cells:
        """The board of a number in a layer."""
        halves = Halves(self.pattern)
        offsets = halves.offsets(layer)
        low_sum = max(one for one in range(len(halves.low.counts)) if offsets[one] <= number)
        rank = number - offsets[low_sum]
        count = halves.high.counts[layer - low_sum]
        low = halves.low.order[halves.low.firsts[low_sum] + rank // count]
        high = halves.high.order[halves.high.firsts[layer - low_sum] + rank % count]
        fourth = [int(digit[low]) for digit in halves.low.digits]
        third, second = [
            [int(digit[high]) for digit in digits]
            for digits in (halves.high.digits[:4], halves.high.digits[4:])
        ]
        large = range(LARGE, LARGE + self.pattern.large_tiles)
        return (*large, *second, *third, *fourth)

    def chance_of_move(self, cells: Cells, move: int) -> float | None:
        """The chance after a move; None if it changes nothing, or the table does not list it."""
        after = tuple(reference.slide(list(cells), 4, 4, move)[0])
        large = [one if one >= LARGE else 0 for one in cells]
        if after == cells or [one if one >= LARGE else 0 for one in after] != large:
            return None
        if max(one for one in after if one < LARGE) >= self.pattern.target:
            return 1.0
        low, high, _ = self.pattern.caps
        if max(after[12:]) > low or max(after[8:12]) > high:
            return None
        return self.after(after)


@cache
def naive(name: str) -> Naive:
    """The cached recursion of a pattern."""
    return Naive(EndgamePattern.parse(name))
