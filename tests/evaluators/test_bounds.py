"""Bounds: no board of a tile sum has a value above its bound."""

from itertools import product

import numpy as np
import pytest

from twofold.board import Board
from twofold.evaluators import EVALUATORS, Evaluator
from twofold.evaluators.bounds import HALVES, SumBounds

CASES = [
    ("rows", {}),
    ("rows", {"lost": -3, "empty": -270.7, "merges": 50, "order": 0.3, "sum": -900}),
    ("rows", {"order": -47, "order_power": 6, "sum_power": 0}),
    ("baeldung", {}),
    ("baeldung", {"sum": -10.3, "order": -2}),
    ("snake", {}),
    ("snake", {"ratio": 0}),
    ("snake", {"ratio": 0.93}),
    ("snake", {"ratio": 1}),
]
SHAPES = [(4, 4), (3, 3), (2, 4), (4, 3), (1, 4)]


def bounds_of(evaluator: Evaluator, shape: tuple[int, int]) -> SumBounds:
    assert evaluator.bounds_for is not None
    return evaluator.bounds_for(*shape)


def half_sum(board: Board) -> int:
    return sum(map(sum, board.tiles)) // 2


def check(evaluator: Evaluator, board: Board, bounds: SumBounds) -> None:
    value = evaluator.value(board)
    assert bounds.lower <= value
    assert half_sum(board) >= HALVES or value <= bounds.upper[half_sum(board)], board


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "weights"), CASES)
def test_random_boards_stay_within(
    name: str, weights: dict[str, float], shape: tuple[int, int]
) -> None:
    evaluator = EVALUATORS[name].reweighted(weights)
    bounds, cells = bounds_of(evaluator, shape), shape[0] * shape[1]
    rng = np.random.default_rng(cells)
    for number in range(100):
        exponents = rng.integers(0, rng.integers(1, 16) + 1, cells)
        exponents[rng.random(cells) < rng.random()] = 0
        if number % 2:  # in order: what evaluators like best
            exponents = np.sort(exponents)[::-1]
        check(evaluator, Board(exponents.tolist(), shape), bounds)
    assert bounds.upper.shape == (HALVES,)
    assert bounds.largest(0.0) >= float(bounds.upper.max())


@pytest.mark.parametrize(("name", "weights"), CASES)
def test_all_boards_of_2x2_stay_within(name: str, weights: dict[str, float]) -> None:
    evaluator = EVALUATORS[name].reweighted(weights)
    bounds = bounds_of(evaluator, (2, 2))
    for exponents in product(range(7), repeat=4):
        check(evaluator, Board(exponents, (2, 2)), bounds)


def test_bounds_are_reached() -> None:
    snake = EVALUATORS["snake"]
    board = Board.parse("A753/0000/0000/0000")
    assert bounds_of(snake, (4, 4)).upper[half_sum(board)] == pytest.approx(snake.value(board))
    rows = EVALUATORS["rows"]
    board = Board.parse("1x2:51")
    upper = bounds_of(rows, (1, 2)).upper
    assert upper[half_sum(board)] == rows.value(board)
    assert upper[7] == -np.inf  # no two tiles are 14 in all


def test_spawns_lead_to_the_bounds_of_larger_sums() -> None:
    bounds = SumBounds(np.arange(float(HALVES)) % 100, 0.0)
    table = bounds.with_spawns(3, (1, 3), 7.0)
    assert table[0, :10].tolist() == [7] * 8 + [8, 9]
    assert table[1, 50] == 54
    assert table[2, 50] == 58
    assert table[1, 97] == 98  # 98 or 101
    assert np.isinf(table[1, -4:]).all()
    assert np.isinf(table[2, -8:]).all()
    assert np.isfinite(table[:, : HALVES - 8]).all()
