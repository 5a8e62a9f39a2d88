"""Student's t and the fair coin against SciPy and against exact sums."""

import math
from fractions import Fraction

import numpy as np
import pytest

from twofold.arena.distributions import fair_coin_quantile, student_quantile, student_tail
from twofold.arena.stats import bootstrap_interval

FREEDOMS = [1, 2, 3, 4, 5, 9, 29, 99, 199, 200, 201, 202, 999, 9_999, 99_999, 999_999]
CONFIDENCES = [0.001, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 1 - 1e-6, 1 - 1e-9]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tail_of_students_t_equals_scipys(freedom: int) -> None:
    from scipy import special  # slow to import, so not while tests are collected

    for t in (0, 1e-3, 0.1, 0.5, 0.999, 1, 1.001, 1.7, 1.96, 2.5, 3, 5, 10, 20, 30):
        expected = float(special.stdtr(freedom, -t))
        assert student_tail(t, freedom) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantile_of_students_t_equals_scipys(freedom: int) -> None:
    from scipy import special

    for confidence in CONFIDENCES:
        tail = (1 - confidence) / 2
        expected = -float(special.stdtrit(freedom, tail))
        assert student_quantile(tail, freedom) == pytest.approx(expected, rel=1e-12)


def test_students_t_in_closed_form() -> None:
    """One degree of freedom is Cauchy's distribution, two have a square root."""
    for tail in (1e-15, 1e-9, 0.001, 0.025, 0.3, 0.49):
        assert student_quantile(tail, 1) == pytest.approx(1 / math.tan(math.pi * tail), rel=1e-12)
        two = (1 - 2 * tail) / math.sqrt(2 * tail * (1 - tail))
        assert student_quantile(tail, 2) == pytest.approx(two, rel=1e-12)
    assert student_quantile(0.5, 7) == 0
    assert student_tail(0, 7) == 0.5


@pytest.mark.parametrize("throws", [*range(1, 90), 1_000])
def test_quantile_of_a_fair_coin_is_exact(throws: int) -> None:
    """Shares that are probabilities themselves, which rounding must not move to a neighbour."""
    total, count = 0, 2**throws
    for heads in range((throws - 1) // 2):
        total += math.comb(throws, heads)
        share = total / count
        if Fraction(share) == Fraction(total, count) and share > 1e-16:
            assert fair_coin_quantile(share, throws) == heads
            assert fair_coin_quantile(share * (1 + 1e-9), throws) == heads + 1


@pytest.mark.parametrize("throws", [*range(1, 100), 1_000, 10_001, 1_000_000])
def test_quantile_of_a_fair_coin_equals_scipys(throws: int) -> None:
    from scipy.stats import binom

    for confidence in CONFIDENCES:
        share = (1 - confidence) / 2
        assert fair_coin_quantile(share, throws) == binom.ppf(share, throws, 0.5)


@pytest.mark.parametrize("size", [2, 9, 50, 3_000])
def test_bootstrap_equals_scipys(size: int) -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(size).exponential(30_000, size)
    for confidence in (0.8, 0.95, 0.99):
        found = bootstrap_interval(values, confidence, resamples=500, seed=7)
        expected = bootstrap(
            (values,), np.mean, n_resamples=500, confidence_level=confidence, batch=300,
            random_state=np.random.default_rng(7),
        ).confidence_interval  # fmt: skip
        assert found.low == pytest.approx(expected.low, rel=1e-12)
        assert found.high == pytest.approx(expected.high, rel=1e-12)
