"""The evaluator of ov3y's 2048-AI: smooth boards, monotone lines, empty cells, the largest tile.

Smoothness and order are small whole numbers of exponents, computed once for all 65,536 rows. The
logarithm of the number of empty cells comes from a table.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators.base import Params, Weight, kernel_in, weighted_evaluator
from twofold.evaluators.lines import Lines, all_lines
from twofold.limits import MAX_SIDE

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


def _fields(weights: Mapping[str, float]) -> dict[str, Any]:

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
        "kernel_for": kernel_in("search.evaluate", "smooth"),
        "params_for": params_for,
        "cells_kernel_for": kernel_in("search.evaluate_cells", "smooth"),
        "cells_params_for": cells_params_for,
        "terms_of": terms_of,
        "dead_value": DEAD * max(1.0, *map(abs, weights.values())),
    }


SMOOTH: Final = weighted_evaluator(
    "smooth",
    "steps between neighbours, order of lines, empty cells and the largest tile",
    SMOOTH_WEIGHTS,
    _fields,
    source="ov3y/2048-AI, MIT licence",
)
