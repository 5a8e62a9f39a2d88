"""A sequential test of two players on the same seeds: it stops once one is shown to be stronger.

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
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.arena.stats import Values, finite

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


@dataclass(frozen=True, slots=True)
class Ratios:
    """Log likelihood ratios of "A is stronger by delta" and "B is" against "no difference"."""

    a: float
    b: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """A ratio of at least `upper` accepts its hypothesis, one of at most `lower` rejects it."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a test; for `delta`, `alpha` and `beta` see `Sprt`.

    `pairs` is the number of pairs used, `mean` their mean difference, 0 without pairs; after a stop
    it is biased away from 0, see `BIAS`.
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
    """A running test. Add pairs in the order of their seeds.

    The order in which games end is biased: short games end first. Pairs after the verdict are
    ignored.

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
        up = _first(ratios >= self.bounds.upper, early)
        down = 0 if rejected else _first(ratios <= self.bounds.lower, early)
        return (up, ratios.size) if up < down else (ratios.size, down)

    def state(self) -> SprtState:
        """The present state."""
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
    """Running results, bitwise equal however the values are split into calls."""
    result: NDArray[np.float64] = operation.accumulate(np.concatenate(([start], values)))
    return result[1:]


def _first(where: NDArray[np.bool_], early: int) -> int:
    """The first true position from `early` on; the number of positions if none is."""
    found = np.flatnonzero(where[early:])
    return early + int(found[0]) if found.size else where.size
