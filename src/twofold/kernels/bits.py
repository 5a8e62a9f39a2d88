"""The rules on boards of 64 bits, any shape up to 4x4, by row tables.

Row tables: every row of up to four cells, slid in both directions.

A row is 16 bits, one nibble a cell, the leftmost cell in the highest nibble. A table for rows
of fewer than four cells is indexed by the same 16 bits: the cells beyond its width lie outside
the board, are empty in every valid row, and stay as they are.

Entry of a row, 64 bits:

    63      62   61     60         59 .. 32      31 .. 16     15 .. 0
    right   0    left   overflow   reward / 4    row, right   row, left

`left` and `right` say whether the row changes; `overflow` says that a merge made exponent 16, which
is stored as 15. The reward is always the true one, the same for left and right: a run of n equal
tiles makes n // 2 merges.

The cell in row r and column c is the nibble whose lowest bit is 60 - 4 (4 r + c):

    63 ..                     .. 0
    c0 c1 c2 c3  c4 ..  ..  c14 c15        16 hexadecimal digits, read row by row
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U8_POINTER,
    U64_POINTER,
    nth_set_bit,
    popcount,
    trailing_zeros,
)

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


_ROW: Final = np.uint64(0xFFFF)
_0, _1, _2, _4, _8, _12, _16, _24, _32, _48 = map(np.uint64, (0, 1, 2, 4, 8, 12, 16, 24, 32, 48))
_REWARD: Final = np.uint64(REWARD_SHIFT)
_REWARD_MASK: Final = np.uint64((1 << (OVERFLOW_BIT - REWARD_SHIFT)) - 1)
_OVERFLOW: Final = np.uint64(OVERFLOW_BIT - REWARD_SHIFT)
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_FIFTH_BITS: Final = np.uint64(0x1010101010101010)
_BYTES: Final = np.uint64(0x0101010101010101)

FULL: Final = np.uint64(0x1111111111111111)
"""The lowest bit of each of the 16 cells: the mask of a 4x4 board."""


@kernel("uint64(uint64)")
def transpose(bits):
    """Exchange rows and columns.

    First within each 2x2 block of cells, then the blocks (a letter is a cell):

        a b c d      a e c g      a e i m
        e f g h  ->  b f d h  ->  b f j n
        i j k l      i m k o      c g k o
        m n o p      j n l p      d h l p
    """
    keep = bits & np.uint64(0xF0F00F0FF0F00F0F)
    down = bits & np.uint64(0x0F0F00000F0F0000)  # b d j l move one row down, one column left
    up = bits & np.uint64(0x0000F0F00000F0F0)  # e g m o move one row up, one column right
    bits = keep | (down >> _12) | (up << _12)
    keep = bits & np.uint64(0xFF00FF0000FF00FF)
    down = bits & np.uint64(0x00FF00FF00000000)
    up = bits & np.uint64(0x00000000FF00FF00)
    return keep | (down >> _24) | (up << _24)


@kernel("uint64(uint64)")
def mirror(bits):
    """Exchange left and right within the 4x4 frame."""
    bits = ((bits & np.uint64(0x0F0F0F0F0F0F0F0F)) << _4) | (
        (bits >> _4) & np.uint64(0x0F0F0F0F0F0F0F0F)
    )
    return ((bits & np.uint64(0x00FF00FF00FF00FF)) << _8) | (
        (bits >> _8) & np.uint64(0x00FF00FF00FF00FF)
    )


@kernel("uint64(uint64)")
def flip(bits):
    """Exchange top and bottom within the 4x4 frame."""
    bits = (bits << _32) | (bits >> _32)
    return ((bits & np.uint64(0x0000FFFF0000FFFF)) << _16) | (
        (bits >> _16) & np.uint64(0x0000FFFF0000FFFF)
    )


@kernel("uint64(uint64, uint64)")
def empty_mask(bits, mask):
    """The lowest bit of each empty cell inside the shape."""
    bits |= bits >> _2
    bits |= bits >> _1
    return ~bits & mask


@kernel("int64(uint64, uint64)")
def count_empty(bits, mask):
    """Number of empty cells inside the shape."""
    return popcount(empty_mask(bits, mask))


@kernel("uint64(int64, int64)")
def shift_of(row, col):
    """Where the exponent of a cell begins in a board.

    Loops over rows and columns, not over cells: a division in a loop makes LLVM write 20,000 lines.
    """
    return np.uint64(60 - 4 * (4 * row + col))


@kernel(types.void(types.uint64, types.int64, types.int64, U8_POINTER))
def unpack(bits, rows, cols, cells):
    """Fill in the exponents of a board as in `cells`."""
    for row in range(rows):
        for col in range(cols):
            cells[row * cols + col] = np.uint8((bits >> shift_of(row, col)) & np.uint64(15))


@kernel("int64(uint64)")
def max_exponent(bits):
    """The largest exponent on the board."""
    largest = 0
    while bits:
        largest = max(largest, np.int64(bits & np.uint64(15)))
        bits >>= _4
    return largest


@kernel("boolean(uint64, int64)")
def holds(bits, exponent):
    """Whether some cell holds at least `exponent`, 1 to 15; False for more than 15.

    Every second nibble is widened to a byte; adding 16 - exponent sets the byte's fifth
    bit if the nibble is large enough.
    """
    if exponent > 15:
        return False
    add = np.uint64(16 - exponent) * _BYTES
    even = (bits & _LOW_NIBBLES) + add
    odd = ((bits >> _4) & _LOW_NIBBLES) + add
    return ((even | odd) & _FIFTH_BITS) != _0


@kernel(types.uint64(types.uint64, types.uint64, types.uint64, types.uint64))
def join_rows(a, b, c, d):
    """The board whose rows are the lowest 16 bits of four words."""
    return ((a & _ROW) << _48) | ((b & _ROW) << _32) | ((c & _ROW) << _16) | (d & _ROW)


@kernel(types.uint64(types.uint64, types.uint64, types.uint64, types.uint64))
def pack_reward(a, b, c, d):
    """The reward of four entries / 4, with the overflow bit above it."""
    total = (a >> _REWARD) + (b >> _REWARD) + (c >> _REWARD) + (d >> _REWARD)
    overflow = ((a | b | c | d) >> np.uint64(OVERFLOW_BIT)) & _1
    return (total & _REWARD_MASK) | (overflow << _OVERFLOW)


@kernel(types.UniTuple(types.uint64, 4)(types.uint64, U64_POINTER))
def entries(bits, table):
    """The table entries of the four rows, from the top."""
    return (
        table[bits >> _48],
        table[(bits >> _32) & _ROW],
        table[(bits >> _16) & _ROW],
        table[bits & _ROW],
    )


@kernel(types.UniTuple(types.uint64, 3)(types.uint64, U64_POINTER))
def slide_both(bits, table):
    """Left and right at once: (left, right, packed reward of both)."""
    a, b, c, d = entries(bits, table)
    left = join_rows(a, b, c, d)
    right = join_rows(a >> _16, b >> _16, c >> _16, d >> _16)
    return left, right, pack_reward(a, b, c, d)


@kernel(types.UniTuple(types.uint64, 6)(types.uint64, U64_POINTER, U64_POINTER))
def slide_all(bits, across, down):
    """Up, right, down and left of a board; the packed reward of up and down, of right and left."""
    left, right, across_packed = slide_both(bits, across)
    upper, lower, down_packed = slide_both(transpose(bits), down)
    return transpose(upper), right, transpose(lower), left, down_packed, across_packed


@kernel(types.uint64(types.int64, types.uint64, types.uint64, types.uint64, types.uint64))
def of_move(move, up, right, down, left):
    """The word that belongs to a move, of one for each."""
    if move < 2:
        return up if move == 0 else right
    return down if move == 2 else left


@kernel("int64(uint64)")
def reward_of(packed):
    """The reward in points of a packed reward."""
    return np.int64((packed & _REWARD_MASK) << _2)


@kernel("boolean(uint64)")
def overflows(packed):
    """Whether a merge made exponent 16."""
    return (packed >> _OVERFLOW) != _0


@kernel(types.UniTuple(types.uint64, 2)(types.uint64, types.int64, U64_POINTER, U64_POINTER))
def slide(bits, move, across, down):
    """One move: (afterstate, packed reward). An illegal move returns the same bits."""
    if move == 1 or move == 3:
        left, right, packed = slide_both(bits, across)
        return (left if move == 3 else right), packed
    left, right, packed = slide_both(transpose(bits), down)
    return transpose(left if move == 0 else right), packed


@kernel(types.int64(types.uint64, types.uint64))
def legal_from_entries(across_or, down_or):
    """The legal moves as 4 bits, from the entries of all rows and of all columns, ORed."""
    down_flags = (down_or >> np.uint64(LEFT_BIT)) & np.uint64(5)  # up: bit 0, down: bit 2
    across_flags = ((across_or >> np.uint64(LEFT_BIT - 3)) & _8) | (
        (across_or >> np.uint64(RIGHT_BIT - 1)) & _2
    )
    return np.int64(down_flags | across_flags)


@kernel(types.int64(types.uint64, U64_POINTER, U64_POINTER))
def legal_mask(bits, across, down):
    """The legal moves: bit m is set where move m changes the board."""
    a, b, c, d = entries(bits, across)
    e, f, g, h = entries(transpose(bits), down)
    return legal_from_entries(a | b | c | d, e | f | g | h)


@kernel(types.UniTuple(types.uint64, 2)(types.uint64, types.int64, types.uint64, U64_POINTER))
def choose_spawn(empty, count, random_bits, distribution):
    """The spawn that 64 random bits choose: (place of its cell's lowest bit, exponent).

    `empty` is the mask of the empty cells and `count` their number, at least 1.
    """
    number = np.int64(((random_bits >> _32) * np.uint64(count)) >> _32)
    cell = nth_set_bit(empty, count - 1 - number)  # row-major: from the highest nibble down
    low = random_bits & np.uint64(0xFFFFFFFF)
    tile = 0
    for other in range(
        np.int64(distribution[0]) - 1
    ):  # counted, not searched: no branch to mispredict
        tile += np.int64(low >= distribution[2 + 3 * other])
    return np.uint64(trailing_zeros(cell)), distribution[1 + 3 * tile]


@kernel(types.uint64(types.uint64, types.uint64, types.uint64, U64_POINTER))
def place_spawn(bits, mask, random_bits, distribution):
    """The board after the spawn that 64 random bits choose; it must have an empty cell."""
    empty = empty_mask(bits, mask)
    shift, exponent = choose_spawn(empty, popcount(empty), random_bits, distribution)
    return bits | (exponent << shift)


@kernel(types.uint64(types.uint64))
def transpose_shift(shift):
    """The shift of a cell after `transpose`: 16 row + 4 col, bottom right 0, to 16 col + 4 row."""
    return ((shift & _12) << _2) | ((shift >> _2) & _12)


@kernel(types.int64(types.uint64))
def tile_sum(bits):
    """The sum of the tiles of a board."""
    total = _0
    while bits:
        total += (_1 << (bits & np.uint64(15))) & ~_1
        bits >>= _4
    return np.int64(total)
