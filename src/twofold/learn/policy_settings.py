"""How a policy network is trained: its size, its games, and the numbers of PPO."""

import re
from typing import Annotated, Any, Final

import msgspec

from twofold.errors import InvalidInput
from twofold.game.notation import format_number, parse_seed, shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_JOBS, MAX_SEED, check_limit
from twofold.settings import check_settings, document, setting, settings_of
from twofold.values.policy_network import MAX_WIDTH, find_reward

MAX_TRAINING_ENVS: Final = 1 << 20
"""Most games that are played at once."""

MAX_BATCH: Final = 1 << 24
"""Most moves between two updates."""

MAX_TRAINING_MOVES: Final = 10**15
"""Most moves of a run."""


def _parse_widths(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[0-9]{1,5}(?:-[0-9]{1,5})*", text, re.ASCII):
        raise InvalidInput(f"expected the outputs of layers such as 512-256, got {shown(text)}")
    return tuple(map(int, text.split("-")))


class PolicySettings(msgspec.Struct, frozen=True, kw_only=True):
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
        threads: threads of PyTorch on the CPU, at most one for each core.

    Raises:
        InvalidInput: a value is out of range.
    """

    hidden: Annotated[
        tuple[int, ...],
        setting(
            "Outputs of the hidden layers: 512-256.",
            "LAYERS",
            argument=True,
            parse=_parse_widths,
            shown="512-256",
        ),
    ] = (512, 256)
    reward: Annotated[
        str, setting("What games pay: points, exponents, or large (for large tiles).", "R")
    ] = "points"
    scaffold: Annotated[
        float, setting("Share of the games that start with large tiles placed.", "P", ge=0, le=0.95)
    ] = 0.0
    games: Annotated[
        int,
        setting(
            "Number of games played at once.",
            "N",
            option="--envs",
            name="games at once",
            ge=1,
            le=MAX_TRAINING_ENVS,
        ),
    ] = 512
    horizon: Annotated[
        int, setting("Moves of each game between two updates.", "N", ge=1, le=4096)
    ] = 32
    minibatch: Annotated[
        # advantages are compared with each other
        int, setting("Moves of one optimiser step.", "N", ge=2, le=MAX_BATCH)
    ] = 1024
    epochs: Annotated[int, setting("How often an update uses each move.", "N", ge=1, le=100)] = 1
    learning_rate: Annotated[
        float, setting("Learning rate of Adam at the start.", "R", ge=1e-8, le=1)
    ] = 1e-3
    final_rate: Annotated[
        float,
        setting("Part of the learning rate and of --entropy left at the end.", "P", ge=0, le=1),
    ] = 0.1
    gamma: Annotated[float, setting("Discount of one move.", "G", ge=0, le=1)] = 0.997
    decay: Annotated[
        float,
        setting(
            "Lambda of the advantage estimates (GAE).",
            "L",
            option="--lambda",
            name="lambda",
            ge=0,
            le=1,
        ),
    ] = 0.8
    clip: Annotated[
        float, setting("How far the probability ratio of PPO may leave 1.", "C", ge=1e-4, le=1)
    ] = 0.15
    value_weight: Annotated[
        float, setting("Weight of the critic's error in the loss.", "W", ge=0, le=100)
    ] = 0.5
    entropy: Annotated[
        float, setting("Weight of the policy's entropy at the start.", "W", ge=0, le=10)
    ] = 0.01
    max_gradient: Annotated[float, setting(name="largest gradient", ge=1e-3, le=1e3)] = 0.5
    embedding: Annotated[
        int, setting("Numbers that describe a tile, and a cell.", "N", ge=1, le=256)
    ] = 16
    symmetric: Annotated[
        bool, setting("Do not turn boards to one of their symmetric forms.", option="--as-they-are")
    ] = True
    threads: Annotated[int, setting("Threads that learn on the CPU.", "N", ge=1, le=MAX_JOBS)] = 1
    seed: Annotated[
        int,
        setting(
            "Seed of games, weights and choices.",
            "S",
            ge=0,
            le=MAX_SEED,
            parse=parse_seed,
            shown="1",
        ),
    ] = 1
    exponents: Annotated[int, setting(ge=2, le=36)] = 18
    rules: Annotated[Rules, setting(parse=Rules.parse, format=str)] = STANDARD

    def __post_init__(self) -> None:
        check_settings(self)
        check_limit("moves between two updates", self.games * self.horizon, 2, MAX_BATCH)
        check_limit("hidden layers", len(self.hidden), 1, 16)
        for width in self.hidden:
            check_limit("outputs of a hidden layer", width, 1, MAX_WIDTH)
        find_reward(self.reward)

    def document(self) -> dict[str, Any]:
        """The settings as JSON can hold them."""
        return document(self)

    def describe(self) -> str:
        """A line with all that decides what a run learns, but for the layers of the network."""
        numbers = (
            f"{one.words} {format_number(getattr(self, one.name))}"
            for one in settings_of(type(self))
            if one.type in (int, float) and one.name != "exponents"
        )
        return f"PPO, {self.rules}, reward {self.reward}, {', '.join(numbers)}"
