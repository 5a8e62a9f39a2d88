"""The lowest layer of an expectimax: the spawns of an afterstate and what comes below.

Nearly all of a search's time goes here, so an evaluator may bring a kernel of its own. All have
the signature `LAYER`: (afterstate, score, first, end, context) -> its expected value, as far as
it comes from the spawn tiles number `first` to `end` - 1: the sum over the cells and these tiles
of probability x value, divided by the number of empty cells.

`after_spawn` serves every evaluator of states, `after_move` every evaluator of afterstates.
`lines` is for values that are sums over rows and columns. It knows what a slide of the rows
makes of every row that the spawn does not touch, and values an afterstate by one look-up for
the touched row and four for the columns:

    after   . 1 . 2      L   1 2 . .      a spawn in the second row     L'  1 2 . .
            3 . x 1          3 1 . .      changes one row of L              3 x 1 .
            4 4 . .          5 . . .                                        5 . . .
            1 . 2 1          1 2 1 .                                        1 2 1 .

Values are whole multiples of a unit, so that sums are exact and their order does not matter.
"""

from typing import Any, Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import (
    ACROSS,
    ADDS_REWARD,
    DEAD_VALUE,
    DOWN,
    EVALUATOR,
    LAW,
    MASK,
    NODES,
    OWN,
    PARAMS,
)
from twofold.kernels.dice import LAW_EXPONENT, LAW_PROBABILITY, LAW_STRIDE
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
from twofold.kernels.tables import LEFT_BIT, RIGHT_BIT

# The layer's own words of a context.
ACROSS_LINES: Final = OWN
"""Address of the row table with values, see `line_entries`."""
DOWN_LINES: Final = OWN + 1
COLUMN_VALUES: Final = OWN + 2
"""Address of the values of columns, in units, int32 (65536,)."""
ROW_VALUES: Final = OWN + 3
OUTSIDE: Final = OWN + 4
"""What the lines outside a smaller shape would count, in units."""
UNIT: Final = OWN + 5
"""The unit of these values, the bits of a float64."""
LAYER_END: Final = OWN + 6

MAX_LINE_TILES: Final = 2
"""Most spawn tiles that `lines` can take."""

_ROW: Final = np.uint64(0xFFFF)
_ILLEGAL: Final = np.int64(-(1 << 62))
_3: Final = np.uint64(3)
_12: Final = np.uint64(12)
_16: Final = np.uint64(16)
_32: Final = np.uint64(32)
_48: Final = np.uint64(48)
_1: Final = np.uint64(1)
_2: Final = np.uint64(2)
_NIBBLES: Final = np.uint64(0x000F000F000F000F)
_LEFT: Final = np.uint64(LEFT_BIT)
_RIGHT: Final = np.uint64(RIGHT_BIT)


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def evaluate(bits, score, context):
    """The evaluator's value."""
    context[NODES] += _1
    return call_evaluator(context[EVALUATOR], (bits, score, f32_at(context[PARAMS])))


@kernel(LAYER)
def after_spawn(after, score, first, end, context):
    """The mean value of the states that the spawns make."""
    law = u64_at(context[LAW])
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    total = 0.0
    for number in range(count - 1, -1, -1):  # row-major: from the highest nibble down
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(first, end):
            word = tile * LAW_STRIDE
            value = evaluate(after | (cell * law[word + LAW_EXPONENT]), score, context)
            mean += as_f64(law[word + LAW_PROBABILITY]) * value
        total += mean
    return total / count


