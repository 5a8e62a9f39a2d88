"""Evaluators that weight each cell: matrices, snakes and gradients.

A sum over cells is a sum over rows, so each row of the matrix becomes one table of 65,536
values, and a value takes four look-ups.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from twofold.game.board import Board
from twofold.values.evaluator import (
    Evaluator,
    Params,
    Weight,
    kernel_in,
    only_4x4,
    small_shapes,
    weighted_evaluator,
)
from twofold.values.rows import CELL_DIGITS, in_units

# The weights of the IT3105 report.
IT3105_SNAKE: Final = ((0, 1, 2, 3), (6, 5, 5, 4), (7, 9, 12, 15), (55, 35, 25, 20))
IT3105_GRADIENT: Final = ((15, 13, 11, 9), (13, 9, 7, 4), (11, 7, 3, 1), (9, 4, 1, 0))
IT3105_FACTOR: Final = 2.0

SNAKE_WEIGHTS: Final = {
    "ratio": Weight(0.25, "weight of a cell relative to the cell before it on the snake", 0.0, 1.0)
}
"""The weight of twofold's own snake; see `docs/benchmarks.md`."""


def row_values(weights: Sequence[float], tiles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of all 65,536 rows: sums of the weights of up to four cells times `tiles`.

    `tiles`, float64 (16,), is the count of each exponent.
    """
    index = np.arange(65_536)
    total = np.zeros(65_536)
    for weight, shift in zip(weights, (12, 8, 4, 0), strict=False):
        total += weight * tiles[(index >> shift) & 15]
    return total


def tile_values() -> NDArray[np.float64]:
    """The tile of each exponent: 0, 2, 4, 8, ..., float64 (16,)."""
    values: NDArray[np.float64] = np.exp2(np.arange(16.0))
    values[0] = 0.0
    return values


def matrix_evaluator(
    name: str,
    summary: str,
    weights: Sequence[Sequence[float]],
    *,
    factor: float = 1.0,
    at: Literal["afterstate", "state"] = "afterstate",
    source: str = "",
) -> Evaluator:
    """An evaluator for 4x4: factor x sum over cells of tile x weight."""

    @cache
    def params_for(rows: int, cols: int) -> Params:
        tables = [factor * row_values(row, tile_values()) for row in weights]
        return in_units(np.concatenate(tables), CELL_DIGITS)

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        return {
            f"row {number}": factor
            * float(sum(tile * weight for tile, weight in zip(row, weights[number], strict=True)))
            for number, row in enumerate(board.tiles)
        }

    return Evaluator(
        name,
        summary,
        kernel_in("evaluate", "row_tables"),
        params_for,
        at=at,
        supports=only_4x4,
        shapes="boards of 4x4",
        terms_of=terms_of,
        source=source,
    )


IT3105_SNAKE_EVALUATOR: Final = matrix_evaluator(
    "it3105-snake",
    "tiles weighted along a snake from one corner",
    IT3105_SNAKE,
    factor=IT3105_FACTOR,
    at="state",
    source="IT3105 report, snake weights",
)

IT3105_GRADIENT_EVALUATOR: Final = matrix_evaluator(
    "it3105-gradient",
    "tiles weighted by their distance from one corner",
    IT3105_GRADIENT,
    factor=IT3105_FACTOR,
    at="state",
    source="IT3105 report, gradient weights",
)


def snake_path(rows: int, cols: int) -> list[list[int]]:
    """The place of each cell on the snake from the top-left corner: 0 1 2 3 / 7 6 5 4 / ..."""
    path = [[row * cols + col for col in range(cols)] for row in range(rows)]
    return [line if row % 2 == 0 else line[::-1] for row, line in enumerate(path)]


def _snake_tables(rows: int, cols: int, ratio: float) -> NDArray[np.float64]:
    """Values of every row in each of four places, float64 (4, 65536); 0 outside the board."""
    tables = np.zeros((4, 65_536))
    for row, places in enumerate(snake_path(rows, cols)):
        tables[row] = row_values([ratio**place for place in places], tile_values())
    return tables


def _snake_fields(weights: Mapping[str, float]) -> dict[str, Any]:

    @cache
    def params_for(rows: int, cols: int) -> Params:
        # With a ratio of 1/4 every entry already is a whole multiple of 2^-29 and does not change.
        tables = in_units(_snake_tables(rows, cols, weights["ratio"]), CELL_DIGITS)
        if (rows, cols) != (4, 4):
            return tables.ravel()
        index = np.arange(65_536)
        mirrored = (index & 15) << 12 | (index & 0xF0) << 4 | (index & 0xF00) >> 4 | index >> 12
        return np.concatenate([tables.ravel(), tables[:, mirrored].ravel()])

    @cache
    def cells_params_for(rows: int, cols: int) -> Params:
        places = np.array(snake_path(rows, cols))
        weightings = weights["ratio"] ** np.array(_seen(places), dtype=np.float64)
        return np.concatenate([[len(weightings)], weightings.ravel()]).view(np.float32)

    return {
        "kernel_for": kernel_in("evaluate", "best_corner", elsewhere="row_tables"),
        "params_for": params_for,
        "cells_kernel_for": kernel_in("evaluate", "best_weighting"),
        "cells_params_for": cells_params_for,
    }


def _seen(places: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The snake's cell numbers in all symmetries; on small shapes but 4x4 only one, as on bits."""
    rows, cols = places.shape
    if small_shapes(rows, cols) and (rows, cols) != (4, 4):
        return [places]
    turns = range(4) if rows == cols else (0, 2)
    turned = [np.rot90(places, turn) for turn in turns]
    return [*turned, *(grid[::-1] for grid in turned)]


SNAKE: Final = weighted_evaluator(
    "snake",
    "tiles weighted along a snake, from the corner and in the direction that fit best",
    SNAKE_WEIGHTS,
    _snake_fields,
)
