"""Evaluators against plain functions, on every shape that their 64-bit form supports."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.evaluators.plain import datumbox, ordered, smooth, snake, turned
from tests.support import literal
from tests.support.literal import GRADIENT, SNAKE, boards, score_of
from tests.support.twins import small_positions
from twofold.errors import UnsupportedRules
from twofold.game.board import Board
from twofold.kernels import evaluate
from twofold.values import EVALUATORS
from twofold.values.matrix import matrix_evaluator, snake_path

SHAPES = [(1, 2), (2, 1), (1, 4), (2, 2), (2, 3), (3, 3), (3, 4), (4, 3), (4, 4)]

VALUES: dict[str, tuple[Callable[[literal.Grid, int], float], float]] = {
    # name: its value, and how far from it a sum of float32 may be, relative to the largest part
    "rows": (lambda grid, score: literal.row_heuristic(grid), 1e-7),
    "baeldung": (lambda grid, score: literal.baeldung_value(grid), 0.0),
    "clustering": (datumbox, 0.0),
    "it3105-snake": (lambda grid, score: literal.it3105_value(grid, SNAKE), 0.0),
    "it3105-gradient": (lambda grid, score: literal.it3105_value(grid, GRADIENT), 0.0),
    "snake": (lambda grid, score: snake(grid), 1e-6),
    "ordered": (lambda grid, score: ordered(grid), 0.0),
    "smooth": (lambda grid, score: smooth(grid), 1e-14),
}


@cache
def cases(shape: tuple[int, int]) -> list[tuple[Board, int]]:
    if shape == (4, 4):
        return [(Board.from_tiles(grid), score_of(grid)) for grid in boards(200)]
    return [(board, 1000) for board in small_positions(shape, 60, largest=11)]


def test_every_evaluator_is_tested() -> None:
    assert set(VALUES) == set(EVALUATORS)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", VALUES)
def test_values_equal_the_plain_function(name: str, shape: tuple[int, int]) -> None:
    evaluator, (plain, tolerance) = EVALUATORS[name], VALUES[name]
    if not evaluator.supports(*shape):
        return
    for board, score in cases(shape):
        expected = plain(board.tiles, score)
        size = sum(map(abs, evaluator.terms(board, score).values()))
        assert abs(evaluator.value(board, score) - expected) <= tolerance * max(size, abs(expected))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", VALUES)
def test_terms_add_up_to_the_value(name: str, shape: tuple[int, int]) -> None:
    evaluator = EVALUATORS[name]
    if not evaluator.supports(*shape):
        return
    for board, score in cases(shape)[:80]:
        terms = evaluator.terms(board, score)
        size = sum(map(abs, terms.values()))
        value, total = evaluator.value(board, score), sum(terms.values())
        if name == "clustering":  # cut towards zero, and at least min(score, 1)
            assert value == max(math.trunc(total), min(score, 1))
        else:
            assert value == pytest.approx(total, rel=0, abs=1e-6 * max(size, 1.0))


@pytest.mark.parametrize("name", VALUES)
def test_all_tiles_up_to_32768_can_be_valued(name: str) -> None:
    evaluator, (plain, tolerance) = EVALUATORS[name], VALUES[name]
    rng = np.random.default_rng(5)
    for _ in range(100):
        board = Board(rng.integers(0, 16, 16).tolist())
        expected = plain(board.tiles, 123_456)
        size = max(abs(expected), sum(map(abs, evaluator.terms(board, 123_456).values())))
        assert abs(evaluator.value(board, 123_456) - expected) <= tolerance * size


@pytest.mark.parametrize("name", VALUES)
def test_unsupported_boards_are_refused_by_name(name: str) -> None:
    evaluator = EVALUATORS[name]
    if evaluator.cells_kernel_for:
        return
    for shape in ((5, 5), (1, 5), (8, 8), (2, 2)):
        if evaluator.supports(*shape):
            continue
        message = rf"expected {evaluator.shapes} for eval={name}, got {shape[0]}x{shape[1]}:0"
        with pytest.raises(UnsupportedRules, match=message):
            evaluator.value(Board.empty(shape))
    with pytest.raises(UnsupportedRules, match=rf"expected .* 32768 for eval={name}, got g000/"):
        evaluator.value(Board([16] + [0] * 15))


# Clustering


@pytest.mark.parametrize("score", [0, 1, 2, 3, 4, 8, 100, 3_932_156, 2**31])
def test_clustering_with_scores_of_every_size(score: int) -> None:
    for board, _ in cases((4, 4))[:60]:
        value = EVALUATORS["clustering"].value(board, score)
        if score % 4 == 0 and score < 4 * evaluate.LOG_TABLE:  # all scores there are
            plain = math.log(score) if score else -math.inf
            unlike = literal.clustering(board.tiles)
            exact = score + plain * len(board.empty_cells) - unlike if score else 0.0
            assert value == max(math.trunc(exact), min(score, 1))
        assert value >= min(score, 1)


def test_clustering_alone_equals_the_transcription() -> None:
    rng = np.random.default_rng(8)
    for fill in (0.2, 0.5, 0.8, 1.0):
        for _ in range(500):
            cells = rng.integers(1, 16, 16) * (rng.random(16) < fill)
            board = Board(cells.tolist())
            found = evaluate.clustering(np.uint64(board.to_bits()))
            assert found == literal.clustering(board.tiles)


# Matrices


def test_the_snake_winds_through_every_cell_once() -> None:
    assert snake_path(3, 4) == [[0, 1, 2, 3], [7, 6, 5, 4], [8, 9, 10, 11]]
    assert snake_path(2, 2) == [[0, 1], [3, 2]]


def test_the_snake_is_the_same_from_every_side() -> None:
    evaluator = EVALUATORS["snake"]
    for grid in boards(40, seed=4):
        values = {evaluator.value(Board.from_tiles(rows)) for rows in turned(grid)}
        assert len(values) == 1


def test_a_matrix_evaluator_weights_each_cell() -> None:
    weights = np.arange(16.0).reshape(4, 4)
    evaluator = matrix_evaluator("mine", "test", weights.tolist(), factor=0.5)
    for cell in range(16):
        cells: list[Any] = [0] * 16
        cells[cell] = 3
        assert evaluator.value(Board(cells)) == 0.5 * 8 * cell
    assert (evaluator.name, evaluator.summary, evaluator.source) == ("mine", "test", "")
