"""The lowest layer of an expectimax: the spawns of an afterstate, and the evaluation below.

A search spends nearly all its time here, so an evaluator may bring a special kernel. All have
the signature `LAYER`: (afterstate, score, first, end, context) -> its expected value from the spawn
tiles number `first` to `end` - 1: the sum over the cells and these tiles of probability x value,
divided by the number of empty cells.

`lines` is for values that are sums over rows and columns, in whole units, so that sums are exact in
any order. It slides all rows once, and values an afterstate by one look-up for the row with the
spawn and four for the columns. All cells of a gap between two tiles have the same afterstates,
which are evaluated once, at the right or lower end of the gap:

    after   . 1 . 2      L   1 2 . .      a spawn in the second row     L'  1 2 . .
            3 . x 1          3 1 . .      changes one row of L              3 x 1 .
            4 4 . .          5 . . .                                        5 . . .
            1 . 2 1          1 2 1 .                                        1 2 1 .
"""

from typing import Any, Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.bits import LEFT_BIT, RIGHT_BIT
from twofold.kernels.intrinsics import (
    LAYER,
    U64_POINTER,
    as_f64,
    call_evaluator,
    f32_at,
    i32_at,
    nth_set_bit,
    popcount,
    spread_nibbles,
    trailing_zeros,
    u64_at,
)
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE

# The layer's own words of a context.
#   ACROSS_LINES    Address of the row table with values, see `line_entries`
#   COLUMN_VALUES   Address of the values of columns, in units, int32 (65536,)
#   OUTSIDE         Sum of the values of the lines outside a smaller shape, in units
#   UNIT            The unit of these values, the bits of a float64
#   IN_COLUMNS      The last values of each column's afterstates: up and down, 4 x 2 words
#   MAX_LINE_TILES  Most spawn tiles that `lines` supports
ACROSS_LINES, DOWN_LINES, COLUMN_VALUES, ROW_VALUES, OUTSIDE, UNIT = range(at.OWN, at.OWN + 6)
IN_COLUMNS: Final = at.OWN + 6
LAYER_END: Final = at.OWN + 14
MAX_LINE_TILES: Final = 2

_ROW: Final = np.uint64(0xFFFF)
_ILLEGAL: Final = np.int64(-(1 << 62))
_1, _2, _4, _12, _16, _32, _48 = map(np.uint64, (1, 2, 4, 12, 16, 32, 48))
_NIBBLES: Final = np.uint64(0x000F000F000F000F)
_LEFT: Final = np.uint64(LEFT_BIT)
_RIGHT: Final = np.uint64(RIGHT_BIT)


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def evaluate(bits, score, context):
    """The evaluator's value."""
    context[at.NODES] += _1
    return call_evaluator(context[at.EVALUATOR], (bits, score, f32_at(context[at.PARAMS])))


@kernel(LAYER)
def after_spawn(after, score, first, end, context):
    """The mean value of the states after the spawns."""
    distribution = u64_at(context[at.DISTRIBUTION])
    empty = on_bits.empty_mask(after, context[at.MASK])
    count = popcount(empty)
    total = 0.0
    for number in range(count - 1, -1, -1):  # row-major: from the highest nibble down
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(first, end):
            word = tile * SPAWN_STRIDE
            value = evaluate(after | (cell * distribution[word + SPAWN_EXPONENT]), score, context)
            mean += as_f64(distribution[word + SPAWN_PROBABILITY]) * value
        total += mean
    return total / count


