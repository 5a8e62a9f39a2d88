"""Statistics of a run: means, intervals, quantiles, reach rates. For two runs see `pairs`.

Values are one a game, as a sequence or a one-dimensional NumPy array: scores in points, largest
tiles as shown (2, 4, 8 ...), numbers of moves. Each function handles a million of them in well
under a second, and raises ValueError if there is none or one is not finite.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from twofold.arena.distributions import fair_coin_quantile, student_quantile
from twofold.arena.games import GameColumns

Values: TypeAlias = Sequence[float] | NDArray[Any]
"""One number a game, shape (games,)."""

CONFIDENCE: Final = 0.95
"""Default confidence of intervals."""

MAX_BOOTSTRAP: Final = 10_000
"""Most values that are resampled; the mean of more is close to normal."""

_BATCH: Final = 1 << 20
"""Values drawn at a time, so that memory is bounded."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with a confidence interval; the ends are None if there is too little data."""

    value: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half the distance between the ends."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of the games of one run; intervals are of 95 %.

    Attributes:
        moves: moves of all games.
        reach: reach rate of each tile from 4 to the largest.
        seconds: sum of the times of the games.
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


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of equal width; bin k holds start + k * width <= value < the next start."""

    start: int
    width: int
    counts: tuple[int, ...]


def finite(values: Values) -> NDArray[np.float64]:
    """The values as an array of float64, shape (games,); ValueError if one is not finite."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"expected values of one dimension, got shape {array.shape}")
    if not array.size:
        raise ValueError("expected at least one value, got none")
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise ValueError(f"expected finite values, got {array[wrong[0]]} as number {wrong[0] + 1}")
    return array


def mean_interval(values: Values, confidence: float = CONFIDENCE) -> Interval:
    """The mean and its confidence interval by Student's t."""
    _check_share(confidence)
    array = finite(values)
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, None, None)
    half = student(array.size, confidence) * standard_error(array)
    return Interval(mean, mean - half, mean + half)


def standard_error(array: NDArray[np.float64]) -> float:
    """The standard error of the mean."""
    return float(array.std(ddof=1)) / math.sqrt(array.size)


def student(games: int, confidence: float) -> float:
    """Half the width of the interval of a mean, in standard errors."""
    return student_quantile((1 - confidence) / 2, games - 1)


def normal_ends(confidence: float) -> float:
    """Half the width of the interval of a normal value, in standard deviations."""
    _check_share(confidence)
    return -statistics.NormalDist().inv_cdf((1 - confidence) / 2)


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise ValueError(f"expected a confidence between 0 and 1, got {share}")


def bootstrap_interval(
    values: Values, confidence: float = CONFIDENCE, resamples: int = 2000, seed: int = 1
) -> Interval:
    """The mean and its BCa bootstrap interval, which is wider on the side of the longer tail.

    It takes at least 100 `resamples`, drawn from `seed`. Above MAX_BOOTSTRAP values the result is
    that of `mean_interval`. Source: Efron 1987, bias-corrected and accelerated (BCa).
    """
    _check_share(confidence)
    if resamples < 100:
        raise ValueError(f"expected at least 100 resamples, got {resamples}")
    array = finite(values)
    if array.size > MAX_BOOTSTRAP or array.min() == array.max():
        return mean_interval(array, confidence)
    means = _resampled_means(array, resamples, seed)
    shares = _bca_shares(array, means, confidence)
    low, high = np.quantile(means, shares).tolist()
    return Interval(float(array.mean()), low, high)


def _resampled_means(array: NDArray[np.float64], count: int, seed: int) -> NDArray[np.float64]:
    draw = np.random.default_rng(seed)
    batch = max(1, _BATCH // array.size)
    sizes = [min(batch, count - start) for start in range(0, count, batch)]
    places = (draw.integers(0, array.size, (size, array.size)) for size in sizes)
    return np.concatenate([array[place].mean(axis=1) for place in places])


def _bca_shares(
    array: NDArray[np.float64], means: NDArray[np.float64], confidence: float
) -> tuple[float, float]:
    """The two quantiles of the resampled means that are the ends of the interval."""
    normal = statistics.NormalDist()
    mean = array.mean()
    below = (np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)) / (2 * means.size)
    bias = normal.inv_cdf(min(max(below, 0.5 / means.size), 1 - 0.5 / means.size))
    away = array - mean
    acceleration = float((away**3).sum() / (6 * (away**2).sum() ** 1.5))
    z = normal_ends(confidence)
    low, high = (_bca_share(bias, acceleration, x) for x in (bias - z, bias + z))
    return low, high


def _bca_share(bias: float, acceleration: float, x: float) -> float:
    """The quantile; at the pole of the formula, which large confidences reach, it is 0 or 1."""
    slack = 1 - acceleration * x
    return statistics.NormalDist().cdf(bias + x / slack) if slack > 0 else float(x > 0)


