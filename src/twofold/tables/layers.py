"""Board numbers, layer by layer: sizes of layers, and what look-ups and builders read.

The two halves of a pattern's free cells, and how moves and spawns change each.

The *low* half is the fourth row, the *high* half the third row and the free cells of the second.
The tiles of a half have a *code*: its exponents are the digits of a number, the first cell is the
least significant, and the cap of a cell gives the base of its digit. Codes are listed by their sum
of tiles, in units of 2; the *rank* of a code is its place among the codes of its sum. Left and
right move within the halves and keep their sums. Up moves columns; its result is the sum of the
results of the left and the right pair of columns.

The eight symmetries of a board are turns of three bits, applied in this order: 4 swaps rows and
columns, 2 top and bottom, 1 left and right.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.game.rules import Move
from twofold.kernels import table_lookup as at
from twofold.kernels.bits import ROW_COUNT, row_table
from twofold.kernels.table_layers import BLOCKED, CHANGED, OVER, RANK, WINS, HalfArrays, LiftArrays
from twofold.tables.pattern import EndgamePattern, Walls

FIRST_LOW_CELL: Final = 11
"""The first cell of the low half of a pattern with walls of any tiles."""

Ints = NDArray[np.int64]
Line = tuple[int, ...]


def slide(line: Line) -> tuple[Line, int]:
    """Move a line towards its first cell; also returns the largest exponent merged, or 0."""
    out: list[int] = []
    merges, made = False, 0
    for exponent in filter(None, line):
        if merges and out[-1] == exponent:
            out[-1] += 1
            made, merges = max(made, out[-1]), False
        else:
            out.append(exponent)
            merges = True
    return (*out, *[0] * (len(line) - len(out))), made


class Half:
    """All contents of some cells; `caps` are their largest exponents.

    Attributes:
        size: number of codes.
        weights: place values of the digits; int64, shape (cells + 1,).
        sums: sum of the tiles by code, in units of 2; int16.
        order: the codes by sum, then by size.
        counts: number of codes by sum.
        firsts: place in `order` of the first code of each sum.
        ranks: place by code among the codes of its sum; int32.
    """

    def __init__(self, caps: Sequence[int]) -> None:
        self.caps = tuple(caps)
        self.bases = [cap + 1 for cap in caps]
        self.weights: Ints = np.cumprod([1, *self.bases], dtype=np.int64)
        self.size = int(self.weights[-1])
        self.sums = np.zeros(1, dtype=np.int16)
        for base in self.bases:
            tiles = (np.int16(1) << np.arange(base, dtype=np.int16)) >> np.int16(1)
            self.sums = np.add.outer(tiles, self.sums).ravel()
        self.order = np.argsort(self.sums, kind="stable")  # 16 bits: a radix sort
        self.counts = np.bincount(self.sums)
        self.firsts: Ints = np.concatenate([[0], np.cumsum(self.counts)])
        places = np.empty(self.size, dtype=np.int32)
        places[self.order] = np.arange(self.size, dtype=np.int32)
        self.ranks: NDArray[np.int32] = places - self.firsts.astype(np.int32)[self.sums]

    @cached_property
    def digits(self) -> list[Ints]:
        """Exponents by code, one array per cell."""
        codes = np.arange(self.size)
        return [
            codes // weight % base for weight, base in zip(self.weights, self.bases, strict=False)
        ]

    def moved(self, rows: Iterable["Row"], target: int, *, right: bool) -> NDArray[np.uint32]:
        """The result of a move left or right: uint32 by place in `order`, rank and flags."""
        new = list(self.digits)
        flags = np.zeros(self.size, dtype=np.uint32)
        for row in rows:
            bases = [self.bases[cell] for cell in row.cells]
            weights = np.cumprod([1, *bases], dtype=np.int64)
            digits, row_flags = _row_moves(row, bases, target, right=right)
            keys = sum(self.digits[cell] * weights[place] for place, cell in enumerate(row.cells))
            flags |= row_flags[keys]
            for place, cell in enumerate(row.cells):
                new[cell] = digits[keys, place]
        stays = (flags & (WINS | BLOCKED)) == 0
        over = stays & np.any([digit > cap for digit, cap in zip(new, self.caps, strict=True)], 0)
        flags[over] |= OVER
        codes = sum(digit * weight for digit, weight in zip(new, self.weights, strict=False))
        ranks = np.where(stays & ~over, self.ranks[np.where(stays & ~over, codes, 0)], 0)
        return np.asarray((ranks.astype(np.uint32) | flags)[self.order])

    def spawned(self) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32]]:
        """The ranks after spawns of 2 and of 4 for each empty cell, in two arrays.

        The first array returned is, by place in `order`, where its empty cells begin in these two.
        """
        empty = np.stack([digit[self.order] == 0 for digit in self.digits], axis=1)
        starts = np.concatenate([[0], np.cumsum(empty.sum(axis=1))])
        places, cells = np.nonzero(empty)
        codes = self.order[places]
        two = self.ranks[codes + self.weights[cells]]
        four = self.ranks[codes + 2 * self.weights[cells]]
        return starts, two.astype(np.int32), four.astype(np.int32)

    def arrays(self, rows: list["Row"], target: int) -> HalfArrays:
        """What the kernels of a build read."""
        starts, two, four = self.spawned()
        return HalfArrays(
            sums=self.sums[self.order].astype(np.int32),
            firsts=self.firsts.astype(np.int64),
            counts=np.append(self.counts, [0, 0]).astype(np.int64),
            left=self.moved(rows, target, right=False),
            right=self.moved(rows, target, right=True),
            starts=starts.astype(np.int64),
            two=two,
            four=four,
            ranks=self.ranks,
            code_sums=self.sums.astype(np.int32),
        )

    def bits(self, cells: Sequence[int]) -> NDArray[np.uint64]:
        """The nibbles of the contents, by place in `order`; `cells` are those of the frame."""
        shifts = (np.uint64(60 - 4 * cell) for cell in cells)
        parts = [
            digit.astype(np.uint64) << shift
            for digit, shift in zip(self.digits, shifts, strict=True)
        ]
        return np.asarray(sum(parts), dtype=np.uint64)[self.order]


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a half in one row, from left to right; `walled` if a large tile is to their left."""

    cells: Line
    walled: bool = False


