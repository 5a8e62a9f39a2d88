"""Statistics of two runs on common seeds: differences of scores and of reach rates.

Values are one a game, in the order of the same seeds; see `stats`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import (
    CONFIDENCE,
    Interval,
    Values,
    finite,
    mean_interval,
    normal_ends,
    standard_error,
    student,
    student_tail,
    wilson_interval,
)


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
    """Two reach rates on the same seeds: counts of games, the rates, their difference."""

    both: int
    only_ours: int
    only_theirs: int
    neither: int
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


def paired_interval(ours: Values, theirs: Values, confidence: float = CONFIDENCE) -> Paired:
    """The mean difference of two players, in points, on the same seeds in the same order.

    Source: Student's t on the differences; Fieller 1954 for the ratio of the means, whose interval
    contains 0 exactly if that of the difference does.
    """
    one, two = _pair(ours, theirs)
    difference = one - two
    return Paired(
        games=difference.size,
        difference=mean_interval(difference, confidence),
        relative=_relative(difference, two, confidence),
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


def _relative(
    difference: NDArray[np.float64], theirs: NDArray[np.float64], confidence: float
) -> Interval | None:
    """In %: every ratio r for which the mean of difference - r * theirs may be 0 (Fieller)."""
    top, base, games = float(difference.mean()), float(theirs.mean()), theirs.size
    if base <= 0:
        return None
    value = 100 * top / base
    if games == 1:
        return Interval(value, None, None)
    scale = student(games, confidence) ** 2 / games
    (v_top, v_mixed), (_, v_base) = (scale * np.cov(difference, theirs)).tolist()
    square = base * base - v_base
    if square <= 0:
        return Interval(value, None, None)
    middle = (top * base - v_mixed) / square
    half = math.sqrt(max(0.0, middle * middle - (top * top - v_top) / square))
    return Interval(value, 100 * (middle - half), 100 * (middle + half))


def paired_rates(ours: Values, theirs: Values, confidence: float = CONFIDENCE) -> PairedRates:
    """Two reach rates on the same seeds, and their difference; values are 1 for a hit, else 0.

    Source: Bonett and Price 2012, adjusted Wald interval for paired proportions; Fagerland,
    Lydersen and Laake 2014 compare it with those of Newcombe 1998 and Tango 1998.
    """
    one, two = _pair(ours, theirs)
    wrong = np.setdiff1d(np.concatenate([one, two]), [0, 1])
    if wrong.size:
        raise ValueError(f"expected 0 or 1 for each game, got {wrong[0]}")
    counts = np.bincount((2 * one + two).astype(np.int64), minlength=4)
    neither, only_theirs, only_ours, both = counts.tolist()
    first = wilson_interval(both + only_ours, one.size, confidence)
    second = wilson_interval(both + only_theirs, one.size, confidence)
    # the Wald interval with one more discordant pair for each player
    plus, minus = (only_ours + 1) / (one.size + 2), (only_theirs + 1) / (one.size + 2)
    error = math.sqrt((plus + minus - (plus - minus) ** 2) / (one.size + 2))
    half = normal_ends(confidence) * error
    low, high = max(-1.0, plus - minus - half), min(1.0, plus - minus + half)
    difference = Interval((only_ours - only_theirs) / one.size, low, high)
    return PairedRates(both, only_ours, only_theirs, neither, first, second, difference)
