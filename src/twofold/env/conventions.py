"""Environments with the conventions of other programs.

Other programs number the four moves differently. `ActionOrder` takes and masks actions in an order
given as letters: `"lurd"` is left, up, right, down. `PGX`, `NNEONNEO` and `ENDGAME_TABLEBASE` are
the orders of those programs; the original game, Gymnasium-2048, Jumanji, OpenSpiel and TDL2048+ use
twofold's own, `"urdl"`.
"""

from typing import TYPE_CHECKING, Any, Final, TypeVar

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import NDArray

from twofold.env.settings import Afterstates
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.errors import InvalidInput, InvalidMove
from twofold.notation import MOVE_LETTERS, shown

if TYPE_CHECKING:
    _Values = NDArray[Any]
    _Moves = NDArray[np.int64]
    _VectorWrapper = VectorWrapper[_Values, _Moves, _Values, _Moves, _Values]
else:
    _VectorWrapper = VectorWrapper  # not generic in older releases of Gymnasium

_OurEnv = TypeVar("_OurEnv", Env2048, VectorEnv2048)

PGX: Final = "lurd"
"""Pgx, and the old gym-2048."""

NNEONNEO: Final = "udlr"
"""nneonneo/2048-ai."""

ENDGAME_TABLEBASE: Final = "lrud"
"""2048EndgameTablebase."""

PGX_PLANES: Final = 31
"""Number of exponents in an observation of Pgx, 0 to 30."""


class ActionOrder(gymnasium.Wrapper[NDArray[Any], int, NDArray[Any], int], RecordConstructorArgs):
    """One game with actions in another order, given as letters such as `"lurd"`."""

    def __init__(self, env: gymnasium.Env[NDArray[Any], int], order: str = PGX) -> None:
        RecordConstructorArgs.__init__(self, order=order)  # its spec can then create it again
        gymnasium.Wrapper.__init__(self, env)
        self._moves = parse_order(order)
        self._game = _unwrapped(env, Env2048)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """As `Env2048.reset`, with the mask in this order."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, _ordered(info, self._moves)

    def step(self, action: int) -> tuple[NDArray[Any], Any, bool, bool, dict[str, Any]]:
        """As `Env2048.step`, with the action and the mask in this order."""
        move = int(_translated(np.asarray(action), self._moves))
        observation, reward, terminated, truncated, info = self.env.step(move)
        return observation, reward, terminated, truncated, _ordered(info, self._moves)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool, shape (4,)."""
        return self._game.action_masks()[self._moves]

    def afterstates(self) -> Afterstates:
        """The afterstates of the four actions: boards, rewards, mask."""
        boards, rewards, mask = self._game.afterstates()
        return Afterstates(boards[self._moves], rewards[self._moves], mask[self._moves])


class VectorActionOrder(_VectorWrapper):
    """Many games with actions in another order, given as letters such as `"lurd"`."""

    def __init__(
        self, env: VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]], order: str = PGX
    ) -> None:
        super().__init__(env)
        self._moves = parse_order(order)
        self._places = np.argsort(self._moves)
        self._games = _unwrapped(env, VectorEnv2048)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """As `VectorEnv2048.reset`, with the masks in this order."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return observations, _ordered(infos, self._moves)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """As `VectorEnv2048.step`, with the actions and the masks in this order."""
        moves = _translated(np.asarray(actions), self._moves)
        observations, rewards, terminated, truncated, infos = self.env.step(moves)
        return observations, rewards, terminated, truncated, _ordered(infos, self._moves)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool, shape (N, 4)."""
        return self._games.action_masks()[:, self._moves]

    def afterstates(self) -> Afterstates:
        """The afterstates of the four actions of each game: boards, rewards, mask."""
        boards, rewards, mask = self._games.afterstates()
        moves = self._moves
        return Afterstates(boards[:, moves], rewards[:, moves], mask[:, moves])

    def sample_actions(self, rng: np.random.Generator | None = None) -> NDArray[np.int64]:
        """A random legal action for each game, 0 if there is none; shape (N,)."""
        moves = self._games.sample_actions(rng)
        return np.where(self._games.action_masks().any(axis=1), self._places[moves], 0)


def parse_order(order: str) -> NDArray[np.int64]:
    """The move of each action, 0 to 3, from their letters; raises `InvalidInput`."""
    if not isinstance(order, str) or sorted(order) != sorted(MOVE_LETTERS):
        raise InvalidInput(f"expected the letters u, r, d and l in some order, got {shown(order)}")
    return np.array([MOVE_LETTERS.index(letter) for letter in order])


def pgx_observation(exponents: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Observations of Pgx, one-hot, (..., rows, cols, 31), from `exponents` (..., rows, cols)."""
    planes = np.arange(PGX_PLANES, dtype=np.uint8)
    return np.equal(np.minimum(exponents, PGX_PLANES - 1)[..., None], planes)


def _unwrapped(env: Any, kind: type[_OurEnv]) -> _OurEnv:
    game = env.unwrapped
    if not isinstance(game, kind):
        raise InvalidInput(f"expected an environment of twofold ({kind.__name__}), got {env}")
    return game


def _translated(actions: NDArray[Any], moves: NDArray[np.int64]) -> NDArray[np.int64]:
    if actions.dtype.kind not in "iu" or np.any((actions < 0) | (actions > 3)):
        raise InvalidMove(f"expected actions from 0 to 3, got {shown(actions.tolist())}")
    return np.asarray(moves[actions])


def _ordered(info: dict[str, Any], moves: NDArray[np.int64]) -> dict[str, Any]:
    changed = dict(info)
    changed["action_mask"] = info["action_mask"][..., moves]
    if "final_info" in info:
        changed["final_info"] = _ordered(info["final_info"], moves)
    return changed
