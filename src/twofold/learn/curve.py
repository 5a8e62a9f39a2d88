"""The learning curve: results of the training games, averaged over stretches of games."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Final

import msgspec
import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from twofold.figures import csv_text
from twofold.limits import MAX_EXPONENT, MAX_SCORE

STRETCH: Final = 1000
"""Games averaged into one point, at first."""

MAX_POINTS: Final = 2000
"""A curve of this length is halved by joining pairs of points. Even, so all points have a pair."""

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

Row = tuple[Count, Count, float, float, Count, float, float, float, float, float, float]
"""A point as a list: games, moves, seconds, mean, largest, a rate for each of `TILES`."""


class CurveState(msgspec.Struct, frozen=True):
    """A curve in a checkpoint; decoding checks every limit.

    `stretch` is games per point, `since` the games after the last point, `recent` the last 1000.
    """

    games: Count
    stretch: Annotated[int, msgspec.Meta(ge=1, le=2**62)]
    points: Annotated[list[Row], msgspec.Meta(max_length=MAX_POINTS)]
    since: list[Result]
    recent: Annotated[list[Result], msgspec.Meta(max_length=STRETCH)]

    def __post_init__(self) -> None:
        if len(self.since) >= self.stretch:
            raise ValueError(f"expected fewer than {self.stretch} games since the last point")


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve.

    Attributes:
        games: games begun with start tiles and finished, since training began.
        moves: moves made in all games since training began, unfinished ones too.
        seconds: training time so far.
        mean: mean score of the games since the last point.
        largest: best score of them.
        reached: share of them that reached each of `TILES` or a larger tile.
    """

    games: int
    moves: int
    seconds: float
    mean: float
    largest: int
    reached: tuple[float, ...]


class Curve:
    """Collects the results of finished games into points of `stretch` games each."""

    def __init__(self, points: Iterable[Point] = (), stretch: int = STRETCH) -> None:
        self.points = list(points)
        self.stretch = stretch
        self.games = 0
        self.recent: deque[Result] = deque(maxlen=STRETCH)
        """The last thousand games."""
        self._since: list[Result] = []

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
        for (score, largest), made, spent in when:
            self.games += 1
            self.recent.append((score, largest))
            self._since.append((score, largest))
            if len(self._since) == self.stretch:
                self._close(made, spent)

    def _close(self, moves: int, seconds: float) -> None:
        scores = [score for score, _ in self._since]
        self.points.append(
            Point(
                self.games,
                moves,
                round(seconds, 1),
                round(sum(scores) / len(scores), 1),
                max(scores),
                _rates(self._since),
            )
        )
        self._since = []
        if len(self.points) >= MAX_POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=False)
            self.points = [_joined(first, second) for first, second in pairs]
            self.stretch *= 2

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

    # ---- the form in a checkpoint

    def rows(self) -> list[list[float]]:
        """One list per point: games, moves, seconds, mean, largest, a rate for each tile."""
        return [
            [point.games, point.moves, point.seconds, point.mean, point.largest, *point.reached]
            for point in self.points
        ]

    def state(self) -> dict[str, object]:
        """The whole curve as a JSON value, see `CurveState`."""
        return {
            "games": self.games,
            "stretch": self.stretch,
            "points": self.rows(),
            "since": [list(game) for game in self._since],
            "recent": [list(game) for game in self.recent],
        }

    @classmethod
    def from_state(cls, state: CurveState) -> "Curve":
        """Rebuild a curve from its `state`."""
        points = (Point(*row[:5], reached=row[5:]) for row in state.points)
        curve = cls(points, state.stretch)
        curve.games = state.games
        curve._since = state.since
        curve.recent.extend(state.recent)
        return curve

    # ---- other forms

    def csv(self) -> str:
        """The curve as CSV: a header, then one line per point."""
        return csv_text(columns(), self.rows())


def columns() -> list[str]:
    """The CSV header of a curve."""
    names = [field.name for field in fields(Point)][:-1]
    return [*names, *(f"reached_{tile}" for tile in TILES)]


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
        tuple(round((low + high) / 2, 4) for low, high in reached),
    )
