"""The contract of an evaluator, for all that ship: values, terms, weights, shapes, memory.

Each equals its plain function on every shape, in its form on 64 bits and in that on cells.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import Any

import numpy as np
import pytest

from tests.support import literal
from tests.support.literal import GRADIENT, SNAKE
from tests.support.positions import boards, score_of
from tests.support.twins import small_positions
from tests.values.plain import Grid, datumbox, ordered, smooth, snake
from twofold.errors import InvalidSpec, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels._jit import address_of
from twofold.kernels.evaluate import LOG_TABLE
from twofold.kernels.evaluate import evaluate_once_on_cells as evaluate_once
from twofold.kernels.expectimax import CONTEXT_WORDS
from twofold.kernels.intrinsics import popcount
from twofold.limits import MAX_EXPONENT
from twofold.search.context import Context
from twofold.values import (
    EVALUATORS,
    Evaluator,
    compiled,
    compiled_on_cells,
    find_evaluator,
    simple_evaluator,
)
from twofold.values.evaluator import Terms, explain, only_4x4, small_shapes

SMALL = [(1, 2), (2, 1), (1, 4), (2, 2), (2, 3), (3, 3), (3, 4), (4, 3), (4, 4)]
LARGE = [(5, 5), (3, 6), (8, 8), (2, 8), (8, 1), (1, 5)]
BUSY = Board.parse("1234/2533/4170/0005")

VALUES: dict[str, tuple[Callable[[Grid, int], float], float, float | None]] = {
    # name: its value; how far from it sums may be on 64 bits, and on cells, relative to the parts
    "rows": (lambda grid, score: literal.row_heuristic(grid), 1e-7, 1e-13),
    "baeldung": (lambda grid, score: literal.baeldung_value(grid), 0.0, 0.0),
    "clustering": (datumbox, 0.0, 0.0),
    "it3105-snake": (lambda grid, score: literal.it3105_value(grid, SNAKE), 0.0, None),
    "it3105-gradient": (lambda grid, score: literal.it3105_value(grid, GRADIENT), 0.0, None),
    "snake": (lambda grid, score: snake(grid), 1e-6, 1e-13),
    "ordered": (lambda grid, score: ordered(grid), 0.0, None),
    "smooth": (lambda grid, score: smooth(grid), 1e-14, 1e-13),
}
ON_CELLS = [name for name, (_, _, tolerance) in VALUES.items() if tolerance is not None]
LINES = ["rows", "ordered", "baeldung"]
"""Sums over lines."""


def some_boards(shape: tuple[int, int], count: int, largest: int) -> list[Board]:
    rng = np.random.default_rng([*shape, count, largest])
    size = shape[0] * shape[1]
    found = []
    for _ in range(count):
        cells = rng.integers(1, largest + 1, size) * (rng.random(size) < rng.random())
        found.append(Board(cells.tolist(), shape))
    return [*found, Board.empty(shape), Board([largest] * size, shape)]


def cases(shape: tuple[int, int]) -> Iterator[tuple[Board, int]]:
    """Boards with scores: of games, of any tiles that fit 64 bits, of the largest tiles."""
    if shape == (4, 4):
        yield from ((Board.from_tiles(grid), score_of(grid)) for grid in boards(50))
    elif shape in SMALL:
        yield from ((board, 1000) for board in small_positions(shape, 15, largest=11))
    yield from ((board, 123_456) for board in some_boards(shape, 20, 15))
    if shape == (4, 4):  # one more than 64 bits hold
        large = [board for board in some_boards(shape, 50, 17) if board.max_exponent > 15]
        yield from ((board, 5_000_000) for board in large)
    elif shape in LARGE:
        scores = [40 * 2**40 + 12, *(4 * LOG_TABLE + past for past in (-4, 0, 1))]
        yield from zip(some_boards(shape, 20, MAX_EXPONENT), cycle(scores))


def value_on_cells(evaluator: Evaluator, board: Board, score: int) -> float:
    assert evaluator.cells_kernel_for
    assert evaluator.cells_params_for
    kernel = np.uint64(address_of(evaluator.cells_kernel_for(*board.shape)))
    params = evaluator.cells_params_for(*board.shape)
    cells = np.array(board.exponents, dtype=np.uint8)
    return float(evaluate_once(kernel, cells, *board.shape, score, params))


def test_every_evaluator_is_tested() -> None:
    assert set(VALUES) == set(EVALUATORS)
    assert [name for name, one in EVALUATORS.items() if one.line_tables_for] == LINES
    for name, evaluator in EVALUATORS.items():
        assert find_evaluator(name) is evaluator
        assert evaluator.name == name
        assert not evaluator.summary.endswith(".")
        assert evaluator.unit in ("points", "own unit")
    with pytest.raises(InvalidSpec, match=r"expected eval= and one of .*, got 'best'"):
        find_evaluator("best")


# Values


@pytest.mark.parametrize("shape", [*SMALL, *LARGE])
@pytest.mark.parametrize("name", VALUES)
def test_values_equal_the_plain_function_and_terms_add_up(
    name: str, shape: tuple[int, int]
) -> None:
    evaluator, (plain, on_bits, on_cells) = EVALUATORS[name], VALUES[name]
    for board, score in cases(shape):
        fits = evaluator.supports(*shape) and board.max_exponent <= 15
        tolerance = on_bits if shape in SMALL else on_cells
        if shape in SMALL and not fits:
            tolerance = 1e-7
        if tolerance is None or not (fits or on_cells is not None):
            continue
        expected, value = plain(board.tiles, score), evaluator.value(board, score)
        terms = evaluator.terms(board, score)
        size, total = sum(map(abs, terms.values())), sum(terms.values())
        assert abs(value - expected) <= tolerance * max(size, abs(expected))
        if name == "clustering":  # cut towards zero, and at least min(score, 1)
            assert value == max(math.trunc(total), min(score, 1))
        else:
            assert value == pytest.approx(total, rel=0, abs=1e-6 * max(size, 1.0))
        if fits and on_cells is not None:
            assert value_on_cells(evaluator, board, score) == value


@pytest.mark.parametrize("name", [name for name in VALUES if name not in ON_CELLS])
def test_unsupported_boards_are_refused_by_name(name: str) -> None:
    evaluator = EVALUATORS[name]
    for shape in ((5, 5), (1, 5), (8, 8), (2, 2)):
        if not evaluator.supports(*shape):
            words = rf"expected {evaluator.shapes} for eval={name}, got {shape[0]}x{shape[1]}:0"
            with pytest.raises(UnsupportedRules, match=words):
                evaluator.value(Board.empty(shape))
    with pytest.raises(UnsupportedRules, match=rf"expected .* 32768 for eval={name}, got g000/"):
        evaluator.value(Board([16] + [0] * 15))


@pytest.mark.parametrize("name", VALUES)
def test_shapes_in_words_are_the_shapes_supported(name: str) -> None:
    evaluator = EVALUATORS[name]
    expected = {"boards of 4x4": only_4x4, "boards up to 4x4": small_shapes}[evaluator.shapes]
    for shape in ((1, 2), (4, 4), (4, 3), (3, 4), (4, 5), (5, 1), (8, 8)):
        assert evaluator.supports(*shape) == expected(*shape)
        assert bool(evaluator.unsupported(*shape)) != evaluator.supports(*shape)
        assert evaluator.supports_cells(*shape) == (name in ON_CELLS)
    assert not evaluator.supports_cells(9, 2)
    assert [small_shapes(4, 4), small_shapes(4, 5), only_4x4(3, 4)] == [True, False, False]


# Weights


@pytest.mark.parametrize("name", VALUES)
def test_weights_change_the_value_and_nothing_else(name: str) -> None:
    evaluator = replace(EVALUATORS[name], adds_reward=True)
    assert evaluator.reweighted({}) is evaluator.reweighted(evaluator.weights) is evaluator
    for key, weight in evaluator.weights.items():
        changed = evaluator.reweighted({key: weight / 2})
        assert changed.weights == {**evaluator.weights, key: weight / 2}
        assert changed.value(BUSY, 1000) != evaluator.value(BUSY, 1000)
        assert changed.terms(BUSY, 1000) != evaluator.terms(BUSY, 1000)
        assert (changed.name, changed.adds_reward) == (name, True)
        assert changed.weight_keys[key].help == evaluator.weight_keys[key].help
        assert changed.reweighted({key: weight}).value(BUSY, 1000) == evaluator.value(BUSY, 1000)
    for side in ("low", "high"):
        limits = {key: getattr(weight, side) for key, weight in evaluator.weight_keys.items()}
        assert math.isfinite(evaluator.reweighted(limits).value(BUSY, 1000))


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
    for board in (*some_boards((4, 4), 50, 15), *some_boards((2, 3), 50, 15)):
        expected = evaluator.value(board, 1000)
        assert value_on_cells(evaluator, board, 1000) == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"best": 1.0}, r"expected a weight of eval=rows \(lost, .*, sum_power\), got 'best'"),
        ({"empty": math.nan}, "expected empty as a finite number, got nan"),
        ({"empty": -math.inf}, "expected empty as a finite number, got -inf"),
        ({"empty": "much"}, "expected empty as a finite number, got 'much'"),
        ({"empty": None}, "expected empty as a finite number, got None"),
        ({"empty": 10**400}, "expected empty as a finite number, got 1000"),
        ({"empty": 1.1e9}, "expected empty from -1000000000 to 1000000000, got 1100000000"),
        ({"sum_power": -1}, "expected sum_power from 0 to 6, got -1"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(InvalidSpec, match=message):
        EVALUATORS["rows"].reweighted(weights)
    with pytest.raises(InvalidSpec, match=r"a weight of eval=it3105-snake \(none\), got"):
        EVALUATORS["it3105-snake"].reweighted(weights)


# Evaluators of a function of one's own

BOARD = Board.parse("1234/0000/0000/0001")
BITS = BOARD.to_bits().bit_count()
SHOWN = Board.parse("0012/0013/0024/1357")


@cache
def _weighted() -> Any:
    @compiled
    def value(bits: Any, score: Any, params: Any) -> Any:
        return params[0] * popcount(bits) + params[1] * score

    return value


def test_an_evaluator_from_one_function_and_numbers() -> None:
    evaluator = simple_evaluator("mine", _weighted(), [0.5, 2.0], unit="points", needs_score=True)
    assert evaluator.value(BOARD, 10) == 0.5 * BITS + 20
    assert evaluator.terms(BOARD, 10) == {"value": 0.5 * BITS + 20}
    assert (evaluator.name, evaluator.summary, evaluator.unit) == ("mine", "mine", "points")
    assert (evaluator.at, evaluator.adds_reward, evaluator.dead_value) == ("afterstate", False, 0.0)
    assert evaluator.weights == {}
    third = simple_evaluator("third", _weighted(), [1 / 3, 0.0])
    assert third.params_for(4, 4).dtype == np.float32
    assert third.value(Board.parse("1000/0000/0000/0000")) == float(np.float32(1 / 3))


@pytest.mark.promise("R64")
@pytest.mark.parametrize(
    "params", [[1.0], np.ones(2), np.ones((2, 2), np.float32), np.ones(4, np.float32)[::2], None]
)
def test_params_of_other_types_are_refused(params: Any) -> None:
    evaluator = replace(
        simple_evaluator("mine", _weighted(), [1.0, 1.0]), params_for=lambda rows, cols: params
    )
    for use in (evaluator.value, lambda board: Context(evaluator, Rules(), CONTEXT_WORDS)):
        with pytest.raises(InvalidSpec, match="as float32 in one dimension, got"):
            use(BOARD)


@pytest.mark.parametrize("name", ["ply", "Empty", "", "two words", "file_sha256", "9", "a=b"])
def test_names_that_no_spec_can_hold_are_refused(name: str) -> None:
    with pytest.raises(InvalidSpec, match="expected weights of eval=mine in lower case"):
        simple_evaluator("mine", _weighted(), {name: 1.0})


def test_a_form_on_cells_of_ones_own() -> None:
    @compiled
    def first_cell(bits: Any, score: Any, params: Any) -> Any:
        return params[0] * np.float64(bits >> np.uint64(60))

    @compiled_on_cells
    def first_cell_of_any(cells: Any, rows: Any, cols: Any, score: Any, params: Any) -> Any:
        return params[0] * cells[0] + params[1] * rows * cols

    weights, large = {"first": 2.0, "size": 0.0}, Board.parse("2x5:c0000/00000")
    both = simple_evaluator("both", first_cell, weights, on_cells=first_cell_of_any)
    assert both.value(Board.parse("3000/0000/0000/0000")) == 6.0
    assert both.value(Board.parse("z000/0000/0000/0000")) == 70.0
    assert both.value(large) == 24.0
    assert both.reweighted({"size": 0.5}).value(large) == 29.0
    one = simple_evaluator("one", first_cell, weights)
    with pytest.raises(UnsupportedRules, match="expected boards up to 4x4 for eval=one, got 2x5:"):
        one.value(large)


# Explanations


@pytest.mark.parametrize("name", EVALUATORS)
def test_the_parts_are_those_of_the_evaluator(name: str) -> None:
    """Of the afterstate with its score, or the mean over the spawns."""
    evaluator, rules = EVALUATORS[name], Rules.parse("4x4 spawn=2:0.5,8:0.5")
    found = explain(evaluator, SHOWN, 1000, rules)
    assert found.board == Terms(evaluator.terms(SHOWN, 1000), evaluator.value(SHOWN, 1000))
    assert found.names == tuple(found.board.parts)
    assert found.add_up == (name != "clustering")  # which rounds to whole points
    for move, terms in zip(Move, found.moves, strict=True):
        assert (terms is None) == (move is Move.RIGHT)
        if terms is None:
            continue
        after, reward = SHOWN.slide(move)
        if evaluator.at == "afterstate":
            assert terms.parts == evaluator.terms(after, 1000 + reward)
            continue
        mean = sum(
            spawn.probability * evaluator.value(after.place(spawn.cell, spawn.tile))
            for spawn in after.spawns(rules)
        )
        assert terms.value == pytest.approx(mean) == pytest.approx(terms.total)
