"""Datumbox's evaluator: score, empty cells, and differences between neighbouring tiles."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators.base import Params, Weight, kernel_in, weighted_evaluator

CLUSTERING_WEIGHTS: Final = {
    "empty": Weight(1.0, "ln(score) for each empty cell"),
    "clustering": Weight(1.0, "loss for unlike neighbours"),
}
"""Datumbox has no weights: 1 for both gives its values."""


def _logarithms(weight: float) -> NDArray[np.float64]:
    """ln(4 i) for each i of the table, times a weight."""
    from twofold.kernels.search.evaluate import LOG_TABLE  # loads kernels

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


def _fields(weights: Mapping[str, float]) -> dict[str, Any]:

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
        "kernel_for": kernel_in("search.evaluate", "clustered_score"),
        "params_for": params_for,
        "cells_kernel_for": kernel_in("search.evaluate_cells", "clustered_score"),
        "cells_params_for": params_for,
        "terms_of": terms_of,
    }


CLUSTERING: Final = weighted_evaluator(
    "clustering",
    "score, empty cells, and how unlike neighbouring tiles are",
    CLUSTERING_WEIGHTS,
    _fields,
    unit="points",
    needs_score=True,
    source="Datumbox, Using Artificial Intelligence to solve the 2048 Game",
)
