"""Alpha-beta: wins, the transposition table, lines and budgets."""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.support.literal import LARGEST
from tests.support.twins import (
    first_best,
    leaf_of,
    policy_move,
    positions,
    small_positions,
    values_of,
)
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels.play import GAMMA
from twofold.players import make_player
from twofold.search.alphabeta import AlphaBeta
from twofold.search.analysis import Analysis
from twofold.values import EVALUATORS, Evaluator, compiled, simple_evaluator

# The transposition table


@pytest.mark.parametrize(
    ("wins", "dead_is_score", "adds_reward"), list(product([False, True], repeat=3))
)
def test_the_table_knows_what_a_value_depends_on(
    wins: bool, dead_is_score: bool, adds_reward: bool
) -> None:
    rules, hits = Rules.parse("3x3 goal=128"), 0
    for name, depth in product(("rows", "clustering", "smooth"), (5, 6, 7)):
        evaluator = replace(EVALUATORS[name], adds_reward=adds_reward, dead_value=-50.0)
        plain, kept = (
            AlphaBeta(
                evaluator, rules, depth, prunes=prunes, wins_at_goal=wins,
                dead_is_score=dead_is_score,
            )
            for prunes in (False, True)
        )  # fmt: skip
        for board in small_positions((3, 3), 3, largest=6):
            for score in (0, 4, 1000):  # the same board, other scores: nothing may be mixed up
                expected = values_of(plain, board, score)
                assert policy_move(kept, board, score) is first_best(expected)
                assert values_of(kept, board, score) == expected
        hits += kept.hits
    assert hits > 0


@cache
def with_ties() -> Evaluator:
    """Two bits of a hash: many values equal an end of the window."""

    @compiled
    def value(bits: Any, score: Any, params: Any) -> Any:
        return np.float64((bits * GAMMA) >> np.uint64(40) & np.uint64(3))

    return simple_evaluator("ties", value)


def test_a_value_at_the_end_of_the_window_is_a_bound() -> None:
    plain, kept = (
        AlphaBeta(with_ties(), Rules(3, 3), 7, prunes=prunes) for prunes in (False, True)
    )
    for board in small_positions((3, 3), 30, largest=4):
        policy_move(kept, board, 0)
        assert values_of(kept, board) == values_of(plain, board)


def test_interrupted_values_are_not_kept() -> None:
    search = AlphaBeta(EVALUATORS["clustering"], Rules(), 7)
    for board, score in positions(3, 2, seed=13):
        search.forget()
        search.begin(afresh=True)
        expected = values_of(search, board, score)
        for limit in (1, 10, 100, 300):
            search.begin(afresh=True)
            search.limit_nodes(limit)
            values_of(search, board, score)
            assert search.gave_up()
            search.limit_nodes(None)
            assert values_of(search, board, score) == expected
    search.end()


# Lines and budgets


def end_of(analysis: Analysis) -> tuple[Board, int]:
    """The board and score at the end of a line that starts with a score of 500."""
    board, score = analysis.board, 500
    for step in analysis.line:
        board, reward = board.slide(step.move)
        score += reward
        if step.cell is not None and step.tile is not None:
            board = board.place(step.cell, step.tile)
    return board, score


@pytest.mark.parametrize("depth", range(1, 8))
@pytest.mark.parametrize("name", ["rows", "clustering", "it3105-snake"])
def test_the_line_leads_to_the_value(name: str, depth: int) -> None:
    player = make_player(f"alphabeta:eval={name},depth={depth}")
    minimax = AlphaBeta(EVALUATORS[name], Rules(), depth, prunes=False)
    leaf = leaf_of(EVALUATORS[name], (4, 4))
    for board, _ in positions(8, 2, seed=40 + depth):
        analysis = player.analyse(board, score=500)
        end, score = end_of(analysis)
        dead = EVALUATORS[name].dead_value
        over = end.is_over and analysis.line[-1].cell is not None
        assert analysis.value == (dead if over else leaf(end.exponents, score))
        assert analysis.line == minimax.line(minimax.position(board), 500, analysis.best, depth)
        halves = sum(1 if step.cell is None else 2 for step in analysis.line)
        assert halves == depth or over
        assert analysis.line[0].move is analysis.best


def test_a_line_ends_where_the_game_is_won() -> None:
    player = make_player("datumbox:depth=7")
    player.start(Rules(goal=64), 0)
    analysis = player.analyse(Board.parse("0550/1234/2121/3434"), score=500)
    end, _ = end_of(analysis)
    assert analysis.value == LARGEST
    assert end.max_tile == 64
    assert analysis.line[-1].cell is None
    assert len(analysis.line) < 4
