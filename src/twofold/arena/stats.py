"""Statistics of a run: means, intervals, reach rates, where games end, and tables of them.

Values are one a game, as a sequence or a one-dimensional NumPy array: scores in points, largest
tiles as shown (2, 4, 8 ...), numbers of moves. Each function handles a million of them in well
under a second, and raises ValueError if there is none or one is not finite.

Where games end: for each band of tile sums, the share of the games in it that ended there.

>>> ends = np.array([900, 2_100, 2_900, 5_000])
>>> fates = Fates(starts=0 * ends, ends=ends, died=ends > 0)
>>> [(band.low, band.at_risk, band.ended) for band in bands(fates, [0, 2_000, 4_000, 6_000])]
[(0, 4, 1), (2000, 3, 2), (4000, 1, 1)]
"""

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameColumns, tile_sum
from twofold.figures import format_rate, format_table
from twofold.game.board import Board
from twofold.game.notation import printable
from twofold.game.rules import Rules

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding

Values: TypeAlias = Sequence[float] | NDArray[Any]
"""One number a game, shape (games,)."""

TAIL: Final = 0.025
"""Probability beyond each end of an interval; all have a confidence of 95 %."""

NORMAL_ENDS: Final = -statistics.NormalDist().inv_cdf(TAIL)
"""Half the width of the interval of a normal value, in standard deviations."""

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

    @property
    def sign(self) -> int:
        """1 if it lies above 0, -1 if it lies below, 0 if it may hold 0."""
        return (self.low is not None and self.low > 0) - (self.high is not None and self.high < 0)


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


def mean_interval(values: Values) -> Interval:
    """The mean and its 95 % confidence interval by Student's t."""
    array = finite(values)
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, None, None)
    half = student(array.size) * standard_error(array)
    return Interval(mean, mean - half, mean + half)


def standard_error(array: NDArray[np.float64]) -> float:
    """The standard error of the mean."""
    return float(array.std(ddof=1)) / math.sqrt(array.size)


@lru_cache(maxsize=1 << 10)
def student(games: int) -> float:
    """Half the width of the interval of a mean, in standard errors."""
    return student_quantile(TAIL, games - 1)


def wilson_interval(hits: int, trials: int) -> Interval:
    """The share hits / trials and its 95 % score interval. Source: Wilson 1927."""
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"expected 0 <= hits <= trials and a trial, got {hits} of {trials}")
    z, share = NORMAL_ENDS, hits / trials
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
        first = wrong[0]
        raise ValueError(
            f"expected powers of two from 2, got {max_tiles[first]} as number {first + 1}"
        )
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
    if max(map(len, names), default=0) > MAX_NAME:
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
        for run in runs
        if run.error
    ]
    return "\n\n".join(parts)


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


# ---- where games end
#
# The sum of the tiles grows by the new tile of each move, so it measures the progress of a game.

BAND_WIDTH: Final = 2_000
"""Width of the bands of tile sums for games of usual length."""

BAND_HEADER: Final = ("tile sum", "games", "ended", "ended, %", "95 % interval", "going on, %")
"""Columns of a table: games that reached the band, games that ended in it, survivors of all."""

_USUAL: Final = (8_000, 80_000)
"""Range of the largest tile sum in which the bands have this width; else about 20 bands."""


@dataclass(frozen=True, slots=True)
class SumBand:
    """The games in a band of tile sums, low <= sum < high; shares have 95 % intervals.

    Attributes:
        at_risk: games that reached the band, or began in it.
        ended: number of them that ended in it without a legal move.
        share: ended / at_risk.
        going: the share of all games that did not end below `high`; games that stopped at the goal
            count as survivors.
    """

    low: int
    high: int
    at_risk: int
    ended: int
    share: Interval
    going: Interval


