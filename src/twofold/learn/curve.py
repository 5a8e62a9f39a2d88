"""The learning curve: results of training games, over stretches of games; and of evaluations.

An evaluation says how well a network in training plays, measured on the same games each time;
`twofold.learn.evaluation` plays them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from twofold.arena.curves import MAX_POINTS as MAX_POINTS
from twofold.figures import csv_text
from twofold.game.notation import printable
from twofold.game.rules import STANDARD as STANDARD  # for the example
from twofold.limits import MAX_EXPONENT, MAX_SCORE

STRETCH: Final = 1000
"""Games averaged into one point, at first."""

EVALUATIONS_SUFFIX: Final = ".evaluations.csv"
"""Suffix of the file of evaluations: `net.evaluations.csv` beside `net.csv`."""

TILES: Final = (1024, 2048, 4096, 8192, 16384, 32768)
"""The tiles with a reach rate in each point."""

_LARGEST: Final = 15
"""The exponent of the last one."""


Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Result = tuple[
    Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)],
    Annotated[int, msgspec.Meta(ge=0, le=MAX_EXPONENT)],
]
"""Score and largest exponent of a game."""

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Point(msgspec.Struct, frozen=True, array_like=True):
    """One point of a curve, in files a list of its fields.

    Attributes:
        games: games begun with start tiles and finished, since training began.
        moves: moves made in all games since training began, unfinished ones too.
        seconds: training time so far.
        mean: mean score of the games since the last point.
        largest: best score of them.
    """

    games: Count
    moves: Count
    seconds: float
    mean: float
    largest: Count
    reached_1024: float
    reached_2048: float
    reached_4096: float
    reached_8192: float
    reached_16384: float
    reached_32768: float

    @property
    def reached(self) -> tuple[float, ...]:
        """Share of the games since the last point that reached each of `TILES` or more."""
        return tuple(getattr(self, f"reached_{tile}") for tile in TILES)


class Curve(msgspec.Struct):
    """Collects the results of finished games into points of `stretch` games each.

    A checkpoint holds it as it is; decoding checks every limit.

    Attributes:
        points: one for each `stretch` games.
        games: games so far.
        moves: of all games so far.
        seconds: time of training when the last of them ended.
        since: the games after the last point.
        recent: the last thousand games.
    """

    points: Annotated[list[Point], msgspec.Meta(max_length=MAX_POINTS)] = []
    stretch: Annotated[int, msgspec.Meta(ge=1, le=2**62)] = STRETCH
    games: Count = 0
    moves: Count = 0
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    since: list[Result] = []
    recent: Annotated[list[Result], msgspec.Meta(max_length=STRETCH)] = []

    def __post_init__(self) -> None:
        if len(self.since) >= self.stretch:
            raise ValueError(f"expected fewer than {self.stretch} games since the last point")

    def add(
        self, results: NDArray[np.uint64], moves: npt.ArrayLike, seconds: npt.ArrayLike
    ) -> None:
        """Add finished games.

        Args:
            results: uint64 (games, 3): first the score, last the largest exponent.
            moves: moves since training began until each game ended; one number for all games, or
                one each.
            seconds: training time until then.
        """
        when = zip(
            results[:, [0, -1]].tolist(),
            np.broadcast_to(moves, len(results)).tolist(),
            np.broadcast_to(seconds, len(results)).tolist(),
            strict=True,
        )
        for (score, largest), self.moves, self.seconds in when:
            self.games += 1
            self.recent.append((score, largest))
            self.since.append((score, largest))
            if len(self.since) == self.stretch:
                self._close()
        del self.recent[:-STRETCH]

    def _point(self) -> Point:
        """The games after the last point as one point."""
        scores = [score for score, _ in self.since]
        mean, seconds = round(sum(scores) / len(scores), 1), round(self.seconds, 1)
        return Point(self.games, self.moves, seconds, mean, max(scores), *_rates(self.since))

    def _close(self) -> None:
        self.points.append(self._point())
        self.since = []
        if len(self.points) >= MAX_POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            self.points = [_joined(first, second) for first, second in pairs]
            self.stretch *= 2

    @property
    def shown(self) -> list[Point]:
        """The points; in a run too short for one, all its games are a point."""
        return self.points or ([self._point()] if self.since else [])

    @property
    def mean(self) -> float:
        """Mean score of the last 1000 games; 0 before the first."""
        return sum(score for score, _ in self.recent) / len(self.recent) if self.recent else 0.0

    @property
    def reached(self) -> dict[int, float]:
        """Share of the last 1000 games that reached each of six tiles, up to their largest."""
        largest = max((exponent for _, exponent in self.recent), default=_LARGEST)
        tiles = tiles_up_to(largest)
        return dict(zip(tiles, _rates(self.recent, tiles), strict=True))

    def rows(self) -> list[list[float]]:
        """One list per point: games, moves, seconds, mean, largest, a rate for each tile."""
        found: list[list[float]] = msgspec.to_builtins(self.shown)
        return found

    def csv(self) -> str:
        """The curve as CSV: a header, then one line per point."""
        return csv_text(columns(), self.rows())


def columns() -> list[str]:
    """The CSV header of a curve."""
    return list(Point.__struct_fields__)


def tiles_up_to(exponent: int) -> tuple[int, ...]:
    """The tiles whose rates are worth telling where this is the largest: six at most.

    >>> tiles_up_to(7)
    (4, 8, 16, 32, 64, 128)
    """
    last = min(exponent, _LARGEST)
    return tuple(1 << one for one in range(max(last - len(TILES) + 1, 1), last + 1))


def _rates(games: Iterable[tuple[int, int]], tiles: Sequence[int] = TILES) -> tuple[float, ...]:
    largest = [exponent for _, exponent in games]
    count = max(len(largest), 1)
    return tuple(
        round(sum(1 << exponent >= tile for exponent in largest) / count, 4) for tile in tiles
    )


def _joined(first: Point, second: Point) -> Point:
    reached = zip(first.reached, second.reached, strict=True)
    return Point(
        second.games,
        second.moves,
        second.seconds,
        round((first.mean + second.mean) / 2, 1),
        max(first.largest, second.largest),
        *(round((low + high) / 2, 4) for low, high in reached),
    )


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
            `twofold.arena.stats.next_sum`.
        sampled: mean score of games with moves drawn by their probabilities; None for networks
            without probabilities.
        reached: share of games that reached each tile; empty if not measured.
    """

    mean: float | None
    margin: float | None
    survival: dict[str, Rate]
    sampled: float | None = None
    reached: dict[str, Rate] = {}

    @property
    def words(self) -> str:
        """The results in words: what the percentages are shares of."""
        plain = str(msgspec.structs.replace(self, survival={}, reached={}))
        made = (f"{tile} in {rate:.1%} of games" for tile, rate in self.reached.items())
        late = (f"{rate:.1%} from the boards of {name}" for name, rate in self.survival.items())
        parts = (plain and f"{plain} points", ", ".join(made), ", ".join(late))
        names = ("", "reached ", "games that made the next large tile: ")
        return "; ".join(name + part for name, part in zip(names, parts, strict=True) if part)

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
