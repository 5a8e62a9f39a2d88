"""Training games: many at once, each with its own seed; and the test games of a network."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import mean_interval
from twofold.env.games import EnvGames, EnvSettings
from twofold.errors import InvalidNetwork
from twofold.game.rules import Rules
from twofold.kernels.policy import merge_rewards, moves_back, turn_each
from twofold.learn.curve import Measured, tiles_up_to
from twofold.learn.policy_settings import PolicySettings
from twofold.limits import MAX_SCORE, MAX_SEED
from twofold.storage.arrays import checked
from twofold.values.policy_network import PolicyNetwork, find_reward

BASE: Final = 14
"""Exponent around which scaffolds are built once such tiles were reached. Source: PufferLib."""


class TrainingGames:
    """Games that begin anew where they end.

    Their rules, number, reward, scaffolds and symmetry are those of the settings, whose seed is
    that of the first game; the next ones count up.

    Attributes:
        boards: exponents, (count, rows, cols).
        legal: int8, (count, 4).
        ended: bool, (count,): True if the last step ended the game; a new one has begun then.
        largest: the largest exponent reached so far.
    """

    def __init__(self, settings: PolicySettings) -> None:
        self._settings, self._reward = settings, find_reward(settings.reward)
        count = settings.games
        self._games = EnvGames(EnvSettings(settings.rules, illegal="error"), count)
        self.boards: NDArray[Any] = np.empty_like(self._games.observations)
        self.legal = np.empty_like(self._games.legal)
        self._turns = np.zeros(count, dtype=np.int64)
        self.ended = np.zeros(count, dtype=np.bool_)
        self.largest = 0
        self._next_seed = settings.seed
        self._placed = np.zeros(count, dtype=np.bool_)
        self._random = np.random.Generator(np.random.PCG64(settings.seed))
        self._rewards = np.zeros(count, dtype=np.float32)
        self._begin(np.ones(count, dtype=np.bool_))
        self._show()

    def __len__(self) -> int:
        return len(self.ended)

    def step(self, moves: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
        """Make a legal move in every game; games that end begin anew.

        Returns:
            The rewards, float32 (count,), in one array that is reused; and score, moves, largest
            exponent of the games that ended and had begun with start tiles.
        """
        games, rewards = self._games, self._rewards
        merge_rewards(self.boards, moves, self._reward.values, rewards)
        moves_back(moves, self._turns, games.actions)
        games.step()
        np.copyto(self.ended, games.terminated)
        results = self._begin_again() if self.ended.any() else np.zeros((0, 3), dtype=np.uint64)
        self._show()
        return rewards, results

    def _show(self) -> None:
        """Fill in boards and legal moves as they are seen from outside."""
        games = self._games
        if self._settings.symmetric:
            turn_each(games.observations, games.legal, self.boards, self.legal, self._turns)
        else:
            self.boards[:], self.legal[:] = games.observations, games.legal

    def _begin_again(self) -> NDArray[np.uint64]:
        """Begin games anew where they ended; returns the results of those that count."""
        games, rewards = self._games, self._rewards
        over = np.flatnonzero(self.ended)
        rewards[over] += self._reward.death
        self.largest = max(self.largest, int(games.max_tiles.max()).bit_length() - 1)
        whole = over[~self._placed[over]]
        results = np.empty((len(whole), 3), dtype=np.uint64)
        results[:, 0], results[:, 1] = games.scores[whole], games.move_numbers[whole]
        results[:, 2] = np.log2(games.max_tiles[whole]).round()
        self._begin(self.ended)
        return results

    def _begin(self, which: NDArray[np.bool_]) -> None:
        places = np.flatnonzero(which)
        steps = np.arange(len(places), dtype=np.uint64)
        self._games.seeds[places] = np.uint64(self._next_seed) + steps
        self._next_seed = (self._next_seed + len(places)) & MAX_SEED
        self._games.start(which)
        self._placed[places] = False
        if self._settings.scaffold and self.largest:
            chosen = places[self._random.random(len(places)) < self._settings.scaffold]
            if len(chosen):
                self._place(chosen)

    def _place(self, places: NDArray[np.int64]) -> None:
        """Begin games with their start tiles and one or two large ones.

        Until 2^14 was reached, that is one of at least a quarter of the largest so far; then 2^14,
        2^15, 2^14 with 2^13, or 2^15 with 2^14. Smaller boards scale this down.

        Source: PufferLib, 2048, January 2026.
        """
        tiles = self._tiles(len(places))
        boards = self._games.observations.reshape(len(self), -1)[places]
        order = np.where(boards, 1.0, self._random.random(boards.shape)).argsort(axis=1)
        boards[np.arange(len(places))[:, np.newaxis], order[:, :2]] = tiles
        roomy = (boards == 0).any(axis=1)
        self._games.place_each(places[roomy], boards[roomy])
        self._placed[places[roomy]] = True

    def _tiles(self, count: int) -> NDArray[np.uint8]:
        """One or two large tiles for each game, (count, 2)."""
        base = min(BASE, self.largest)
        if self.largest < BASE:
            tiles = np.zeros((count, 2), dtype=np.uint8)
            tiles[:, 0] = np.maximum(base - 2 + self._random.integers(3, size=count), 3)
            return tiles
        kinds = np.array([[base, 0], [base + 1, 0], [base, base - 1], [base + 1, base]], np.uint8)
        return kinds[self._random.integers(len(kinds), size=count)]

    # ---- what a checkpoint keeps

    def state(self) -> dict[str, NDArray[np.generic]]:
        """All that the next step depends on."""
        games = self._games
        generator = self._random.bit_generator.state
        words = [generator["state"]["state"], generator["state"]["inc"]]
        halves = [word >> shift & MAX_SEED for word in words for shift in (0, 64)]
        rest = [generator["has_uint32"], generator["uinteger"], self._next_seed, self.largest]
        return {
            "boards": games.observations.reshape(len(self), -1).copy(),
            "seeds": games.seeds.copy(),
            "scores": games.scores.copy(),
            "move_numbers": games.move_numbers.copy(),
            "placed": self._placed.astype(np.uint8),
            "numbers": np.array([*halves, *rest], dtype=np.uint64),
        }

    def restore(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Continue from a `state`; raises `InvalidNetwork` for that of other games."""
        check_state(state, self.state(), self._settings.rules)
        self._games.seeds[:] = state["seeds"]
        self._games.place_each(np.arange(len(self)), state["boards"].astype(np.uint8))
        self._games.scores[:], self._games.move_numbers[:] = state["scores"], state["move_numbers"]
        self._show()
        self._placed[:] = state["placed"] != 0
        low, high, low_inc, high_inc, has, uinteger, seed, largest = state["numbers"].tolist()
        self._random.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": low | high << 64, "inc": low_inc | high_inc << 64},
            "has_uint32": has,
            "uinteger": uinteger,
        }
        self._next_seed, self.largest = seed, largest


def check_state(
    state: Mapping[str, NDArray[Any]], like: Mapping[str, NDArray[Any]], rules: Rules
) -> None:
    """Raise `InvalidNetwork` for a state that training games under these rules cannot have.

    Its arrays must have the types and shapes of those in `like`.
    """
    for name, one in like.items():
        checked(state, name, (one.dtype,), one.shape, f"{len(like['boards'])} games")
    boards, highest = state["boards"].astype(np.uint64), rules.max_exponent
    if max(boards.max(), state.get("largest", 0)) > highest:
        raise InvalidNetwork(f"expected exponents up to {highest}, got {boards.max()}")
    sums = np.where(boards > 0, np.uint64(1) << boards, 0).sum(axis=1)
    if not sums.all() or sums.max() >= 2 << highest:
        raise InvalidNetwork("expected boards of games, got an empty or an impossible one")
    scores = state["scores"].astype(np.float64)
    if ((scores < 0) | (scores > MAX_SCORE)).any():
        raise InvalidNetwork(f"expected scores from 0 to {MAX_SCORE}, got others")


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
        games = EnvGames(EnvSettings(self.rules), self.games)
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
