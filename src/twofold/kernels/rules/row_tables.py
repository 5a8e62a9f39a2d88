"""Row tables: every row of up to four cells, slid in both directions.

A row is 16 bits, one nibble a cell, the leftmost cell in the highest nibble. A table for rows
of fewer than four cells is indexed by the same 16 bits: the cells beyond its width lie outside
the board, are empty in every valid row, and stay as they are.

Entry of a row, 64 bits:

    63      62   61     60         59 .. 32      31 .. 16     15 .. 0
    right   0    left   overflow   reward / 4    row, right   row, left

`left` and `right` say whether the row changes; `overflow` says that a merge made exponent 16, which
is stored as 15. The reward is always the true one, the same for left and right: a run of n equal
tiles makes n // 2 merges.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

ROW_COUNT: Final = 65_536
REWARD_SHIFT: Final = 32
OVERFLOW_BIT: Final = 60
LEFT_BIT: Final = 61
RIGHT_BIT: Final = 63

Words = NDArray[np.uint64]


def _slide_left(row: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Slide all rows, (count, width) exponents, to the left; the rows and the rewards."""
    count, width = row.shape
    result = np.zeros_like(row)
    reward = np.zeros(count, dtype=np.int64)
    place = np.zeros(count, dtype=np.int64)  # where the next tile goes
    waiting = np.zeros(count, dtype=np.int64)  # last tile placed, if it may still merge
    every = np.arange(count)
    for column in range(width):
        tile = row[:, column]
        merges = (tile != 0) & (tile == waiting)
        result[every[merges], place[merges] - 1] = tile[merges] + 1
        reward[merges] += np.int64(1) << (tile[merges] + 1)
        waiting[merges] = 0
        moves = (tile != 0) & ~merges
        result[every[moves], place[moves]] = tile[moves]
        place[moves] += 1
        waiting[moves] = tile[moves]
    return result, reward


@cache
def row_table(width: int) -> Words:
    """The table for rows of `width` cells, 1 to 4; uint64, shape (65536,), read-only."""
    index = np.arange(ROW_COUNT, dtype=np.int64)
    nibbles = np.stack([(index >> shift) & 15 for shift in (12, 8, 4, 0)], axis=1)
    left, right = nibbles.copy(), nibbles.copy()
    left[:, :width], reward = _slide_left(nibbles[:, :width])
    right_reversed, _ = _slide_left(nibbles[:, :width][:, ::-1])
    right[:, :width] = right_reversed[:, ::-1]
    overflow = (left == 16).any(axis=1)
    left_row, right_row = _pack(np.minimum(left, 15)), _pack(np.minimum(right, 15))
    table = (left_row | (right_row << 16) | ((reward >> 2) << REWARD_SHIFT)).astype(np.uint64)
    table |= overflow.astype(np.uint64) << np.uint64(OVERFLOW_BIT)
    table |= (left_row != index).astype(np.uint64) << np.uint64(LEFT_BIT)
    table |= (right_row != index).astype(np.uint64) << np.uint64(RIGHT_BIT)
    table.setflags(write=False)
    return table


def _pack(nibbles: NDArray[np.int64]) -> NDArray[np.int64]:
    return nibbles[:, 0] << 12 | nibbles[:, 1] << 8 | nibbles[:, 2] << 4 | nibbles[:, 3]


@dataclass(frozen=True, slots=True)
class Frame:
    """A shape up to 4x4, for kernels on bits: row tables, and the lowest bit of each cell inside.

    `across`, of width `cols`, is for left and right; `down`, of width `rows`, is for up and down on
    the transposed board.
    """

    rows: int
    cols: int
    across: Words
    down: Words
    mask: int


@cache
def frame(rows: int, cols: int) -> Frame:
    """The frame of a shape of at most 4 rows and columns."""
    inside = [4 * row + col for row in range(rows) for col in range(cols)]
    mask = sum(1 << (60 - 4 * cell) for cell in inside)
    return Frame(rows, cols, row_table(cols), row_table(rows), mask)
