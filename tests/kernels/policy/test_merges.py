"""Rewards by merges and advantages against naive twins."""

import numpy as np
import pytest

from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels.policy import advantages, merge_rewards


@pytest.mark.parametrize("shape", [(4, 4), (2, 3), (5, 2), (1, 4)])
def test_points_are_the_rewards_of_the_rules(shape: tuple[int, int]) -> None:
    dice = np.random.default_rng(3)
    boards = dice.integers(0, 5, (300, *shape)).astype(np.uint8)
    points = np.array([2.0**k if k else 0.0 for k in range(37)])
    for move in Move:
        found = np.empty(300, dtype=np.float32)
        merge_rewards(boards, np.full(300, int(move)), points, found)
        for cells, reward in zip(boards, found.tolist(), strict=True):
            board = Board(cells.reshape(-1).tolist(), shape)
            legal = move in board.legal_moves()
            assert reward == (board.slide(move).reward if legal else 0)


def test_each_merge_is_paid_by_its_tile() -> None:
    board = np.array([[[1, 1, 2, 2], [3, 3, 3, 0], [1, 2, 3, 4], [0, 0, 0, 0]]], dtype=np.uint8)
    values, found = np.zeros(37), np.empty(1, dtype=np.float32)
    values[2], values[3], values[4] = 1, 10, 100
    merge_rewards(board, np.array([int(Move.LEFT)]), values, found)
    assert found[0] == 111


def test_advantages_equal_the_sum_over_errors() -> None:
    dice = np.random.default_rng(5)
    steps, games, gamma, decay = 9, 4, 0.9, 0.7
    rewards = dice.normal(size=(steps, games)).astype(np.float32)
    values = dice.normal(size=(steps + 1, games)).astype(np.float32)
    ended = dice.random((steps, games)) < 0.2
    found = np.empty((steps, games), dtype=np.float32)
    advantages(rewards, values, ended, gamma, decay, found)
    for game in range(games):
        for step in range(steps):
            total, factor = 0.0, 1.0
            for later in range(step, steps):
                stays = not ended[later, game]
                error = rewards[later, game] - values[later, game]
                error += gamma * values[later + 1, game] * stays
                total += factor * error
                if not stays:
                    break
                factor *= gamma * decay
            assert found[step, game] == pytest.approx(total, rel=1e-4, abs=1e-5)
