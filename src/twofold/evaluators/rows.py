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
from twofold.evaluators.base import Evaluator, Params, Weight, weighted_evaluator
from twofold.evaluators.exact import in_units

Lines = NDArray[np.float64]
"""Exponents of lines, float64 (count, width), or a value of each, (count,)."""

LineValue = Callable[[Lines, Mapping[str, float]], dict[str, Lines]]
"""Exponents of lines, and the weights, to the named parts of the lines' values."""

MAX_POWER: Final = 6.0
"""Largest power: beyond it the other parts of a line are lost beside the largest one."""

ROWS_WEIGHTS: Final = {
    "lost": Weight(200_000.0, "base value of each row and column"),
    "empty": Weight(270.0, "each empty cell"),
    "merges": Weight(700.0, "each tile in a run of equals"),
    "order": Weight(47.0, "loss for lines out of order"),
    "order_power": Weight(4.0, "power of exponents in the order", 0.0, MAX_POWER),
    "sum": Weight(11.0, "loss for each tile"),
    "sum_power": Weight(3.5, "power of exponents in the sum", 0.0, MAX_POWER),
}
"""The constants of nneonneo/2048-ai: 2048.cpp, init_tables."""

BAELDUNG_WEIGHTS: Final = {
    "base": Weight(1000.0, "base value of each row and column"),
    "empty": Weight(250.0, "each empty cell"),
    "pairs": Weight(750.0, "each pair of equal neighbours"),
    "sum": Weight(10.0, "loss for each point of a tile"),
    "order": Weight(50.0, "loss for each point that a line is out of order"),
}
"""The constants of Baeldung's article "An Algorithm to solve 2048"."""


def rows_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The row heuristic of nneonneo/2048-ai: empty cells, merges, order, and the sum of tiles."""
    left, right = lines[:, :-1], lines[:, 1:]
    powers = lines ** weights["order_power"]
    falls = np.where(left > right, powers[:, :-1] - powers[:, 1:], 0.0).sum(axis=1)
    rises = np.where(left < right, powers[:, 1:] - powers[:, :-1], 0.0).sum(axis=1)
    sums = np.where(lines > 0, lines ** weights["sum_power"], 0.0).sum(axis=1)
    return {
        "base": np.full(len(lines), weights["lost"]),
        "empty cells": weights["empty"] * (lines == 0).sum(axis=1),
        "merges": weights["merges"] * _merges(lines),
        "order": -weights["order"] * np.minimum(falls, rises),
        "sum": -weights["sum"] * sums,
    }


def _merges(lines: Lines) -> Lines:
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


def baeldung_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The line value of Baeldung's solver; whole numbers if the weights are."""
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
        "base": np.full(len(lines), weights["base"]),
        "empty cells": weights["empty"] * (values == 0).sum(axis=1),
        "pairs": weights["pairs"] * pairs,
        "sum": -weights["sum"] * values.sum(axis=1),
        "order": -weights["order"] * np.minimum(falls, rises),
    }


def _all_lines(width: int) -> Lines:
    index = np.arange(65_536)
    shifts = (12, 8, 4, 0)[:width]
    return np.stack([(index >> shift) & 15 for shift in shifts], axis=1).astype(np.float64)


def _table(line_value: LineValue, weights: Mapping[str, float], width: int) -> Lines:
    return sum(line_value(_all_lines(width), weights).values(), np.zeros(65_536))


def line_evaluator(
    name: str, summary: str, line_value: LineValue, weights: Mapping[str, Weight], **more: Any
) -> Evaluator:
    """An evaluator that sums a value over all rows and columns.

    Args:
        name: as in a spec.
        summary: one line about what it looks at.
        line_value: the value of lines, in parts.
        weights: what `line_value` is given as weights.
        **more: other fields of `Evaluator`.
    """

    def rebuild(values: Mapping[str, float]) -> dict[str, Any]:
        return _line_fields(line_value, values)

    return weighted_evaluator(name, summary, weights, rebuild, **more)


def _line_fields(line_value: LineValue, weights: Mapping[str, float]) -> dict[str, Any]:
    """The fields of an evaluator that depend on its weights."""

    @cache
    def line_tables_for(rows: int, cols: int) -> tuple[Params, Params]:
        tables = in_units(np.stack([_table(line_value, weights, width) for width in (cols, rows)]))
        return tables[0], tables[1]

    @cache
    def params_for(rows: int, cols: int) -> Params:
        across, down = line_tables_for(rows, cols)
        if (rows, cols) == (4, 4):
            return across
        return np.concatenate([np.array([rows, cols], dtype=np.float32), across, down])

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        grid = np.array(board.exponents, dtype=np.float64).reshape(board.shape)
        across, down = line_value(grid, weights), line_value(grid.T, weights)
        return {part: float(across[part].sum() + down[part].sum()) for part in across}

    return {
        "kernel_for": _line_kernel,
        "params_for": params_for,
        "line_tables_for": line_tables_for,
        "terms_of": terms_of,
    }


def _line_kernel(rows: int, cols: int) -> Any:
    from twofold.kernels import evaluate

    return evaluate.line_sum if (rows, cols) == (4, 4) else evaluate.framed_line_sum


ROWS: Final = line_evaluator(
    "rows",
    "empty cells, merges, order and sum of every row and column",
    rows_line,
    ROWS_WEIGHTS,
    source="nneonneo/2048-ai, MIT licence",
)

BAELDUNG: Final = line_evaluator(
    "baeldung",
    "empty cells, equal neighbours, sum and order of every row and column",
    baeldung_line,
    BAELDUNG_WEIGHTS,
    source="Baeldung, An Algorithm to solve 2048",
)
