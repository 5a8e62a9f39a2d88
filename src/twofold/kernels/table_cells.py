"""Endgame tables numbered cell by cell, and the layout of tables as kernels read them.

Layout of the uint64 words of endgame tables, as kernels read them.

A set of tables is the number of tables, then TABLE_WORDS words for each. The owner of the words
keeps every array alive whose address they hold.

Boards are *marked*: every large tile is 15, which never merges. A *place* is a set of cells of the
large tiles; a pattern has one place, or several between which moves lead. In the layer of sum S, in
units of 2, the number of a board is place * contents[S] + rank, where the rank counts the contents
of the free cells with the same sum that come before, in lexicographic order of the cells. A move
keeps S and may change the place; a spawn keeps the place and adds 1 or 2 to S.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U64_POINTER,
    gather_nibbles,
    i32_at,
    i64_at,
    pointer,
    popcount,
    scatter_nibbles,
    u64_at,
)

# Words of a table.
KIND: Final = 0
"""Format of the chances: DENSE, CELLS or WALLS."""
ABOVE: Final = 1
"""Eight bytes of 16 - exponent of the target: added to nibbles, targets and larger tiles carry."""
LARGE: Final = 2
"""Number of large tiles."""
LOWEST: Final = 3
"""The smallest sum of the other tiles, in units of 2."""
HIGHEST: Final = 4
"""The largest sum."""
KEEP: Final = 5
"""For a dense table: the nibbles of the large tiles, in the frame."""
ACROSS: Final = 6
"""Address of the row table, `bits.row_table`; for CELLS one in which 15s never merge."""
LEVELS: Final = 7
"""Address of the levels, uint16."""
CHANCES: Final = 8
"""Address of float64, the chance of each level."""
WINS: Final = 9
"""Two words: added to the even and the odd nibbles, they carry if a free cell wins."""
OVER: Final = 11
"""Two words, as WINS: they carry if a free cell exceeds its cap."""
MASKS: Final = 13
"""Eight words: cells of the large tiles in each symmetry, as lowest bits of nibbles; 0 for none."""
TURNS: Final = 21
"""Eight words, one per symmetry: bit 2 exchanges rows and columns first, bit 1 then top and
bottom, bit 0 last left and right; from bit 8 on, two bits per move: the move in the frame."""

# Words of a dense table; `twofold.kernels.table_layers` explains its numbers of boards.
LOW_SUMS: Final = 29
"""Address of int32, sum by code of the low half."""
LOW_RANKS: Final = 30
"""Address of int32, rank by code of the low half."""
HIGH_RANKS: Final = 31
"""Address of int32, rank by code of the high half."""
LOW_WEIGHTS: Final = 32
"""Address of int64 (16 cells,): factors of the exponents in the low code."""
HIGH_WEIGHTS: Final = 33
"""Address of int64 (16 cells,): factors of the exponents in the high code."""
COUNTS: Final = 34
"""Address of int64, number of codes of the high half by sum."""
FIRSTS: Final = 35
"""Address of int64 (layers, columns): number in the file of a layer's first board with each sum
of the low half."""
COLUMNS: Final = 36

# Words of a table of cells; `twofold.kernels.table_cells` explains its numbers of boards.
SYMMETRIES: Final = 29
"""Address of int32 (65536,): the symmetry that turns a board into the frame, by the cells of the
large tiles, the first cell the highest bit; -1 if the table has no such board."""
PLACES: Final = 30
"""Address of int32 (65536,), by the same cells in the frame: 8 times the number of the place, plus
the turn in which a board is numbered; -1 for cells that are not allowed."""
FREE: Final = 31
"""Address of uint64, by number of the place: the nibbles of the free cells."""
RANKS: Final = 32
"""Address of int64 (cells, sums, 16): number of contents of the free cells from one on, with a
given sum and a smaller exponent in that cell."""
CONTENTS: Final = 33
"""Address of int64: number of contents of the free cells, by sum in units of 2."""
STARTS: Final = 34
"""Address of int64, by sum: number in the file of the first board."""
CELLS_COUNT: Final = 35
"""Number of free cells."""
SUMS: Final = 36
"""Number of sums in RANKS."""

# Further words of a table of walls, which has those of a dense table, too; see
# `twofold.kernels.table_walls`.
GOALS: Final = 37
"""Address of pairs of uint64, nibbles to compare and their exponents: boards that reach the goal,
at the level of the target."""
GOAL_COUNT: Final = 38
CONDITIONS: Final = 39
"""Address of int64: a number of cells and the cells, of which the least tile is a board's level;
a number of pairs of cells and the pairs, which must differ; the same for pairs that must fall."""
TARGET: Final = 40
"""Exponent of the target."""
BELOW: Final = 41
"""1 if the goal of a board is one exponent below the least of its anchors, at most the target;
0 if it is that level, and boards of higher levels are not covered."""
CAPPED: Final = 42
"""Two words, as OVER: 1 in the byte of each free cell."""
LEAST: Final = 44
"""The least level of a chance with which the table chooses a move; of all kinds of tables."""

# Two words more of a table of walls.
MARKS: Final = 45
"""Address of uint64 (lines, 8): which boards have a level above 0, see `lookup.marked_level`."""
STORED: Final = 46
"""Number of levels in the file."""

TABLE_WORDS: Final = 47

LINE: Final = 448
"""Boards of a line of `MARKS`: 64 bytes, the number of levels before it and a bit for each board.

