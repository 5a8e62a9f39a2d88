"""Student's t against SciPy and in closed form."""

import math

import pytest

from twofold.arena.stats import student_quantile, student_tail

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
