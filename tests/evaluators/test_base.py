"""Evaluators of the user's own, and what all evaluators say about themselves."""

from typing import Any

import numpy as np
import pytest

from twofold.board import Board
from twofold.errors import InvalidSpec
from twofold.evaluators import EVALUATORS, Evaluator, compiled, find_evaluator, simple_evaluator
from twofold.evaluators.base import only_4x4, small_shapes
from twofold.kernels.intrinsics import popcount

BOARD = Board.parse("1234/0000/0000/0001")


@compiled
def _weighted(bits: Any, score: Any, params: Any) -> Any:
    return params[0] * popcount(bits) + params[1] * score


def test_an_evaluator_from_one_function_and_numbers() -> None:
    evaluator = simple_evaluator("mine", _weighted, [0.5, 2.0], unit="points", needs_score=True)
    bits = BOARD.to_bits().bit_count()
    assert evaluator.value(BOARD, 10) == 0.5 * bits + 20
    assert evaluator.terms(BOARD, 10) == {"value": 0.5 * bits + 20}
    assert (evaluator.name, evaluator.summary, evaluator.unit) == ("mine", "mine", "points")
    assert (evaluator.at, evaluator.adds_reward, evaluator.dead_value) == ("afterstate", False, 0.0)


def test_params_are_float32() -> None:
    evaluator = simple_evaluator("third", _weighted, [1 / 3, 0.0])
    assert evaluator.params_for(4, 4).dtype == np.float32
    assert evaluator.value(Board.parse("1000/0000/0000/0000")) == float(np.float32(1 / 3))


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
    expected = {"4x4": only_4x4, "shapes up to 4x4": small_shapes}[evaluator.shapes]
    for rows in range(1, 9):
        for cols in range(1, 9):
            assert evaluator.supports(rows, cols) == expected(rows, cols)
            assert bool(evaluator.unsupported(rows, cols)) != evaluator.supports(rows, cols)


def test_shapes() -> None:
    assert [small_shapes(*shape) for shape in ((1, 2), (4, 4), (4, 5), (5, 1))] == [
        True, True, False, False,
    ]  # fmt: skip
    assert [only_4x4(*shape) for shape in ((4, 4), (3, 4), (4, 3))] == [True, False, False]