Layers begin with a new line; levels are stored from the highest layer down.
"""

DENSE: Final = 0
CELLS: Final = 1
WALLS: Final = 2


_WORDS: Final = types.uint64[::1]
_F32: Final = types.float32[::1]
_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_2: Final = np.uint64(2)
_3: Final = np.uint64(3)
_4: Final = np.uint64(4)
_6: Final = np.uint64(6)
_12: Final = np.uint64(12)
_15: Final = np.uint64(15)
_24: Final = np.uint64(24)
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_FIFTH_BITS: Final = np.uint64(0x1010101010101010)
_FULL: Final = np.uint64(0x1111111111111111)
_NONE: Final = np.float32(0)
_SURE: Final = np.float32(1)
_TWO: Final = np.float32(0.9)
_FOUR: Final = np.float32(0.1)


@kernel(types.uint64(types.uint64, types.uint64))
def turned(bits, turn):
    """A board in another symmetry: bit 2 exchanges rows and columns, 1 top and bottom, 0 sides."""
    if turn & _4:
        bits = on_bits.transpose(bits)
    if turn & _2:
        bits = on_bits.flip(bits)
    return on_bits.mirror(bits) if turn & _1 else bits


@kernel(types.uint64(types.uint64, types.uint64))
def large_cells(bits, above):
    """The cells whose tiles carry when `above` (see ABOVE) is added, as lowest bits of nibbles."""
    low = ((bits & _LOW_NIBBLES) + above) & _FIFTH_BITS
    return (low >> _4) | ((((bits >> _4) & _LOW_NIBBLES) + above) & _FIFTH_BITS)


@kernel(types.uint64(types.uint64))
def marked_cells(bits):
    """The cells of 15s, as lowest bits of nibbles."""
    bits &= bits >> _1
    return bits & (bits >> _2) & _FULL


@kernel(types.int64(types.uint64))
def as_row(cells):
    """Lowest bits of nibbles as 16 bits, with the first cell highest."""
    cells = (cells | (cells >> _3)) & np.uint64(0x0303030303030303)
    cells = (cells | (cells >> _6)) & np.uint64(0x000F000F000F000F)
    cells = (cells | (cells >> _12)) & np.uint64(0x000000FF000000FF)
    return np.int64((cells | (cells >> _24)) & np.uint64(0xFFFF))


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def rank_of(content, total, table):
    """The rank of the content of the free cells, given side by side with the first one highest."""
    ranks, sums = i64_at(table[RANKS]), np.int64(table[SUMS])
    cells = np.int64(table[CELLS_COUNT])
    rank = np.int64(0)
    for cell in range(cells):
        exponent = (content >> np.uint64(4 * (cells - 1 - cell))) & _15
        rank += ranks[((cell * sums + total) << 4) + np.int64(exponent)]
        total -= np.int64((_1 << exponent) >> _1)
    return rank


@kernel(types.uint64(types.int64, types.int64, U64_POINTER))
def content_of(rank, total, table):
    """The content of a rank."""
    ranks, sums = i64_at(table[RANKS]), np.int64(table[SUMS])
    content = _0
    for cell in range(np.int64(table[CELLS_COUNT])):
        row = (cell * sums + total) << 4
        exponent = 0
        while ranks[row + exponent + 1] <= rank:
            exponent += 1
        rank -= ranks[row + exponent]
        content = (content << _4) | np.uint64(exponent)
        total -= np.int64((_1 << np.uint64(exponent)) >> _1)
    return content


@kernel(types.int64(types.uint64, U64_POINTER))
def place_of(bits, table):
    """The place of the 15s of a marked board: 8 times its number, plus a turn; -1 for none."""
    return np.int64(i32_at(table[PLACES])[as_row(marked_cells(bits))])


@kernel(types.boolean(types.uint64, U64_POINTER))
def has_won(bits, table):
    """Whether a marked board holds the target."""
    return popcount(large_cells(bits, table[ABOVE])) > np.int64(table[LARGE])


@kernel(types.int64(types.uint64, types.int64, types.int64, U64_POINTER))
def number_of(bits, place, total, table):
    """The number in its layer of a marked board without the target; `place` is from `place_of`.

    No index leaves its array, whatever a file contains: the tiles in the free cells are below the
    target, their sum is `total`, and the arrays are made for the pattern.
    """
    content = gather_nibbles(turned(bits, np.uint64(place & 7)), u64_at(table[FREE])[place >> 3])
    return (place >> 3) * i64_at(table[CONTENTS])[total] + rank_of(content, total, table)


@kernel(types.float32(types.int64, types.int64, types.int64, _F32, _F32, U64_POINTER))
def mean_after(place, rank, total, with_2, with_4, table):
    """The mean chance over the spawns after a move; 0 for a full board, which no move makes.

    The rank with one more tile has three parts: of the cells before it, whose remaining sums are
    larger now, of its own cell, and of the cells after it, which do not change.
    """
    ranks, sums, contents = (
        i64_at(table[RANKS]), np.int64(table[SUMS]), i64_at(table[CONTENTS])
    )  # fmt: skip
    start_2, start_4 = place * contents[total + 1], place * contents[total + 2]
    twos, fours, empty = _NONE, _NONE, _NONE
    rest, before_2, before_4 = rank, np.int64(0), np.int64(0)
    for cell in range(np.int64(table[CELLS_COUNT])):
        row = (cell * sums + total) << 4
        exponent = 0
        while ranks[row + exponent + 1] <= rest:
            exponent += 1
        if exponent == 0:
            empty += _SURE
            if len(with_2):
                twos += with_2[start_2 + before_2 + ranks[row + 17] + rest]
            if len(with_4):
                fours += with_4[start_4 + before_4 + ranks[row + 34] + rest]
        rest -= ranks[row + exponent]
        before_2 += ranks[row + 16 + exponent]
        before_4 += ranks[row + 32 + exponent]
        total -= np.int64((_1 << np.uint64(exponent)) >> _1)
    return (_TWO * twos + _FOUR * fours) / empty if empty > _NONE else _NONE


@kernel(types.void(types.int64, types.int64, types.int64, _WORDS, _F32, _F32, _F32))
def spread(begin, end, layer, words, with_2, with_4, after):
    """Fill in chances after moves: the mean over the spawns, 0.9 for a 2 and 0.1 for a 4.

    It works on the boards `begin` to `end` - 1 of the layer of a sum of tiles, in units of 2.
    `with_2` and `with_4` are chances before moves in the next layer and the one after that, empty
    without boards; `after` receives the chances in this layer.
    """
    table = pointer(words)
    contents = i64_at(table[CONTENTS])[layer]
    for number in range(begin, end):
        place, rank = number // contents, number % contents
        after[number] = mean_after(place, rank, layer, with_2, with_4, table)


@kernel(types.void(types.int64, types.int64, types.int64, _WORDS, _F32, _F32))
def choose(begin, end, layer, words, after, before):
    """Fill in chances before moves: that of the best move, 0 without one; see `spread`.

    `after` has the chances after moves of the whole layer, `before` receives those before moves.
    """
    table = pointer(words)
    contents, free = i64_at(table[CONTENTS])[layer], u64_at(table[FREE])
    rows = u64_at(table[ACROSS])
    for number in range(begin, end):
        cells = free[number // contents]
        bits = ~cells | scatter_nibbles(content_of(number % contents, layer, table), cells)
        up, right, down, left, _, _ = on_bits.slide_all(bits, rows, rows)
        best = _NONE
        for move in range(4):
            board = on_bits.of_move(move, up, right, down, left)
            if board == bits:
                continue
            place = place_of(board, table)
            if place < 0:
                continue
            if has_won(board, table):
                best = _SURE
                break
            best = max(best, after[number_of(board, place, layer, table)])
        before[number] = best
