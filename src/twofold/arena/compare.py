"""Compares two players on their common seeds, in figures and in words.

>>> seeds = range(1, 9)
>>> found = compare_scores(
...     seeds, [900, 1100, 1000, 950, 1050, 1000, 980, 1020],
...     seeds, [700, 1000, 820, 730, 860, 790, 750, 830],
...     names=("corner", "greedy"),
... )
>>> verdict_words(found)
'corner is stronger: 190 points a game more (23.5 %, 95 % interval 157 to 223) over 8 games'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold.arena.pairs import Paired, PairedRates, paired_interval, paired_rates
from twofold.arena.sprt import SprtState, Verdict
from twofold.arena.stats import CONFIDENCE, MAX_COLUMNS, Interval, Values, finite, survival_by_tile
from twofold.figures import counted, format_rate, format_table
from twofold.notation import printable


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two players compared on common seeds.

    Attributes:
        games: number of common seeds.
        paired: scores of A against those of B, in points.
        reach: reach rates by tile, smallest first: the largest tiles that some games reached and
            some did not.
    """

    names: tuple[str, str]
    games: int
    paired: Paired
    reach: dict[int, PairedRates]
    confidence: float


def compare_scores(
    seeds_a: Sequence[int] | NDArray[Any],
    scores_a: Values,
    seeds_b: Sequence[int] | NDArray[Any],
    scores_b: Values,
    *,
    names: tuple[str, str] = ("A", "B"),
    max_tiles_a: Values | None = None,
    max_tiles_b: Values | None = None,
    confidence: float = CONFIDENCE,
) -> Comparison:
    """Compare two players on their common seeds; games of other seeds are left out.

    Seeds may be in any order. Each score (in points) and each largest tile (2, 4, 8 ...) belongs to
    the seed at its position. Without tiles there are no reach rates.

    Raises:
        ValueError: no seed is common, a seed is repeated, lengths differ, a value is not finite or
            not a tile, or only one player has tiles.
    """
    if (max_tiles_a is None) != (max_tiles_b is None):
        raise ValueError("expected the largest tiles of both players or of neither, got one")
    at_a, at_b = _common(seeds_a, seeds_b)
    ours = _picked(scores_a, at_a, len(seeds_a), "scores")
    theirs = _picked(scores_b, at_b, len(seeds_b), "scores")
    reach: dict[int, PairedRates] = {}
    if max_tiles_a is not None and max_tiles_b is not None:
        tiles_a = _picked(max_tiles_a, at_a, len(seeds_a), "largest tiles")
        tiles_b = _picked(max_tiles_b, at_b, len(seeds_b), "largest tiles")
        shares = survival_by_tile(np.concatenate([tiles_a, tiles_b]))
        for tile in [tile for tile, share in shares.items() if share.value < 1][-MAX_COLUMNS:]:
            reach[tile] = paired_rates(tiles_a >= tile, tiles_b >= tile, confidence)
    paired = paired_interval(ours, theirs, confidence)
    return Comparison(names, paired.games, paired, reach, confidence)


def _common(
    seeds_a: Sequence[int] | NDArray[Any], seeds_b: Sequence[int] | NDArray[Any]
) -> tuple[list[int], list[int]]:
    # Seeds go up to 2^64 - 1; NumPy may make them floats, in which large seeds become equal.
    places = [
        {seed: place for place, seed in enumerate(np.asarray(seeds, dtype=object).tolist())}
        for seeds in (seeds_a, seeds_b)
    ]
    for seeds, found in zip((seeds_a, seeds_b), places, strict=True):
        if len(found) < len(seeds):
            raise ValueError(f"expected each seed once, got {len(seeds) - len(found)} repeated")
    common = [seed for seed in places[0] if seed in places[1]]
    if not common:
        raise ValueError(
            f"expected at least one common seed, got none in {len(seeds_a)} and {len(seeds_b)}"
        )
    return [places[0][seed] for seed in common], [places[1][seed] for seed in common]


def _picked(values: Values, places: list[int], games: int, what: str) -> NDArray[np.float64]:
    if len(values) != games:
        raise ValueError(f"expected as many {what} as seeds, got {len(values)} and {games}")
    return finite(values)[places]


def reach_table(found: Comparison) -> str:
    """The reach rates and their differences as text, one line a tile; empty if there are none."""
    if not found.reach:
        return ""
    rows = []
    for tile, rates in found.reach.items():
        lead, low, high = rates.difference.value, rates.difference.low, rates.difference.high
        ends = f"{100 * (low or 0.0):+.1f} to {100 * (high or 0.0):+.1f}"
        shares = [f"{100 * one.value:.1f}" for one in (rates.ours, rates.theirs)]
        rows.append([str(tile), *shares, f"{100 * lead:+.1f}  {ends}"])
    return format_table(["reached, % of games", "A", "B", "A - B, 95 %"], rows)


def verdict_words(
    found: Comparison | SprtState, names: tuple[str, str] = ("A", "B"), tile: int | None = None
) -> str:
    """The result as one sentence without a full stop.

    A sequential test needs the names, and `tile` if it compares reach rates.
    """
    if isinstance(found, SprtState):
        return _test_words(found, names, tile)
    paired, games = found.paired, counted(found.games, "game")
    if paired.draws == paired.games:
        return f"no difference: the scores are the same in all of {games}"
    ahead = paired.difference.value >= 0
    leader = printable(found.names[not ahead])
    lead = paired.difference if ahead else _negated(paired.difference)
    words = f"{format_rate(lead.value)} points a game more"
    if lead.low is None or lead.high is None:
        return f"{leader} scored {words}, but {games} cannot tell who is stronger"
    percent = _percent(paired.relative, ahead)
    level = f"{100 * found.confidence:g} % interval"
    words += f" ({percent}{level} {format_rate(lead.low)} to {format_rate(lead.high)}) over {games}"
    if lead.low <= 0:
        return f"{leader} scored {words}, which may be chance"
    return f"{leader} is stronger: {words}"


def _percent(relative: Interval | None, ahead: bool) -> str:
    """The lead in % of the other player's mean; empty if that mean is not positive."""
    if relative is None or relative.value <= -100:
        return ""
    share = relative.value / 100
    return f"{format_rate(100 * (share if ahead else -share / (1 + share)))} %, "


def _negated(interval: Interval) -> Interval:
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Interval(-interval.value, None, None)
    return Interval(-interval.value, -high, -low)


def _test_words(state: SprtState, names: tuple[str, str], tile: int | None) -> str:
    a, b = map(printable, names)
    games = f"{counted(state.pairs, 'game')} each"
    if state.verdict is Verdict.EQUAL:
        return f"{a} and {b} differ by less than {_amount(state.delta, tile)}, after {games}"
    if state.verdict is None:
        yet = "" if state.finished else "yet "
        question = f"whether {a} and {b} differ by {_amount(state.delta, tile)}"
        return f"it is not known {yet}{question}, after {games}"
    leader = a if state.verdict is Verdict.A else b
    lead = f"{format_rate(100 * abs(state.mean))} % more of its games reach {tile}"
    if tile is None:
        lead = f"{_amount(abs(state.mean), tile)} more"
    bias = "biased away from 0, as the test ends at a large lead"
    return f"{leader} is stronger: {lead} ({bias}), after {games}"


def _amount(value: float, tile: int | None) -> str:
    if tile is None:
        return f"{format_rate(value)} points a game"
    return f"{format_rate(100 * value)} % of games that reach {tile}"
