"""Tables of all rows of 16 bits, and evaluators that sum a value over rows and columns."""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators.base import (
    Evaluator,
    Params,
    Weight,
    kernel_in,
    small_shapes,
    weighted_evaluator,
)
from twofold.evaluators.exact import in_units, unit_of

Lines = NDArray[np.float64]
"""Exponents of lines, float64 (count, width), or a value of each, (count,)."""

LineValue = Callable[[Lines, Mapping[str, float]], dict[str, Lines]]
"""Exponents of lines and weights to the named parts of the lines' values."""

CellsNumbers = Callable[[Mapping[str, float]], NDArray[np.float64]]
"""Weights to the numbers that a kernel on cells reads; the first is left for the unit."""


KEPT: Final = 8
"""Number of sets of weights whose tables an evaluator caches: 1 MB each, made in 0.1 s."""


def all_lines(width: int) -> Lines:
    """The exponents of all 65,536 rows of a width, (65536, width)."""
    index = np.arange(65_536)
    shifts = (12, 8, 4, 0)[:width]
    return np.stack([(index >> shift) & 15 for shift in shifts], axis=1).astype(np.float64)


def _table(line_value: LineValue, weights: Mapping[str, float], width: int) -> Lines:
    return sum(line_value(all_lines(width), weights).values(), np.zeros(65_536))


def line_evaluator(
    name: str,
    summary: str,
    line_value: LineValue,
    weights: Mapping[str, Weight],
    *,
    on_cells: tuple[str, CellsNumbers] | None = None,
    **more: Any,
) -> Evaluator:
    """An evaluator that sums a value over all rows and columns.

    `on_cells` is the form on cells: the name of a kernel in `kernels.search.evaluate_cells`, and
    its numbers. `more` are other fields of `Evaluator`.
    """

    @lru_cache(maxsize=KEPT)
    def fields_for(*named: tuple[str, float]) -> Mapping[str, Any]:
        values = dict(named)
        fields = _line_fields(line_value, values)
        if on_cells:
            fields |= _cells_fields(*on_cells, values, fields["line_tables_for"])
        return fields

    def rebuild(values: Mapping[str, float]) -> Mapping[str, Any]:
        return fields_for(*values.items())

    return weighted_evaluator(name, summary, weights, rebuild, **more)


def _line_fields(line_value: LineValue, weights: Mapping[str, float]) -> dict[str, Any]:

    @cache
    def line_tables_for(rows: int, cols: int) -> tuple[Params, Params]:
        table_of = {width: _table(line_value, weights, width) for width in {cols, rows}}
        tables = in_units(np.stack([table_of[cols], table_of[rows]]))
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
        "kernel_for": kernel_in("search.evaluate", "line_sum", elsewhere="framed_line_sum"),
        "params_for": params_for,
        "line_tables_for": line_tables_for,
        "terms_of": terms_of,
    }


def _cells_fields(
    kernel: str,
    numbers_of: CellsNumbers,
    weights: Mapping[str, float],
    line_tables_for: Callable[[int, int], tuple[Params, Params]],
) -> dict[str, Any]:

    @cache
    def cells_params_for(rows: int, cols: int) -> Params:
        numbers = numbers_of(weights)
        if small_shapes(rows, cols):  # lines are rounded as in the tables of the other form
            numbers[0] = unit_of(np.stack(line_tables_for(rows, cols)))
        return numbers.view(np.float32)

    return {
        "cells_kernel_for": kernel_in("search.evaluate_cells", kernel),
        "cells_params_for": cells_params_for,
    }
