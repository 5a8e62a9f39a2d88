"""Expectimax in kernels equals the slow ones: values bit for bit, and the move."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests import literal
from tests.search.twins import (
    Twin,
    first_best,
    leaf_of,
    positions,
    same,
    small_positions,
    values_of,
)
from twofold.board import Board
from twofold.evaluators import EVALUATORS, Evaluator
from twofold.players import make_player
from twofold.players.searching import ExpectimaxPlayer
from twofold.rules import Move, Rules
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax

LETTERS = {move.letter: move for move in Move}
BOARDS = {1: 100, 2: 30, 3: 8}  # by plies


def twin_of(evaluator: Evaluator, rules: Rules) -> Twin:
    return Twin(
        rules,
        leaf_of(evaluator, rules.shape),
        evaluator.at == "state",
        evaluator.adds_reward,
        evaluator.dead_value,
    )


def literal_value(evaluator: Evaluator) -> Callable[[literal.Position], float]:
    leaf = leaf_of(evaluator, (4, 4))

    def value(grid: literal.Position) -> float:
        return leaf(tuple(max(tile.bit_length() - 1, 0) for row in grid for tile in row), 0)

    return value


@pytest.mark.parametrize("ply", BOARDS)
@pytest.mark.parametrize("name", [name for name in EVALUATORS if name != "clustering"])
def test_values_equal_the_transcription(name: str, ply: int) -> None:
    evaluator = EVALUATORS[name]
    value = literal_value(evaluator)
    search = Expectimax(evaluator, Rules(), Depth.fixed(ply))
    plain = Expectimax(evaluator, Rules(), Depth.fixed(ply), table_mb=0)
    for board, _ in positions(BOARDS[ply], 4 if ply > 1 else 16):
        letter, values = literal.expectimax(
            board.tiles, ply, value, evaluator.adds_reward, evaluator.dead_value,
            at_state=evaluator.at == "state",
        )  # fmt: skip
        expected = {LETTERS[key]: value for key, value in values.items()}
        found = values_of(search, board, 0)
        assert same(found, expected)
        assert same(values_of(plain, board, 0), expected)
        assert first_best(found).letter == letter


@pytest.mark.parametrize("ply", [1, 2])
@pytest.mark.parametrize("name", EVALUATORS)
def test_values_equal_the_twin_with_its_score(name: str, ply: int) -> None:
    evaluator, rules = EVALUATORS[name], Rules()
    search, twin = Expectimax(evaluator, rules, Depth.fixed(ply)), twin_of(evaluator, rules)
    for board, score in positions(12 if ply == 2 else 40, 4, seed=5):
        found = values_of(search, board, score)
        assert same(found, twin.expectimax(board.exponents, score, ply))


LAWS = ["spawn=2:1", "spawn=2:0.5,4:0.5", "spawn=2:0.2,8:0.3,32:0.5", "spawn=4:1,16:2,32:3,64:4"]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["rows", "snake", "clustering", "it3105-snake"])
def test_other_spawn_laws(name: str, law: str) -> None:
    evaluator, rules = EVALUATORS[name], Rules.parse(law)
    search, twin = Expectimax(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
    for board, score in positions(6, 4, seed=6):
        found = values_of(search, board, score)
        assert same(found, twin.expectimax(board.exponents, score, 2))


@pytest.mark.parametrize("shape", [(1, 2), (1, 4), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3), (3, 4)])
@pytest.mark.parametrize("name", EVALUATORS)
def test_other_shapes(name: str, shape: tuple[int, int]) -> None:
    evaluator, rules = EVALUATORS[name], Rules(*shape, start_tiles=1)
    if not evaluator.supports(*shape):
        assert evaluator.unsupported(*shape) == f"expected {evaluator.shapes} for eval={name}"
        return
    search, twin = Expectimax(evaluator, rules, Depth.fixed(3)), twin_of(evaluator, rules)
    for board in small_positions(shape, 6):
        for ply in (1, 2, 3) if shape[0] * shape[1] < 7 else (1, 2):
            found = values_of(search, board, 500, ply)
            assert same(found, twin.expectimax(board.exponents, 500, ply))


@pytest.mark.parametrize("at", ["afterstate", "state"])
@pytest.mark.parametrize("dead_value", [0.0, -12345.5])
def test_rewards_and_dead_boards_count_as_the_evaluator_says(at: Any, dead_value: float) -> None:
    rows = EVALUATORS["rows"]
    evaluator = replace(rows, adds_reward=True, dead_value=dead_value, at=at)
    for shape, count in (((2, 2), 20), ((2, 3), 10), ((4, 4), 4)):
        rules = Rules(*shape)
        search, twin = Expectimax(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
        for board in small_positions(shape, count, largest=4):
            found = values_of(search, board, 0)
            assert same(found, twin.expectimax(board.exponents, 0, 2))


@pytest.mark.parametrize("name", EVALUATORS)
def test_the_player_makes_the_first_best_move(name: str) -> None:
    player = make_player(f"expectimax:eval={name},ply=2")
    for board, score in positions(30, 8, seed=9):
        analysis = player.analyse(board, score=score)
        values = {move.move: move.value for move in analysis.moves if move.value is not None}
        assert player.choose(board, score=score) == analysis.best == first_best(values)


def test_of_equal_values_the_first_move_wins() -> None:
    board = Board.parse("0000/0110/0110/0000")
    player = make_player("expectimax:eval=snake,ply=2")
    values = {move.value for move in player.analyse(board).moves}
    assert len(values) == 1
    assert player.choose(board) is Move.UP
    assert player.choose(Board.parse("1000/2000/3000/4000")) is Move.RIGHT


def test_depth_depends_on_the_empty_cells_where_it_should() -> None:
    player = make_player("it3105-snake")
    assert isinstance(player, ExpectimaxPlayer)
    four, three = Board.parse("1212/2121/1212/0000"), Board.parse("1212/2121/1212/1000")
    assert player.analyse(four).depth == "3 plies"
    assert player.analyse(three).depth == "4 plies"
    assert make_player("expectimax:ply=1").analyse(three).depth == "1 ply"
    small = Expectimax(EVALUATORS["rows"], Rules(2, 3), Depth.few(2, few=3, few_ply=1))
    assert small.own_depth(small.position(Board.parse("2x3:120/000"))) == 2
    assert small.own_depth(small.position(Board.parse("2x3:121/200"))) == 1


def test_nodes_are_counted_and_a_table_saves_some() -> None:
    board, _ = positions(1, 6)[0]
    counts = []
    for table_mb in (0, 16):
        search = Expectimax(EVALUATORS["rows"], Rules(), Depth.fixed(3), table_mb=table_mb)
        values_of(search, board, 0)
        counts.append(search.context.nodes)
    assert counts[0] > counts[1] > 0
