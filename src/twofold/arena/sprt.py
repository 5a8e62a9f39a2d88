"""A sequential test of two players: it stops as soon as it knows which is stronger, or neither.

Both play the same seeds; a difference is what A made on a seed minus what B made: of scores, in
points, or of hits of a tile, which are -1, 0 or 1. Of three hypotheses about the mean difference
one is to be chosen: `delta` (A is stronger), 0 (no difference), `-delta` (B is stronger). Two
sequential probability ratio tests run side by side, `delta` against 0 and `-delta` against 0. The
first to accept its side names the stronger player; when both have rejected, there is no
difference of that size.

>>> test = Sprt(delta=100, min_pairs=2)
>>> test.extend([250, 180, 320, 90, 410, 150, 220, 260, 300, 140])
>>> test.extend([190, 230] * 50)
<Verdict.A: 'A'>
>>> test.pairs
42

Errors. Where the mean is 0, the test names a stronger player with probability `alpha` at most,
`alpha / 2` for each; where it is `delta` or more to one side, it says anything else with
probability `beta` at most. Between 0 and `delta` it may say either. These are the figures of
Wald for a known variance; here the variance is that of the differences so far, so they hold for
many pairs. Simulated with alpha = beta = 0.05 (tests/arena/test_sprt.py): 0 to 4 % false alarms
and a power of 95 to 99 % on scores that cluster or have long tails, 7 % missed at most on hits of
a tile that one game in 100 reaches.

Three things keep it from stopping too early: it looks at no fewer than `min_pairs` pairs; it
counts two pairs that nobody played into the variance, `largest` away from the mean to either
side; and `largest` grows to the largest difference seen. So it takes some 3.4 * largest / delta
differences of 0 to say that players are equal: about as many as rule out that a difference of
`largest` is merely rare.

What no such test can know is what it has not seen. Where one player lives on a jackpot (380,000
points in 2 % of its games, else 60,000) and the other makes the same mean game after game, the
other is called stronger in 18 % of the tests, in 7 % where `largest` says that 320,000 is possible.

Sources: Wald 1945, Sequential tests of statistical hypotheses, for the bounds; Sobel and Wald
1949 for three hypotheses; Van den Bergh, A practical introduction to the GSPRT, for the ratio
with estimated variance, as fishtest uses it.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import Values, finite

__all__ = ["Bounds", "Ratios", "Sprt", "SprtState", "Verdict"]

MIN_PAIRS: Final = 100
"""Pairs before the test may stop, unless it is told otherwise."""

LARGEST: Final = 20.0
"""A difference that one pair may well show, in units of delta, unless the test is told."""


class Verdict(StrEnum):
    """What a test found: who is stronger, or that neither is by delta."""

    A = "A"
    B = "B"
    EQUAL = "EQUAL"


@dataclass(frozen=True, slots=True)
class Ratios:
    """Log likelihood ratios: of "A is stronger by delta", of "B is", each to "no difference"."""

    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """A ratio of `upper` or more accepts its hypothesis, one of `lower` or less rejects it."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class SprtState:
    """All there is to show of a test.

    Attributes:
        delta: the difference asked about, in the unit of the differences.
        alpha: probability of a false alarm, both sides together.
        beta: probability that a difference of delta is missed.
        pairs: number of pairs that count.
        mean: their mean difference; 0 before the first. Of a test that has stopped it tends to
            be too far from 0, for it stops on a lucky streak rather than an unlucky one.
        llr: the log likelihood ratios.
        bounds: where they decide.
        verdict: None where it is not known yet.
        finished: there is a verdict, or no pair is left to play.
    """

    delta: float
    alpha: float
    beta: float
    pairs: int
    mean: float
    llr: Ratios
    bounds: Bounds
    verdict: Verdict | None
    finished: bool


class Sprt:
    """A running test. Give it pairs in the order of their seeds.

    Not in the order in which their games end: short games end first, and would be looked at
    first. Pairs after the last that counts are ignored, so games still under way do no harm.

    Args:
        delta: the smallest difference worth finding, in the unit of the differences.
        alpha: probability of naming a stronger player where there is none.
        beta: probability of missing one that is stronger by delta.
        min_pairs: pairs before it may stop.
        max_pairs: pairs after which it ends, even without a verdict; None: no such number.
        largest: a difference that one pair may well show; None: 20 delta, and no less than 1,
            the smallest that is not 0 of numbers without fractions.

    Raises:
        ValueError: a number is outside its range.
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
        self.bounds = Bounds(math.log(beta / (1 - alpha / 2)), math.log((1 - beta) / (alpha / 2)))
        self.pairs = 0
        self.llr = Ratios(0.0, 0.0)
        self.verdict: Verdict | None = None
        self._total = 0.0
        self._squares = 0.0
        self._largest = max(1.0, LARGEST * delta) if largest is None else largest
        self._rejected_a = False
        self._rejected_b = False

    @property
    def finished(self) -> bool:
        """There is a verdict, or no pair is left to play."""
        return self.verdict is not None or self.pairs == self.max_pairs

    def add(self, difference: float) -> Verdict | None:
        """Look at one more pair.

        Returns:
            The verdict; None where it is not known yet.

        Raises:
            ValueError: the difference is not finite.
        """
        return self.extend([difference])

    def extend(self, differences: Values) -> Verdict | None:
        """Look at more pairs, one after the other, as `add` would.

        Args:
            differences: A minus B, one a seed in the order of the seeds, shape (pairs,).

        Returns:
            The verdict; None where it is not known yet.

        Raises:
            ValueError: there is no difference, or one is not finite; none of them counts.
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
        self.llr = Ratios(float(a[last]), float(b[last]))
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
        """Of each side, after each of the pairs; all arrays have shape (pairs,)."""
        means = totals / pairs
        around = np.maximum(squares - totals * means, 0.0)
        variances = (around + 2 * largest * largest) / (pairs + 1)
        scale = pairs * self.delta / variances
        return scale * (means - self.delta / 2), scale * (-means - self.delta / 2)

    def _decide(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> int:
        """Set the verdict, if there is one now; the place of the last pair that counts."""
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
        """Where a side is accepted and where it is rejected; the number of pairs where never."""
        up = _first(ratios >= self.bounds.upper, early)
        down = 0 if rejected else _first(ratios <= self.bounds.lower, early)
        return (up, ratios.size) if up < down else (ratios.size, down)

    def state(self) -> SprtState:
        """What there is to show now."""
        return SprtState(
            delta=self.delta,
            alpha=self.alpha,
            beta=self.beta,
            pairs=self.pairs,
            mean=self._total / max(self.pairs, 1),
            llr=self.llr,
            bounds=self.bounds,
            verdict=self.verdict,
            finished=self.finished,
        )


def _running(operation: np.ufunc, start: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is gathered after each value, to the last bit the same however the values are cut."""
    result: NDArray[np.float64] = operation.accumulate(np.concatenate(([start], values)))
    return result[1:]


def _first(where: NDArray[np.bool_], early: int) -> int:
    """The first place from `early` on that is true; the number of places where none is."""
    found = np.flatnonzero(where[early:])
    return early + int(found[0]) if found.size else where.size
