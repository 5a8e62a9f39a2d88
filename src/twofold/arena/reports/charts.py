"""The charts of a study as numbers, which the web app and the plots of a report draw."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.arena.reports.report import ReportEntry
from twofold.arena.stats import Interval, telling_tiles
from twofold.arena.survival import bands, edges_of

Entries = Sequence[ReportEntry]

MOST_BANDS: Final = 6
"""With more players, bands of intervals are left out: they would overlap."""

FEWEST: Final = 5
"""With fewer games, the share that ended in a band is left out."""

_MANY: Final = 1000
"""With more scores, the largest thousandth is left out: it would compress the others."""

_WIDE: Final = 10.0
"""Above this ratio of the largest to the smallest mean, scores are on a log axis."""


class ChartLine(msgspec.Struct, frozen=True):
    """The line of a player; `low` and `high` are ends of intervals, empty if not drawn.

    Attributes:
        player: place in the league table, from 0.
    """

    player: int
    xs: list[float]
    ys: list[float]
    low: list[float] = []
    high: list[float] = []


class SectionCharts(msgspec.Struct, frozen=True):
    """The charts of a section, each without lines if it would show nothing.

    Attributes:
        reach: share of the games that reached a tile, in percent.
        going, ended: by tile sum, the share of the games that went on, and of those that reached a
            band the share that ended in it, in percent.
        scores: share of the games with a score from x to the next x, in percent.
        strength: mean score by time of a move, in seconds.
        wide: True if scores are on a log axis.
    """

    reach: list[ChartLine] = []
    going: list[ChartLine] = []
    ended: list[ChartLine] = []
    scores: list[ChartLine] = []
    strength: list[ChartLine] = []
    wide: bool = False


def section_charts(entries: Entries) -> SectionCharts:
    """The charts of players in the order of their table."""
    if not entries:
        return SectionCharts()
    wide = is_wide(entries)
    going, ended = survival_lines(entries)
    return SectionCharts(
        reach=reach_lines(entries),
        going=going,
        ended=ended,
        scores=_scores(entries, wide=wide),
        strength=_lines(entries, _strength, most=len(entries)),
        wide=wide,
    )


def is_wide(entries: Entries) -> bool:
    """True if scores are on a log axis."""
    means = [entry.summary.score.value for entry in entries]
    return max(means) > _WIDE * max(min(means), 1.0)


def reach_lines(entries: Entries) -> list[ChartLine]:
    """The reach rates of tiles; none if all players reached all tiles."""
    tiles = telling_tiles([entry.summary for entry in entries])
    return _lines(entries, lambda entry: _reached(entry, tiles)) if len(tiles) > 1 else []


def survival_lines(entries: Entries) -> tuple[list[ChartLine], list[ChartLine]]:
    """The games going on, and those that ended in a band; none if none ended."""
    if not any(entry.fates.died.any() for entry in entries):
        return [], []
    edges = edges_of(entry.fates for entry in entries)
    going = _lines(entries, lambda entry: _going(entry, edges))
    return going, _lines(entries, lambda entry: _ended(entry, edges))


Points = Iterable[tuple[float, Interval]]


def _lines(
    entries: Entries, points: Callable[[ReportEntry], Points], most: int = MOST_BANDS
) -> list[ChartLine]:
    """A line of the points of each player that has some."""
    found = []
    for player, entry in enumerate(entries):
        xs, shares = zip(*points(entry), strict=True) if (there := [*points(entry)]) else ((), ())
        known = len(entries) <= most and all(share.low is not None for share in shares)
        low = [share.low or 0.0 for share in shares] if known else []
        high = [share.high or 0.0 for share in shares] if known else []
        if there:
            found.append(ChartLine(player, [*xs], [share.value for share in shares], low, high))
    return found


def _percent(share: Interval) -> Interval:
    low, high = (None if end is None else 100 * end for end in (share.low, share.high))
    return Interval(100 * share.value, low, high)


def _reached(entry: ReportEntry, tiles: Sequence[int]) -> Points:
    """The first zero shows that no game came further; more zeros would only hide the axis."""
    known = [tile for tile in tiles if tile in entry.summary.reach]
    yield from ((tile, _percent(entry.summary.reach[tile])) for tile in known)
    if len(known) < len(tiles):
        yield tiles[len(known)], Interval(0.0, 0.0, 0.0)


def _going(entry: ReportEntry, edges: Sequence[int]) -> Points:
    if not len(entry.fates):
        return
    sums, counts = np.unique(entry.fates.ends[entry.fates.died], return_counts=True)
    yield edges[0], Interval(100.0, None, None)
    for place, share in zip(sums, 100 * (1 - counts.cumsum() / len(entry.fates)), strict=True):
        yield float(place), Interval(float(share), None, None)


def _ended(entry: ReportEntry, edges: Sequence[int]) -> Points:
    for band in bands(entry.fates, edges) if len(entry.fates) else ():
        if band.at_risk >= FEWEST:
            yield (band.low + band.high) / 2, _percent(band.share)


def _strength(entry: ReportEntry) -> Points:
    if entry.seconds_per_move is not None:
        yield entry.seconds_per_move, entry.summary.score


def _scores(entries: Entries, *, wide: bool) -> list[ChartLine]:
    """Histograms over the same bins; the last bin ends with a zero."""
    points = [np.maximum(entry.games.scores, 1).astype(np.float64) for entry in entries]
    low, high = min(float(one.min()) for one in points), max(map(far, points))
    count = int(np.clip(2 * max(one.size for one in points) ** 0.5, 8, 60))
    edges = np.geomspace(low, high, count + 1) if wide else np.linspace(low, high, count + 1)
    if high <= low:
        edges = np.array([low, low + 1])
    lines = []
    for player, one in enumerate(points):
        counts = np.histogram(one, edges)[0]
        shares = [*(100 * counts / one.size).tolist(), 0.0]
        lines.append(ChartLine(player, edges.tolist(), shares))
    return lines


def far(scores: NDArray[np.float64]) -> float:
    """The end of the axis: the largest score, without the last thousandth of many."""
    return float(np.quantile(scores, 0.999) if scores.size > _MANY else scores.max())