def _row_moves(
    row: Row, bases: Sequence[int], target: int, *, right: bool
) -> tuple[Ints, NDArray[np.uint32]]:
    """Exponents and flags after a move in a row, by its content, the last cell varying slowest."""
    digits, flags = [], []
    for content in itertools.product(*map(range, reversed(bases))):
        line = content[::-1]
        after, made = slide(content if right else line)
        after = after[::-1] if right else after
        flag = CHANGED if after != line else np.uint32(0)
        if row.walled and right and (after != line or 0 in line):
            flag = BLOCKED | CHANGED  # the large tile would move
        elif made >= target:
            flag = WINS | CHANGED
        digits.append(after)
        flags.append(flag)
    return np.array(digits, dtype=np.int64), np.array(flags, dtype=np.uint32)


class Halves:
    """The low half of a pattern, its high half, their cells, and for a dense one their rows."""

    def __init__(self, pattern: EndgamePattern) -> None:
        self.pattern = pattern
        caps = pattern.caps_by_cell
        first = 12 if pattern.walls is None else FIRST_LOW_CELL
        self.low_cells = [cell for cell in caps if cell >= first]
        high = [cell for cell in caps if cell < first]
        self.high_cells = sorted(high, key=lambda cell: (cell < 8, cell))  # the third row first
        self.low = Half([caps[cell] for cell in self.low_cells])
        self.high = Half([caps[cell] for cell in self.high_cells])
        self.low_rows: list[Row] = []
        self.high_rows: list[Row] = []
        if pattern.walls is None:
            second = Row(tuple(range(4, 4 + pattern.extra)), walled=pattern.extra < 4)
            self.low_rows = [Row((0, 1, 2, 3))]
            self.high_rows = [Row((0, 1, 2, 3))] + [second] * bool(pattern.extra)

    def offsets(self, layer: int) -> Ints:
        """Where in a layer the boards of each low-half sum begin; the last entries are its size."""
        others = layer - np.arange(len(self.low.counts))
        there = (others >= 0) & (others < len(self.high.counts))
        matches = np.where(there, self.high.counts[np.where(there, others, 0)], 0)
        ends = np.cumsum(self.low.counts * matches)
        return np.concatenate([[0], ends, ends[-1:], ends[-1:]])

    def size(self, layer: int) -> int:
        """Number of boards in a layer."""
        return int(self.offsets(layer)[-1])

    def fill(self, words: NDArray[np.uint64]) -> list[NDArray[Any]]:
        """Fill in the words that kernels number boards by; returns the arrays to keep alive."""
        weights = np.zeros((2, 16), dtype=np.int64)
        weights[0, self.low_cells] = self.low.weights[:-1]
        weights[1, self.high_cells] = self.high.weights[:-1]
        layers = range(self.pattern.highest + 1)
        firsts = np.stack([self.offsets(layer) for layer in layers]).astype(np.int64)
        line = 1 if self.pattern.walls is None else at.LINE
        firsts[1:] += np.cumsum(-(-firsts[:-1, -1] // line) * line)[:, None]
        counts = np.zeros(self.pattern.highest + 1, dtype=np.int64)
        known = self.high.counts[: len(counts)]
        counts[: len(known)] = known
        held: list[NDArray[Any]] = [
            self.low.sums.astype(np.int32), self.low.ranks, self.high.ranks, weights[0], weights[1],
            counts, np.ascontiguousarray(firsts),
        ]  # fmt: skip
        places = (
            at.LOW_SUMS, at.LOW_RANKS, at.HIGH_RANKS, at.LOW_WEIGHTS,
            at.HIGH_WEIGHTS, at.COUNTS, at.FIRSTS,
        )  # fmt: skip
        for name, array in zip(places, held, strict=True):
            words[name] = array.ctypes.data
        words[at.COLUMNS] = firsts.shape[1]
        return held

    def lift(self, columns: tuple[int, int]) -> LiftArrays:
        """The result of up on two neighbouring columns, shape (low pairs, high pairs)."""
        cells = [self._cells(column) for column in columns]
        (low_a, high_a), (low_b, high_b) = map(self._lift_column, columns)
        # Axes: fourth row, third row, second row of each column.
        low = low_a[:, None, :, None, :, None] + low_b[None, :, None, :, None, :]
        high = high_a[:, None, :, None, :, None] + high_b[None, :, None, :, None, :]
        flags = high_a[:, None, :, None, :, None] | high_b[None, :, None, :, None, :]
        both = (high & RANK) | (flags & ~RANK)
        order = (1, 0, 5, 4, 3, 2)  # the first cell varies fastest
        shape = (low.shape[0] * low.shape[1], -1)
        high_cells = [*columns, *[cell for three in cells for cell in three[2:]]]
        return LiftArrays(
            np.ascontiguousarray(low.transpose(order).reshape(shape), dtype=np.int32),
            np.ascontiguousarray(both.transpose(order).reshape(shape), dtype=np.uint32),
            _codes_of(self.low, columns),
            _codes_of(self.high, high_cells),
        )

    def _cells(self, column: int) -> Line:
        second = 4 + column - (4 - self.pattern.extra)
        return (column, column, second) if second >= 4 else (column, column)

    def _lift_column(self, column: int) -> tuple[Any, Any]:
        """Parts of the new codes, by exponents of the fourth, third and second row."""
        fourth, third, *second = self._cells(column)
        bases = [self.low.bases[fourth], *(self.high.bases[cell] for cell in (third, *second))]
        low = np.zeros((*bases, 1)[:3], dtype=np.int32)
        high = np.zeros(low.shape, dtype=np.uint32)
        for line in itertools.product(*map(range, bases)):
            after, made = slide(line[::-1])
            after = after[::-1]
            at = (*line, 0)[:3]
            caps = [self.low.caps[fourth], *(self.high.caps[cell] for cell in (third, *second))]
            if made >= self.pattern.target:
                high[at] = WINS | CHANGED
            elif any(digit > cap for digit, cap in zip(after, caps, strict=True)):
                high[at] = OVER | CHANGED
            else:
                low[at] = after[0] * self.low.weights[fourth]
                parts = zip(after[1:], (third, *second), strict=True)
                code = sum(digit * int(self.high.weights[cell]) for digit, cell in parts)
                high[at] = code | (CHANGED if after != line else 0)
        return low, high


def _codes_of(half: Half, cells: Sequence[int]) -> NDArray[np.int32]:
    weights = np.cumprod([1, *(half.bases[cell] for cell in cells)])
    codes = sum(half.digits[cell] * weight for cell, weight in zip(cells, weights, strict=False))
    return np.asarray(codes)[half.order].astype(np.int32)


TURNS: Final = range(8)
"""All turns; 0 is the identity."""


def turned_cell(cell: int, turn: int) -> int:
    """The position of a cell after a turn, numbered row by row."""
    row, col = divmod(cell, 4)
    row, col = (col, row) if turn & 4 else (row, col)
    row = 3 - row if turn & 2 else row
    return 4 * row + (3 - col if turn & 1 else col)


def turned_move(move: Move, turn: int) -> int:
    """The direction of a move after a turn."""
    found = 3 - move if turn & 4 else int(move)
    if turn & 2 and found % 2 == 0:
        found = 2 - found
    return 4 - found if turn & 1 and found % 2 else found


def nibbles_mask(cells: Sequence[int]) -> int:
    """A mask with the lowest bit of each cell's nibble."""
    return sum(1 << (60 - 4 * cell) for cell in cells)


def layer_sizes(pattern: EndgamePattern) -> list[int]:
    """Number of boards of each layer of a pattern, from the sum 0 to the highest."""
    highest = pattern.highest
    found = [1] + [0] * highest
    for cap in pattern.caps_by_cell.values():
        longer = [0] * (highest + 1)
        for exponent in range(cap + 1):
            tile = 1 << exponent >> 1
            for total in range(highest + 1 - tile):
                longer[total + tile] += found[total]
        found = longer
    return found


MARK: Final = 15
"""Stands for a wall, which never merges."""


@cache
def unmerged_row_table() -> NDArray[np.uint64]:
    """`row_table(4)` without merges of 15s; without rewards in rows that hold two or more."""
    table = row_table(4).copy()
    rows = np.arange(ROW_COUNT)
    several = sum(((rows >> shift) & MARK == MARK).astype(int) for shift in (0, 4, 8, 12)) > 1
    for row in rows[several].tolist():
        cells = [row >> shift & MARK for shift in (12, 8, 4, 0)]
        # Marks of a row get different numbers for the slide; `_packed` makes them equal again.
        named = tuple(MARK + at if one == MARK else one for at, one in enumerate(cells))
        left, _ = slide(named)
        right, _ = slide(named[::-1])
        table[row] = _packed(left) | _packed(right[::-1]) << 16
    table.flags.writeable = False
    return table


def _packed(line: Sequence[int]) -> int:
    return sum(min(one, MARK) << shift for one, shift in zip(line, (12, 8, 4, 0), strict=True))


LINE_WORDS: Final = 8
"""Words of a line of marks; see `kernels.table_lookup.LINE`."""

_CARRY: Final = 16


def carrying(least: Mapping[int, int]) -> list[int]:
    """Summands with which nibbles carry from an exponent on, by cell: even and odd nibbles."""
    words = [0, 0]
    for cell, exponent in least.items():
        place = 15 - cell  # from the lowest nibble
        words[place % 2] |= (_CARRY - exponent) << (8 * (place // 2))
    return words


def fill_walls(pattern: EndgamePattern, words: NDArray[np.uint64]) -> list[NDArray[Any]]:
    """Fill in the words of walls; returns the arrays to keep alive."""
    walls = pattern.walls
    assert walls is not None
    goals = [Walls.digits(picture) for picture in walls.goals]
    pairs = np.array(
        [[15 * nibbles_mask(list(goal)), _nibbles(goal, pattern.target)] for goal in goals],
        dtype=np.uint64,
    )
    conditions = np.array(
        [
            len(walls.anchors), *walls.anchors,
            len(walls.unequal), *sum(walls.unequal, ()),
            len(walls.larger), *sum(walls.larger, ()),
        ],
        dtype=np.int64,
    )  # fmt: skip
    caps = pattern.caps_by_cell
    words[at.KIND] = at.WALLS
    words[at.KEEP] = 15 * nibbles_mask(pattern.large_cells)
    words[at.ACROSS] = unmerged_row_table().ctypes.data
    words[at.OVER : at.OVER + 2] = carrying({cell: cap + 1 for cell, cap in caps.items()})
    words[at.CAPPED : at.CAPPED + 2] = carrying(dict.fromkeys(caps, _CARRY - 1))
    words[at.GOALS], words[at.GOAL_COUNT] = pairs.ctypes.data, len(pairs)
    words[at.CONDITIONS] = conditions.ctypes.data
    words[at.TARGET], words[at.BELOW] = pattern.target, walls.below
    return [pairs, conditions]


def lines_of(size: int) -> int:
    """Number of lines of marks of a layer."""
    return -(-size // at.LINE)


def packed(levels: NDArray[Any], before: int) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """The marks of a layer, uint64 (lines, 8), and its levels above 0; `before` precede them."""
    lines, there = lines_of(len(levels)), levels != 0
    marked = np.zeros((lines, at.LINE), dtype=np.bool_)
    marked.reshape(-1)[: len(levels)] = there
    marks = np.empty((lines, LINE_WORDS), dtype=np.uint64)
    marks[:, 0] = before + np.cumsum([0, *marked.sum(axis=1)], dtype=np.uint64)[:-1]
    marks[:, 1:] = np.packbits(marked, axis=1, bitorder="little").view("<u8")
    return marks, levels[there]


def unpacked(marks: NDArray[np.uint64], levels: NDArray[Any], size: int) -> NDArray[Any] | None:
    """The levels of a layer from its marks and those above 0; None if they do not fit each other.

    The first of `levels` belongs to the first mark.
    """
    bits = np.ascontiguousarray(marks[:, 1:], dtype="<u8").view(np.uint8)
    there = np.unpackbits(bits, axis=1, bitorder="little").reshape(-1)[:size].astype(np.bool_)
    known = levels[: int(there.sum())]
    found = np.zeros(size, dtype=levels.dtype)
    if len(known) < there.sum():
        return None
    found[there] = known
    before = int(marks[0, 0]) if len(marks) else 0
    return found if np.array_equal(packed(found, before)[0], marks) else None


def _nibbles(digits: Mapping[int, int], level: int) -> int:
    """The nibbles of a picture at a level."""
    return sum((level - down) << (60 - 4 * cell) for cell, down in digits.items())
