"""Many games as one environment of Gymnasium: one kernel call steps all of them.

Game i of an environment reset with seed s is the game that `Env2048` plays with seed s + i, and so
are the games after it: a vector of N equals N single environments.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import starmap
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from twofold.env.games import (
    BLOCK,
    Afterstates,
    EnvGames,
    EnvSettings,
    Illegal,
    Numbers,
    Observation,
    Reward,
    Start,
    WithSpec,
    next_seeds,
    parse_start,
    space,
)
from twofold.env.single import FRAMES_PER_SECOND, check_mode, draw, write
from twofold.errors import InvalidInput, InvalidMove, InvalidSeed
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.notation import as_int, check_seed, shown
from twofold.game.rules import STANDARD, Rules
from twofold.kernels.env_games import EXHAUSTED
from twofold.limits import MAX_GAMES, MAX_SEED, check_limit


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


_LARGE: Final = 1 << 16
"""Bytes from which observations are copied by arithmetic. The C library's copy is ten times slower
on some AMD processors if the target's offset in its page is less than 64 bytes above the source's,
and a program that gets the same memory in every step is slow in every step."""

_KEYS: Final = ("action_mask", "score", "move_number", "max_tile", "seed")
_MASKS: Final = tuple(f"_{key}" for key in _KEYS)
"""The keys of infos, in the order of `Numbers`, and those of their masks."""

Step = tuple[
    NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]
"""Observations, rewards, terminations, truncations, infos."""


class VectorEnv2048(WithSpec, VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """Games of 2048 that step together; `Env2048` defines a step.

    After the end of a game, Gymnasium's modes apply: with `NEXT_STEP` the next step begins a new
    game and ignores the action; with `SAME_STEP` the same step begins it, and `final_obs` and
    `final_info` hold the last observation and info; with `DISABLED` the game does not change, with
    reward 0, until `reset(options={"reset_mask": ...})`.

    Infos are arrays with an element a game; the mask `_key` says which games have a key. The keys
    are `action_mask` (int8, (N, 4)), `max_tile`, `move_number`, `score` and `seed`; with
    `spawn_info` also `spawn_cell` and `spawn_tile`.

    The other arguments are those of `Env2048`.

    Args:
        num_envs: number of games.
        max_episode_steps: steps after which a game is truncated; None for never.
        autoreset_mode: one of Gymnasium's, or its text.
        copy: True to return copies; otherwise each step overwrites the same arrays.
        render_mode: `ansi`, `rgb_array` or None.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (so it is in Gymnasium)
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | str = STANDARD,
        observation: Observation = "exponents",
        reward: Reward = "score",
        illegal: Illegal = "noop",
        penalty: float = 1.0,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        spawn_info: bool = False,
    ) -> None:
        self.num_envs = check_limit("num_envs", num_envs, 1, MAX_GAMES)
        self.settings = EnvSettings(
            Rules.of(rules), observation, reward, illegal, penalty, spawn_info
        )
        if not isinstance(copy, bool):
            raise InvalidInput(f"expected copy as True or False, got {shown(copy)}")
        self._mode = _parse_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        self.render_mode = check_mode(render_mode, self.metadata["render_modes"])
        self.single_action_space = Discrete(4)
        self.single_observation_space = space(observation, self.settings.rules)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._copy = copy
        self._own: Callable[[NDArray[Any]], NDArray[Any]] = np.ndarray.copy if copy else np.asarray
        next_step = self._mode is AutoresetMode.NEXT_STEP
        self._games = EnvGames(self.settings, num_envs, max_episode_steps, autoreset=next_step)
        large = copy and self._games.observations.nbytes >= _LARGE
        self._own_observations = np.positive if large else self._own
        self._seeding: Seeding | None = None
        self._sampled = np.zeros(num_envs, dtype=np.int64)
        self._all = np.ones(num_envs, dtype=np.bool_)
        self._given: dict[str, list[Any]] = {}

    # ---- Gymnasium's interface

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | NDArray[np.integer] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new games; returns the observations and the infos of the games begun.

        Args:
            seed: of game 0 and of `np_random`; game i has seed + i. Or a list or an array of one
                seed per game.
                None continues the game's seeds, at first random ones.
            options: `reset_mask`, bool (N,), chooses the games to begin; `board`, `score` and
                `move_number` are as for `Env2048`.

        Raises:
            InvalidSeed: a seed is out of range.
            InvalidInput: an option is unknown or invalid.
        """
        start, which = self._parse_options(options)
        if self._seeding is None and not which.all():
            raise InvalidInput("the first reset must reset all games, got a reset_mask for some")
        seeding = self._seeding or Seeding(self._games)
        seeds = None if seed is None else seeding.listed(seed)
        if seeds is not None:
            super().reset(seed=seeds[0])
        seeding.begin(seeds, which)
        if start is None:
            self._games.start(which)
        else:
            self._games.place(which, start)
        self._seeding = seeding
        infos = self._infos() if which is self._all else self._infos_of(which)
        return self._own_observations(self._games.observations), infos

    def _parse_options(
        self, options: dict[str, Any] | None
    ) -> tuple[Start | None, NDArray[np.bool_]]:
        which = None
        if isinstance(options, Mapping):
            options = dict(options)
            which = options.pop("reset_mask", None)
        start = parse_start(options, self.settings.rules)
        if which is None:
            return start, self._all
        if not (
            isinstance(which, np.ndarray)
            and which.dtype == np.bool_
            and which.shape == (self.num_envs,)
            and which.any()
        ):
            raise InvalidInput(
                f"expected a reset_mask of {self.num_envs} booleans, one of them true, "
                f"got {shown(which)}"
            )
        return start, which.copy()

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Make a move in every game, 0 to 3 each.

        Returns observations, rewards (float64), terminations, truncations and infos.

        Raises:
            ResetNeeded: `reset` has not been called.
            InvalidMove: an action is not 0 to 3; no game has changed.
            IllegalMove: a move changes nothing, and `illegal="error"`; no game has changed.
            TileTooLarge: a merge would make an exponent past 35.
        """
        if self._seeding is None:
            raise ResetNeeded("call reset before the first step")
        games = self._games
        self._take(actions)
        result = games.step()
        if result >> EXHAUSTED:
            self._seeding.refill()
        if result and self._mode is AutoresetMode.SAME_STEP:
            return self._begun_in_the_same_step(games.terminated | games.truncated)
        own = self._own
        return (
            self._own_observations(games.observations),
            own(games.rewards),
            own(games.terminated),
            own(games.truncated),
            self._infos(),
        )

    def _take(self, actions: NDArray[np.int64]) -> None:
        try:
            found = np.asarray(actions)
        except ValueError:  # rows of different lengths
            found = np.empty(0, dtype=np.int64)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu":
            raise InvalidMove(f"expected {self.num_envs} actions from 0 to 3, got {shown(actions)}")
        self._games.actions[:] = found

    def _begun_in_the_same_step(self, ended: NDArray[np.bool_]) -> Step:
        games = self._games
        rewards, terminated = games.rewards.copy(), games.terminated.copy()
        truncated = games.truncated.copy()
        finals = np.empty(self.num_envs, dtype=object)  # all None
        (places,) = ended.nonzero()
        for game, final in zip(places.tolist(), games.observations[places], strict=True):
            finals[game] = final
        spawns = games.spawns.copy()
        exhausted, last = games.replace(ended)
        if exhausted:
            assert self._seeding is not None
            self._seeding.refill()
        infos = self._infos()
        infos["final_obs"], infos["_final_obs"] = finals, ended
        final_info = _named(last, ended.copy())
        if self.settings.spawn_info:
            _add_spawns(final_info, np.where(ended, spawns, 0), ended.copy())
        infos["final_info"], infos["_final_info"] = final_info, ended.copy()
        return self._own_observations(games.observations), rewards, terminated, truncated, infos

    def _infos(self) -> dict[str, Any]:
        games, own = self._games, self._own
        infos = _named(Numbers(*(own(array) for array in games.told)), self._all.copy())
        if self.settings.spawn_info:
            _add_spawns(infos, own(games.spawns), infos["_score"])
        return infos

    def _infos_of(self, which: NDArray[np.bool_]) -> dict[str, Any]:
        places = np.flatnonzero(which)
        numbers = Numbers(*(_only(places, array) for array in self._games.told))
        infos = _named(numbers, which.copy())
        if self.settings.spawn_info:
            _add_spawns(infos, np.where(which, self._games.spawns, 0), infos["_score"])
        return infos

    def render(self) -> tuple[Any, ...] | None:
        """A frame of each game, by render mode: text, or images (height, width, 3)."""
        boards = (self.board(game) for game in range(self.num_envs))
        if self.render_mode == "rgb_array":
            return tuple(map(draw, boards))
        if self.render_mode is None:
            return None
        scores, numbers = self._games.scores.tolist(), self._games.move_numbers.tolist()
        return tuple(map(write, boards, scores, numbers))

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The result of a method, or the value of an attribute, of each game.

        Args:
            name: `action_masks`, `afterstates`, `render`; `board`, `game`; `action_space`,
                `metadata`, `observation_space`, `render_mode`, `settings`, `spec`; or a name given
                to `set_attr`.
            args: arguments of the method.
            kwargs: arguments of the method.

        Raises:
            AttributeError: a game has nothing of this name.
        """
        if name in self._given:
            return tuple(self._given[name])
        if name in ("board", "game"):
            return tuple(map(getattr(self, name), range(self.num_envs)))
        if name == "afterstates":
            return tuple(starmap(Afterstates, zip(*self.afterstates(*args, **kwargs), strict=True)))
        if name == "action_masks" or (name == "render" and self.render_mode is not None):
            return tuple(getattr(self, name)(*args, **kwargs))
        if name in ("action_space", "observation_space"):
            return (getattr(self, f"single_{name}"),) * self.num_envs
        if name in ("metadata", "render_mode", "settings", "spec"):
            return (getattr(self, name),) * self.num_envs
        if name == "render":
            return (None,) * self.num_envs
        raise AttributeError(f"a game of VectorEnv2048 has no attribute {shown(name)}")

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """As `call` without arguments."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Attach a value to each game, such as its stage in a curriculum; `get_attr` returns it.

        Args:
            name: one that neither the environment nor a game has.
            values: a list or a tuple with a value for each game, or one value for all.

        Raises:
            AttributeError: the name belongs to the environment.
            InvalidInput: the list has another length.
        """
        if hasattr(self, name):
            raise AttributeError(f"the attribute {shown(name)} of VectorEnv2048 cannot be set")
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise InvalidInput(f"expected {self.num_envs} values, one a game, got {len(values)}")
        self._given[name] = list(values)

    # ---- more than Gymnasium's interface

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool, shape (N, 4)."""
        return np.not_equal(self._games.legal, 0)

    def sample_actions(self, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """A random legal action for each game, 0 if there is none; shape (N,).

        One raw draw of the generator decides all of them; None uses `np_random`.
        """
        key = (self.np_random if rng is None else rng).bit_generator.random_raw()
        actions = np.empty_like(self._sampled) if self._copy else self._sampled
        self._games.sample(key, actions)
        return actions

    def afterstates(self) -> Afterstates:
        """The afterstates of the four actions: boards (N, 4, ...); rewards and mask (N, 4)."""
        return self._games.afterstates()

    def board(self, game: int) -> Board:
        """The board of one game, 0 to N - 1."""
        return self._games.board(game)

    def game(self, game: int) -> Game:
        """A new `Game` that begins at the current position of one game."""
        return self._games.game(game)


def _parse_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode in (known.value, known.name):
            return known
    offered = ", ".join(known.name for known in AutoresetMode)
    raise InvalidInput(f"expected an autoreset mode of {offered}, got {shown(mode)}")


def _named(numbers: Numbers, mask: NDArray[np.bool_]) -> dict[str, Any]:
    return dict(zip(_KEYS, numbers, strict=True)) | dict.fromkeys(_MASKS, mask)


def _add_spawns(infos: dict[str, Any], spawns: NDArray[np.int64], mask: NDArray[np.bool_]) -> None:
    infos["spawn_cell"], infos["spawn_tile"] = spawns
    infos["_spawn_cell"] = infos["_spawn_tile"] = mask


def _only(places: NDArray[np.int64], values: NDArray[Any]) -> NDArray[Any]:
    chosen = np.zeros(values.shape, dtype=values.dtype)
    chosen[places] = values[places]
    return chosen
