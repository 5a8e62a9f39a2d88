"""The vector for Stable-Baselines3: many games in one kernel as its `VecEnv`.

    model = MaskablePPO("MlpPolicy", VecEnv2048(256, observation="onehot", reward="log2"))

It does what `DummyVecEnv` does with as many `Monitor(Env2048(...))`: the same games on the same
seeds, observations, rewards (float32), ends and infos.
"""

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold.env.vector import VectorEnv2048
from twofold.errors import InvalidInput, MissingExtra

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise MissingExtra.of("sb3", "twofold.env.sb3") from None

Indices = int | Iterable[int] | None
"""Numbers of games; None for all."""


class VecEnv2048(VecEnv):
    """Games of 2048 that step together, for the algorithms of Stable-Baselines3.

    After the end of a game the same step begins the next one. The info of that step is the last one
    of the game that ended, with `terminal_observation` and `episode`, as `Monitor` writes it: `r`,
    the sum of the rewards, `l`, the number of steps, and `t`, seconds since the environment was
    made. The info of the new game is in `reset_infos`. `TimeLimit.truncated` is in every info.

    `env_method("action_masks")` gives MaskablePPO the masks. `seed` and `set_options` hold for the
    next `reset`; options are those of `Env2048.reset`.

    Args:
        num_envs: number of games.
        options: those of `VectorEnv2048`, but not `autoreset_mode` and `copy`.
    """

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        for name in ("autoreset_mode", "copy"):
            if name in options:
                raise InvalidInput(f"expected no {name}: VecEnv2048 copies, and begins new games")
        self.games = VectorEnv2048(num_envs, **options, autoreset_mode="SAME_STEP")
        super().__init__(
            num_envs, self.games.single_observation_space, self.games.single_action_space
        )
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._since = time.time()
        self._has_begun = False
        self._actions = np.zeros(num_envs, dtype=np.int64)

    def reset(self) -> NDArray[Any]:
        """Begin a new game everywhere, with the seeds and options given before."""
        groups: dict[int, list[int]] = {}
        for game, options in enumerate(self._options):
            groups.setdefault(id(options) if options else 0, []).append(game)
        for games in groups.values():
            which = np.zeros(self.num_envs, dtype=np.bool_)
            which[games] = True
            if not self._has_begun:  # the first reset of the vector is one of all games
                which[:] = self._has_begun = True
            options = {**self._options[games[0]], "reset_mask": which}
            observations, infos = self.games.reset(seed=self._seeds, options=options)
            for game in games:
                self.reset_infos[game] = _info_of(infos, game)
        self._returns[:], self._lengths[:] = 0.0, 0
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of the next step."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Step every game; returns observations, rewards, ends and infos."""
        observations, rewards, terminated, truncated, now = self.games.step(self._actions)
        ended = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        limited = truncated & ~terminated
        infos = _infos_of({**now, "TimeLimit.truncated": limited})
        if ended.any():
            finals, last = now["final_obs"], now["final_info"]
            for game in np.flatnonzero(ended).tolist():
                self.reset_infos[game] = infos[game]
                del infos[game]["TimeLimit.truncated"]
                infos[game] = _info_of(last, game)
                infos[game]["TimeLimit.truncated"] = bool(limited[game])
                infos[game]["terminal_observation"] = finals[game]
                infos[game]["episode"] = {
                    "r": round(float(self._returns[game]), 6),
                    "l": int(self._lengths[game]),
                    "t": round(time.time() - self._since, 6),
                }
            self._returns[ended], self._lengths[ended] = 0.0, 0
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Release the games."""
        self.games.close()

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """An image of each game; None without the render mode `rgb_array`."""
        is_drawn = self.render_mode == "rgb_array"
        return list(self.games.render() or ()) if is_drawn else [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each game, see `VectorEnv2048.call`."""
        return self.env_method(attr_name, indices=indices)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Attach a value to games, see `VectorEnv2048.set_attr`; None to the others."""
        try:
            values = self.get_attr(attr_name)
        except AttributeError:
            values = [None] * self.num_envs
        for game in self._get_indices(indices):
            values[game] = value
        self.games.set_attr(attr_name, values)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """The result of a method of each game, see `VectorEnv2048.call`."""
        found = self.games.call(method_name, *method_args, **method_kwargs)
        return [found[game] for game in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """True for `Monitor`, whose `episode` the infos have; False for every other wrapper."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


def _infos_of(infos: dict[str, Any]) -> list[dict[str, Any]]:
    """The info of each game, from arrays with an element a game."""
    columns = {
        name: list(values) if values.ndim > 1 or values.dtype == np.uint64 else values.tolist()
        for name, values in infos.items()
        if not name.startswith(("_", "final_"))
    }
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _info_of(infos: dict[str, Any], game: int) -> dict[str, Any]:
    """The info of one game."""
    return _infos_of({name: values[game : game + 1] for name, values in infos.items()})[0]
