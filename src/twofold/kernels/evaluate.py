"""Evaluators on bits, and the same on cells: any shape up to 8x8, tiles up to 2^35.

On bits each kernel has the signature `intrinsics.EVALUATOR`. The parameters are float32; sums are
float64, added in the order written.

On cells it has `intrinsics.CELLS_EVALUATOR`: (cells, rows, cols, score, params) -> value. The
parameters are float64 in memory declared as float32. Boards of both forms have equal values, so
each line is summed in the order in which the tables of rows are made.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.bits import FULL, count_empty, transpose
from twofold.kernels.intrinsics import (
    CELLS_EVALUATOR,
    EVALUATOR,
    F32_POINTER,
    F64_POINTER,
    U8_POINTER,
    call_cells_evaluator,
    call_evaluator,
    f64_pointer,
    neighbour_spread,
    pointer,
)

_ROW: Final = np.uint64(0xFFFF)
_16, _32, _48 = map(np.uint64, (16, 32, 48))
TABLE: Final = 65_536

LOG_TABLE: Final = 983_041
"""Entries of the table of ln(4 i): scores on 4x4 are below 4 * 983,041."""
CLUSTERING_HEAD: Final = 3
"""Numbers before that table."""

SMOOTH_HEAD: Final = 5
"""Numbers before the table of logarithms of `smooth`."""
_SMOOTH_LINES: Final = 2 * (SMOOTH_HEAD + 65)
"""Offset of its table of lines, in float32."""


@kernel(EVALUATOR)
def line_sum(bits, score, params):
    """Sum over rows and columns of a 4x4 board of one table, float32 (65536,)."""
    turned = transpose(bits)
    total = np.float64(params[bits >> _48]) + params[(bits >> _32) & _ROW]
    total += np.float64(params[(bits >> _16) & _ROW]) + params[bits & _ROW]
    total += np.float64(params[turned >> _48]) + params[(turned >> _32) & _ROW]
    total += np.float64(params[(turned >> _16) & _ROW]) + params[turned & _ROW]
    return total


@kernel(EVALUATOR)
def framed_line_sum(bits, score, params):
    """`line_sum` on any shape up to 4x4.

    params: rows, cols, then a table for rows and a table for columns, 65536 each.
    """
    rows, cols = np.int64(params[0]), np.int64(params[1])
    turned = transpose(bits)
    total = 0.0
    for row in range(rows):
        index = np.int64((bits >> np.uint64(48 - 16 * row)) & _ROW)
        total += params[2 + index]
    for col in range(cols):
        index = np.int64((turned >> np.uint64(48 - 16 * col)) & _ROW)
        total += params[2 + TABLE + index]
    return total


@kernel(EVALUATOR)
def row_tables(bits, score, params):
    """Sum over the four rows of one table each, float32 (4, 65536), for any sum over cells."""
    total = np.float64(params[bits >> _48])
    total += params[np.int64((bits >> _32) & _ROW) + TABLE]
    total += params[np.int64((bits >> _16) & _ROW) + 2 * TABLE]
    total += params[np.int64(bits & _ROW) + 3 * TABLE]
    return total


@kernel(EVALUATOR)
def best_corner(bits, score, params):
    """The largest of `row_tables` over the eight symmetries of a 4x4 board.

    params: float32 (2, 4, 65536): the tables, and the same for mirrored rows.
    """
    best = -np.inf
    for _ in range(2):
        a, b = np.int64(bits >> _48), np.int64((bits >> _32) & _ROW)
        c, d = np.int64((bits >> _16) & _ROW), np.int64(bits & _ROW)
        for side in range(2):
            at = side * 4 * TABLE
            top = np.float64(params[at + a]) + params[at + b + TABLE]
            top += np.float64(params[at + c + 2 * TABLE]) + params[at + d + 3 * TABLE]
            bottom = np.float64(params[at + d]) + params[at + c + TABLE]
            bottom += np.float64(params[at + b + 2 * TABLE]) + params[at + a + 3 * TABLE]
            best = max(best, max(top, bottom))
        bits = transpose(bits)
    return best


@kernel(EVALUATOR)
def clustered_score(bits, score, params):
    """int(score + ln(score) * empty cells - clustering), at least min(score, 1).

    Clustering is the mean absolute difference of each tile from the tiles in its 3x3 neighbourhood,
    itself counted, in whole points; summed over all tiles. Cells outside a smaller shape are empty.

    params: float64 in the same memory: rows * cols, the weights of the clustering and of empty
    cells, then ln(4 i) times the latter for i = 0 .. `LOG_TABLE` - 1. int rounds towards zero.
    """
    if score == 0:
        return 0.0
    numbers = f64_pointer(params)
    empty = numbers[0] - (16 - count_empty(bits, FULL))
    logarithm = numbers[CLUSTERING_HEAD + min(score >> 2, LOG_TABLE - 1)]
    value = np.trunc(score + logarithm * empty - numbers[1] * neighbour_spread(bits))
    return max(value, np.float64(min(score, 1)))


@kernel(EVALUATOR)
def smooth(bits, score, params):
    """The value of ov3y's 2048-AI: smoothness, order, empty cells, largest exponent.

    params: float64: rows * cols, minus the weight of roughness, the weights of order and of the
    largest exponent, the offset of the table for columns (0 if rows have the same), and 65
    logarithms of empty cells times their weight. Then float32 (65536, 4), once or twice: counts of
    rows and columns, see `values.rows`. Rows outside a smaller shape count 0.
    """
    numbers = f64_pointer(params)
    turned, down = transpose(bits), _SMOOTH_LINES + np.int64(numbers[4])
    rough = row_falls = row_rises = col_falls = col_rises = largest = 0.0
    for line in range(4):
        shift = np.uint64(48 - 16 * line)
        row = _SMOOTH_LINES + 4 * np.int64((bits >> shift) & _ROW)
        col = down + 4 * np.int64((turned >> shift) & _ROW)
        rough += params[row] + params[col]
        row_falls += params[row + 1]
        row_rises += params[row + 2]
        col_falls += params[col + 1]
        col_rises += params[col + 2]
        largest = max(largest, np.float64(params[row + 3]))
    order = max(row_falls, row_rises) + max(col_falls, col_rises)
    empty = np.int64(numbers[0]) - (16 - count_empty(bits, FULL))
    value = numbers[1] * rough + numbers[2] * order
    value += numbers[SMOOTH_HEAD + empty]
    return value + numbers[3] * largest


@kernel(types.float64(types.uint64, types.uint64, types.int64, types.float32[::1]))
def evaluate_once(evaluator, bits, score, params):
    """The value of one board by the evaluator at an address, for callers outside kernels."""
    return call_evaluator(evaluator, (bits, score, pointer(params)))


# ---- on cells

_LINE: Final = types.float64(U8_POINTER, types.int64, types.int64, types.int64, F64_POINTER)
"""A line: (cells, first cell, step to the next, number of cells, numbers) -> its value."""

ROWS_HEAD: Final = 6
"""Numbers before the two tables of powers, see `rows_line`."""
EXPONENTS: Final = 36
"""Entries of a table of powers."""
LN_2: Final = 0.6931471805599453


@kernel(types.float64(types.float64, types.float64))
def in_unit(value, unit):
    """A line's value, rounded as in a float32 table of whole units; unchanged if unit is 0."""
    if unit == 0.0:
        return value
    return np.float64(np.float32(np.rint(value / unit) * unit))


