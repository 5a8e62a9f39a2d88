"""Moves and chances by endgame tables, in a fixed order of tables, and play by them.

A table covers a board if exactly the cells of its pattern, in one of the eight symmetries, hold
tiles from the target on, these all differ, and the other cells hold a content in the table. A
chance is read as a *level*, the number stored in the file; levels ascend with chances.

The words of a set of tables, uint64, are the number of tables, then `TABLE_WORDS` words for each.
The owner of the words keeps every array alive whose address they hold.

Some tables have walls of any tiles. In the frame the walls stand in the top left corner and never
move; the other cells hold tiles up to caps, which fall with their distance from the walls:

    L L L 1        digits are exponents below the level: here the least of the walls L in the
    L L 0 1        third place of the first row and the second place of the second row, at most the
    1 1 1 1        target of the table
    2 2 2 2

A table is made for the largest level, and walls that never merge. Boards of lower levels are
covered by the same entries: these are chances of a larger goal than theirs.

Boards are numbered as in `table_layers`, by halves.

Source: the tables of macroxue/2048-ai.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import INNER_POLICY, TABLES
from twofold.kernels.intrinsics import (
    F64_POINTER,
    POLICY,
    U64_POINTER,
    call_policy,
    f64_at,
    i32_at,
    i64_at,
    pointer,
    popcount,
    trailing_zeros,
    u16_at,
    u64_at,
    u64_offset,
)
from twofold.kernels.table_layers import HALF, STEPS

# Words of a table.
#   KIND     DENSE, or WALLS for walls of any tiles
#   ABOVE    Eight bytes of 16 - exponent of the target: added to nibbles, targets and larger
#            tiles carry
#   LARGE    Number of large tiles
#   LOWEST   The smallest sum of the other tiles, in units of 2
#   HIGHEST  The largest sum
#   KEEP     The nibbles of the large tiles, in the frame
#   ACROSS   Address of the row table, `bits.row_table`; for WALLS one in which 15s never merge
#   LEVELS   Address of the levels, uint16
#   CHANCES  Address of float64, the chance of each level
#   WINS     Two words: added to the even and the odd nibbles, they carry if a free cell wins
#   OVER     Two words, as WINS: they carry if a free cell exceeds its cap
#   MASKS    Eight words: cells of the large tiles in each symmetry, as lowest bits of nibbles; 0
#            for none
#   TURNS    Eight words, one per symmetry: bit 2 exchanges rows and columns first, bit 1 then top
#            and bottom, bit 0 last left and right; from bit 8 on, two bits per move: the move in
#            the frame
KIND, ABOVE, LARGE, LOWEST, HIGHEST, KEEP, ACROSS, LEVELS, CHANCES, WINS = range(10)
OVER: Final = 11
MASKS: Final = 13
TURNS: Final = 21

# `twofold.kernels.table_layers` explains the numbers of boards.
#   LOW_SUMS      Address of int32, sum by code of the low half
#   LOW_RANKS     Address of int32, rank by code of the low half
#   HIGH_RANKS    Address of int32, rank by code of the high half
#   LOW_WEIGHTS   Address of int64 (16 cells,): factors of the exponents in the low code
#   HIGH_WEIGHTS  Address of int64 (16 cells,): factors of the exponents in the high code
#   COUNTS        Address of int64, number of codes of the high half by sum
#   FIRSTS        Address of int64 (layers, columns): number in the file of a layer's first board
#                 with each sum of the low half
LOW_SUMS, LOW_RANKS, HIGH_RANKS, LOW_WEIGHTS, HIGH_WEIGHTS, COUNTS, FIRSTS = range(29, 36)
COLUMNS: Final = 36

# Further words of a table of walls, which `covers` reads.
#   GOALS       Address of pairs of uint64, nibbles to compare and their exponents: boards that
#               reach the goal, at the level of the target
#   CONDITIONS  Address of int64: a number of cells and the cells, of which the least tile is a
#               board's level; a number of pairs of cells and the pairs, which must differ; the
#               same for pairs that must fall
#   TARGET      Exponent of the target
#   BELOW       1 if the goal of a board is one exponent below the least of its anchors, at most
#               the target; 0 if it is that level, and boards of higher levels are not covered
#   CAPPED      Two words, as OVER: 1 in the byte of each free cell
#   LEAST       The least level of a chance with which the table chooses a move
GOALS, GOAL_COUNT, CONDITIONS, TARGET, BELOW, CAPPED = range(37, 43)
LEAST: Final = 44

# Two words more of a table of walls.
#   MARKS   Address of uint64 (lines, 8): which boards have a level above 0, see
#           `marked_level`
#   STORED  Number of levels in the file
#   LINE    Boards of a line of `MARKS`: 64 bytes, the number of levels before it and a bit for
#           each board. Layers begin with a new line; levels are stored from the highest layer
#           down.
MARKS, STORED, TABLE_WORDS = range(45, 48)
LINE: Final = 448
DENSE, WALLS = range(2)

NO_CHANCE: Final = -1
"""The level of a move without an entry."""

_WORDS: Final = types.uint64[::1]
_FLOATS: Final = types.float64[::1]
_MOVES: Final = types.int8[::1]
_0, _1, _2, _4, _15 = map(np.uint64, (0, 1, 2, 4, 15))
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_FIFTH_BITS: Final = np.uint64(0x1010101010101010)
_FULL: Final = np.uint64(0x1111111111111111)
_I64: Final = types.int64[::1]
_F32: Final = types.float32[::1]
_NONE: Final = np.float32(0)
_SURE: Final = np.float32(1)

LEAST_LEVEL: Final = 4
"""The least level, as an exponent, of the boards that a table of walls covers."""


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


@kernel(types.int64(types.uint64, U64_POINTER))
def symmetry_of(bits, table):
    """The symmetry in which the large tiles of a board are those of a table; -1 for none."""
    large = large_cells(bits, table[ABOVE])
    if popcount(large) != np.int64(table[LARGE]):
        return -1
    for symmetry in range(8):
        if table[MASKS + symmetry] == large:
            return symmetry
    return -1


@kernel(types.boolean(types.uint64, types.uint64))
def all_differ(bits, cells):
    """Whether the tiles in some cells (lowest bits of their nibbles) all differ."""
    seen = _0
    while cells:
        one = _1 << ((bits >> np.uint64(trailing_zeros(cells))) & _15)
        if seen & one:
            return False
        seen |= one
        cells &= cells - _1
    return True


@kernel(types.boolean(types.uint64, types.uint64, types.uint64))
def carries(bits, even, odd):
    """Whether some even or odd nibble exceeds 15 after the addition of its byte."""
    low = (bits & _LOW_NIBBLES) + even
    high = ((bits >> _4) & _LOW_NIBBLES) + odd
    return ((low | high) & _FIFTH_BITS) != _0


@kernel(types.int64(types.uint64, types.int64))
def exponent_at(bits, cell):
    """The exponent in a cell."""
    return np.int64((bits >> np.uint64(60 - 4 * cell)) & _15)


@kernel(types.boolean(types.uint64, types.int64, U64_POINTER))
def at_goal(frame, level, table):
    """Whether a board in the frame has reached the goal at a level up to the target."""
    goals = u64_at(table[GOALS])
    lower = (table[TARGET] - np.uint64(level)) * _FULL
    for number in range(np.int64(table[GOAL_COUNT])):
        cells = goals[2 * number]
        if frame & cells == goals[2 * number + 1] - (lower & cells):
            return True
    return False


@kernel(types.boolean(types.uint64, U64_POINTER))
def covers(frame, table):
    """Whether the table covers a board in the frame, and the board has not reached its goal."""
    conditions = i64_at(table[CONDITIONS])
    level, at = np.int64(15), 1
    for _ in range(conditions[0]):
        level = min(level, exponent_at(frame, conditions[at]))
        at += 1
    for _ in range(conditions[at]):
        if exponent_at(frame, conditions[at + 1]) == exponent_at(frame, conditions[at + 2]):
            return False
        at += 2
    at += 1
    for _ in range(conditions[at]):
        if exponent_at(frame, conditions[at + 1]) <= exponent_at(frame, conditions[at + 2]):
            return False
        at += 2
    target, goal = np.int64(table[TARGET]), level
    if table[BELOW] != 0:
        goal, level = min(target, level - 1), min(target, level)
    if level > target or level < LEAST_LEVEL:
        return False
    lower = np.uint64(target - level)
    even = table[OVER] + lower * table[CAPPED]
    odd = table[OVER + 1] + lower * table[CAPPED + 1]
    return not carries(frame, even, odd) and not at_goal(frame, goal, table)


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def half_number(after, total, table):
    """The number in the file of an afterstate in the frame that exceeds no cap.

    No index leaves its array, whatever a file contains: codes are below the product of caps + 1,
    sums of halves are at most that of the board, and the arrays are made for the pattern.
    """
    low_weights, high_weights = i64_at(table[LOW_WEIGHTS]), i64_at(table[HIGH_WEIGHTS])
    low = high = np.int64(0)
    for cell in range(16):
        exponent = np.int64((after >> np.uint64(60 - 4 * cell)) & _15)
        low += exponent * low_weights[cell]
        high += exponent * high_weights[cell]
    low_sum = np.int64(i32_at(table[LOW_SUMS])[low])
    number = i64_at(table[FIRSTS])[total * np.int64(table[COLUMNS]) + low_sum]
    number += np.int64(i32_at(table[LOW_RANKS])[low]) * i64_at(table[COUNTS])[total - low_sum]
    return number + np.int64(i32_at(table[HIGH_RANKS])[high])


@kernel(types.int64(types.int64, U64_POINTER))
def stored_level(number, table):
    """The level at an index of the file."""
    return np.int64(u16_at(table[LEVELS])[number])


@kernel(types.int64(types.int64, U64_POINTER))
def marked_level(number, table):
    """The level of a board of a table of walls, which stores only levels above 0.

    A damaged file never leads past its end.
    """
    line = u64_offset(u64_at(table[MARKS]), 8 * (number // LINE))
    place = number % LINE
    word = 1 + (place >> 6)
    bit = _1 << np.uint64(place & 63)
    if line[word] & bit == _0:
        return np.int64(0)
    index = line[0] + np.uint64(popcount(line[word] & (bit - _1)))
    for before in range(1, word):
        index += np.uint64(popcount(line[before]))
    return stored_level(np.int64(index), table) if index < table[STORED] else np.int64(0)


@kernel(types.int64(types.uint64, types.uint64, types.int64, U64_POINTER))
def level_of(bits, after, total, table):
    """The level of a move in the frame.

    NO_CHANCE if it is illegal, shifts a large tile, or exceeds a cap; only walls of any tiles have
    caps for moves that win.
    """
    if after == bits or (after ^ bits) & table[KEEP]:
        return NO_CHANCE
    walls = table[KIND] == np.uint64(WALLS)
    if not walls and carries(after, table[WINS], table[WINS + 1]):
        return np.int64(STEPS)
    if carries(after, table[OVER], table[OVER + 1]):
        return NO_CHANCE
    if not walls:
        return stored_level(half_number(after, total, table), table)
    if at_goal(after, np.int64(table[TARGET]), table):
        return np.int64(STEPS)
    return marked_level(half_number(after, total, table), table)


@kernel(
    types.UniTuple(types.int64, 4)(
        types.uint64, types.int64, types.int64, types.uint64, U64_POINTER
    )
)
def levels_in_frame(frame, legal, total, turn, table):
    """The levels of up, right, down and left of a board that `turn` has brought into the frame."""
    rows = u64_at(table[ACROSS])
    up, right, down, left, _, _ = on_bits.slide_all(frame, rows, rows)
    a = b = c = d = np.int64(NO_CHANCE)
    for move in range(4):
        if not (legal >> move) & 1:
            continue
        inner = np.int64((turn >> np.uint64(8 + 2 * move)) & np.uint64(3))
        after = on_bits.of_move(inner, up, right, down, left)
        level = level_of(frame, after, total, table)
        if move == 0:
            a = level
        elif move == 1:
            b = level
        elif move == 2:
            c = level
        else:
            d = level
    return a, b, c, d


@kernel(types.UniTuple(types.int64, 5)(types.uint64, types.int64, U64_POINTER))
def levels_beside_walls(bits, legal, table):
    """`levels_of` for a table of walls: in the symmetry with the best move."""
    highest = a = b = c = d = np.int64(NO_CHANCE)
    keep, is_covered = table[KEEP], np.int64(0)
    for symmetry in range(8):
        turn = table[TURNS + symmetry]
        frame = turned(bits, turn)
        if not covers(frame, table):
            continue
        total = on_bits.tile_sum(frame & ~keep) >> 1
        if total > np.int64(table[HIGHEST]):
            continue
        is_covered = np.int64(1)
        w, x, y, z = levels_in_frame(frame | keep, legal, total, turn, table)
        best = max(max(w, x), max(y, z))
        if best > highest:
            a, b, c, d, highest = w, x, y, z, best
    return a, b, c, d, is_covered


@kernel(types.UniTuple(types.int64, 5)(types.uint64, types.int64, U64_POINTER))
def levels_of(bits, legal, table):
    """The levels of up, right, down and left, and whether the table covers the board."""
    if table[KIND] == np.uint64(WALLS):
        return levels_beside_walls(bits, legal, table)
    none = np.int64(NO_CHANCE)
    silent = (none, none, none, none, np.int64(0))
    symmetry = symmetry_of(bits, table)
    large = large_cells(bits, table[ABOVE])
    if symmetry < 0 or not all_differ(bits, large):
        return silent
    total = on_bits.tile_sum(bits & ~(large * _15)) >> 1
    if total < np.int64(table[LOWEST]) or total > np.int64(table[HIGHEST]):
        return silent
    turn = table[TURNS + symmetry]
    frame = turned(bits, turn)
    if carries(frame, table[OVER], table[OVER + 1]):
        return silent
    a, b, c, d = levels_in_frame(frame, legal, total, turn, table)
    return a, b, c, d, np.int64(1)


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def table_move(bits, legal, words):
    """The move of the first table with a chance of `LEAST` or more, or -1.

    It is the move with the largest chance among `legal`, 4 bits, the first of equals. `bits` is a
    4x4 board, `words` are those of a set of tables.
    """
    for number in range(np.int64(words[0])):
        table = u64_offset(words, 1 + number * TABLE_WORDS)
        if table[KIND] != np.uint64(WALLS) and symmetry_of(bits, table) < 0:  # nearly all boards
            continue
        a, b, c, d, _ = levels_of(bits, legal, table)
        best = max(max(a, b), max(c, d))
        if best >= np.int64(table[LEAST]):
            return 0 if a == best else 1 if b == best else 2 if c == best else 3
    return -1


@kernel(types.float64(types.int64, U64_POINTER))
def chance_of(level, table):
    """The chance of a level; NaN for none."""
    return np.nan if level < 0 else f64_at(table[CHANCES])[level]


@kernel(types.int64(types.uint64, U64_POINTER, F64_POINTER))
def table_chances(bits, words, out):
    """Fill in the chances of the four moves by the table that `table_move` follows.

    `out` receives 4 chances, NaN for none. Returns the number of the table, or -1 without one.
    """
    for move in range(4):
        out[move] = np.nan
    for number in range(np.int64(words[0])):
        table = u64_offset(words, 1 + number * TABLE_WORDS)
        a, b, c, d, _ = levels_of(bits, 15, table)
        if max(max(a, b), max(c, d)) >= np.int64(table[LEAST]):
            out[0], out[1] = chance_of(a, table), chance_of(b, table)
            out[2], out[3] = chance_of(c, table), chance_of(d, table)
            return number
    return -1


@kernel(types.void(_WORDS, _MOVES, _WORDS))
def look_up(boards, moves, words):
    """`table_move` of many boards, for callers outside kernels."""
    for number in range(len(boards)):
        moves[number] = table_move(boards[number], 15, pointer(words))


@kernel(types.int64(types.uint64, _FLOATS, _WORDS))
def look_up_chances(bits, chances, words):
    """`table_chances` for callers outside kernels; `chances` has length 4."""
    return table_chances(bits, pointer(words), pointer(chances))


@kernel(POLICY)
def table_first(bits, legal, score, draw, context):
    """The move of the first endgame table that has one, or that of the inner policy."""
    move = table_move(bits, legal, u64_at(context[TABLES]))
    if move >= 0:
        return move
    return call_policy(context[INNER_POLICY], (bits, legal, score, draw, context))


@kernel(
    types.void(
        types.int64, types.int64, types.int64, HALF, HALF, _WORDS, _WORDS, _WORDS, _F32, _F32
    )
)
def choose_beside_walls(begin, end, layer, low, high, low_bits, high_bits, words, after, before):
    """Fill in chances before moves: that of the best move, 0 without one.

    It works on the places `begin` to `end` - 1 of the low half. `low_bits` and `high_bits` are the
    nibbles of the halves by place; the other arguments are those of `table_layers.choose`.
    """
    table = pointer(words)
    keep, rows = table[KEEP], u64_at(table[ACROSS])
    start = i64_at(table[FIRSTS])[layer * np.int64(table[COLUMNS])]
    for place in range(begin, end):
        low_sum = np.int64(low.sums[place])
        high_sum = layer - low_sum
        if high_sum < 0 or high_sum + 2 >= len(high.counts):
            continue
        count = high.counts[high_sum]
        first = high.firsts[high_sum]
        number = i64_at(table[FIRSTS])[layer * np.int64(table[COLUMNS]) + low_sum] - start
        number += (place - low.firsts[low_sum]) * count
        for one in range(count):
            bits = keep | low_bits[place] | high_bits[first + one]
            up, right, down, left, _, _ = on_bits.slide_all(bits, rows, rows)
            best = _NONE
            for move in range(4):
                board = on_bits.of_move(move, up, right, down, left)
                if board == bits or (board & keep) != keep:
                    continue
                if carries(board, table[OVER], table[OVER + 1]):
                    continue
                if at_goal(board, np.int64(table[TARGET]), table):
                    best = _SURE
                    break
                best = max(best, after[half_number(board, layer, table) - start])
            before[number + one] = best
