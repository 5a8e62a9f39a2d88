"""Evaluators that look at each row and each column, by tables of all 65,536 rows.

Entries are float32, whole multiples of a unit, a power of two. A sum of at most 53 binary digits in
units is exact in float64, in any order; one of at most 31 digits also fits an int32. A value of a
board takes eight look-ups.

`smooth` is the evaluator of ov3y's 2048-AI: smooth boards, monotone lines, empty cells, the largest
tile. Smoothness and order are small whole numbers of exponents; the logarithm of the number of
empty cells comes from a table.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twofold.game.board import Board
from twofold.limits import MAX_EXPONENT, MAX_SIDE
from twofold.values.evaluator import (
    Evaluator,
    Params,
    Weight,
    kernel_in,
    small_shapes,
    weighted_evaluator,
)

LINE_DIGITS: Final = 28
"""Most binary digits of the value of a line in units: the sum of 8 lines fits an int32."""

CELL_DIGITS: Final = 49
"""Most binary digits of any table entry in units: the sum of 16 is exact in float64."""


def unit_of(tables: NDArray[np.floating], digits: int = LINE_DIGITS) -> float:
    """The unit in which the largest entry has `digits` binary digits; `in_units` keeps it."""
    largest = float(np.float32(np.abs(tables).max()))
    return math.ldexp(1.0, math.frexp(largest)[1] - digits)


def in_units(tables: NDArray[np.float64], digits: int = LINE_DIGITS) -> Params:
    """The tables as float32, rounded to whole multiples of their unit.

    float32 cannot break this: its steps are finer than the unit or multiples of it.
    """
    unit = unit_of(tables, digits)
    return (np.rint(tables / unit) * unit).astype(np.float32)


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

    `on_cells` is the form on cells: the name of a kernel in `kernels.evaluate`, and
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
        "kernel_for": kernel_in("evaluate", "line_sum", elsewhere="framed_line_sum"),
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

    return {"cells_kernel_for": kernel_in("evaluate", kernel), "cells_params_for": cells_params_for}


MAX_POWER: Final = 6.0
"""Largest power: beyond it float rounding loses the other parts of a line."""

ROWS_WEIGHTS: Final = {
    "lost": Weight(200_000.0, "base value of each row and column"),
    "empty": Weight(270.0, "each empty cell"),
    "merges": Weight(700.0, "each tile in a run of equals"),
    "order": Weight(47.0, "loss for lines that are not monotone"),
    "order_power": Weight(4.0, "power of exponents in the order term", 0.0, MAX_POWER),
    "sum": Weight(11.0, "loss for each tile"),
    "sum_power": Weight(3.5, "power of exponents in the sum term", 0.0, MAX_POWER),
}
"""The constants of nneonneo/2048-ai: 2048.cpp, init_tables."""

BAELDUNG_WEIGHTS: Final = {
    "base": Weight(1000.0, "base value of each row and column"),
    "empty": Weight(250.0, "each empty cell"),
    "pairs": Weight(750.0, "each pair of equal neighbours"),
    "sum": Weight(10.0, "loss for each point of a tile"),
    "order": Weight(50.0, "loss for each point by which a line is not monotone"),
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
    """Tiles in runs of equals, without empty cells: a run of n >= 2 counts n."""
    count = np.zeros(len(lines))
    previous = np.zeros(len(lines))
    run = np.zeros(len(lines))  # length of the present run, less one
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
        follows = (tile != 0) & (previous != 0)  # without empty cells
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


def ordered_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    """The line value of macroxue/2048-ai: tiles fall from the first cell on, or it loses.

    A tile 2^k is worth k 2^k. Two neighbours that do not rise count both, equal ones one more;
    neighbours that rise lose `rise` times their difference.
    """
    worth = np.where(lines > 0, lines * 2.0**lines, 0.0)
    left, right = worth[:, :-1], worth[:, 1:]
    falls = left >= right
    return {
        "first": worth[:, 0],
        "falls": np.where(falls, left + right, 0.0).sum(axis=1),
        "pairs": np.where(left == right, left, 0.0).sum(axis=1),
        "rises": -weights["rise"] * np.where(falls, 0.0, right - left).sum(axis=1),
    }


def ordered_stakes(rows: int, cols: int) -> NDArray[np.float64]:
    """`Evaluator.stakes_for` of `ordered`: twice the worth of the largest tile, lost or to keep."""
    twice = 2 * np.arange(16.0) * 2.0 ** np.arange(16)
    return np.stack([-np.maximum(twice, 2.0**17), twice], axis=1).ravel()


def _rows_numbers(weights: Mapping[str, float]) -> NDArray[np.float64]:
    head = [weights[name] for name in ("lost", "empty", "merges", "order", "sum")]
    exponents = np.arange(MAX_EXPONENT + 1.0)
    order = exponents ** weights["order_power"]
    sums = np.where(exponents > 0, exponents ** weights["sum_power"], 0.0)
    return np.concatenate([[0.0, *head], order, sums])


def _baeldung_numbers(weights: Mapping[str, float]) -> NDArray[np.float64]:
    return np.array([0.0, *(weights[name] for name in ("base", "empty", "pairs", "sum", "order"))])


QUICK_WEIGHTS: Final = {
    "lost": 90_000.0, "empty": 400.0, "merges": 440.0, "order": 17.5, "order_power": 3.07,
    "sum": 12.0, "sum_power": 2.75,
}  # fmt: skip
"""Weights of `rows` for searches of 2 or 3 plies, from 395 trials of `twofold tune
expectimax:eval=rows,ply=2 --games 200 --seed 1000000`; see `docs/benchmarks.md`."""

ROWS: Final = line_evaluator(
    "rows",
    "empty cells, merges, order and sum of every row and column",
    rows_line,
    ROWS_WEIGHTS,
    on_cells=("rows_sum", _rows_numbers),
    source="nneonneo/2048-ai, MIT licence",
)

ORDERED: Final = line_evaluator(
    "ordered",
    "tiles that fall from the first corner along every row and column",
    ordered_line,
    {"rise": Weight(12.0, "loss for each point of worth by which a line rises")},
    stakes_for=ordered_stakes,
    source="macroxue/2048-ai",
)

BAELDUNG: Final = line_evaluator(
    "baeldung",
    "empty cells, equal neighbours, sum and order of every row and column",
    baeldung_line,
    BAELDUNG_WEIGHTS,
    on_cells=("baeldung_sum", _baeldung_numbers),
    source="Baeldung, An Algorithm to solve 2048",
)


CLUSTERING_WEIGHTS: Final = {
    "empty": Weight(1.0, "ln(score) for each empty cell"),
    "clustering": Weight(1.0, "loss for unlike neighbours"),
}
"""Datumbox has no weights: 1 for both gives its values."""


def _logarithms(weight: float) -> NDArray[np.float64]:
    """ln(4 i) for each i of the table, times a weight."""
    from twofold.kernels.evaluate import LOG_TABLE  # loads kernels

    scores = 4.0 * np.arange(LOG_TABLE)
    scores[0] = 1.0  # score 0 is a case of its own
    logarithms: NDArray[np.float64] = weight * np.log(scores)
    return logarithms


def _unlike(board: Board) -> int:
    """The sum of the tiles' mean differences from their neighbours, in whole points."""
    tiles = np.pad(np.array(board.tiles, dtype=np.int64), 1)
    rows, cols = board.shape
    shifted = [tiles[y : y + rows, x : x + cols] for y in range(3) for x in range(3)]
    own = tiles[1:-1, 1:-1]
    gaps = sum(np.where(other > 0, np.abs(own - other), 0) for other in shifted)
    count = sum(other > 0 for other in shifted)
    return int(np.where(own > 0, gaps // np.maximum(count, 1), 0).sum())


def _clustering_fields(weights: Mapping[str, float]) -> dict[str, Any]:

    @cache
    def params_for(rows: int, cols: int) -> Params:
        head = [float(rows * cols), weights["clustering"], weights["empty"]]
        return np.concatenate([head, _logarithms(weights["empty"])]).view(np.float32)

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        empty = weights["empty"] * len(board.empty_cells)
        unlike = float(_unlike(board))
        return {
            "score": float(score),
            "ln(score) x empty cells": math.log(score) * empty if score else 0.0,
            "clustering": -weights["clustering"] * unlike,
        }

    return {
        "kernel_for": kernel_in("evaluate", "clustered_score"),
        "params_for": params_for,
        "cells_kernel_for": kernel_in("evaluate", "clustered_score_on_cells"),
        "cells_params_for": params_for,
        "terms_of": terms_of,
    }


CLUSTERING: Final = weighted_evaluator(
    "clustering",
    "score, empty cells, and how unlike neighbouring tiles are",
    CLUSTERING_WEIGHTS,
    _clustering_fields,
    unit="points",
    needs_score=True,
    source="Datumbox, Using Artificial Intelligence to solve the 2048 Game",
)


SMOOTH_WEIGHTS: Final = {
    "smooth": Weight(0.1, "loss for each step between neighbours, skipping empty cells"),
    "mono": Weight(1.0, "loss for steps against the better direction"),
    "empty": Weight(2.7, "ln of the number of empty cells"),
    "max": Weight(1.0, "exponent of the largest tile"),
}
"""The constants of ov3y/2048-AI: ai.js, AI.prototype.eval of grid."""

DEAD: Final = -10_000.0
"""Value of a lost position per unit of the largest weight.

Below every live board: smoothness and order of 8x8 are at most 56 * 35 and 112 * 35 steps.
"""


class Steps(NamedTuple):
    """Sums of steps between exponents over each line, each (count,)."""

    rough: Lines  # between neighbours, skipping empty cells
    falls: Lines  # downwards along the walk of the source, as losses: 0 or less
    rises: Lines  # upwards, as losses


def steps_of(lines: Lines) -> Steps:
    """The steps along lines of exponents, float64 (count, width).

    As in the source, a walk goes from the first cell over all tiles to the last cell; an empty
    cell at either end counts as 0.
    """
    rough, falls, rises = (np.zeros(len(lines)) for _ in range(3))
    tile, here = lines[:, 0], lines[:, 0]
    last = lines.shape[1] - 1
    for column in range(1, last + 1):
        there = lines[:, column]
        present = there > 0
        rough += np.where(present & (tile > 0), np.abs(there - tile), 0.0)
        tile = np.where(present, there, tile)
        reached = present | (column == last)
        falls += np.where(reached, np.minimum(there - here, 0.0), 0.0)
        rises += np.where(reached, np.minimum(here - there, 0.0), 0.0)
        here = np.where(reached, there, here)
    return Steps(rough, falls, rises)


def _line_table(width: int) -> Params:
    """Counts of each row, float32 (65536, 4): roughness, falls, rises, largest exponent."""
    lines = all_lines(width)
    return np.stack([*steps_of(lines), lines.max(axis=1)], axis=1).astype(np.float32)


def empty_logarithms() -> NDArray[np.float64]:
    """ln(n) for n empty cells, 0 to 64; for n = 0 it is 0, in the source minus infinity."""
    counts = np.arange(MAX_SIDE**2 + 1.0)
    counts[0] = 1.0
    logarithms: NDArray[np.float64] = np.log(counts)
    return logarithms


def _head(rows: int, cols: int, weights: Mapping[str, float]) -> Params:
    """The numbers before the tables: float64 in memory of float32."""
    down = 0.0 if rows == cols else 4.0 * 65_536
    numbers = [float(rows * cols), -weights["smooth"], weights["mono"], weights["max"], down]
    return np.concatenate([numbers, weights["empty"] * empty_logarithms()]).view(np.float32)


def _smooth_fields(weights: Mapping[str, float]) -> dict[str, Any]:

    @cache
    def params_for(rows: int, cols: int) -> Params:
        widths = [cols] if rows == cols else [cols, rows]
        tables = [_line_table(width).ravel() for width in widths]
        return np.concatenate([_head(rows, cols, weights), *tables])

    @cache
    def cells_params_for(rows: int, cols: int) -> Params:
        return _head(rows, cols, weights)

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        grid = np.array(board.exponents, dtype=np.float64).reshape(board.shape)
        across, down = steps_of(grid), steps_of(grid.T)
        order = sum(max(lines.falls.sum(), lines.rises.sum()) for lines in (across, down))
        logarithm = float(empty_logarithms()[len(board.empty_cells)])
        return {
            "smoothness": -weights["smooth"] * float(across.rough.sum() + down.rough.sum()),
            "order": weights["mono"] * float(order),
            "ln(empty cells)": weights["empty"] * logarithm,
            "largest tile": weights["max"] * board.max_exponent,
        }

    return {
        "kernel_for": kernel_in("evaluate", "smooth"),
        "params_for": params_for,
        "cells_kernel_for": kernel_in("evaluate", "smooth_on_cells"),
        "cells_params_for": cells_params_for,
        "terms_of": terms_of,
        "dead_value": DEAD * max(1.0, *map(abs, weights.values())),
    }


SMOOTH: Final = weighted_evaluator(
    "smooth",
    "steps between neighbours, order of lines, empty cells and the largest tile",
    SMOOTH_WEIGHTS,
    _smooth_fields,
    source="ov3y/2048-AI, MIT licence",
)