@kernel(_LINE)
def rows_line(cells, start, step, length, numbers):
    """A line's value with the row heuristic of nneonneo/2048-ai.

    numbers: unit, base value, weights of empty cells, merges, order, sum; then the powers of
    exponents for the order, and for the sum, 36 each.
    """
    order, sums = ROWS_HEAD, ROWS_HEAD + EXPONENTS
    falls = rises = total = 0.0
    empty = merges = run = previous = 0
    for number in range(length):
        tile = np.int64(cells[start + number * step])
        total += numbers[sums + tile]
        if number > 0:
            left = np.int64(cells[start + (number - 1) * step])
            if left > tile:
                falls += numbers[order + left] - numbers[order + tile]
            elif left < tile:
                rises += numbers[order + tile] - numbers[order + left]
        if tile == 0:
            empty += 1
        elif tile == previous:
            merges += 2 if run == 0 else 1
            run += 1
        else:
            run = 0
            previous = tile
    value = numbers[1] + numbers[2] * empty + numbers[3] * merges
    value -= numbers[4] * min(falls, rises)
    value -= numbers[5] * total
    return in_unit(value, numbers[0])


@kernel(_LINE)
def baeldung_line(cells, start, step, length, numbers):
    """A line's value in Baeldung's solver.

    numbers: unit, base value, weights of empty cells, pairs, sum, order.
    """
    falls = rises = total = previous = 0.0
    empty = pairs = 0
    for number in range(length):
        exponent = np.int64(cells[start + number * step])
        if exponent == 0:
            empty += 1
            continue
        tile = np.float64(np.int64(1) << exponent)
        total += tile
        if previous != 0.0:
            pairs += tile == previous
            falls += max(previous - tile, 0.0)
            rises += max(tile - previous, 0.0)
        previous = tile
    value = numbers[1] + numbers[2] * empty + numbers[3] * pairs
    value -= numbers[4] * total
    value -= numbers[5] * min(falls, rises)
    return in_unit(value, numbers[0])


@kernel(CELLS_EVALUATOR)
def rows_sum(cells, rows, cols, score, params):
    """Sum over rows and columns of `rows_line`."""
    numbers = f64_pointer(params)
    total = 0.0
    for row in range(rows):
        total += rows_line(cells, row * cols, 1, cols, numbers)
    for col in range(cols):
        total += rows_line(cells, col, cols, rows, numbers)
    return total


