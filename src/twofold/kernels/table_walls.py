"""Endgame tables with walls of any tiles: which boards they cover, and how they are made.

In the frame the walls stand in the top left corner and never move; the other cells hold tiles up to
caps, which fall with their distance from the walls:

    L L L 1        digits are exponents below the level: here the least of the walls L in the
    L L 0 1        third place of the first row and the second place of the second row, at most the
    1 1 1 1        target of the table
    2 2 2 2

A table is made for the largest level, and walls that never merge. Boards of lower levels are
covered by the same entries: these are chances of a larger goal than theirs.

Boards are numbered as in `kernels.table_layers`, by halves.

Source: the tables of macroxue/2048-ai.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER, i32_at, i64_at, pointer, u64_at
from twofold.kernels.table_layers import HALF
from twofold.kernels.table_words import (
    ACROSS,
    BELOW,
    CAPPED,
    COLUMNS,
    CONDITIONS,
    COUNTS,
    FIRSTS,
    GOAL_COUNT,
    GOALS,
    HIGH_RANKS,
    HIGH_WEIGHTS,
    KEEP,
    LOW_RANKS,
    LOW_SUMS,
    LOW_WEIGHTS,
    OVER,
    TARGET,
)

LEAST_LEVEL: Final = 4
"""The least level, as an exponent, of the boards that a table covers."""

_WORDS: Final = types.uint64[::1]
_I64: Final = types.int64[::1]
_F32: Final = types.float32[::1]
_0: Final = np.uint64(0)
_4: Final = np.uint64(4)
_15: Final = np.uint64(15)
_LOW_NIBBLES: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_FIFTH_BITS: Final = np.uint64(0x1010101010101010)
_FULL: Final = np.uint64(0x1111111111111111)
_NONE: Final = np.float32(0)
_SURE: Final = np.float32(1)


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


@kernel(types.boolean(types.uint64, _WORDS))
def covers_board(frame, words):
    """`covers` for callers outside kernels, by the words of one table."""
    return covers(frame, pointer(words))


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


@kernel(
    types.void(
        types.int64, types.int64, types.int64, HALF, HALF, _WORDS, _WORDS, _WORDS, _F32, _F32
    )
)
def choose(begin, end, layer, low, high, low_bits, high_bits, words, after, before):
    """Fill in chances before moves: that of the best move, 0 without one.

    It works on the places `begin` to `end` - 1 of the low half. `low_bits` and `high_bits` are the
    nibbles of the halves by place; the other arguments are those of `layers.choose`.
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
