"""Evaluators that look at each row and each column alone.

Sixteen bits say all about a row, so each value is computed once, for all 65,536 rows, and a
board is worth eight look-ups.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators.base import Evaluator, Params

LineValue = Callable[[NDArray[np.float64]], dict[str, NDArray[np.float64]]]
"""Exponents of lines, float64 (count, width), to the named parts of their values, (count,)."""

# The constants of nneonneo/2048-ai (2048.cpp, init_tables), with their names there.
LOST_PENALTY: Final = 200_000.0
MONOTONICITY_POWER: Final = 4.0
MONOTONICITY_WEIGHT: Final = 47.0
SUM_POWER: Final = 3.5
SUM_WEIGHT: Final = 11.0
MERGES_WEIGHT: Final = 700.0
EMPTY_WEIGHT: Final = 270.0

# The constants of Baeldung's article "An Algorithm to solve 2048".
BAELDUNG_BASE: Final = 1000.0
BAELDUNG_EMPTY: Final = 250.0
BAELDUNG_PAIR: Final = 750.0
BAELDUNG_SUM: Final = 10.0
BAELDUNG_STEPS: Final = 50.0


def rows_line(lines: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The row heuristic of nneonneo/2048-ai: empty cells, merges, order, and the sum of tiles."""
    left, right = lines[:, :-1], lines[:, 1:]
    powers = lines**MONOTONICITY_POWER
    falls = np.where(left > right, powers[:, :-1] - powers[:, 1:], 0.0).sum(axis=1)
    rises = np.where(left < right, powers[:, 1:] - powers[:, :-1], 0.0).sum(axis=1)
    return {
        "base": np.full(len(lines), LOST_PENALTY),
        "empty cells": EMPTY_WEIGHT * (lines == 0).sum(axis=1),
        "merges": MERGES_WEIGHT * _merges(lines),
        "order": -MONOTONICITY_WEIGHT * np.minimum(falls, rises),
        "sum": -SUM_WEIGHT * np.where(lines > 0, lines**SUM_POWER, 0.0).sum(axis=1),
    }


def _merges(lines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tiles in runs of equals, blanks removed: a run of n >= 2 counts n."""
    count = np.zeros(len(lines))
    previous = np.zeros(len(lines))
    run = np.zeros(len(lines))  # equals seen so far in the present run, less one
    for column in range(lines.shape[1]):
        tile = lines[:, column]
        present = tile != 0
        equal = present & (tile == previous)
        count += np.where(equal & (run == 0), 2.0, np.where(equal, 1.0, 0.0))
        run = np.where(equal, run + 1, np.where(present, 0.0, run))
        previous = np.where(present, tile, previous)
    return count


def baeldung_line(lines: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The line value of Baeldung's solver; every part is a whole number."""
    values = np.where(lines > 0, 2.0**lines, 0.0)
    pairs = np.zeros(len(lines))
    falls = np.zeros(len(lines))
    rises = np.zeros(len(lines))
    previous = np.zeros(len(lines))
    for column in range(values.shape[1]):
        tile = values[:, column]
        follows = (tile != 0) & (previous != 0)  # blanks removed
        pairs += follows & (tile == previous)
        falls += np.where(follows, np.maximum(previous - tile, 0.0), 0.0)
        rises += np.where(follows, np.maximum(tile - previous, 0.0), 0.0)
        previous = np.where(tile != 0, tile, previous)
    return {
        "base": np.full(len(lines), BAELDUNG_BASE),
        "empty cells": BAELDUNG_EMPTY * (values == 0).sum(axis=1),
        "pairs": BAELDUNG_PAIR * pairs,
        "sum": -BAELDUNG_SUM * values.sum(axis=1),
        "order": -BAELDUNG_STEPS * np.minimum(falls, rises),
    }


def _all_lines(width: int) -> NDArray[np.float64]:
    index = np.arange(65_536)
    shifts = (12, 8, 4, 0)[:width]
    return np.stack([(index >> shift) & 15 for shift in shifts], axis=1).astype(np.float64)


def _table(line_value: LineValue, width: int) -> Params:
    total = sum(line_value(_all_lines(width)).values(), np.zeros(65_536))
    return total.astype(np.float32)


def line_evaluator(name: str, summary: str, line_value: LineValue, **more: Any) -> Evaluator:
    """An evaluator that sums a value over all rows and columns.

    Args:
        name: as in a spec.
        summary: one line about what it looks at.
        line_value: the value of lines, in parts.
        **more: other fields of `Evaluator`.
    """

    @cache
    def params_for(rows: int, cols: int) -> Params:
        across = _table(line_value, cols)
        if (rows, cols) == (4, 4):
            return across
        shape = np.array([rows, cols], dtype=np.float32)
        return np.concatenate([shape, across, _table(line_value, rows)])

    def kernel_for(rows: int, cols: int) -> Any:
        from twofold.kernels import evaluate

        return evaluate.line_sum if (rows, cols) == (4, 4) else evaluate.framed_line_sum

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        grid = np.array(board.exponents, dtype=np.float64).reshape(board.shape)
        across, down = line_value(grid), line_value(grid.T)
        return {part: float(across[part].sum() + down[part].sum()) for part in across}

    return Evaluator(name, summary, kernel_for, params_for, terms_of=terms_of, **more)


ROWS: Final = line_evaluator(
    "rows",
    "empty cells, merges, order and sum of every row and column",
    rows_line,
    source="nneonneo/2048-ai, MIT licence",
)

BAELDUNG: Final = line_evaluator(
    "baeldung",
    "empty cells, equal neighbours, sum and order of every row and column",
    baeldung_line,
    source="Baeldung, An Algorithm to solve 2048",
)