@kernel(CELLS_EVALUATOR)
def baeldung_sum(cells, rows, cols, score, params):
    """Sum over rows and columns of `baeldung_line`."""
    numbers = f64_pointer(params)
    total = 0.0
    for row in range(rows):
        total += baeldung_line(cells, row * cols, 1, cols, numbers)
    for col in range(cols):
        total += baeldung_line(cells, col, cols, rows, numbers)
    return total


@kernel(CELLS_EVALUATOR)
def best_weighting(cells, rows, cols, score, params):
    """The largest of several weighted sums of the tiles.

    params: the number of weightings, then the weights of the cells for each, row by row.
    """
    numbers = f64_pointer(params)
    count = rows * cols
    best = -np.inf
    for weighting in range(np.int64(numbers[0])):
        at = 1 + weighting * count
        total = 0.0
        for cell in range(count):
            if cells[cell] != 0:
                total += numbers[at + cell] * np.float64(np.int64(1) << np.int64(cells[cell]))
        best = max(best, total)
    return best


@kernel(types.UniTuple(types.int64, 3)(U8_POINTER, types.int64, types.int64, types.int64))
def line_steps(cells, start, step, length):
    """Steps between the exponents of a line: between neighbours, falling and rising.

    Falls and rises are losses, 0 or less; see `values.rows.steps_of`.
    """
    rough = falls = rises = 0
    tile = here = np.int64(cells[start])
    for number in range(1, length):
        there = np.int64(cells[start + number * step])
        if there != 0:
            if tile != 0:
                rough += abs(there - tile)
            tile = there
        if there != 0 or number == length - 1:
            falls += min(there - here, 0)
            rises += min(here - there, 0)
            here = there
    return rough, falls, rises


@kernel(CELLS_EVALUATOR)
def smooth_on_cells(cells, rows, cols, score, params):
    """The value of `smooth`; params are the numbers before its tables."""
    numbers = f64_pointer(params)
    rough = row_falls = row_rises = col_falls = col_rises = 0
    for row in range(rows):
        steps, falls, rises = line_steps(cells, row * cols, 1, cols)
        rough += steps
        row_falls += falls
        row_rises += rises
    for col in range(cols):
        steps, falls, rises = line_steps(cells, col, cols, rows)
        rough += steps
        col_falls += falls
        col_rises += rises
    order = max(row_falls, row_rises) + max(col_falls, col_rises)
    empty = on_cells.count_empty(cells, rows * cols)
    value = numbers[1] * rough + numbers[2] * order
    value += numbers[SMOOTH_HEAD + empty]
    return value + numbers[3] * on_cells.max_exponent(cells, rows * cols)


@kernel(types.int64(U8_POINTER, types.int64, types.int64))
def clustering_on_cells(cells, rows, cols):
    """Differences between neighbours, see `clustered_score`."""
    total = 0
    for row in range(rows):
        for col in range(cols):
            exponent = np.int64(cells[row * cols + col])
            if exponent == 0:
                continue
            tile = np.int64(1) << exponent
            gaps, count = 0, 0
            for y in range(max(row - 1, 0), min(row + 2, rows)):
                for x in range(max(col - 1, 0), min(col + 2, cols)):
                    other = np.int64(cells[y * cols + x])
                    if other != 0:
                        gaps += abs(tile - (np.int64(1) << other))
                        count += 1
            total += gaps // count
    return total


@kernel(types.float64(types.int64, F32_POINTER))
def weighted_logarithm(score, params):
    """ln(score) times a weight, for any score; params as `clustered_score`.

    Scores in the table are read as on bits. Beyond, score = 4 i 2^k (1 + x) with i in the
    table: x is below 2^-18, so three terms of its series are exact to the last digits.
    """
    numbers = f64_pointer(params)
    shift = 0
    while score >> (shift + 2) >= LOG_TABLE:
        shift += 1
    place = score >> (shift + 2)
    logarithm = numbers[CLUSTERING_HEAD + place]
    if shift == 0:
        return logarithm
    base = place << (shift + 2)
    x = np.float64(score - base) / np.float64(base)
    series = x - x * x / 2.0 + x * x * x / 3.0
    return logarithm + numbers[2] * (np.float64(shift) * LN_2 + series)


@kernel(CELLS_EVALUATOR)
def clustered_score_on_cells(cells, rows, cols, score, params):
    """int(score + ln(score) * empty cells - clustering), at least min(score, 1)."""
    if score == 0:
        return 0.0
    numbers = f64_pointer(params)
    empty = np.float64(on_cells.count_empty(cells, rows * cols))
    unlike = numbers[1] * clustering_on_cells(cells, rows, cols)
    value = np.trunc(score + weighted_logarithm(score, params) * empty - unlike)
    return max(value, np.float64(min(score, 1)))


@kernel(
    types.float64(
        types.uint64, types.uint8[::1], types.int64, types.int64, types.int64, types.float32[::1]
    )
)
def evaluate_once_on_cells(evaluator, cells, rows, cols, score, params):
    """The value of one board by the evaluator at an address, for callers outside kernels."""
    return call_cells_evaluator(evaluator, (pointer(cells), rows, cols, score, pointer(params)))
