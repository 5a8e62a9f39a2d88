"""Board numbers, cell by cell: sizes of layers, and the tables that look-ups and builders read.

See `twofold.kernels.endgame.cells` for the numbering. The eight symmetries of a board are turns of
three bits, applied in this order: 4 swaps rows and columns, 2 top and bottom, 1 left and right.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.endgame.halves import slide
from twofold.endgame.pattern import SHAPES, EndgamePattern, PatternKind
from twofold.kernels.endgame import words as at
from twofold.kernels.rules.row_tables import ROW_COUNT, row_table
from twofold.rules import Move

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


def turn_word(turn: int) -> int:
    """A turn in bits 0 to 7, and from bit 8 on each move's direction after it, two bits each."""
    return turn | sum(turned_move(move, turn) << (8 + 2 * move) for move in Move)


def before_turn(cells: Sequence[int], turn: int) -> list[int]:
    """The cells that a turn moves to the given cells."""
    return [cell for cell in range(16) if turned_cell(cell, turn) in cells]


def nibbles_mask(cells: Sequence[int]) -> int:
    """A mask with the lowest bit of each cell's nibble."""
    return sum(1 << (60 - 4 * cell) for cell in cells)


def row_mask(cells: Sequence[int]) -> int:
    """A 16-bit mask with a bit per cell; the first cell is the highest bit."""
    return sum(1 << (15 - cell) for cell in cells)


Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

MARK: Final = 15
"""Stands for every large tile of a marked board."""

NOWHERE: Final = -1

SPAWN_STEPS: Final = 2
"""The most that a spawn adds to a sum, in units of 2."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where large tiles may be; see `kernels.endgame.words` for `numbers` and `symmetries`.

    `free` holds the free cells of each place as whole nibbles, uint64.
    """

    free: Words
    numbers: NDArray[np.int32]
    symmetries: NDArray[np.int32]


@cache
def places_of(shape: str) -> Places:
    """The places of a pattern of the kind `CELLS`, by its name without the target.

    If large tiles may be anywhere, places that are equal up to symmetry count as one, the
    smallest in words; otherwise every place of the frame is one.
    """
    known = SHAPES[shape]
    if known.anywhere:
        return _anywhere(known.anywhere)
    numbers = np.full(ROW_COUNT, NOWHERE, dtype=np.int32)
    symmetries = numbers.copy()
    for number, place in enumerate(known.places):
        numbers[row_mask(place)] = 8 * number
        for turn in reversed(TURNS):  # the first one stays
            symmetries[row_mask(before_turn(place, turn))] = turn
    return Places(_free_cells([row_mask(place) for place in known.places]), numbers, symmetries)


def _anywhere(large: int) -> Places:
    masks = np.arange(ROW_COUNT)
    turned = np.stack([_turned_masks(masks, turn) for turn in TURNS])
    least = turned.min(axis=0)
    fits = sum((masks >> cell) & 1 for cell in range(16)) == large
    chosen = np.unique(least[fits])
    numbers = 8 * np.searchsorted(chosen, least) + turned.argmin(axis=0)
    return Places(
        _free_cells(chosen.tolist()),
        np.where(fits, numbers, NOWHERE).astype(np.int32),
        np.where(fits, 0, NOWHERE).astype(np.int32),
    )


def _turned_masks(masks: Ints, turn: int) -> Ints:
    bits = [((masks >> (15 - cell)) & 1) << (15 - turned_cell(cell, turn)) for cell in range(16)]
    return np.asarray(sum(bits))


def _free_cells(masks: Sequence[int]) -> Words:
    cells = [[cell for cell in range(16) if not mask >> (15 - cell) & 1] for mask in masks]
    return np.array([15 * nibbles_mask(one) for one in cells], dtype=np.uint64)


def layer_sizes(pattern: EndgamePattern) -> list[int]:
    """Number of boards of each layer of a pattern, from the sum 0 to the highest."""
    if pattern.kind is not PatternKind.CELLS:
        return _contents(list(pattern.caps_by_cell.values()), pattern.highest)[-1]
    places = len(places_of(pattern.shape).free)
    caps = [pattern.target - 1] * (16 - pattern.large_tiles)
    return [places * count for count in _contents(caps, pattern.highest)[-1]]


def _contents(caps: Sequence[int], highest: int) -> list[list[int]]:
    found = [[1] + [0] * highest]
    for cap in caps:
        longer = [0] * (highest + 1)
        for exponent in range(cap + 1):
            tile = 1 << exponent >> 1
            for total in range(highest + 1 - tile):
                longer[total + tile] += found[-1][total]
        found.append(longer)
    return found


class Cells:
    """The numbering of a pattern of the kind `CELLS`; `sizes` counts the boards of each layer."""

    def __init__(self, pattern: EndgamePattern) -> None:
        self.sizes = [*layer_sizes(pattern), 0, 0]
        self._pattern = pattern
        self._places = places_of(pattern.shape)
        count = 16 - pattern.large_tiles
        sums = pattern.highest + 1 + SPAWN_STEPS
        contents = np.array(_contents([pattern.target - 1] * count, sums - 1), dtype=np.int64)
        self._ranks = _ranks(contents, pattern.target)
        self._contents = np.ascontiguousarray(contents[-1])
        self._starts = np.cumsum([0, *self.sizes], dtype=np.int64)
        self._across = unmerged_row_table()

    def fill(self, words: Words) -> list[NDArray[Any]]:
        """Fill in the words that kernels number boards by; returns the arrays to keep alive."""
        held: list[NDArray[Any]] = [
            self._across, self._places.symmetries, self._places.numbers, self._places.free,
            self._ranks, self._contents, self._starts,
        ]  # fmt: skip
        names = (at.ACROSS, at.SYMMETRIES, at.PLACES, at.FREE, at.RANKS, at.CONTENTS, at.STARTS)
        for name, array in zip(names, held, strict=True):
            words[name] = array.ctypes.data
        words[at.KIND] = at.CELLS
        words[at.ABOVE] = above_word(self._pattern.target)
        words[at.LARGE] = self._pattern.large_tiles
        words[at.CELLS_COUNT] = len(self._ranks)
        words[at.SUMS] = self._ranks.shape[1]
        return held


def above_word(target: int) -> int:
    """See `kernels.endgame.words.ABOVE`."""
    return int((16 - target) * 0x0101010101010101)


def _ranks(contents: Ints, target: int) -> Ints:
    """See `kernels.endgame.words.RANKS`; `contents` by number of last cells and by sum."""
    cells, sums = len(contents) - 1, contents.shape[1]
    with_each = np.zeros((cells, sums, 16), dtype=np.int64)
    for exponent in range(target):
        tile = 1 << exponent >> 1
        with_each[:, tile:, exponent] = contents[-2::-1, : sums - tile]
    ranks = np.zeros_like(with_each)
    ranks[:, :, 1:] = np.cumsum(with_each, axis=2)[:, :, :-1]
    return ranks


@cache
def unmerged_row_table() -> Words:
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