def wilson_interval(hits: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """The share hits / trials and its score interval. Source: Wilson 1927."""
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"expected 0 <= hits <= trials and a trial, got {hits} of {trials}")
    z = normal_ends(confidence)
    share = hits / trials
    middle = share + z * z / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    low, high = (middle - half) / scale, (middle + half) / scale
    return Interval(share, 0.0 if hits == 0 else low, 1.0 if hits == trials else high)


def median_interval(values: Values, confidence: float = CONFIDENCE) -> Interval:
    """The median, with the k-th smallest and the k-th largest value as the ends of its interval.

    k is the largest with P(Binomial(games, 1/2) < k) at most (1 - confidence) / 2, so the coverage
    is at least `confidence`. Five games have no interval of 95 %. Source: Thompson 1936.
    """
    _check_share(confidence)
    ordered = np.sort(finite(values))
    place = fair_coin_quantile((1 - confidence) / 2, ordered.size)
    ends = (float(ordered[place - 1]), float(ordered[-place])) if place else (None, None)
    return Interval(float(np.median(ordered)), *ends)


def quantile(values: Values, share: float) -> float:
    """The value below which `share` of the values lie, linear between neighbours."""
    return quantiles(values, [share])[0]


def quantiles(values: Values, shares: Sequence[float]) -> tuple[float, ...]:
    """The `quantile` of each share, in one pass."""
    if len(values) == 0 or not all(0 <= share <= 1 for share in shares):
        raise ValueError(
            f"expected values and each share from 0 to 1, got {len(values)}, {list(shares)}"
        )
    return tuple(np.quantile(finite(values), shares).tolist())


def histogram(scores: Values, bins: int = 40) -> Histogram:
    """Count scores in at most about `bins` bins between round numbers.

    The width is 1, 2 or 5 times a power of ten, at least 1 point. Source: Freedman and Diaconis
    1981: width 2 IQR / games^(1/3), before rounding.
    """
    array = finite(scores)
    low, first, third, high = quantiles(array, [0, 0.25, 0.75, 1])
    width = round_up(max(2 * (third - first) / array.size ** (1 / 3), (high - low) / bins))
    start = math.floor(low / width)
    counts = np.bincount((array // width).astype(np.int64) - start)
    return Histogram(start * width, width, tuple(counts.tolist()))


def round_up(step: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 ... that is at least the step."""
    power = 1
    while 10 * power < step:
        power *= 10
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step)


def tile_shares(max_tiles: Values) -> dict[int, Interval]:
    """For each tile from 2 to the largest: the share of games whose largest tile it is."""
    counts = _tile_counts(max_tiles)
    return {
        1 << exponent: wilson_interval(counts[exponent], sum(counts))
        for exponent in range(1, len(counts))
    }


def survival_by_tile(max_tiles: Values) -> dict[int, Interval]:
    """The reach rate of each tile from 4 to the largest."""
    counts = _tile_counts(max_tiles)
    return {
        1 << exponent: wilson_interval(sum(counts[exponent:]), sum(counts))
        for exponent in range(2, len(counts))
    }


def _tile_counts(max_tiles: Values) -> list[int]:
    """Number of games by exponent of the largest tile."""
    fractions, exponents = np.frexp(finite(max_tiles))
    wrong = np.flatnonzero((fractions != 0.5) | (exponents < 2))
    if wrong.size:
        raise ValueError(f"expected powers of two from 2, got {max_tiles[wrong[0]]}")
    counts: list[int] = np.bincount(exponents - 1).tolist()
    return counts


def survival_by_move(moves: Values, points: Sequence[int] | None = None) -> dict[int, Interval]:
    """The share of games of more than n moves, for each number n of `points`.

    By default about 20 round points from 0 to the longest game. An aborted game counts as ended.
    Source: without censoring the estimate of Kaplan and Meier 1958 is the plain share; its interval
    is that of Wilson.
    """
    ordered = np.sort(finite(moves))
    if points is None:
        points = range(0, int(ordered[-1]) + 1, round_up(ordered[-1] / 20))
    ended = np.searchsorted(ordered, points, side="right").tolist()
    games = ordered.size
    return {
        point: wilson_interval(games - done, games)
        for point, done in zip(points, ended, strict=True)
    }


def summarise(games: GameColumns) -> Summary:
    """The scores, moves and reach rates of at least one game."""
    if not len(games):
        raise ValueError("expected at least one finished game, got none")
    return Summary(
        games=len(games),
        score=mean_interval(games.scores),
        median=float(np.median(games.scores)),
        best=int(games.scores.max()),
        worst=int(games.scores.min()),
        moves=int(games.moves.sum()),
        max_tile=int(games.max_tiles.max()),
        reach=survival_by_tile(games.max_tiles),
        seconds=float(games.seconds.sum()),
    )
