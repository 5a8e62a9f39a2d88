"""The options of an environment, their validation, and the forms of an observation.

Kernels write observations during play; `observe` is the plain twin, for any board.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Literal, NamedTuple, Self, get_args

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidInput, UnsupportedRules
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE
from twofold.notation import shown
from twofold.rules import STANDARD, Rules

Observation = Literal["exponents", "onehot", "tiles", "bits"]
"""The forms of an observation, in the order of `kernels.env.words`."""

Reward = Literal["score", "log2", "goal"]
"""The rewards of a move, in the order of `kernels.env.words`."""

Illegal = Literal["noop", "penalty", "terminate", "error"]
"""The effects of an illegal action, in the order of `kernels.env.words`."""

OBSERVATIONS: Final[tuple[Observation, ...]] = get_args(Observation)
REWARDS: Final[tuple[Reward, ...]] = get_args(Reward)
ILLEGALS: Final[tuple[Illegal, ...]] = get_args(Illegal)

START_OPTIONS: Final = ("board", "score", "move_number")
"""Options of `reset(options=...)` that set the first board."""


class Afterstates(NamedTuple):
    """The results of the four moves, before the new tile appears.

    `boards` have the form of the observations, one per action; after an illegal move the board is
    unchanged and the reward 0. `rewards` are float64; `mask` is int8, 1 for each legal move.
    """

    boards: NDArray[Any]
    rewards: NDArray[np.float64]
    mask: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class EnvSettings:
    """The options of an environment, as in `twofold.env.single.Env2048`."""

    rules: Rules = STANDARD
    observation: Observation = "exponents"
    reward: Reward = "score"
    illegal: Illegal = "noop"
    penalty: float = 1.0
    spawn_info: bool = False

    @classmethod
    def checked(
        cls,
        rules: Rules | str,
        observation: Observation,
        reward: Reward,
        illegal: Illegal,
        penalty: float,
        spawn_info: bool = False,
    ) -> Self:
        """The settings, validated; raises `InvalidInput` for values that are not offered."""
        rules = Rules.of(rules)
        _check_choice("an observation of", observation, OBSERVATIONS)
        _check_choice("a reward of", reward, REWARDS)
        _check_choice("illegal to be", illegal, ILLEGALS)
        if not _is_finite(penalty):
            raise InvalidInput(f"expected a finite number as penalty, got {shown(penalty)}")
        if observation == "bits" and max(rules.shape) > BITS_MAX_SIDE:
            raise UnsupportedRules(
                f"expected at most {BITS_MAX_SIDE} rows and columns for observations in 64 bits, "
                f"got {rules.rows}x{rules.cols}"
            )
        if not isinstance(spawn_info, bool):
            raise InvalidInput(f"expected spawn_info as True or False, got {shown(spawn_info)}")
        return cls(rules, observation, reward, illegal, float(penalty), spawn_info)


class WithSpec:
    """An environment whose spec holds the rules as text, so that JSON can hold it."""

    settings: EnvSettings
    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """How Gymnasium made the environment."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None and "rules" in spec.kwargs:
            spec.kwargs["rules"] = str(self.settings.rules)
        self._spec = spec


def _is_finite(number: object) -> bool:
    try:
        return math.isfinite(number)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        offered = ", ".join(choices[:-1]) + " or " + choices[-1]
        raise InvalidInput(f"expected {what} {offered}, got {shown(value)}")


class Start(NamedTuple):
    """A first board, with its score and move number."""

    board: Board
    score: int
    move_number: int


def parse_start(options: dict[str, Any] | None, shape: tuple[int, int]) -> Start | None:
    """The first board, of this shape, of `reset` options; None for a new game.

    Raises `InvalidInput`.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise InvalidInput(f"expected options as a mapping, got {shown(options)}")
    if not options:
        return None
    for key in options:
        if key not in START_OPTIONS:
            raise InvalidInput(f"expected options of {', '.join(START_OPTIONS)}, got {shown(key)}")
    if "board" not in options:
        raise InvalidInput(f"expected a board with {shown(next(iter(options)))}, got none")
    board = options["board"]
    if isinstance(board, np.ndarray):
        board = Board.from_array(board, shape)
    elif not isinstance(board, Board):
        if not isinstance(board, str):
            raise InvalidBoard(f"expected a Board, its text or an array, got {shown(board)}")
        board = Board.parse(board)
    return Start(board, _whole(options, "score"), _whole(options, "move_number"))


def _whole(options: dict[str, Any], key: str) -> int:
    value = options.get(key, 0)
    try:
        return index(value)
    except TypeError:
        raise InvalidInput(f"expected a whole number as {key}, got {shown(value)}") from None


def space(form: Observation, rules: Rules) -> Box:
    """The space of the observations; `Rules.max_exponent` bounds all but `bits`."""
    largest = rules.max_exponent
    if form == "exponents":
        return Box(0, largest, rules.shape, np.uint8)
    if form == "onehot":
        return Box(0, 1, (largest + 1, *rules.shape), np.uint8)
    if form == "tiles":
        return Box(0, 1 << largest, rules.shape, np.int64)
    return Box(0, np.iinfo(np.uint64).max, (1,), np.uint64)


def observe(
    board: Board, form: Observation = "exponents", rules: Rules | None = None
) -> NDArray[Any]:
    """A board as an observation, under the original rules on its shape by default.

    The array has the shape and type of `space`. Raises `InvalidBoard` if the board does not fit
    64 bits for `bits`.
    """
    exponents = np.array(board.exponents, dtype=np.uint8).reshape(board.shape)
    if form == "exponents":
        return exponents
    if form == "onehot":
        rules = rules or Rules(board.rows, board.cols)
        planes = np.arange(rules.max_exponent + 1, dtype=np.uint8)[:, None, None]
        return np.equal(exponents, planes).astype(np.uint8)
    if form == "tiles":
        return np.array(board.tiles, dtype=np.int64)
    clipped = [min(exponent, BITS_MAX_EXPONENT) for exponent in board.exponents]
    return np.array([Board(clipped, board.shape).to_bits()], dtype=np.uint64)
