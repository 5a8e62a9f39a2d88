"""Evaluations: how well a network in training plays, measured on the same games each time.

`twofold.arena.evaluation` plays the games; this module records the results.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import msgspec

from twofold.figures import csv_text
from twofold.notation import printable

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]

COLUMNS: Final = ("games", "moves", "seconds", "training_mean", "mean", "margin")
"""First columns of the file of evaluations; then one for each set of boards."""

SURVIVAL: Final = "survival "
"""Prefix of the columns of sets of boards."""


SAMPLED: Final = "sampled_mean"
"""Column of the mean score of games with moves drawn by their probabilities."""

REACHED: Final = "reached_"
"""Prefix of the columns of reach rates."""


class Measured(msgspec.Struct, frozen=True):
    """Results of a network.

    Attributes:
        mean: mean score of whole games; None if none were played.
        margin: half of its 95 % interval; None for fewer than two games.
        survival: for each set of boards, the share of games that made the next large tile, see
            `twofold.arena.survival.next_sum`.
        sampled: mean score of games with moves drawn by their probabilities; None for networks
            without probabilities.
        reached: share of games that reached each tile; empty if not measured.
    """

    mean: float | None
    margin: float | None
    survival: dict[str, Share]
    sampled: float | None = None
    reached: dict[str, Share] = {}

    def __str__(self) -> str:
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
"""Plays the evaluation games of a run's network; None if it was stopped."""


class Evaluation(msgspec.Struct, frozen=True):
    """One evaluation during a training run.

    `games`, `moves` and `seconds` are those of `twofold.learn.curve.Point`; `training_mean` is
    the mean score of the last 1000 training games.
    """

    games: Count
    moves: Count
    seconds: Annotated[float, msgspec.Meta(ge=0)]
    training_mean: float
    measured: Measured


def evaluations_csv(evaluations: Sequence[Evaluation]) -> str:
    """Evaluations as CSV, one per line after a header; a cell is empty if nothing was measured."""
    names = list(dict.fromkeys(name for one in evaluations for name in one.measured.survival))
    tiles = sorted({tile for one in evaluations for tile in one.measured.reached}, key=int)
    more = [
        *([SAMPLED] if any(one.measured.sampled is not None for one in evaluations) else []),
        *(f"{REACHED}{tile}" for tile in tiles),
    ]
    header = [*COLUMNS, *(f"{SURVIVAL}{printable(name)}" for name in names), *more]
    rows = []
    for one in evaluations:
        found = one.measured
        survival = [found.survival.get(name) for name in names]
        means = [one.training_mean, found.mean, found.margin]
        drawn = [found.sampled] if SAMPLED in more else []
        reached = [found.reached.get(tile, 0.0) for tile in tiles]
        rows.append([one.games, one.moves, one.seconds, *means, *survival, *drawn, *reached])
    return csv_text(header, rows)
