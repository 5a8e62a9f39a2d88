"""Statistics of a run: means, intervals, reach rates, and tables of them. For two runs: `pairs`.

Values are one a game, as a sequence or a one-dimensional NumPy array: scores in points, largest
tiles as shown (2, 4, 8 ...), numbers of moves. Each function handles a million of them in well
under a second, and raises ValueError if there is none or one is not finite.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import GameColumns
from twofold.figures import format_rate, format_table
from twofold.game.notation import printable

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding

Values: TypeAlias = Sequence[float] | NDArray[Any]
"""One number a game, shape (games,)."""

CONFIDENCE: Final = 0.95
"""Default confidence of intervals."""

_MAX_STEPS: Final = 10_000
"""A guard: no loop here takes a tenth of it."""


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


def round_up(step: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50 ... that is at least the step."""
    power = 1
    while 10 * power < step:
        power *= 10
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= step)


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


# ---- runs as text: scores, speed and reach rates

MAX_NAME = 24
"""Longest player name in the first column."""

MIN_COLUMNS = 4
"""Smallest number of reach rates in a table, if there are enough tiles."""

MAX_COLUMNS = 8
"""Largest number of reach rates in a table, which then fits 80 characters."""


def format_runs(
    runs: Sequence["PlayerStanding"], *, rates: bool = True, from_boards: bool = False
) -> str:
    """Scores and speed, then reach rates; one line a player. Long specs are numbered.

    With `from_boards` the heading says that tiles of the given boards count as reached.
    """
    parts = []
    names = specs = [printable(run.player) for run in runs]
    if max(map(len, names)) > MAX_NAME:
        names = [str(number) for number in range(1, len(runs) + 1)]
        width = len(names[-1])
        parts.append(
            "\n".join(f"{name:>{width}}  {spec}" for name, spec in zip(names, specs, strict=True))
        )
    done = [
        (name, summarise(run.games))
        for name, run in zip(names, runs, strict=True)
        if len(run.games)
    ]
    if done:
        header = ["player", "games", "mean score", "± 95 %", "median", "best", "moves/s", "s/game"]
        parts.append(
            format_table(header, [[name, *_score_cells(summary)] for name, summary in done])
        )
        parts += [_rates(done, reach_heading(from_boards))] if rates else []
    parts += [
        f"{printable(run.player)}: failed on seed {run.failed_seed}: {run.error}"
        for run in failed(runs)
    ]
    return "\n\n".join(parts)


def failed(runs: Sequence["PlayerStanding"]) -> list["PlayerStanding"]:
    """The runs that ended with an error."""
    return [run for run in runs if run.error]


def _score_cells(summary: Summary) -> list[str]:
    half = summary.score.half_width
    return [
        f"{summary.games:,}",
        f"{summary.score.value:,.0f}",
        "-" if half is None else f"{half:,.0f}",
        f"{summary.median:,.0f}",
        f"{summary.best:,}",
        format_rate(summary.moves_per_second),
        f"{summary.seconds_per_game:.3g}",
    ]


def telling_tiles(summaries: Sequence[Summary], fewest: int = 1) -> list[int]:
    """The tiles whose reach rates differ between players.

    They go from the largest tile that all games reached to the largest of all. If they are fewer
    than `fewest`, smaller tiles are added.
    """
    top = max(summary.max_tile for summary in summaries)
    tiles = [1 << exponent for exponent in range(2, top.bit_length())]
    always = sum(all(reach(one, tile) == 1.0 for one in summaries) for tile in tiles)
    return tiles[max(0, min(always - 1, len(tiles) - fewest)) :]


def reach_tiles(summaries: Sequence[Summary]) -> list[int]:
    """The tiles of a table of reach rates."""
    return telling_tiles(summaries, MIN_COLUMNS)[-MAX_COLUMNS:]


def reach(summary: Summary, tile: int) -> float:
    """The reach rate of a tile."""
    return summary.reach[tile].value if tile in summary.reach else 0.0


def reach_heading(from_boards: bool) -> str:
    """The heading of a table of reach rates; tiles of given boards count as reached."""
    return "reached or given, %" if from_boards else "reached, % of games"


def _rates(done: Sequence[tuple[str, Summary]], heading: str) -> str:
    tiles = reach_tiles([summary for _, summary in done])
    rows = [
        [player, *(_percent(reach(summary, tile), summary.games) for tile in tiles)]
        for player, summary in done
    ]
    return format_table([heading, *map(str, tiles)], rows)


def _percent(share: float, games: int) -> str:
    if share == 0:
        return "-"
    return f"{100 * share:.0f}" if games <= 100 else f"{100 * share:.1f}"


# ---- Student's t distribution: SciPy has it, but would add a third to the installation.


def student_tail(t: float, freedom: int) -> float:
    """P(T > t) for t >= 0, where T has Student's distribution with `freedom` degrees of freedom.

    Source: Abramowitz and Stegun 1964, 26.7.1: half the regularised incomplete beta function of
    n / (n + t^2) with the parameters n / 2 and 1 / 2.
    """
    x, y = freedom / (freedom + t * t), t * t / (freedom + t * t)
    scale = t * student_density(t, freedom) / 2
    if t < 1:
        return 0.5 - scale * _beta_fraction(0.5, freedom / 2, y, x)
    return scale * _beta_fraction(freedom / 2, 0.5, x, y)


def student_density(t: float, freedom: int) -> float:
    """The density of Student's distribution."""
    power = math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))
    return _gamma_ratio(freedom / 2) / math.sqrt(math.pi * freedom) * power


def student_quantile(tail: float, freedom: int) -> float:
    """The t with P(T > t) = tail, for 0 < tail <= 1/2, by Newton's method.

    It starts at the quantile of the normal distribution, which is too small. The tail is convex,
    so no step goes beyond the solution.
    """
    t = -statistics.NormalDist().inv_cdf(tail)
    for _ in range(_MAX_STEPS):
        step = (student_tail(t, freedom) - tail) / student_density(t, freedom)
        t += step
        if step <= 1e-10 * t:  # each step squares the relative error
            break
    return t


def _gamma_ratio(a: float) -> float:
    """Gamma(a + 1/2) / Gamma(a). Source: for large a, DLMF 5.11.13 as a logarithm."""
    if a <= 100:
        return math.gamma(a + 0.5) / math.gamma(a)
    return math.sqrt(a) * math.exp(-1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5))


def _beta_fraction(a: float, b: float, x: float, y: float) -> float:
    """The regularised incomplete beta function divided by x^a y^b / B(a, b), where y = 1 - x.

    Source: the continued fraction of DiDonato and Morris 1992 (algorithm 708), evaluated by the
    method of Lentz 1976. DLMF 8.17.22 is simpler, but loses digits for x close to 1.
    """
    value = upper = a * (a * y - b * x + 1) / (a + 1)
    lower = 0.0
    for m in range(1, _MAX_STEPS):
        odd = a + 2 * m - 1
        over = m * (a + m - 1) * (a + b + m - 1) * (b - m) * x * x / (odd * odd)
        under = m + m * (b - m) * x / odd
        under += (a + m) * (a * y - b * x + 1 + m * (1 + y)) / (odd + 2)
        upper = under + over / upper
        lower = 1 / (under + over * lower)
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-15:
            break
    return 1 / value
