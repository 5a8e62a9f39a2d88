"""Test games of a network in training: the same seeds every time, greedy and drawn."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import mean_interval
from twofold.env.games import EnvGames
from twofold.env.settings import EnvSettings
from twofold.learn.curve import tiles_up_to
from twofold.learn.evaluation import Measured
from twofold.networks.policy import PolicyNetwork
from twofold.rules import Rules

FIRST_SEED: Final = 1 << 62
"""Seeds of test games begin here, far from those of training."""

_SAMPLING_SEED: Final = 1


class TrialGames:
    """Test games: played greedily, and again with moves drawn by their probabilities.

    `stop` is asked before each move; True ends the test without a result.
    """

    def __init__(self, rules: Rules, *, games: int, stop: Callable[[], bool] | None = None) -> None:
        self.rules, self.games, self.stop = rules, games, stop

    def __call__(self, network: PolicyNetwork) -> Measured | None:
        """Let a network play them; None if stopped."""
        greedy = self._play(network, None)
        sampled = self._play(network, np.random.Generator(np.random.PCG64(_SAMPLING_SEED)))
        if greedy is None or sampled is None:
            return None
        scores, largest = greedy
        interval = mean_interval(scores.tolist())
        margin = None if interval.half_width is None else round(interval.half_width, 2)
        tiles = tiles_up_to(self.rules.rows * self.rules.cols + 1)
        rates = {str(tile): float((largest >= tile).mean()) for tile in tiles}
        return Measured(
            round(interval.value, 2),
            margin,
            {},
            sampled=round(float(sampled[0].mean()), 2),
            reached={tile: rate for tile, rate in rates.items() if rate},
        )

    def _play(
        self, network: PolicyNetwork, random: np.random.Generator | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """Scores and largest tiles; moves are drawn if a generator is given."""
        settings = EnvSettings.checked(self.rules, "exponents", "score", "noop", 0.0)
        games = EnvGames(settings, self.games)
        games.seeds[:] = FIRST_SEED + np.arange(self.games, dtype=np.uint64)
        games.start(np.ones(self.games, dtype=np.bool_))
        while not games.terminated.all():
            if self.stop is not None and self.stop():
                return None
            going = np.flatnonzero(~games.terminated)
            boards = games.observations[going].reshape(len(going), -1).astype(np.uint8)
            logits = network.outputs(boards)[:, :4].astype(np.float64)
            logits[games.legal[going] == 0] = -np.inf
            if random is not None:  # the largest of logits with Gumbel noise is a draw
                logits -= np.log(random.exponential(size=logits.shape))
            games.actions[going] = logits.argmax(axis=1)
            games.step()
        return games.scores.copy(), games.max_tiles.copy()
