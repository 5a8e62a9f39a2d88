"""Compares two players on their common seeds, in figures, by a sequential test, and in words.

Statistics of two runs on common seeds: differences of scores and of reach rates.

Values are one a game, in the order of the same seeds; see `stats`.

A sequential test of two players on the same seeds: it stops once one is shown to be stronger.

A difference is A minus B on one seed: of scores in points, or of hits of a tile (-1, 0 or 1).
The test chooses between three hypotheses about the mean difference: `delta` (A is stronger), 0
and `-delta` (B is stronger). Two sequential probability ratio tests run side by side, `delta`
against 0 and `-delta` against 0. The first that accepts its side names the stronger player; if
both reject, the verdict is no difference of that size. The variance is estimated from the
differences so far, with two added pairs at plus and minus `largest` from the mean. For its error
rates see `docs/reference/arena.md`.

>>> test = Sprt(delta=100, min_pairs=2)
>>> test.extend([250, 180, 320, 90, 410, 150, 220, 260, 300, 140])
>>> test.extend([190, 230] * 50)
<Verdict.A: 'A'>
>>> test.pairs
42

Sources: Wald 1945, Sequential tests of statistical hypotheses, for the bounds; Sobel and Wald
1949 for three hypotheses; Van den Bergh, A practical introduction to the GSPRT, for the ratio
with estimated variance, as fishtest uses it.

>>> seeds = range(1, 9)
>>> found = compare_scores(
...     seeds, [900, 1100, 1000, 950, 1050, 1000, 980, 1020],
...     seeds, [700, 1000, 820, 730, 860, 790, 750, 830],
...     names=("corner", "greedy"),
... )
>>> verdict_words(found)
'corner is stronger: 190 points a game more (23.5 %, 95 % interval 157 to 223) over 8 games'
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import (
    MAX_COLUMNS,
    NORMAL_ENDS,
    Interval,
    Values,
    finite,
    mean_interval,
    standard_error,
    student,
    student_tail,
    survival_by_tile,
    wilson_interval,
)
from twofold.figures import counted, format_rate, format_table, minus
from twofold.game.notation import printable

if TYPE_CHECKING:
    from twofold.arena.bench import PlayerStanding


@dataclass(frozen=True, slots=True)
class Paired:
    """Two players' values on the same seeds.

    Attributes:
        difference: mean of ours minus theirs, in points a game.
        relative: the difference in % of their mean; None if that mean is not positive.
        wins: number of seeds on which ours is larger.
        p_value: two-sided, of the paired t test; None for one game. If all differences are
            equal it is 1 if they are 0, else 0.
    """

    games: int
    difference: Interval
    relative: Interval | None
    wins: int
    draws: int
    losses: int
    p_value: float | None


@dataclass(frozen=True, slots=True)
class PairedRates:
    """Two reach rates on the same seeds, and their difference."""

    ours: Interval
    theirs: Interval
    difference: Interval


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p values of several comparisons, corrected for their number; None stays and counts not.

    If no players differ, the smallest of them is below 0.05 in at most 5 % of all tables.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]

    Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    found: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(known):
        found[place] = largest = max(largest, min(1.0, (len(known) - rank) * p))
    return found


def paired_interval(ours: Values, theirs: Values) -> Paired:
    """The mean difference of two players, in points, on the same seeds in the same order.

    Source: Student's t on the differences; Fieller 1954 for the ratio of the means, whose interval
    contains 0 exactly if that of the difference does.
    """
    one, two = _pair(ours, theirs)
    difference = one - two
    return Paired(
        games=difference.size,
        difference=mean_interval(difference),
        relative=_relative(difference, two),
        wins=int(np.count_nonzero(difference > 0)),
        draws=int(np.count_nonzero(difference == 0)),
        losses=int(np.count_nonzero(difference < 0)),
        p_value=_p_value(difference),
    )


def _pair(ours: Values, theirs: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, two = finite(ours), finite(theirs)
    if one.size != two.size:
        raise ValueError(f"expected values of equal length, got {one.size} and {two.size}")
    return one, two


def _p_value(difference: NDArray[np.float64]) -> float | None:
    if difference.size == 1:
        return None
    mean, error = abs(float(difference.mean())), standard_error(difference)
    if error == 0:
        return float(mean == 0)
    return 2 * student_tail(mean / error, difference.size - 1)


def _relative(difference: NDArray[np.float64], theirs: NDArray[np.float64]) -> Interval | None:
    """In %: every ratio r for which the mean of difference - r * theirs may be 0 (Fieller)."""
    top, base, games = float(difference.mean()), float(theirs.mean()), theirs.size
    if base <= 0:
        return None
    value = 100 * top / base
    if games == 1:
        return Interval(value, None, None)
    scale = student(games) ** 2 / games
    (v_top, v_mixed), (_, v_base) = (scale * np.cov(difference, theirs)).tolist()
    square = base * base - v_base
    if square <= 0:
        return Interval(value, None, None)
    middle = (top * base - v_mixed) / square
    half = math.sqrt(max(0.0, middle * middle - (top * top - v_top) / square))
    return Interval(value, 100 * (middle - half), 100 * (middle + half))


def paired_rates(ours: Values, theirs: Values) -> PairedRates:
    """Two reach rates on the same seeds, and their difference; values are 1 for a hit, else 0.

    Source: Bonett and Price 2012, adjusted Wald interval for paired proportions; Fagerland,
    Lydersen and Laake 2014 compare it with those of Newcombe 1998 and Tango 1998.
    """
    one, two = _pair(ours, theirs)
    wrong = np.setdiff1d(np.concatenate([one, two]), [0, 1])
    if wrong.size:
        raise ValueError(f"expected 0 or 1 for each game, got {wrong[0]}")
    first, second = (wilson_interval(int(hit.sum()), hit.size) for hit in (one, two))
    only_ours, only_theirs = int((one > two).sum()), int((two > one).sum())
    # the Wald interval with one more discordant pair for each player
    plus, minus = (only_ours + 1) / (one.size + 2), (only_theirs + 1) / (one.size + 2)
    error = math.sqrt((plus + minus - (plus - minus) ** 2) / (one.size + 2))
    half = NORMAL_ENDS * error
    low, high = max(-1.0, plus - minus - half), min(1.0, plus - minus + half)
    difference = Interval((only_ours - only_theirs) / one.size, low, high)
    return PairedRates(first, second, difference)


BIAS: Final = (
    "the test ended the games, so the difference is biased away from 0: about a fifth too large "
    "where the true one is delta, more where it is smaller; its 95 % interval holds the true one "
    "in 88 to 97 % of simulated tests"
)
"""Said of the difference after a test; `docs/reference/arena.md` has the simulation."""

MIN_PAIRS: Final = 100
"""Default of `min_pairs`."""

LARGEST: Final = 20.0
"""Default of `largest`, in units of delta."""


class Verdict(StrEnum):
    """The stronger player, or EQUAL if they differ by less than delta."""

    A = "A"
    B = "B"
    EQUAL = "EQUAL"


class Sprt:
    """A running test. Add pairs in the order of their seeds.

    The order in which games end is biased: short games end first. Pairs after the verdict are
    ignored.

    Attributes:
        pairs: number of pairs used.
        llr: log likelihood ratios of "A is stronger by delta" and "B is" against "no difference".
        bounds: a ratio of at most the first rejects its hypothesis, of at least the second accepts.
        verdict: None if undecided.

    Args:
        delta: the smallest difference worth finding, in the unit of the differences.
        alpha: probability of naming a stronger player if there is none.
        beta: probability of missing one that is stronger by delta.
        min_pairs: smallest number of pairs for a verdict.
        max_pairs: the test ends after this many pairs, even without a verdict; None for no limit.
        largest: a difference that one pair may plausibly have, in the same unit; None for 20 delta,
            at least 1, the smallest nonzero difference of integers.
    """

    def __init__(
        self,
        delta: float,
        *,
        alpha: float = 0.05,
        beta: float = 0.05,
        min_pairs: int = MIN_PAIRS,
        max_pairs: int | None = None,
        largest: float | None = None,
    ) -> None:
        if not 0 < delta < math.inf:
            raise ValueError(f"expected a delta above 0, got {delta}")
        if not (0 < alpha < 0.5 and 0 < beta < 0.5):
            raise ValueError(f"expected alpha and beta between 0 and 1/2, got {alpha} and {beta}")
        if min_pairs < 2:
            raise ValueError(f"expected min_pairs of at least 2, got {min_pairs}")
        if max_pairs is not None and max_pairs < min_pairs:
            raise ValueError(f"expected max_pairs of at least {min_pairs}, got {max_pairs}")
        if largest is not None and not 0 < largest < math.inf:
            raise ValueError(f"expected a largest difference above 0, got {largest}")
        self.delta, self.alpha, self.beta = delta, alpha, beta
        self.min_pairs, self.max_pairs = min_pairs, max_pairs
        self.bounds = math.log(beta / (1 - alpha / 2)), math.log((1 - beta) / (alpha / 2))
        self.pairs = 0
        self.llr = 0.0, 0.0
        self.verdict: Verdict | None = None
        self._total = 0.0
        self._squares = 0.0
        self._largest = max(1.0, LARGEST * delta) if largest is None else largest
        self._rejected_a = False
        self._rejected_b = False

    @property
    def finished(self) -> bool:
        """True if there is a verdict, or `max_pairs` are used."""
        return self.verdict is not None or self.pairs == self.max_pairs

    def extend(self, differences: Values) -> Verdict | None:
        """Add pairs one after the other; the verdict, or None if undecided.

        `differences` are A minus B, one a seed in the order of the seeds, shape (pairs,).
        """
        array = finite(differences)
        if self.finished:
            return self.verdict
        if self.max_pairs is not None:
            array = array[: self.max_pairs - self.pairs]
        totals = _running(np.add, self._total, array)
        squares = _running(np.add, self._squares, array * array)
        largest = _running(np.maximum, self._largest, abs(array))
        a, b = self._ratios(np.arange(1, array.size + 1) + self.pairs, totals, squares, largest)
        last = self._decide(a, b)
        self.pairs += last + 1
        self.llr = float(a[last]), float(b[last])
        self._total = float(totals[last])
        self._squares = float(squares[last])
        self._largest = float(largest[last])
        return self.verdict

    def _ratios(
        self,
        pairs: NDArray[np.int64],
        totals: NDArray[np.float64],
        squares: NDArray[np.float64],
        largest: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both ratios after each of the pairs."""
        means = totals / pairs
        around = np.maximum(squares - totals * means, 0.0)
        variances = (around + 2 * largest * largest) / (pairs + 1)
        scale = pairs * self.delta / variances
        return scale * (means - self.delta / 2), scale * (-means - self.delta / 2)

    def _decide(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> int:
        """Set the verdict if there is one; the position of the last pair used."""
        early = max(0, self.min_pairs - self.pairs - 1)
        accepted_a, rejected_a = self._crossings(a, early, self._rejected_a)
        accepted_b, rejected_b = self._crossings(b, early, self._rejected_b)
        stop, verdict = min(
            (accepted_a, Verdict.A),
            (accepted_b, Verdict.B),
            (max(rejected_a, rejected_b), Verdict.EQUAL),
        )
        self._rejected_a |= rejected_a < a.size
        self._rejected_b |= rejected_b < b.size
        if stop == a.size:
            return stop - 1
        self.verdict = verdict
        return stop

    def _crossings(
        self, ratios: NDArray[np.float64], early: int, rejected: bool
    ) -> tuple[int, int]:
        """Positions of acceptance and rejection of one side; the number of pairs for never."""
        lower, upper = self.bounds
        up = _first(ratios >= upper, early)
        down = 0 if rejected else _first(ratios <= lower, early)
        return (up, ratios.size) if up < down else (ratios.size, down)

    @property
    def mean(self) -> float:
        """Mean difference of the pairs used, 0 without pairs; after a stop biased, see `BIAS`."""
        return self._total / max(self.pairs, 1)


def _running(operation: np.ufunc, start: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running results, bitwise equal however the values are split into calls."""
    result: NDArray[np.float64] = operation.accumulate(np.concatenate(([start], values)))
    return result[1:]


def _first(where: NDArray[np.bool_], early: int) -> int:
    """The first true position from `early` on; the number of positions if none is."""
    found = np.flatnonzero(where[early:])
    return early + int(found[0]) if found.size else where.size


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


def compare_scores(
    seeds_a: Sequence[int] | NDArray[Any],
    scores_a: Values,
    seeds_b: Sequence[int] | NDArray[Any],
    scores_b: Values,
    *,
    names: tuple[str, str] = ("A", "B"),
    max_tiles_a: Values | None = None,
    max_tiles_b: Values | None = None,
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
            reach[tile] = paired_rates(tiles_a >= tile, tiles_b >= tile)
    paired = paired_interval(ours, theirs)
    return Comparison(names, paired.games, paired, reach)


def _common(
    seeds_a: Sequence[int] | NDArray[Any], seeds_b: Sequence[int] | NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of the common seeds, in the order of A's."""
    ours, theirs = (np.asarray(seeds, dtype=np.uint64) for seeds in (seeds_a, seeds_b))
    for seeds in (ours, theirs):
        known, counts = np.unique(seeds, return_counts=True)
        if (repeated := known[counts > 1]).size:
            raise ValueError(f"expected each seed once, got {repeated[0]} again")
    _, at_a, at_b = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    if not at_a.size:
        raise ValueError(
            f"expected at least one common seed, got none in {len(seeds_a)} and {len(seeds_b)}"
        )
    order = np.argsort(at_a)
    return at_a[order], at_b[order]


def _picked(values: Values, places: NDArray[np.intp], games: int, what: str) -> NDArray[np.float64]:
    if len(values) != games:
        raise ValueError(f"expected as many {what} as seeds, got {len(values)} and {games}")
    return finite(values)[places]


def compare_standings(
    first: "PlayerStanding", second: "PlayerStanding", *, rates: bool = True
) -> Comparison | None:
    """Compare the games of two players; None without a common seed."""
    ours, theirs = first.games, second.games
    if not np.isin(ours.seeds, theirs.seeds).any():
        return None
    same = first.player == second.player
    return compare_scores(
        ours.seeds,
        ours.scores,
        theirs.seeds,
        theirs.scores,
        names=("A", "B") if same else (first.player, second.player),
        max_tiles_a=ours.max_tiles if rates else None,
        max_tiles_b=theirs.max_tiles if rates else None,
    )


def reach_table(found: Comparison) -> str:
    """The reach rates and their differences as text, one line a tile; empty if there are none."""
    if not found.reach:
        return ""
    rows = []
    for tile, rates in found.reach.items():
        lead, low, high = rates.difference.value, rates.difference.low, rates.difference.high
        ends = f"{100 * (low or 0.0):+.1f} to {100 * (high or 0.0):+.1f}"
        shares = [f"{100 * one.value:.1f}" for one in (rates.ours, rates.theirs)]
        rows.append([str(tile), *shares, minus(f"{100 * lead:+.1f}  {ends}")])
    return format_table(["reached, % of games", "A", "B", "A − B, 95 %"], rows)


def verdict_words(
    found: Comparison | Sprt, names: tuple[str, str] = ("A", "B"), tile: int | None = None
) -> str:
    """The result as one sentence without a full stop.

    A sequential test needs the names, and `tile` if it compares reach rates.
    """
    if isinstance(found, Sprt):
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
    ends = f"{format_rate(lead.low)} to {format_rate(lead.high)}"
    words += f" ({percent}95 % interval {ends}) over {games}"
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


def _test_words(state: Sprt, names: tuple[str, str], tile: int | None) -> str:
    a, b = map(printable, names)
    games = f"{counted(state.pairs, 'game')} each"
    amount = _amount(state.delta, tile) + (f" in how often they reach {tile}" if tile else "")
    if state.verdict is Verdict.EQUAL:
        return f"{a} and {b} differ by less than {amount}, after {games}"
    if state.verdict is None:
        yet = "" if state.finished else "yet "
        question = f"whether {a} and {b} differ by {amount}"
        return f"it is not known {yet}{question}, after {games}"
    leader = a if state.verdict is Verdict.A else b
    lead = _amount(abs(state.mean), tile)
    lead = f"it reaches {tile} more often, by {lead}" if tile else f"{lead} more"
    bias = "biased away from 0, as the test ends at a large lead"
    return f"{leader} is stronger: {lead} ({bias}), after {games}"


def _amount(value: float, tile: int | None) -> str:
    if tile is None:
        return f"{format_rate(value)} points a game"
    points = format_rate(100 * value)
    return f"{points} percentage point{'' if points == '1' else 's'}"
