"""What a network in training is worth in play: the same games again and again, between the moves.

The games themselves are played by `twofold.arena.evaluation`; here is what a run keeps of them.
"""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Annotated, Final

import msgspec

from twofold.networks.network import Network
from twofold.notation import printable

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

COLUMNS: Final = ("games", "moves", "seconds", "training_mean", "mean", "margin")
"""The first columns of the file of evaluations; one for each set of boards follows."""

SURVIVAL: Final = "survival "
"""What the name of a set of boards follows in the name of its column."""


class Measured(msgspec.Struct, frozen=True):
    """How a network played.

    Attributes:
        mean: mean score of whole games; None where none was played.
        margin: half its 95 % interval; None for fewer than two games.
        survival: by the name of a set of boards, the share of the games from there that came to
            the next large tile, see `twofold.arena.survival.next_sum`.
    """

    mean: float | None
    margin: float | None
    survival: dict[str, Share]

    def __str__(self) -> str:
        """All figures in a line."""
        margin = "" if self.margin is None else f" ± {self.margin:,.0f}"
        means = [] if self.mean is None else [f"mean {self.mean:,.0f}{margin}"]
        return ", ".join(
            [*means, *(f"{printable(name)} {rate:.1%}" for name, rate in self.survival.items())]
        )


Measure = Callable[[Network], Measured | None]
"""Plays the games; None where it was stopped."""


class Evaluation(msgspec.Struct, frozen=True):
    """What was measured at some moment of a training run.

    Attributes:
        games: as of `twofold.learn.curve.Point`.
        moves: the same.
        seconds: the same.
        training_mean: mean score of the last thousand training games.
        measured: how the network played.
    """

    games: Count
    moves: Count
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    training_mean: float
    measured: Measured


def evaluations_csv(evaluations: Sequence[Evaluation]) -> str:
    """One line an evaluation, with a header; empty cells for what was not measured then."""
    names = list(dict.fromkeys(name for one in evaluations for name in one.measured.survival))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"{SURVIVAL}{printable(name)}" for name in names)])
    for one in evaluations:
        found = one.measured
        survival = [found.survival.get(name) for name in names]
        means = [one.training_mean, found.mean, found.margin]
        writer.writerow([one.games, one.moves, one.seconds, *means, *survival])
    return text.getvalue()
