"""What a network in training is worth in play: the same games again and again, between the moves.

The games themselves are played by `twofold.arena.evaluation`; here is what a run keeps of them.
"""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import msgspec

from twofold.notation import printable

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

COLUMNS: Final = ("games", "moves", "seconds", "training_mean", "mean", "margin")
"""The first columns of the file of evaluations; one for each set of boards follows."""

SURVIVAL: Final = "survival "
"""What the name of a set of boards follows in the name of its column."""


SAMPLED: Final = "sampled_mean"
"""The column of the mean score of games whose moves were drawn."""

REACHED: Final = "reached_"
"""What a tile follows in the name of its column."""


class Measured(msgspec.Struct, frozen=True):
    """How a network played.

    Attributes:
        mean: mean score of whole games; None where none was played.
        margin: half its 95 % interval; None for fewer than two games.
        survival: by the name of a set of boards, the share of the games from there that came to
            the next large tile, see `twofold.arena.survival.next_sum`.
        sampled: mean score of games whose moves were drawn by their chances, for networks that
            give chances; else None.
        reached: share of the games that reached each tile, by the tile; empty if not counted.
    """

    mean: float | None
    margin: float | None
    survival: dict[str, Share]
    sampled: float | None = None
    reached: dict[str, Share] = {}

    def __str__(self) -> str:
        """All figures in a line."""
        digits = 0 if (self.mean or 0) >= 1000 else 1
        margin = "" if self.margin is None else f" ± {self.margin:,.{digits}f}"
        means = [] if self.mean is None else [f"mean {self.mean:,.{digits}f}{margin}"]
        if self.sampled is not None:
            means.append(f"drawn moves {self.sampled:,.{digits}f}")
        rates = {**self.survival, **dict(list(self.reached.items())[-3:])}
        return ", ".join(
            [*means, *(f"{printable(name)} {rate:.1%}" for name, rate in rates.items())]
        )


Measure = Callable[[Any], Measured | None]
"""Lets the network of a run play the games; None where it was stopped."""


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
    tiles = sorted({tile for one in evaluations for tile in one.measured.reached}, key=int)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    more = [
        *([SAMPLED] if any(one.measured.sampled is not None for one in evaluations) else []),
        *(f"{REACHED}{tile}" for tile in tiles),
    ]
    writer.writerow([*COLUMNS, *(f"{SURVIVAL}{printable(name)}" for name in names), *more])
    for one in evaluations:
        found = one.measured
        survival = [found.survival.get(name) for name in names]
        means = [one.training_mean, found.mean, found.margin]
        drawn = [found.sampled] if SAMPLED in more else []
        reached = [found.reached.get(tile, 0.0) for tile in tiles]
        row = [one.games, one.moves, one.seconds, *means, *survival, *drawn, *reached]
        writer.writerow(row)
    return text.getvalue()
