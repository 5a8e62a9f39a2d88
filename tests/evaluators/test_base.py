"""Custom evaluators, and the description of all evaluators."""

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from twofold.errors import InvalidSpec
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels.expectimax import CONTEXT_WORDS
from twofold.kernels.intrinsics import popcount
from twofold.search.context import Context
from twofold.values import EVALUATORS, Evaluator, compiled, find_evaluator, simple_evaluator
from twofold.values.evaluator import only_4x4, small_shapes

BOARD = Board.parse("1234/0000/0000/0001")
BUSY = Board.parse("1234/2533/4170/0005")


@cache
def _weighted() -> Any:
    @compiled
    def value(bits: Any, score: Any, params: Any) -> Any:
        return params[0] * popcount(bits) + params[1] * score

    return value


def test_an_evaluator_from_one_function_and_numbers() -> None:
    evaluator = simple_evaluator("mine", _weighted(), [0.5, 2.0], unit="points", needs_score=True)
    bits = BOARD.to_bits().bit_count()
    assert evaluator.value(BOARD, 10) == 0.5 * bits + 20
    assert evaluator.terms(BOARD, 10) == {"value": 0.5 * bits + 20}
    assert (evaluator.name, evaluator.summary, evaluator.unit) == ("mine", "mine", "points")
    assert (evaluator.at, evaluator.adds_reward, evaluator.dead_value) == ("afterstate", False, 0.0)


def test_params_are_float32() -> None:
    evaluator = simple_evaluator("third", _weighted(), [1 / 3, 0.0])
    assert evaluator.params_for(4, 4).dtype == np.float32
    assert evaluator.value(Board.parse("1000/0000/0000/0000")) == float(np.float32(1 / 3))


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


def test_numbers_with_names_are_weights() -> None:
    evaluator = simple_evaluator("mine", _weighted(), {"base": 0.5, "score": 2.0})
    assert evaluator.weights == {"base": 0.5, "score": 2.0}
    bits = BOARD.to_bits().bit_count()
    assert evaluator.value(BOARD, 10) == 0.5 * bits + 20
    assert evaluator.reweighted({"score": 3}).value(BOARD, 10) == 0.5 * bits + 30
    assert simple_evaluator("mine", _weighted(), [0.5, 2.0]).weights == {}


@pytest.mark.parametrize("name", ["ply", "Empty", "", "two words", "file_sha256", "9", "a=b"])
def test_names_that_no_spec_can_hold_are_refused(name: str) -> None:
    with pytest.raises(InvalidSpec, match="expected weights of eval=mine in lower case"):
        simple_evaluator("mine", _weighted(), {name: 1.0})


def helps(evaluator: Evaluator) -> list[str]:
    return [weight.help for weight in evaluator.weight_keys.values()]


@pytest.mark.parametrize("name", EVALUATORS)
def test_weights_change_the_value_and_nothing_else(name: str) -> None:
    evaluator = replace(EVALUATORS[name], adds_reward=True)
    assert evaluator.reweighted({}) is evaluator
    assert evaluator.reweighted(evaluator.weights) is evaluator
    for key, weight in evaluator.weights.items():
        changed = evaluator.reweighted({key: weight / 2})
        assert changed.weights == {**evaluator.weights, key: weight / 2}
        assert changed.value(BUSY, 1000) != evaluator.value(BUSY, 1000)
        assert changed.terms(BUSY, 1000) != evaluator.terms(BUSY, 1000)
        assert changed.adds_reward
        assert (changed.name, helps(changed)) == (name, helps(evaluator))
        assert changed.reweighted({key: weight}).value(BUSY, 1000) == evaluator.value(BUSY, 1000)


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


@pytest.mark.parametrize("name", EVALUATORS)
def test_values_are_finite_at_the_largest_weights(name: str) -> None:
    evaluator = EVALUATORS[name]
    for side in ("low", "high"):
        limits = {key: getattr(weight, side) for key, weight in evaluator.weight_keys.items()}
        params = evaluator.reweighted(limits).params_for(4, 4)
        assert name == "clustering" or np.isfinite(params).all()
        assert math.isfinite(evaluator.reweighted(limits).value(BUSY, 1000))


def test_known_names_are_found_and_others_refused() -> None:
    for name, evaluator in EVALUATORS.items():
        assert find_evaluator(name) is evaluator
        assert evaluator.name == name
    with pytest.raises(InvalidSpec, match=r"expected eval= and one of .*, got 'best'"):
        find_evaluator("best")


@pytest.mark.parametrize("evaluator", EVALUATORS.values(), ids=list(EVALUATORS))
def test_an_evaluator_keeps_its_parameters_for_every_search(evaluator: Evaluator) -> None:
    params = evaluator.params_for(4, 4)
    assert params is evaluator.params_for(4, 4)
    assert params.dtype == np.float32
    assert params.ndim == 1
    assert params.flags.c_contiguous
    assert evaluator.kernel_for(4, 4) is evaluator.kernel_for(4, 4)
    assert evaluator.summary
    assert not evaluator.summary.endswith(".")
    assert evaluator.unit in ("points", "own unit")


@pytest.mark.parametrize("evaluator", EVALUATORS.values(), ids=list(EVALUATORS))
def test_shapes_in_words_are_the_shapes_supported(evaluator: Evaluator) -> None:
    expected = {"boards of 4x4": only_4x4, "boards up to 4x4": small_shapes}[evaluator.shapes]
    for rows in range(1, 9):
        for cols in range(1, 9):
            assert evaluator.supports(rows, cols) == expected(rows, cols)
            assert bool(evaluator.unsupported(rows, cols)) != evaluator.supports(rows, cols)


def test_shapes() -> None:
    assert [small_shapes(*shape) for shape in ((1, 2), (4, 4), (4, 5), (5, 1))] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [only_4x4(*shape) for shape in ((4, 4), (3, 4), (4, 3))] == [True, False, False]
