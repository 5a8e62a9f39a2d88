"""The seeds of the games of a vector environment, one generator (`np_random`) a game.

Seeds are drawn in blocks, with the same result as one by one.
"""

from collections.abc import Sequence

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from twofold.env.games import BLOCK, EnvGames, next_seeds
from twofold.errors import InvalidInput, InvalidSeed
from twofold.limits import MAX_SEED
from twofold.notation import as_int, check_seed, shown


class Seeding:
    """The generators of games; `begin` and `refill` write the games' seeds."""

    def __init__(self, games: EnvGames) -> None:
        self._games = games
        self._generators: list[np.random.Generator | None] = [None] * len(games)
        self._ahead, self._used = games.ahead, games.used

    def listed(self, seed: int | Sequence[int | None] | NDArray[np.integer]) -> list[int | None]:
        """A seed for each game, or None: `seed + i` for game i, or one seed per game.

        Raises `InvalidSeed` if one is out of range, `InvalidInput` if their number is wrong.
        """
        count = len(self._games)
        if as_int(seed) is not None:
            first = check_seed(seed)
            if first + count - 1 > MAX_SEED:
                raise InvalidSeed(
                    f"expected a seed up to 2^64 - {count} for {count} games, got {first}"
                )
            return [*range(first, first + count)]
        if isinstance(seed, np.ndarray) and seed.ndim == 1 and seed.dtype.kind in "iu":
            seed = seed.tolist()
        if not isinstance(seed, (list, tuple)):
            raise InvalidSeed(f"expected a seed or a list of seeds, got {shown(seed)}")
        if len(seed) != count:
            raise InvalidInput(f"expected {count} seeds, one for each game, got {len(seed)}")
        return [None if one is None else check_seed(one) for one in seed]

    def begin(self, seeds: list[int | None] | None, which: NDArray[np.bool_]) -> None:
        """Give the games of the mask `which` their next seeds, see `listed`; None continues."""
        games = np.flatnonzero(which)
        if seeds is not None:
            for game in games.tolist():
                if seeds[game] is not None:
                    self._seed(game, seeds[game])
            games = games[[seeds[game] is None for game in games.tolist()]]
        self._continue(games)

    def _seed(self, game: int, seed: int | None) -> None:
        generator, _ = seeding.np_random(seed)
        self._generators[game] = generator
        self._fill(game)
        if seed is not None:
            self._games.seeds[game] = seed

    def _continue(self, games: NDArray[np.int64]) -> None:
        """Use the next seed of each game; a game without a generator gets a random one."""
        for game in games[self._used[games] == BLOCK].tolist():
            if self._generators[game] is None:
                self._seed(game, None)
        used = self._used[games]
        self._games.seeds[games] = self._ahead[games, used]
        self._used[games] = used + 1
        if (used + 1 == BLOCK).any():
            self.refill()

    def refill(self) -> None:
        """Draw new seeds for the games whose seeds are used up."""
        for game in np.flatnonzero(self._used == BLOCK).tolist():
            self._fill(game)

    def _fill(self, game: int) -> None:
        generator = self._generators[game]
        if generator is not None:
            self._ahead[game] = next_seeds(generator, BLOCK)
            self._used[game] = 0