@kernel(LAYER)
def after_move(after, score, first, end, context):
    """The mean over the spawns of the best afterstate of each."""
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    law = u64_at(context[LAW])
    adds_reward = context[ADDS_REWARD] != 0
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    total = 0.0
    for number in range(count - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(first, end):
            word = tile * LAW_STRIDE
            state = after | (cell * law[word + LAW_EXPONENT])
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
            value = best if best != -np.inf else as_f64(context[DEAD_VALUE])
            mean += as_f64(law[word + LAW_PROBABILITY]) * value
        total += mean
    return total / count


@kernel(types.UniTuple(types.uint64, 2)(types.uint64, types.uint64, U64_POINTER))
def _line(bits, shift, table):
    """The entry of one row, at `shift`: (row table word, values)."""
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

    Returns the boards (left, right), then the numbers of lines that change, and the sums of
    their values, both as (left, right).
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
    """The sum of the values of four lines."""
    total = np.int64(values[bits & _ROW]) + np.int64(values[(bits >> _16) & _ROW])
    return total + np.int64(values[(bits >> _32) & _ROW]) + np.int64(values[bits >> _48])


@kernel(LAYER)
def lines(after, score, first, end, context):
    """`after_move` for an evaluator that sums values of rows and columns, in whole units."""
    across, down = u64_at(context[ACROSS_LINES]), u64_at(context[DOWN_LINES])
    of_columns, of_rows = i32_at(context[COLUMN_VALUES]), i32_at(context[ROW_VALUES])
    law = u64_at(context[LAW])
    outside = np.int64(context[OUTSIDE])
    turned = on_bits.transpose(after)
    left, right, lefts, rights, left_sum, right_sum = _slid(after, across, outside)
    up, bottom, ups, bottoms, up_sum, bottom_sum = _slid(turned, down, outside)
    left, right = on_bits.transpose(left), on_bits.transpose(right)  # as columns
    up, bottom = on_bits.transpose(up), on_bits.transpose(bottom)  # as rows
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    sum_0, sum_1, dead_0, dead_1 = np.int64(0), np.int64(0), 0, 0
    leaves = np.uint64(0)
    while empty:
        shift = np.uint64(trailing_zeros(empty))
        empty &= empty - _1
        in_row = shift & _12
        in_column = (shift >> _2) & _12
        row_shift, column_shift = shift & _48, in_row << _2
        # What stays as it is, whatever spawns here: the other rows, and the other columns.
        entry, values = _line(after, row_shift, across)
        row = (after >> row_shift) & _ROW
        lefts_here = lefts - ((entry >> _LEFT) & _1)
        rights_here = rights - (entry >> _RIGHT)
        left_here = np.int64(left_sum) - _low(values)
        right_here = np.int64(right_sum) - _high(values)
        keep = ~(_NIBBLES << in_column)
        left_kept, right_kept = left & keep, right & keep
        entry, values = _line(turned, column_shift, down)
        column = (turned >> column_shift) & _ROW
        ups_here = ups - ((entry >> _LEFT) & _1)
        bottoms_here = bottoms - (entry >> _RIGHT)
        up_here = np.int64(up_sum) - _low(values)
        bottom_here = np.int64(bottom_sum) - _high(values)
        keep = ~(_NIBBLES << in_row)
        up_kept, bottom_kept = up & keep, bottom & keep
        for number in range(first, end):
            tile = law[LAW_EXPONENT + LAW_STRIDE * number]
            best = _ILLEGAL
            place = (row | (tile << in_row)) << _1
            entry, values = across[place], across[place + _1]
            if lefts_here + ((entry >> _LEFT) & _1):
                crossing = left_kept | (spread_nibbles(entry & _ROW) << in_column)
                best = left_here + _low(values) + _crossing(crossing, of_columns)
                leaves += _1
            if rights_here + (entry >> _RIGHT):
                crossing = right_kept | (spread_nibbles((entry >> _16) & _ROW) << in_column)
                best = max(best, right_here + _high(values) + _crossing(crossing, of_columns))
                leaves += _1
            place = (column | (tile << in_column)) << _1
            entry, values = down[place], down[place + _1]
            if ups_here + ((entry >> _LEFT) & _1):
                crossing = up_kept | (spread_nibbles(entry & _ROW) << in_row)
                best = max(best, up_here + _low(values) + _crossing(crossing, of_rows))
                leaves += _1
            if bottoms_here + (entry >> _RIGHT):
                crossing = bottom_kept | (spread_nibbles((entry >> _16) & _ROW) << in_row)
                best = max(best, bottom_here + _high(values) + _crossing(crossing, of_rows))
                leaves += _1
            if best == _ILLEGAL:
                best = np.int64(0)
                if number:
                    dead_1 += 1
                else:
                    dead_0 += 1
            if number:
                sum_1 += best
            else:
                sum_0 += best
    context[NODES] += leaves
    unit, dead = as_f64(context[UNIT]), as_f64(context[DEAD_VALUE])
    probability = as_f64(law[LAW_PROBABILITY])
    total = probability * (np.float64(sum_0) * unit + dead_0 * dead)
    if end == 2:
        probability = as_f64(law[LAW_PROBABILITY + LAW_STRIDE])
        total += probability * (np.float64(sum_1) * unit + dead_1 * dead)
    return total / count


def line_entries(table: Any, values: Any) -> Any:
    """A row table with values: for each row its word, then the values of the row slid.

    Args:
        table: uint64 (65536,), see `tables.row_table`.
        values: of all rows, in units, int32 (65536,).

    Returns:
        uint64 (131072,): word 2 i is that of the row table; word 2 i + 1 holds the value of
        the row slid left in its low half, and slid right in its high half.
    """
    left = values[table & _ROW].astype(np.uint32).astype(np.uint64)
    right = values[(table >> _16) & _ROW].astype(np.uint32).astype(np.uint64)
    return np.stack([table, left | (right << _32)], axis=1).ravel()
