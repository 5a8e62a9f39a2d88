"""The environments, written on `Game`: the naive twins of the fast ones."""

from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from tests.kernels.drivers import merged
from twofold.env.games import Illegal, Observation, Reward, observe
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.game.step import Status

SMALL = [(rows, cols) for rows in range(1, 6) for cols in range(1, 6) if rows * cols > 1]
"""Every shape from 1x2 to 5x5."""


class NaiveEnv:
    """One game of `Env2048` or `VectorEnv2048`."""

    def __init__(
        self,
        rules: Rules,
        observation: Observation = "exponents",
        reward: Reward = "score",
        illegal: Illegal = "noop",
        penalty: float = 1.0,
    ) -> None:
        self.rules = rules
        self.observation, self.reward = observation, reward
        self.illegal, self.penalty = illegal, penalty

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        if seed is not None:
            self.rng, _ = seeding.np_random(seed)
        first = int(self.rng.integers(2**64, dtype=np.uint64)) if seed is None else seed
        self.begin(Game(self.rules, seed=first))
        return self.look()

    def begin(self, game: Game) -> None:
        self.game, self.ended, self.spawn = game, False, (-1, 0)

    def look(self) -> tuple[NDArray[Any], dict[str, Any]]:
        over = self.ended or self.game.is_finished
        self.legal = () if over else self.game.legal_moves()
        info = {
            "action_mask": [int(move in self.legal) for move in range(4)],
            "max_tile": self.game.board.max_tile,
            "move_number": self.game.move_number,
            "score": self.game.score,
            "seed": self.game.seed,
            "spawn_cell": self.spawn[0],
            "spawn_tile": self.spawn[1],
        }
        return observe(self.game.board, self.observation, self.rules), info

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, dict[str, Any]]:
        reward, self.spawn = 0.0, (-1, 0)
        if not self.legal:
            self.ended = True
        elif action in self.legal:
            reward = self.worth(Move(action))
            after = self.game.board.slide(Move(action)).board.tiles
            self.game.play(Move(action))
            tiles = zip(sum(self.game.board.tiles, ()), sum(after, ()), strict=True)
            (self.spawn,) = ((cell, one) for cell, (one, old) in enumerate(tiles) if one != old)
            self.ended = self.game.status in (Status.OVER, Status.STOPPED)
        elif self.illegal == "penalty":
            reward = -self.penalty
        elif self.illegal == "terminate":
            self.ended = True
        observation, info = self.look()
        return observation, reward, self.ended, info

    def afterstates(self) -> tuple[NDArray[Any], ...]:
        """The boards after each slide as they are seen, the rewards, and the mask."""
        board, legal = self.game.board, [move in self.legal for move in Move]
        afters = [board.slide(move).board if move in self.legal else board for move in Move]
        seen = np.array([observe(after, self.observation, self.rules) for after in afters])
        worth = [self.worth(move) if move in self.legal else 0.0 for move in Move]
        return seen, np.array(worth, dtype=float), np.array(legal, dtype=np.int8)

    def worth(self, move: Move) -> float:
        board = self.game.board
        made = [1 << one for one in merged(board.exponents, *board.shape, move)]
        if self.reward == "score":
            assert sum(made) == board.slide(move).reward
            return sum(made)
        if self.reward == "log2":
            return float(sum(np.log2(made))) if made else 0.0
        number = self.game.move_number
        twin = Game.from_board(board, self.rules, self.game.seed, move_number=number)
        twin.play(move)
        return float(twin.goal_reached and not self.game.goal_reached)


def assert_equal(found: NDArray[Any], expected: Any) -> None:
    """As NumPy's function, which takes ten times as long for equal arrays."""
    if not np.array_equal(found, expected):
        np.testing.assert_array_equal(found, expected)


def assert_same(found: Any, expected: Any) -> None:
    """Equal in type, shape and every value, through dictionaries, tuples and arrays of objects."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        if expected.dtype == object:
            for one, other in zip(found, expected, strict=True):
                assert_same(one, other)
        else:
            assert_equal(found, expected)
    else:
        assert type(found) is type(expected)
        assert found == expected
