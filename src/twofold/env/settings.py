"""What a user may choose of an environment, checked in one place."""

import math
from dataclasses import dataclass
from operator import index
from typing import Any, Final, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidInput, UnsupportedRules
from twofold.limits import BITS_MAX_SIDE
from twofold.notation import shown
from twofold.rules import STANDARD, Rules

Observation = Literal["exponents", "onehot", "tiles", "bits"]
"""The forms of an observation, in the order of `kernels.environment_words`."""

Reward = Literal["score", "log2", "goal"]
"""What a move is rewarded with, in the order of `kernels.environment_words`."""

Illegal = Literal["noop", "penalty", "terminate", "error"]
"""What an illegal action does, in the order of `kernels.environment_words`."""

OBSERVATIONS: Final[tuple[Observation, ...]] = get_args(Observation)
REWARDS: Final[tuple[Reward, ...]] = get_args(Reward)
ILLEGALS: Final[tuple[Illegal, ...]] = get_args(Illegal)

START_OPTIONS: Final = ("board", "score", "move_number")
"""What `reset(options=...)` may say of the board to begin on."""


class Afterstates(NamedTuple):
    """What the four moves lead to, before the new tile appears.

    Attributes:
        boards: the boards in the form of the observations, one for each action; where the move
            cannot be made, the board itself.
        rewards: what a step would be rewarded with, float64; 0 where the move cannot be made.
        mask: 1 for each move that can be made, int8.
    """

    boards: NDArray[Any]
    rewards: NDArray[np.float64]
    mask: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class EnvSettings:
    """The options of an environment.

    Attributes:
        rules: the rules of its games.
        observation: form of the observations.
        reward: what a move is rewarded with.
        illegal: what an illegal action does.
        penalty: what it takes from the reward with `illegal="penalty"`.
    """

    rules: Rules = STANDARD
    observation: Observation = "exponents"
    reward: Reward = "score"
    illegal: Illegal = "noop"
    penalty: float = 1.0

    @classmethod
    def checked(
        cls,
        rules: Rules | str,
        observation: Observation,
        reward: Reward,
        illegal: Illegal,
        penalty: float,
    ) -> Self:
        """The settings, if they can be used.

        Raises:
            InvalidInput: a value is not one of those offered.
            InvalidRules: the rules cannot be read.
            UnsupportedRules: the board does not fit the form of the observations.
        """
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
        return cls(rules, observation, reward, illegal, float(penalty))


def _is_finite(number: object) -> bool:
    """Whether it is a number of any kind that a float can hold."""
    try:
        return math.isfinite(number)  # type: ignore[arg-type]
    except (TypeError, OverflowError):
        return False


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        offered = ", ".join(choices[:-1]) + " or " + choices[-1]
        raise InvalidInput(f"expected {what} {offered}, got {shown(value)}")


class Start(NamedTuple):
    """A board to begin on."""

    board: Board
    score: int
    move_number: int


def parse_start(options: dict[str, Any] | None) -> Start | None:
    """The board that the options of `reset` name; None for a new game.

    Raises:
        InvalidInput: an option is unknown, or a value cannot be read.
        InvalidBoard: the board cannot be read.
    """
    if not options:
        return None
    for key in options:
        if key not in START_OPTIONS:
            raise InvalidInput(f"expected options of {', '.join(START_OPTIONS)}, got {shown(key)}")
    if "board" not in options:
        raise InvalidInput(f"expected a board beside {shown(next(iter(options)))}, got none")
    board = options["board"]
    if not isinstance(board, Board):
        if not isinstance(board, str):
            raise InvalidBoard(f"expected a Board or its text, got {shown(board)}")
        board = Board.parse(board)
    return Start(board, _whole(options, "score"), _whole(options, "move_number"))


def _whole(options: dict[str, Any], key: str) -> int:
    value = options.get(key, 0)
    try:
        return index(value)
    except TypeError:
        raise InvalidInput(f"expected a whole number as {key}, got {shown(value)}") from None
