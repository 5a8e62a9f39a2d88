"""The forms on cells: equal to the 64-bit forms on small boards, to plain functions on all."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.evaluators.plain import Grid, datumbox, smooth, snake
from tests.support import literal
from tests.support.guards import Guards
from twofold.errors import UnsupportedRules
from twofold.game.board import Board
from twofold.kernels._jit import address_of
from twofold.kernels.evaluate import LOG_TABLE
from twofold.kernels.evaluate_cells import evaluate_once
from twofold.limits import MAX_EXPONENT
from twofold.values import EVALUATORS, Evaluator, compiled, compiled_on_cells, simple_evaluator

SMALL = [(1, 2), (2, 1), (1, 4), (2, 2), (2, 3), (3, 3), (3, 4), (4, 3), (4, 4)]
LARGE = [(5, 5), (3, 6), (8, 8), (2, 8), (8, 1), (1, 5)]

PLAIN: dict[str, tuple[Callable[[Grid, int], float], float]] = {
    # name: its value, and how far from it a sum of float64 may be, relative to the largest part
    "rows": (lambda grid, score: literal.row_heuristic(grid), 1e-13),
    "baeldung": (lambda grid, score: literal.baeldung_value(grid), 0.0),
    "snake": (lambda grid, score: snake(grid), 1e-13),
    "clustering": (datumbox, 0.0),
    "smooth": (lambda grid, score: smooth(grid), 1e-13),
}


def some_boards(shape: tuple[int, int], count: int, largest: int) -> list[Board]:
    rng = np.random.default_rng([*shape, count, largest])
    size = shape[0] * shape[1]
    found = []
    for _ in range(count):
        cells = rng.integers(1, largest + 1, size) * (rng.random(size) < rng.random())
        found.append(Board(cells.tolist(), shape))
    return [*found, Board.empty(shape), Board([largest] * size, shape)]


def value_on_cells(evaluator: Evaluator, board: Board, score: int) -> float:
    assert evaluator.cells_kernel_for
    assert evaluator.cells_params_for
    kernel, params = (
        get(*board.shape) for get in (evaluator.cells_kernel_for, evaluator.cells_params_for)
    )
    cells = np.array(board.exponents, dtype=np.uint8)
    return float(evaluate_once(np.uint64(address_of(kernel)), cells, *board.shape, score, params))


def test_which_evaluators_have_a_form_on_cells() -> None:
    for name, evaluator in EVALUATORS.items():
        assert (name in PLAIN) == evaluator.supports_cells(8, 8) == evaluator.supports_cells(4, 4)
        assert not evaluator.supports_cells(9, 2)


@pytest.mark.parametrize("name", PLAIN)
def test_parameters_are_kept(name: str) -> None:
    evaluator = EVALUATORS[name]
    assert evaluator.cells_params_for
    for shape in [*SMALL, *LARGE]:
        params = evaluator.cells_params_for(*shape)
        assert params is evaluator.cells_params_for(*shape)
        assert params.dtype == np.float32
        assert params.ndim == 1
        assert params.flags.c_contiguous


@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("name", PLAIN)
def test_both_forms_give_the_same_value(name: str, shape: tuple[int, int]) -> None:
    evaluator = EVALUATORS[name]
    for board in some_boards(shape, 200, 15):
        for score in (0, 4, 3_932_156):
            assert value_on_cells(evaluator, board, score) == evaluator.value(board, score)


@pytest.mark.parametrize(
    ("name", "weights", "tolerance"),
    [
        ("rows", {"lost": 0.7, "empty": -3.1, "order_power": 2.5, "sum_power": 0}, 0.0),
        ("rows", {"order": 1e9, "order_power": 6.0}, 0.0),
        ("baeldung", {"empty": 0.3, "order": 7.7}, 0.0),
        ("snake", {"ratio": 0.3}, 1e-6),
        ("snake", {"ratio": 0.0}, 0.0),
        ("clustering", {"empty": 12.5, "clustering": 0.1}, 0.0),
        ("smooth", {"smooth": 0.33, "mono": 1.7, "empty": 0.1, "max": -2}, 0.0),
    ],
)
def test_both_forms_read_the_same_weights(
    name: str, weights: dict[str, float], tolerance: float
) -> None:
    evaluator = EVALUATORS[name].reweighted(weights)
    for shape in ((4, 4), (2, 3)):
        for board in some_boards(shape, 100, 15):
            expected = evaluator.value(board, 1000)
            assert value_on_cells(evaluator, board, 1000) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("largest", [11, MAX_EXPONENT])
@pytest.mark.parametrize("shape", LARGE)
@pytest.mark.parametrize("name", PLAIN)
def test_large_boards_have_the_plain_value(name: str, shape: tuple[int, int], largest: int) -> None:
    evaluator, (plain, tolerance) = EVALUATORS[name], PLAIN[name]
    for board in some_boards(shape, 40, largest):
        score = 123_456 if largest == 11 else 40 * 2**40 + 12
        expected, value = plain(board.tiles, score), evaluator.value(board, score)
        terms = evaluator.terms(board, score)
        size = max(abs(expected), sum(map(abs, terms.values())))
        assert abs(value - expected) <= tolerance * size
        if name != "clustering":
            assert abs(value - sum(terms.values())) <= 1e-13 * size


@pytest.mark.parametrize("name", PLAIN)
def test_tiles_beyond_32768_can_be_valued_on_small_boards(name: str) -> None:
    evaluator, (plain, _) = EVALUATORS[name], PLAIN[name]
    for board in some_boards((4, 4), 100, 17):
        score = 5_000_000 if board.max_exponent > 15 else 100_000
        expected = plain(board.tiles, score)
        size = max(abs(expected), sum(map(abs, evaluator.terms(board, score).values())))
        assert abs(evaluator.value(board, score) - expected) <= 1e-7 * size


def test_logarithms_beyond_the_table() -> None:
    evaluator = EVALUATORS["clustering"]
    board = Board.parse("5x5:1000000000000000000000000")
    rng = np.random.default_rng(2)
    edges = [4 * LOG_TABLE - 4, 4 * LOG_TABLE - 1, 4 * LOG_TABLE, 4 * LOG_TABLE + 1, 2**52 - 1]
    many = evaluator.reweighted({"empty": 1e9})
    for score in [*edges, *(int(2.0**power) for power in rng.uniform(22, 52, 200))]:
        logarithm = (many.value(board, score) - score) / 24e9
        assert logarithm == pytest.approx(
            math.log(score), rel=1e-6 if score < 4 * LOG_TABLE else 1e-8
        )


def test_a_board_without_symmetry_looks_best_from_its_best_corner() -> None:
    snake_evaluator = EVALUATORS["snake"]
    large = [Board.parse(f"2x5:{row}") for row in ("12345/00000", "54321/00000", "00000/12345")]
    assert len({snake_evaluator.value(board) for board in large}) == 1
    small = [Board.parse(f"2x4:{row}") for row in ("1234/0000", "4321/0000")]
    assert len({snake_evaluator.value(board) for board in small}) == 2


@pytest.mark.parametrize("shape", [(4, 4), (5, 5), (2, 8)])
@pytest.mark.parametrize("name", PLAIN)
def test_kernels_stay_inside_the_memory_they_are_given(name: str, shape: tuple[int, int]) -> None:
    evaluator, guards = EVALUATORS[name], Guards()
    assert evaluator.cells_kernel_for
    assert evaluator.cells_params_for
    address = np.uint64(address_of(evaluator.cells_kernel_for(*shape)))
    params: NDArray[np.float32] = guards.copy(evaluator.cells_params_for(*shape))
    for board in some_boards(shape, 20, MAX_EXPONENT):
        cells = guards.copy(np.array(board.exponents, dtype=np.uint8))
        value = float(evaluate_once(address, cells, *shape, 2**40, params))
        assert value == value_on_cells(evaluator, board, 2**40)
    assert guards.intact()


# Smooth


def test_every_live_board_is_better_than_a_lost_one() -> None:
    for weights in ({}, {"smooth": 7.0}, {"mono": 50.0, "empty": -1e3}, {"max": -1e6}):
        evaluator = EVALUATORS["smooth"].reweighted(weights)
        for shape in ((4, 4), (8, 8), (1, 2)):
            size = shape[0] * shape[1]
            worst = [[35, 1][(cell // shape[1] + cell) % 2] for cell in range(size)]
            for board in (*some_boards(shape, 50, 35), Board(worst, shape)):
                assert evaluator.value(board) > evaluator.dead_value
    assert EVALUATORS["smooth"].dead_value == -27_000


def test_terms_of_smooth() -> None:
    terms = EVALUATORS["smooth"].terms(Board.parse("2000/1030/0000/0001"))
    assert terms == {
        "smoothness": pytest.approx(-0.1 * (1 + 2)),
        # rows fall by 2 + 3 and rise by 2 + 1, columns fall by 2 + 3 and rise by 3 + 1
        "order": -7.0,
        "ln(empty cells)": pytest.approx(2.7 * math.log(12)),
        "largest tile": 3.0,
    }


# Custom evaluators


def test_a_custom_form_on_cells() -> None:
    @compiled
    def first_cell(bits: Any, score: Any, params: Any) -> Any:
        return params[0] * np.float64(bits >> np.uint64(60))

    @compiled_on_cells
    def first_cell_of_any(cells: Any, rows: Any, cols: Any, score: Any, params: Any) -> Any:
        return params[0] * cells[0] + params[1] * rows * cols

    weights = {"first": 2.0, "size": 0.0}
    both = simple_evaluator("both", first_cell, weights, on_cells=first_cell_of_any)
    assert both.value(Board.parse("3000/0000/0000/0000")) == 6.0
    assert both.value(Board.parse("z000/0000/0000/0000")) == 70.0
    large = Board.parse("2x5:c0000/00000")
    assert both.value(large) == 24.0
    assert both.reweighted({"size": 0.5}).value(large) == 29.0
    one = simple_evaluator("one", first_cell, weights)
    with pytest.raises(UnsupportedRules, match="expected boards up to 4x4 for eval=one, got 2x5:"):
        one.value(large)
