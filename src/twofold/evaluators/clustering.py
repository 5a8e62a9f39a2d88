"""Datumbox's evaluator: score, empty cells, and how unlike neighbouring tiles are."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.evaluators.base import Params, Weight, weighted_evaluator

CLUSTERING_WEIGHTS: Final = {
    "empty": Weight(1.0, "ln(score) for each empty cell"),
    "clustering": Weight(1.0, "loss for unlike neighbours"),
}
"""Datumbox has neither: with 1 for both the values are its own."""


def _logarithms(weight: float) -> NDArray[np.float64]:
    """The logarithms ln(4 i) for each i of the table, times a weight."""
    from twofold.kernels.evaluate import LOG_TABLE

    scores = 4.0 * np.arange(LOG_TABLE)
    scores[0] = 1.0  # score 0 is a case of its own
    logarithms: NDArray[np.float64] = weight * np.log(scores)
    return logarithms


def _kernel_for(rows: int, cols: int) -> Any:
    from twofold.kernels import evaluate

    return evaluate.clustered_score


def _fields(weights: Mapping[str, float]) -> dict[str, Any]:
    """The fields of the evaluator that depend on its weights."""

    @cache
    def params_for(rows: int, cols: int) -> Params:
        head = [float(rows * cols), weights["clustering"]]
        return np.concatenate([head, _logarithms(weights["empty"])]).view(np.float32)

    def terms_of(board: Board, score: int) -> Mapping[str, float]:
        from twofold.kernels import evaluate

        empty = weights["empty"] * len(board.empty_cells)
        unlike = float(evaluate.clustering(np.uint64(board.to_bits())))
        return {
            "score": float(score),
            "ln(score) x empty cells": math.log(score) * empty if score else 0.0,
            "clustering": -weights["clustering"] * unlike,
        }

    return {"kernel_for": _kernel_for, "params_for": params_for, "terms_of": terms_of}


CLUSTERING: Final = weighted_evaluator(
    "clustering",
    "score, empty cells, and how unlike neighbouring tiles are",
    CLUSTERING_WEIGHTS,
    _fields,
    unit="points",
    needs_score=True,
    source="Datumbox, Using Artificial Intelligence to solve the 2048 Game",
)
