"""Evaluators on cells: any shape up to 8x8, tiles up to 2^35.

Each kernel has the signature `intrinsics.CELLS_EVALUATOR`: (cells, rows, cols, score, params) ->
value. The parameters are float64 in memory declared as float32. Boards that `evaluate` supports
have equal values, so each line is summed in the order in which the tables of `evaluate` are made.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.cells import count_empty, max_exponent
from twofold.kernels.evaluate import CLUSTERING_HEAD, LOG_TABLE, SMOOTH_HEAD
from twofold.kernels.intrinsics import (
    CELLS_EVALUATOR,
    F32_POINTER,
    F64_POINTER,
    U8_POINTER,
    call_cells_evaluator,
    f64_pointer,
    pointer,
)

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
def smooth(cells, rows, cols, score, params):
    """The value of `evaluate.smooth`; params are the numbers before its tables."""
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
    empty = count_empty(cells, rows * cols)
    value = numbers[1] * rough + numbers[2] * order
    value += numbers[SMOOTH_HEAD + empty]
    return value + numbers[3] * max_exponent(cells, rows * cols)


@kernel(types.int64(U8_POINTER, types.int64, types.int64))
def clustering(cells, rows, cols):
    """Differences between neighbours, see `evaluate.clustering`."""
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
    """ln(score) times a weight, for any score; params as `evaluate.clustered_score`.

    Scores in the table are read as in `evaluate`. Beyond, score = 4 i 2^k (1 + x) with i in the
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
def clustered_score(cells, rows, cols, score, params):
    """int(score + ln(score) * empty cells - clustering), at least min(score, 1)."""
    if score == 0:
        return 0.0
    numbers = f64_pointer(params)
    empty = np.float64(count_empty(cells, rows * cols))
    unlike = numbers[1] * clustering(cells, rows, cols)
    value = np.trunc(score + weighted_logarithm(score, params) * empty - unlike)
    return max(value, np.float64(min(score, 1)))


@kernel(
    types.float64(
        types.uint64, types.uint8[::1], types.int64, types.int64, types.int64, types.float32[::1]
    )
)
def evaluate_once(evaluator, cells, rows, cols, score, params):
    """The value of one board by the evaluator at an address, for callers outside kernels."""
    return call_cells_evaluator(evaluator, (pointer(cells), rows, cols, score, pointer(params)))
