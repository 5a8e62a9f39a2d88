"""How a policy network is trained: its size, its games, and the numbers of PPO."""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any, Final

from twofold.errors import InvalidInput
from twofold.game.notation import format_number, shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_JOBS, MAX_SEED, check_limit
from twofold.values.policy_network import MAX_WIDTH, find_reward

MAX_TRAINING_ENVS: Final = 1 << 20
"""Most games that are played at once."""

MAX_BATCH: Final = 1 << 24
"""Most moves between two updates."""

MAX_TRAINING_MOVES: Final = 10**15
"""Most moves of a run."""

_GROUP: Final = 4096
"""Games that are enough for a thread: smaller groups cost more than they gain."""

_RANGES: Final = {
    "learning_rate": (1e-8, 1.0),
    "final_rate": (0.0, 1.0),
    "gamma": (0.0, 1.0),
    "decay": (0.0, 1.0),
    "clip": (1e-4, 1.0),
    "value_weight": (0.0, 100.0),
    "entropy": (0.0, 10.0),
    "max_gradient": (1e-3, 1e3),
    "scaffold": (0.0, 0.95),
}
"""The smallest and the largest value of each number."""

_NAMES: Final = {
    "games": "games at once",
    "decay": "lambda",
    "learning_rate": "learning rate",
    "final_rate": "final rate",
    "value_weight": "value weight",
    "max_gradient": "largest gradient",
}
"""Settings whose names differ in messages."""

_COUNTS: Final = {
    "embedding": (1, 256),
    "games": (1, MAX_TRAINING_ENVS),
    "horizon": (1, 4096),
    "minibatch": (2, MAX_BATCH),  # advantages are compared with each other
    "epochs": (1, 100),
    "seed": (0, MAX_SEED),
    "threads": (1, MAX_JOBS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """Everything that decides what a run learns.

    Attributes:
        rules: of the games; goals are ignored.
        hidden: outputs of the layers, up to the head.
        embedding: numbers that describe a tile, and a place.
        exponents: exponents that are told apart; larger tiles look like the largest.
        symmetric: boards are turned to one of their symmetric forms.
        games: games that are played at once.
        horizon: moves of each between two updates.
        minibatch: moves of one step of the optimiser.
        epochs: how often each move is used in an update.
        learning_rate: of Adam, at the start.
        final_rate: the part of it that is left at the end; it falls by half a cosine.
        gamma: discount of a move.
        decay: lambda of the advantage estimates.
        clip: how far the ratio of chances may leave 1; of PPO.
        value_weight: weight of the error of the value in the loss.
        entropy: weight of the entropy of the choice in the loss.
        max_gradient: largest norm of the gradient.
        reward: what games pay, by name, see `REWARDS`.
        scaffold: share of the games that begin with large tiles placed.
        seed: of the games, the first weights and the choices.
        threads: threads of PyTorch on the CPU, at most one for each core; and of play, where
            each of them has 4,096 games or more.

    Raises:
        InvalidInput: a value is out of range.
    """

    rules: Rules = STANDARD
    hidden: tuple[int, ...] = (512, 256)
    embedding: int = 16
    exponents: int = 18
    symmetric: bool = True
    games: int = 512
    horizon: int = 32
    minibatch: int = 1024
    epochs: int = 1
    learning_rate: float = 1e-3
    final_rate: float = 0.1
    gamma: float = 0.997
    decay: float = 0.8
    clip: float = 0.15
    value_weight: float = 0.5
    entropy: float = 0.01
    max_gradient: float = 0.5
    reward: str = "points"
    scaffold: float = 0.0
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name, (low, high) in _COUNTS.items():
            check_limit(_NAMES.get(name, name), getattr(self, name), low, high)
        for name, (least, most) in _RANGES.items():
            _check_number(_NAMES.get(name, name), getattr(self, name), least, most)
        check_limit("moves between two updates", self.games * self.horizon, 2, MAX_BATCH)
        check_limit("exponents", self.exponents, 2, 36)
        check_limit("hidden layers", len(self.hidden), 1, 16)
        for width in self.hidden:
            check_limit("outputs of a hidden layer", width, 1, MAX_WIDTH)
        find_reward(self.reward)

    @property
    def group_sizes(self) -> list[int]:
        """How many games each group has; a thread plays it."""
        count = max(min(self.threads, self.games // _GROUP), 1)
        return [self.games // count + (number < self.games % count) for number in range(count)]

    def document(self) -> dict[str, Any]:
        """The settings as JSON can hold them."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return values | {"rules": str(self.rules), "hidden": list(self.hidden)}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "PolicySettings":
        """The settings that a file holds.

        Raises:
            InvalidInput: a value is missing, unknown or out of range.
        """
        document = {"symmetric": False} | document  # older files lack it
        known = {field.name: type(getattr(cls(), field.name)) for field in fields(cls)}
        if set(document) != set(known):
            wrong = sorted(set(document) ^ set(known))[0]
            raise InvalidInput(f"unknown or missing setting of a policy run: {shown(wrong)}")
        values = dict(document)
        try:
            values["rules"] = Rules.parse(values["rules"])
            values["hidden"] = tuple(values["hidden"])
        except TypeError:
            raise InvalidInput("expected rules and layers of a policy run, got others") from None
        for name, kind in known.items():
            if name == "hidden":
                good = all(type(width) is int for width in values[name])
            else:
                good = type(values[name]) is kind or (kind is float and type(values[name]) is int)
            if not good:
                raise InvalidInput(
                    f"expected {name} of type {kind.__name__}, got {shown(values[name])}"
                )
        return cls(**values)

    def describe(self) -> str:
        """A line with all that decides what a run learns, but for the layers of the network."""
        numbers = (
            f"{_NAMES.get(name, name)} {format_number(getattr(self, name))}"
            for name in (*_COUNTS, *_RANGES)
        )
        return f"PPO, {self.rules}, reward {self.reward}, {', '.join(numbers)}"


def _check_number(name: str, value: object, low: float, high: float) -> None:
    try:
        good = isinstance(value, int | float) and isfinite(value) and low <= value <= high
    except OverflowError:
        good = False
    if not good:
        raise InvalidInput(
            f"expected {name} from {format_number(low)} to {format_number(high)}, "
            f"got {shown(value)}"
        )