@kernel(LAYER)
def after_move(after, score, first, end, context):
    """The mean over the spawns of the best afterstate of each."""
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    distribution = u64_at(context[at.DISTRIBUTION])
    adds_reward = context[at.ADDS_REWARD] != 0
    empty = on_bits.empty_mask(after, context[at.MASK])
    count = popcount(empty)
    total = 0.0
    for number in range(count - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(first, end):
            word = tile * SPAWN_STRIDE
            state = after | (cell * distribution[word + SPAWN_EXPONENT])
            turned = on_bits.transpose(state)
            best = -np.inf
            for axis in range(2):
                from_bits = turned if axis else state
                left, right, packed = on_bits.slide_both(from_bits, down if axis else across)
                gain = on_bits.reward_of(packed)
                more = np.float64(gain) if adds_reward else 0.0
                if left != from_bits:
                    next_bits = on_bits.transpose(left) if axis else left
                    best = max(best, evaluate(next_bits, score + gain, context) + more)
                if right != from_bits:
                    next_bits = on_bits.transpose(right) if axis else right
                    best = max(best, evaluate(next_bits, score + gain, context) + more)
            value = best if best != -np.inf else as_f64(context[at.DEAD_VALUE])
            mean += as_f64(distribution[word + SPAWN_PROBABILITY]) * value
        total += mean
    return total / count


@kernel(types.UniTuple(types.uint64, 2)(types.uint64, types.uint64, U64_POINTER))
def _line(bits, shift, table):
    """The entry of the row at `shift`: (row table word, values)."""
    place = ((bits >> shift) & _ROW) << _1
    return table[place], table[place + _1]


@kernel(types.int64(types.uint64))
def _low(values):
    """The value of a line slid left."""
    return np.int64(np.int32(values))


@kernel(types.int64(types.uint64))
def _high(values):
    """The value of a line slid right."""
    return np.int64(values) >> np.int64(32)


@kernel(types.UniTuple(types.uint64, 6)(types.uint64, U64_POINTER, types.int64))
def _slid(bits, table, outside):
    """All four lines slid both ways.

    Returns the boards, the numbers of lines that change, and the sums of the lines' values, each
    as (left, right).
    """
    left, right, lefts, rights = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
    left_sum, right_sum = -outside, -outside
    for line in range(4):
        shift = np.uint64(16 * line)
        entry, values = _line(bits, shift, table)
        left |= (entry & _ROW) << shift
        right |= ((entry >> _16) & _ROW) << shift
        lefts += (entry >> _LEFT) & _1
        rights += entry >> _RIGHT
        left_sum += _low(values)
        right_sum += _high(values)
    return left, right, lefts, rights, np.uint64(left_sum), np.uint64(right_sum)


@kernel(types.int64(types.uint64, types.CPointer(types.int32)))
def _crossing(bits, values):
    total = np.int64(values[bits & _ROW]) + np.int64(values[(bits >> _16) & _ROW])
    return total + np.int64(values[(bits >> _32) & _ROW]) + np.int64(values[bits >> _48])


@kernel(types.int64(types.int64, types.uint64))
def _if_legal(value, changes):
    return value if changes != 0 else _ILLEGAL


@kernel(LAYER)
def lines(after, score, first, end, context):
    """`after_move` for an evaluator that sums values of rows and columns, in whole units."""
    across, down = u64_at(context[ACROSS_LINES]), u64_at(context[DOWN_LINES])
    of_columns, of_rows = i32_at(context[COLUMN_VALUES]), i32_at(context[ROW_VALUES])
    distribution = u64_at(context[at.DISTRIBUTION])
    outside = np.int64(context[OUTSIDE])
    turned = on_bits.transpose(after)
    left, right, lefts, rights, left_sum, right_sum = _slid(after, across, outside)
    up, bottom, ups, bottoms, up_sum, bottom_sum = _slid(turned, down, outside)
    left, right = on_bits.transpose(left), on_bits.transpose(right)  # as columns
    up, bottom = on_bits.transpose(up), on_bits.transpose(bottom)  # as rows
    empty = on_bits.empty_mask(after, context[at.MASK])
    unit, dead = as_f64(context[UNIT]), as_f64(context[at.DEAD_VALUE])
    leaves, value = np.uint64(0), 0.0
    for number in range(first, end):
        tile = distribution[SPAWN_EXPONENT + SPAWN_STRIDE * number]
        total, deads = np.int64(0), 0
        to_left, to_right = np.int64(0), np.int64(0)
        rest = empty
        while rest:
            cell = rest & (~rest + _1)
            rest ^= cell
            shift = np.uint64(trailing_zeros(cell))
            in_row, row_shift = shift & _12, shift & _48
            in_column, column_shift = (shift >> _2) & _12, in_row << _2
            # The other rows and the other columns do not depend on the spawn.
            old, old_values = _line(after, row_shift, across)
            place = (((after >> row_shift) & _ROW) | (tile << in_row)) << _1
            entry = across[place]
            goes_left = lefts - ((old >> _LEFT) & _1) + ((entry >> _LEFT) & _1)
            goes_right = rights - (old >> _RIGHT) + (entry >> _RIGHT)
            if in_row == 0 or empty & (cell >> _4) == 0:  # otherwise equal to the cell to the right
                values, keep = across[place + _1], ~(_NIBBLES << in_column)
                crossing = (left & keep) | (spread_nibbles(entry & _ROW) << in_column)
                to_left = np.int64(left_sum) - _low(old_values) + _low(values)
                to_left += _crossing(crossing, of_columns)
                crossing = (right & keep) | (spread_nibbles((entry >> _16) & _ROW) << in_column)
                to_right = np.int64(right_sum) - _high(old_values) + _high(values)
                to_right += _crossing(crossing, of_columns)
            old, old_values = _line(turned, column_shift, down)
            place = (((turned >> column_shift) & _ROW) | (tile << in_column)) << _1
            entry = down[place]
            goes_up = ups - ((old >> _LEFT) & _1) + ((entry >> _LEFT) & _1)
            goes_down = bottoms - (old >> _RIGHT) + (entry >> _RIGHT)
            kept = IN_COLUMNS + np.int64(in_row >> _1)
            to_top, to_bottom = np.int64(context[kept]), np.int64(context[kept + 1])
            if empty & (cell >> _16) == 0:  # otherwise equal to the cell below
                values, keep = down[place + _1], ~(_NIBBLES << in_row)
                crossing = (up & keep) | (spread_nibbles(entry & _ROW) << in_row)
                to_top = np.int64(up_sum) - _low(old_values) + _low(values)
                to_top += _crossing(crossing, of_rows)
                crossing = (bottom & keep) | (spread_nibbles((entry >> _16) & _ROW) << in_row)
                to_bottom = np.int64(bottom_sum) - _high(old_values) + _high(values)
                to_bottom += _crossing(crossing, of_rows)
                context[kept], context[kept + 1] = np.uint64(to_top), np.uint64(to_bottom)
            best = max(_if_legal(to_left, goes_left), _if_legal(to_right, goes_right))
            best = max(best, max(_if_legal(to_top, goes_up), _if_legal(to_bottom, goes_down)))
            leaves += np.uint64(goes_left != 0) + np.uint64(goes_right != 0)
            leaves += np.uint64(goes_up != 0) + np.uint64(goes_down != 0)
            if best == _ILLEGAL:
                deads += 1
            else:
                total += best
        probability = as_f64(distribution[SPAWN_PROBABILITY + SPAWN_STRIDE * number])
        value += probability * (np.float64(total) * unit + deads * dead)
    context[at.NODES] += leaves
    return value / popcount(empty)


def line_entries(table: Any, values: Any) -> Any:
    """A row table with values: for each row its word, then the values of the row slid.

    `table` is `bits.row_table`, `values` those of all rows in units, int32 (65536,). Returns
    uint64 (131072,): word 2 i is that of the row table; word 2 i + 1 holds the value of the row
    slid left in its low half, and slid right in its high half.
    """
    left = values[table & _ROW].astype(np.uint32).astype(np.uint64)
    right = values[(table >> _16) & _ROW].astype(np.uint32).astype(np.uint64)
    return np.stack([table, left | (right << _32)], axis=1).ravel()
