"""Explanations: the parts of a value, of a board and of its moves."""

from dataclasses import replace

import pytest

from twofold import Board, Move, Rules
from twofold.players import make_player
from twofold.values import EVALUATORS
from twofold.values.evaluator import Terms, explain

BOARD = Board.parse("0012/0013/0024/1357")


@pytest.mark.parametrize("name", EVALUATORS)
def test_the_parts_are_those_of_the_evaluator(name: str) -> None:
    evaluator = EVALUATORS[name]
    found = explain(evaluator, BOARD, 1000)
    assert found.board == Terms(evaluator.terms(BOARD, 1000), evaluator.value(BOARD, 1000))
    assert found.names == tuple(found.board.parts)
    assert [terms is not None for terms in found.moves] == [True, False, True, True]
    assert found.add_up == (name != "clustering")  # which rounds to whole points


def test_an_evaluator_of_afterstates_sees_the_afterstate_and_the_score_after_it() -> None:
    evaluator = EVALUATORS["clustering"]
    after, reward = BOARD.slide(Move.UP)
    terms = explain(evaluator, BOARD, 1000).moves[Move.UP]
    assert terms is not None
    assert terms.parts == evaluator.terms(after, 1000 + reward)
    assert terms.parts["score"] == 1004


@pytest.mark.parametrize("rules", [Rules(), Rules.parse("4x4 spawn=2:0.5,8:0.5")])
def test_an_evaluator_of_states_sees_the_mean_over_the_spawns(rules: Rules) -> None:
    evaluator = EVALUATORS["it3105-snake"]
    terms = explain(evaluator, BOARD, rules=rules).moves[Move.LEFT]
    assert terms is not None
    after = BOARD.slide(Move.LEFT).board
    values = [
        (spawn.probability, evaluator.value(after.place(spawn.cell, spawn.tile)))
        for spawn in after.spawns(rules)
    ]
    assert terms.value == pytest.approx(sum(chance * value for chance, value in values))
    assert terms.total == pytest.approx(terms.value)


@pytest.mark.parametrize("name", ["rows", "snake", "smooth"])
def test_the_values_are_those_of_a_search_of_one_ply(name: str) -> None:
    analysis = make_player(f"expectimax:eval={name},ply=1").analyse(BOARD)
    for one, terms in zip(analysis.moves, explain(EVALUATORS[name], BOARD).moves, strict=True):
        assert one.value == (None if terms is None else pytest.approx(terms.value))


def test_parts_that_not_all_boards_have() -> None:
    def parts(board: Board, score: int) -> dict[str, float]:
        return {"full": 1.0} if len(board.empty_cells) < 10 else {"empty": 2.0, "more": 1.0}

    evaluator = replace(EVALUATORS["it3105-snake"], terms_of=parts)
    found = explain(evaluator, Board.parse("1230/4500/6000/7800"))
    assert set(found.names) == {"full"} or {"full", "empty", "more"} >= set(found.names)
    assert not found.add_up


def test_parts_add_up_within_rounding() -> None:
    assert Terms({"a": 1e6, "b": -1e6}, 0.5).add_up
    assert not Terms({"a": 1.0}, 1.01).add_up
