"""Patterns numbered cell by cell, from the rules: the naive twin.

Boards are 4x4, row by row; a large tile is LARGE, and never merges.
"""

from functools import cache

from tests.support.endgame_tables import turned
from twofold.game import reference
from twofold.tables.pattern import EndgamePattern

Cells = tuple[int, ...]

LARGE = 40
"""Stands for every large tile; moves number them, so that none are equal."""

SPAWNS = ((1, 0.9), (2, 0.1))


SYMMETRIES = [turned(tuple(range(16)), symmetry) for symmetry in range(8)]
"""The source cell of each cell after a turn."""


def large_of(cells: Cells) -> Cells:
    """The cells of the large tiles."""
    return tuple(cell for cell, one in enumerate(cells) if one >= LARGE)


def half_sum(cells: Cells) -> int:
    """The sum of the other tiles, in units of 2."""
    return sum(2**one // 2 for one in cells if 0 < one < LARGE)


class NaiveCells:
    """Numbers and chances of the boards of a pattern."""

    def __init__(self, pattern: EndgamePattern) -> None:
        self.pattern = pattern
        self.count = cache(self._count)
        self.before = cache(self._before)
        self.after = cache(self._after)
        self._best = cache(self._best_of)
        places = set(map(self._likest, pattern.places)) if pattern.anywhere else pattern.places
        self.places = sorted(places, key=self._word) if pattern.anywhere else list(places)
        self.place_numbers = {place: number for number, place in enumerate(self.places)}

    def _likest(self, place: Cells) -> Cells:
        """The least, in words, of the places alike."""
        alike = {tuple(sorted(cells[one] for one in place)) for cells in SYMMETRIES}
        return min(alike, key=self._word)

    @staticmethod
    def _word(place: Cells) -> int:
        return sum(1 << (15 - cell) for cell in place)

    def _count(self, cells: int, total: int) -> int:
        """Contents of some cells that have a sum."""
        if total < 0 or not cells:
            return int(total == 0)
        return sum(self.count(cells - 1, total - 2**e // 2) for e in range(self.pattern.target))

    def size(self, layer: int) -> int:
        """Number of boards in a layer."""
        return len(self.places) * self.count(16 - self.pattern.large_tiles, layer)

    def board(self, layer: int, number: int) -> Cells:
        """The board of a number in a layer."""
        place, rank = divmod(number, self.size(layer) // len(self.places))
        cells = [LARGE] * 16
        free = [cell for cell in range(16) if cell not in self.places[place]]
        for at, cell in enumerate(free):
            for exponent in range(self.pattern.target):
                count = self.count(len(free) - at - 1, layer - 2**exponent // 2)
                if rank < count:
                    break
                rank -= count
            cells[cell] = exponent
            layer -= 2**exponent // 2
        return tuple(cells)

    def numbers(self, cells: Cells) -> set[int]:
        """The numbers of a board in its layer: several where its place is alike to itself."""
        symmetries = range(8 if self.pattern.anywhere else 1)
        boards = {turned(cells, symmetry) for symmetry in symmetries}
        return {self._number(one) for one in boards if large_of(one) in self.place_numbers}

    def _number(self, cells: Cells) -> int:
        total, rank = half_sum(cells), 0
        number = self.place_numbers[large_of(cells)] * (self.size(total) // len(self.places))
        rest = [one for one in cells if one < LARGE]
        for at, exponent in enumerate(rest):
            for smaller in range(exponent):
                rank += self.count(len(rest) - at - 1, total - 2**smaller // 2)
            total -= 2**exponent // 2
        return number + rank

    def moves(self, cells: Cells) -> list[Cells]:
        """What the moves lead to that the table lists."""
        found = [self.moved(cells, move) for move in reference.MOVES]
        return [one for one in found if one is not None]

    def moved(self, cells: Cells, move: int) -> Cells | None:
        """What a move leads to; None if it changes nothing, or the table does not list it."""
        numbered = [LARGE + at if one >= LARGE else one for at, one in enumerate(cells)]
        slid = reference.slide(numbered, 4, 4, move)[0]
        after = tuple(min(one, LARGE) for one in slid)
        allowed = self.pattern.anywhere or large_of(after) in self.pattern.places
        return after if slid != numbered and allowed else None

    def wins(self, cells: Cells) -> bool:
        """Whether a board holds the target."""
        return any(self.pattern.target <= one < LARGE for one in cells)

    def spawned(self, cells: Cells) -> list[tuple[float, Cells]]:
        """The boards that spawns make, and their chances."""
        empty = [cell for cell, one in enumerate(cells) if not one]
        return [
            (chance / len(empty), (*cells[:cell], exponent, *cells[cell + 1 :]))
            for cell in empty
            for exponent, chance in SPAWNS
        ]

    def _before(self, cells: Cells) -> float:
        if half_sum(cells) > self.pattern.highest:
            return 0.0
        if self.pattern.anywhere:  # boards alike have one chance
            cells = min(tuple(cells[one] for one in symmetry) for symmetry in SYMMETRIES)
        return self._best(cells)

    def _best_of(self, cells: Cells) -> float:
        moves = self.moves(cells)
        return max((1.0 if self.wins(one) else self.after(one) for one in moves), default=0.0)

    def _after(self, cells: Cells) -> float:
        return sum(chance * self.before(one) for chance, one in self.spawned(cells))


def pattern_of(name: str) -> EndgamePattern:
    """A pattern of the kind `CELLS`, even if it is too small for a table."""
    shape, _, target = name.partition("-")
    top = int(target).bit_length() - 2
    return EndgamePattern(shape, top + 1, (top, top, top))


@cache
def naive_cells(name: str) -> NaiveCells:
    """The cached twin of a pattern."""
    return NaiveCells(pattern_of(name))
