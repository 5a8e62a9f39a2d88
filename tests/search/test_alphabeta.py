"""Minimax and alpha-beta in kernels equal the slow ones; pruning changes no decision."""

from dataclasses import replace

import numpy as np
import pytest

from tests import literal
from tests.literal.datumbox import LARGEST
from tests.search.twins import Twin, first_best, leaf_of, positions, small_positions, values_of
from twofold.board import Board
from twofold.evaluators import EVALUATORS
from twofold.kernels import play
from twofold.players import make_player
from twofold.rules import Move, Rules
from twofold.search.alphabeta import AlphaBeta

DEPTHS = {1: 60, 2: 25, 3: 10, 4: 4}  # boards by half-moves
LETTERS = {move.letter: move for move in Move}


def policy_move(search: AlphaBeta, board: Board, score: int) -> Move:
    """The move of the compiled policy, which prunes against the best move so far."""
    legal = sum(1 << move for move in board.legal_moves())
    words = np.uint64(search.policy), np.uint64(board.to_bits())
    return Move(play.ask(*words, legal, score, np.uint64(0), search.context.words))


@pytest.mark.parametrize("prunes", [True, False])
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", EVALUATORS)
def test_values_equal_the_transcription(name: str, depth: int, prunes: bool) -> None:
    evaluator = EVALUATORS[name]
    leaf = leaf_of(evaluator, (4, 4))

    def value(grid: literal.Position, score: int) -> float:
        return leaf(tuple(max(tile.bit_length() - 1, 0) for row in grid for tile in row), score)

    def ending(grid: literal.Position, score: int) -> float | None:
        return evaluator.dead_value if literal.is_dead(grid) else None

    search = AlphaBeta(evaluator, Rules(), depth, prunes=prunes)
    for board, score in positions(DEPTHS[depth], 5, seed=3):
        twin = Twin(Rules(), leaf, dead_value=evaluator.dead_value)
        if depth < 4:
            expected = twin.minimax(board.exponents, score, depth)
        else:
            _, values = literal.minimax(board.tiles, score, depth, value, ending=ending)
            expected = {LETTERS[key]: value for key, value in values.items()}
        assert values_of(search, board, score) == expected
        assert policy_move(search, board, score) is first_best(expected)


@pytest.mark.parametrize("adds_reward", [True, False])
@pytest.mark.parametrize("rules", ["2x2", "2x3 spawn=2:0.5,8:0.5", "1x4", "3x3 spawn=4:1", "3x4"])
@pytest.mark.parametrize("name", ["rows", "baeldung", "clustering", "snake"])
def test_other_shapes_and_spawns(name: str, rules: str, adds_reward: bool) -> None:
    under = Rules.parse(rules)
    evaluator = replace(EVALUATORS[name], adds_reward=adds_reward, dead_value=-777.0)
    twin = Twin(under, leaf_of(evaluator, under.shape), False, adds_reward, -777.0)
    searches = [AlphaBeta(evaluator, under, 3, prunes=prunes) for prunes in (True, False)]
    for board in small_positions(under.shape, 5 if under.rows * under.cols > 6 else 12):
        for depth in (1, 2, 3):
            expected = twin.minimax(board.exponents, 100, depth)
            for search in searches:
                found = values_of(search, board, 100, depth)
                assert found == expected
        for search in searches:
            assert policy_move(search, board, 100) is first_best(expected)


@pytest.mark.parametrize("depth", [3, 5, 6])
def test_pruning_changes_no_decision(depth: int) -> None:
    for name in ("rows", "snake", "clustering"):
        pruned = AlphaBeta(EVALUATORS[name], Rules(), depth)
        plain = AlphaBeta(EVALUATORS[name], Rules(), depth, prunes=False)
        for board, score in positions(40 if depth < 5 else 8, 3, seed=depth):
            values = values_of(plain, board, score)
            assert values_of(pruned, board, score) == values
            assert policy_move(pruned, board, score) is first_best(values)
            assert policy_move(plain, board, score) is first_best(values)
        assert pruned.context.nodes < plain.context.nodes


def test_a_won_board_is_worth_more_than_any_other() -> None:
    rules = Rules.parse("4x4 goal=64")
    search = AlphaBeta(EVALUATORS["clustering"], rules, 3, wins_at_goal=True)
    board = Board.parse("0550/1234/2121/3434")
    values = values_of(search, board, 500)
    assert values[Move.LEFT] == values[Move.RIGHT] == LARGEST
    assert policy_move(search, board, 500) is first_best(values)
    never = AlphaBeta(EVALUATORS["clustering"], Rules.parse("4x4 goal=65536"), 3, wins_at_goal=True)
    assert max(values_of(never, board, 500).values()) < LARGEST


def test_of_equal_values_the_first_move_wins() -> None:
    board = Board.parse("0000/0110/0110/0000")
    assert policy_move(AlphaBeta(EVALUATORS["snake"], Rules(), 3), board, 0) is Move.UP


@pytest.mark.parametrize("spec", ["minimax:eval=rows,depth=3", "alphabeta:eval=rows,depth=3"])
def test_players_show_the_values_of_all_moves(spec: str) -> None:
    player = make_player(spec)
    for board, score in positions(10, 4, seed=8):
        analysis = player.analyse(board, score=score)
        values = {move.move: move.value for move in analysis.moves if move.value is not None}
        assert set(values) == set(board.legal_moves())
        assert analysis.best is first_best(values) is player.choose(board, score=score)
        assert analysis.depth == "3 half-moves"
