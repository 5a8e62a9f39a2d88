"""Evaluators on bits. Each kernel has the signature `intrinsics.EVALUATOR`.

The parameters are float32; sums are float64, added in the order written.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.bits import FULL, count_empty, transpose
from twofold.kernels.intrinsics import (
    EVALUATOR,
    call_evaluator,
    f64_pointer,
    neighbour_spread,
    pointer,
)

_ROW: Final = np.uint64(0xFFFF)
_16: Final = np.uint64(16)
_32: Final = np.uint64(32)
_48: Final = np.uint64(48)
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


@kernel(types.int64(types.uint64))
def clustering(bits):
    """Differences between neighbours: 0 is best.

    For each tile the mean absolute difference from the tiles in its 3x3 neighbourhood, itself
    counted, in whole points; summed over all tiles. Cells outside a smaller shape are empty.
    """
    return neighbour_spread(bits)


@kernel(EVALUATOR)
def clustered_score(bits, score, params):
    """int(score + ln(score) * empty cells - clustering), at least min(score, 1).

    params: float64 in the same memory: rows * cols, the weights of the clustering and of empty
    cells, then ln(4 i) times the latter for i = 0 .. `LOG_TABLE` - 1. int rounds towards zero.
    """
    if score == 0:
        return 0.0
    numbers = f64_pointer(params)
    empty = numbers[0] - (16 - count_empty(bits, FULL))
    logarithm = numbers[CLUSTERING_HEAD + min(score >> 2, LOG_TABLE - 1)]
    value = np.trunc(score + logarithm * empty - numbers[1] * clustering(bits))
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
