"""Datumbox's evaluator: score, empty cells, and how unlike neighbouring tiles are."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import numpy as np

from twofold.board import Board
from twofold.evaluators.base import Evaluator, Params, small_shapes


@cache
def _params_for(rows: int, cols: int) -> Params:
    from twofold.kernels.evaluate import LOG_TABLE

    scores = 4.0 * np.arange(LOG_TABLE)
    scores[0] = 1.0  # score 0 is a case of its own
    numbers = np.concatenate([[float(rows * cols)], np.log(scores)])
    return numbers.view(np.float32)


def _kernel_for(rows: int, cols: int) -> Any:
    from twofold.kernels import evaluate

    return evaluate.clustered_score


def _terms(board: Board, score: int) -> Mapping[str, float]:
    from twofold.kernels import evaluate

    empty = len(board.empty_cells)
    return {
        "score": float(score),
        "ln(score) x empty cells": math.log(score) * empty if score else 0.0,
        "clustering": -float(evaluate.clustering(np.uint64(board.to_bits()))),
    }


CLUSTERING: Final = Evaluator(
    "clustering",
    "score, empty cells, and how unlike neighbouring tiles are",
    _kernel_for,
    _params_for,
    unit="points",
    needs_score=True,
    supports=small_shapes,
    terms_of=_terms,
    source="Datumbox, Using Artificial Intelligence to solve the 2048 Game",
)
