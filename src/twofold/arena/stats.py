"""Statistics of a run: means, intervals, quantiles, reach rates."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from twofold.arena.run import Run

CONFIDENCE: Final = 0.95
"""Of every interval, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with a confidence interval; the ends are None where there is too little data."""

    value: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half the distance between the ends."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Summary:
    """What the games of one run say.

    Attributes:
        games: number of finished games.
        score: mean score, with its 95 % interval.
        median: median score.
        best: largest score.
        worst: smallest score.
        moves: moves of all games.
        max_tile: largest tile of all games.
        reach: for each tile from 4 to the largest, the share of games that reached at least
            that tile, with its 95 % interval.
        seconds: time of all games, each counted by itself.
    """

    games: int
    score: Interval
    median: float
    best: int
    worst: int
    moves: int
    max_tile: int
    reach: dict[int, Interval]
    seconds: float

    @property
    def moves_per_second(self) -> float:
        """Moves a second of one worker."""
        return self.moves / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_per_game(self) -> float:
        """Seconds a game of one worker."""
        return self.seconds / self.games


def mean_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """The mean and its confidence interval by Student's t.

    Raises:
        ValueError: there is no value.
    """
    if not values:
        raise ValueError("expected at least one value, got none")
    mean = statistics.fmean(values)
    if len(values) == 1:
        return Interval(mean, None, None)
    from scipy.special import stdtrit

    error = statistics.stdev(values) / math.sqrt(len(values))
    half = float(stdtrit(len(values) - 1, (1 + confidence) / 2)) * error
    return Interval(mean, mean - half, mean + half)


def wilson_interval(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """A share and its Wilson score interval.

    Source: Wilson 1927.

    Raises:
        ValueError: no trials, or hits outside 0 to trials.
    """
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"expected 0 <= hits <= trials and a trial, got {hits} of {trials}")
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    share = hits / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (middle - half) / scale, (middle + half) / scale
    return Interval(share, 0.0 if hits == 0 else low, 1.0 if hits == trials else high)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, linear between neighbours.

    Raises:
        ValueError: no value, or a share outside 0 to 1.
    """
    if not values or not 0 <= share <= 1:
        raise ValueError(f"expected values and a share from 0 to 1, got {len(values)}, {share}")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def summarise(run: Run) -> Summary:
    """What the games of a run say.

    Raises:
        ValueError: the run has no finished game.
    """
    rows = run.rows
    if not rows:
        raise ValueError("expected at least one finished game, got none")
    scores = [row.score for row in rows]
    top = max(row.max_tile for row in rows)
    tiles = [1 << exponent for exponent in range(2, top.bit_length())]
    return Summary(
        games=len(rows),
        score=mean_interval(scores),
        median=statistics.median(scores),
        best=max(scores),
        worst=min(scores),
        moves=sum(row.moves for row in rows),
        max_tile=top,
        reach={
            tile: wilson_interval(sum(row.max_tile >= tile for row in rows), len(rows))
            for tile in tiles
        },
        seconds=sum(row.seconds for row in rows),
    )