@dataclass(frozen=True, slots=True)
class Fates:
    """The tile sums at which games began (0 for new games) and ended, int64 (games,).

    `died` is True for games without a legal move at the end, False for those stopped at the goal.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    died: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.ends)

    @classmethod
    def of_games(cls, games: GameColumns, rules: Rules, boards: StartBoards | None = None) -> Self:
        """From finished games.

        A game that stopped at the goal has not died. `boards` are those on which the games began.
        """
        stopped = rules.stop_at_goal & (games.max_tiles >= rules.goal)
        starts = np.zeros(len(games), dtype=np.int64)
        if boards is not None:
            sums = np.array([tile_sum(board) for board in boards.boards], dtype=np.int64)
            starts = sums[(games.seeds - np.uint64(1)) % np.uint64(len(sums))]
        return cls(starts, games.tile_sums, ~stopped)


def next_sum(board: Board) -> int:
    """The tile sum at which a game from a board has made its next large tile.

    Large tiles are those from half the largest tile on. The sum is the next multiple of that half
    plus a 16th of it, when the tile has been made. From 8192 and a sum of 14,000 the next large
    tile is 16384; from 16384 and 8192 it is 32768; from 32768 and 8192 it is 16384.

    >>> next_sum(Board.parse("8192 4096 1024 512/128 32 16 0/0 0 0 0/0 0 0 0"))
    16640
    """
    half = max((1 << board.max_exponent) // 2, 2)
    return (tile_sum(board) // half + 1) * half + half // 16


def edges_of(many: Iterable[Fates], width: int | None = None) -> list[int]:
    """Bounds of bands of equal width over all players' games; an empty list without games."""
    some = [one for one in many if len(one)]
    if not some:
        return []
    low = min(int(one.starts.min()) for one in some)
    high = max(int(one.ends.max()) for one in some)
    usual = BAND_WIDTH if _USUAL[0] <= high <= _USUAL[1] else round_up(max(high - low, 20) / 20)
    step = usual if width is None else width
    return list(range(low // step * step, (high // step + 1) * step + 1, step))


def bands(fates: Fates, edges: Sequence[int]) -> list[SumBand]:
    """The games by band; bands without games are left out. `edges` must rise."""
    games, ends = len(fates), np.sort(fates.ends)
    starts, dead = np.sort(fates.starts), np.sort(fates.ends[fates.died])
    found = []
    for low, high in itertools.pairwise(edges):
        at_risk = _below(starts, high) - _below(ends, low)
        if not at_risk:
            continue
        ended = _below(dead, high) - _below(dead, low)
        share = wilson_interval(ended, at_risk)
        going = wilson_interval(games - _below(dead, high), games)
        found.append(SumBand(low, high, at_risk, ended, share, going))
    return found


def _below(ordered: NDArray[np.int64], bound: int) -> int:
    return int(np.searchsorted(ordered, bound))


def told_bands(fates: Fates, edges: Sequence[int]) -> list[SumBand]:
    """The bands of a table: neighbours in which no game ended are joined."""
    every = bands(fates, edges)
    quiet = {
        one.low
        for last, one in itertools.pairwise(every)
        if last.high == one.low and last.ended == one.ended == 0
    }
    bounds = {one.low for one in every} | {one.high for one in every}
    return bands(fates, sorted(bounds - quiet))


def band_cells(band: SumBand) -> tuple[str, ...]:
    """The cells of a row, in the order of BAND_HEADER."""
    ends = (band.share.low or 0.0, band.share.high or 0.0)
    return (
        f"{band.low:,} to {band.high:,}",
        f"{band.at_risk:,}",
        f"{band.ended:,}",
        _share(band.share.value),
        " to ".join(map(_share, ends)),
        _share(band.going.value),
    )


def _share(share: float) -> str:
    return f"{100 * share:.1f}"


def format_survival(
    runs: Sequence["PlayerStanding"], rules: Rules, boards: StartBoards | None
) -> str:
    """A table for each player, with its name above it; empty if there are no games."""
    some = [run for run in runs if len(run.games)]
    fates = [Fates.of_games(run.games, rules, boards) for run in some]
    edges = edges_of(fates)
    tables = []
    for run, one in zip(some, fates, strict=True):
        rows = list(map(band_cells, told_bands(one, edges)))
        tables.append(f"{printable(run.player)}\n{format_table(BAND_HEADER, rows)}")
    return "\n\n".join(tables)


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
