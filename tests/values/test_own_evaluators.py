"""Evaluators from a function of one's own, and the parts of a value that explain it."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from twofold.errors import InvalidSpec, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels.expectimax import CONTEXT_WORDS
from twofold.kernels.intrinsics import popcount
from twofold.search.context import Context
from twofold.values import EVALUATORS, compiled, compiled_on_cells, simple_evaluator
from twofold.values.evaluator import Terms, explain

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
