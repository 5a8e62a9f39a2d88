"""Afterstates are the boards after the slide, and their rewards are those of a step."""

from typing import get_args

import numpy as np
import pytest

from tests.env.naive import NaiveEnv, assert_same
from twofold.env.games import Observation, Reward, observe
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules

BOARDS = {
    "4x4": ["1100022003034321", "ff000000000000ff", "1234234134124123", "g000gf0f00001000"],
    "3x2": ["3x2:11/22/30", "3x2:12/21/12"],
    "2x5": ["2x5:11022/99033"],
}


@pytest.mark.parametrize("observation", get_args(Observation))
@pytest.mark.parametrize("reward", get_args(Reward))
@pytest.mark.parametrize("shape", list(BOARDS))
def test_they_equal_those_of_boards(shape: str, reward: Reward, observation: Observation) -> None:
    if shape == "2x5" and observation == "bits":
        return
    rules = Rules.parse(f"{shape} goal=8")
    env = Env2048(rules, observation, reward)
    for text in BOARDS[shape]:
        board = Board.parse(text)
        env.reset(options={"board": board})
        boards, rewards, mask = env.afterstates()
        naive = NaiveEnv(rules, observation, reward)
        naive.begin(Game.from_board(board, rules, seed=0))
        assert boards.dtype == env.observation_space.dtype
        assert rewards.dtype == np.float64
        assert mask.dtype == np.int8
        for move in Move:
            legal = move in board.legal_moves()
            after = board.slide(move).board if legal else board
            assert_same(boards[move], observe(after, observation, rules))
            assert rewards[move] == (naive.worth(move) if legal else 0)
            assert mask[move] == legal


def test_those_of_many_games_are_those_of_each() -> None:
    many = VectorEnv2048(7, "3x3", "onehot", "log2")
    many.reset(seed=1)
    for _ in range(25):
        many.step(many.sample_actions())
    boards, rewards, mask = many.afterstates()
    assert (boards.shape, rewards.shape, mask.shape) == ((7, 4, 11, 3, 3), (7, 4), (7, 4))
    one = Env2048("3x3", "onehot", "log2")
    for game in range(7):
        one.reset(options={"board": many.board(game)})
        expected = one.afterstates()
        for part, found in zip(expected, (boards[game], rewards[game], mask[game]), strict=True):
            assert_same(found, part)


def test_a_step_is_an_afterstate_with_a_tile_more() -> None:
    env = Env2048(reward="log2")
    env.reset(seed=1)
    terminated = False
    while not terminated:
        boards, rewards, mask = env.afterstates()
        action = int(np.argmax(np.where(mask, rewards, -1)))
        observation, reward, terminated, _, _ = env.step(action)
        assert reward == rewards[action]
        assert np.count_nonzero(observation != boards[action]) == 1


def test_no_legal_afterstates_after_the_end() -> None:
    env = Env2048("4x4 goal=16 stop=goal")
    observation, _ = env.reset(options={"board": "4100/0000/0000/0000"})
    boards, rewards, mask = env.afterstates()
    assert (boards == observation).all()
    assert not rewards.any()
    assert not mask.any()
