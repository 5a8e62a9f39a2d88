"""Moves and chances by endgame tables, in a fixed order of tables, and play by them.

A table covers a board if exactly the cells of its pattern, in one of the eight symmetries, hold
tiles from the target on, these all differ, and the other cells hold a content in the table. A
chance is read as a *level*, the number stored in the file; levels ascend with chances.
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
    pointer,
    popcount,
    trailing_zeros,
    u16_at,
    u64_at,
    u64_offset,
)
from twofold.kernels.table_layers import STEPS
from twofold.kernels.table_walls import at_goal, carries, covers, half_number
from twofold.kernels.table_words import (
    ABOVE,
    ACROSS,
    CHANCES,
    HIGHEST,
    KEEP,
    KIND,
    LARGE,
    LEAST,
    LEVELS,
    LINE,
    LOWEST,
    MARKS,
    MASKS,
    OVER,
    STORED,
    TABLE_WORDS,
    TARGET,
    TURNS,
    WALLS,
    WINS,
)

NO_CHANCE: Final = -1
"""The level of a move without an entry."""

_WORDS: Final = types.uint64[::1]
_FLOATS: Final = types.float64[::1]
_MOVES: Final = types.int8[::1]
_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_2: Final = np.uint64(2)
_4: Final = np.uint64(4)
_15: Final = np.uint64(15)
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_FIFTH_BITS: Final = np.uint64(0x1010101010101010)


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


@kernel(types.int64(types.uint64, types.int64, _WORDS))
def move_of(bits, legal, words):
    """`table_move` for callers outside kernels."""
    return table_move(bits, legal, pointer(words))


@kernel(POLICY)
def table_first(bits, legal, score, draw, context):
    """The move of the first endgame table that has one, or that of the inner policy."""
    move = table_move(bits, legal, u64_at(context[TABLES]))
    if move >= 0:
        return move
    return call_policy(context[INNER_POLICY], (bits, legal, score, draw, context))
