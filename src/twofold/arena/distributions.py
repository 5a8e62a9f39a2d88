"""Student's t distribution, for intervals.

SciPy has it, but would add a third to the size of the installation. The tests compare with it.
"""

import math
import statistics
from typing import Final

_MAX_STEPS: Final = 10_000
"""A guard: no loop here takes a tenth of it."""


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
