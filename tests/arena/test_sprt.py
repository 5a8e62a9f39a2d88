"""The sequential test: by hand on a few pairs, and its error rates on thousands of simulated runs.

The scores of the simulations are those of this game: they cluster where the largest tile is a
level higher, spread around each level, and have a long tail.
"""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from twofold.arena.compare import Sprt, Verdict
from twofold.arena.stats import mean_interval

Floats = NDArray[np.float64]
Scores = Callable[[np.random.Generator, tuple[int, int]], Floats]

TESTS: Final = 250
PAIRS: Final = 3000
ALPHA: Final = 0.05
BETA: Final = 0.05


def at_most(rate: float, trials: int) -> float:
    """The rate and three standard errors of its estimate."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / trials)


def clusters(levels: list[float], weights: list[float], spread: float) -> Scores:
    def draw_scores(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
        scores = draw.choice(levels, shape, p=weights) * np.exp(draw.normal(0, spread, shape))
        return np.round(scores)

    return draw_scores


def long_tail(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.round(draw.lognormal(7, 1, shape))


def power_law(draw: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return np.round(10_000 * (1 + draw.pareto(2.5, shape)))


SCORES: Final = {
    "strong": clusters([27e3, 60e3, 120e3, 180e3, 380e3], [0.1, 0.2, 0.3, 0.3, 0.1], 0.12),
    "rare": clusters([60e3, 380e3], [0.98, 0.02], 0.1),
    "long tail": long_tail,
    "power law": power_law,
}


def shares(
    differences: Floats, delta: float, largest: float | None = None
) -> tuple[dict[Verdict | None, float], float]:
    """The frequency of each verdict, and the mean number of pairs."""
    tests = [Sprt(delta, alpha=ALPHA, beta=BETA, largest=largest) for _ in differences]
    verdicts = [test.extend(row) for test, row in zip(tests, differences, strict=True)]
    found = {one: verdicts.count(one) / len(tests) for one in (*Verdict, None)}
    return found, float(np.mean([test.pairs for test in tests]))


@pytest.mark.promise("R31")
def test_a_player_is_not_stronger_than_itself(figure: Callable[[str], None]) -> None:
    rates = []
    for name, scores in SCORES.items():
        draw = np.random.default_rng(1)
        differences = scores(draw, (TESTS, PAIRS)) - scores(draw, (TESTS, PAIRS))
        for part in (0.1, 0.2, 0.5):  # delta in standard deviations of one difference
            found, _ = shares(differences, part * float(differences.std()))
            rates.append(found[Verdict.A] + found[Verdict.B])
            assert rates[-1] <= at_most(ALPHA, TESTS), name
            assert found[Verdict.EQUAL] >= 1 - rates[-1] - 0.02, name
    figure(f"false alarms {100 * min(rates):.1f} to {100 * max(rates):.1f} % of {TESTS} tests")


@pytest.mark.promise("R31")
def test_a_difference_of_delta_is_found(figure: Callable[[str], None]) -> None:
    rates = []
    for name, scores in SCORES.items():
        draw = np.random.default_rng(2)
        differences = scores(draw, (TESTS, PAIRS)) - scores(draw, (TESTS, PAIRS))
        delta = 0.15 * float(differences.std())
        for sign, side in ((1, Verdict.A), (-1, Verdict.B)):
            found, pairs = shares(differences + sign * delta, delta)
            rates.append(found[side])
            assert rates[-1] >= 1 - at_most(BETA, TESTS), name
            assert 300 < pairs < 420, name
    figure(f"power {100 * min(rates):.1f} to {100 * max(rates):.1f} %")


@pytest.mark.parametrize(
    ("true", "least", "most", "covered"), [(0.25, 2.5, 5.0, 0.84), (1.0, 1.1, 1.3, 0.9)]
)
def test_the_lead_of_the_one_named_is_too_large(
    true: float, least: float, most: float, covered: float
) -> None:
    """`BIAS` says so: by a fifth where it is delta; and how often its interval holds the truth."""
    draw, leads, held = np.random.default_rng(47), list[float](), 0
    for _ in range(500):
        test, differences = Sprt(1.0), draw.normal(true, 5.0, 4_000)
        verdict = test.extend(differences)
        assert verdict is not None
        found = mean_interval(differences[: test.pairs])
        assert found.value == pytest.approx(test.mean)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
        leads += [found.value] if verdict is Verdict.A else []
    assert least < np.mean(leads) / true < most
    assert covered < held / 500 < 0.98


def test_a_jackpot_is_the_limit_of_the_test() -> None:
    """One player makes most points in 2 % of its games; the documentation has these figures."""
    draw = np.random.default_rng(5)
    jackpot = clusters([60e3, 380e3], [0.98, 0.02], 0.1)
    steady = clusters([66_400], [1], 0.1)
    differences = jackpot(draw, (TESTS, PAIRS)) - steady(draw, (TESTS, PAIRS))
    delta = 0.1 * float(differences.std())
    found, _ = shares(differences, delta)
    assert at_most(ALPHA, TESTS) < found[Verdict.B] <= at_most(0.18, TESTS)
    found, _ = shares(differences, delta, largest=320_000)
    assert found[Verdict.B] <= at_most(0.07, TESTS)


def hits(luck: Floats, ours: float, theirs: float) -> Floats:
    """1 if only A reached the tile, -1 if only B did, with these probabilities."""
    return (luck < ours).astype(np.float64) - (luck > 1 - theirs).astype(np.float64)


@pytest.mark.parametrize(("rate", "delta"), [(0.0, 0.01), (0.002, 0.01), (0.02, 0.02), (0.2, 0.1)])
def test_hits_of_a_tile(rate: float, delta: float) -> None:
    """Also for rare tiles, where the first hundreds of differences may all be 0."""
    luck = np.random.default_rng(4).random((TESTS, PAIRS))
    found, _ = shares(hits(luck, rate, rate), delta)
    assert found[Verdict.A] + found[Verdict.B] <= at_most(ALPHA, TESTS)
    found, _ = shares(hits(luck, rate + delta, rate), delta)
    assert 1 - found[Verdict.A] <= at_most(0.07, TESTS)


def test_ratios_by_hand() -> None:
    test = Sprt(2, min_pairs=2, largest=5)
    assert [*test.bounds] == pytest.approx([math.log(2 / 39), math.log(38)])
    assert [*test.llr] == [0, 0]
    assert test.extend([3, 1, 4, 0]) is None
    # Mean 2, squares around it 10, two more of 5: variance (10 + 50) / 5.
    assert [*test.llr] == pytest.approx([4 * 2 / 12 * (2 - 1), 4 * 2 / 12 * (-2 - 1)])
    test.extend([-8])
    # Mean 0, squares around it 90, two more of 8, the largest by now: variance 218 / 6.
    assert [*test.llr] == pytest.approx([5 * 2 / (218 / 6) * -1] * 2)


@pytest.mark.parametrize(
    ("delta", "largest", "pairs"),
    # The first with pairs * (pairs + 1) / 4 >= (largest / delta)^2 * 2.9704.
    [(100, None, 69), (0.5, None, 69), (0.01, None, 345), (0.01, 2, 689), (100, 100, 3)],
)
def test_differences_that_are_all_0(delta: float, largest: float | None, pairs: int) -> None:
    test = Sprt(delta, min_pairs=2, largest=largest)
    assert test.extend([0] * 1000) == Verdict.EQUAL
    assert test.pairs == pairs


def test_splitting_pairs_into_calls_changes_nothing() -> None:
    draw = np.random.default_rng(6)
    for _ in range(6):
        differences = draw.normal(draw.choice([-0.3, 0, 0.3]), 1.1, 400)
        at_once, one_by_one, in_parts = (Sprt(0.3, min_pairs=10, largest=1) for _ in range(3))
        at_once.extend(differences)
        for difference in differences.tolist():
            one_by_one.extend([difference])
        for part in np.split(differences, np.unique(draw.integers(1, 400, 9))):
            in_parts.extend(part)
        assert vars(at_once) == vars(one_by_one) == vars(in_parts)


def test_a_side_rejected_in_an_earlier_call_stays_rejected() -> None:
    test = Sprt(1, min_pairs=2, largest=1)
    differences = (-0.6, -1, 0.6, -1, 3, 3, 3, 2, 0)
    verdicts = [test.extend([difference]) for difference in differences]
    assert verdicts == [None] * 8 + [Verdict.EQUAL]
    assert test.llr[1] < test.bounds[0] < test.llr[0]  # A was below it before


def test_pairs_after_the_end_do_not_count() -> None:
    test = Sprt(100, min_pairs=2, max_pairs=5)
    assert not test.finished
    assert test.extend([1, 2, 3]) is None
    assert test.extend([4, 5, 1000, 1000]) is None
    assert (test.pairs, test.mean, test.finished, test.verdict) == (5, 3, True, None)
    before = dict(vars(test))
    test.extend([10_000] * 100)
    assert vars(test) == before
    assert (test.delta, test.alpha, test.beta) == (100, 0.05, 0.05)
    assert Sprt(100).mean == 0


@pytest.mark.parametrize(
    ("delta", "settings", "message"),
    [
        (0, {}, "delta above 0, got 0"),
        (math.inf, {}, "delta above 0, got inf"),
        (math.nan, {}, "delta above 0, got nan"),
        (1, {"alpha": 0}, "alpha and beta between 0 and 1/2, got 0 and 0.05"),
        (1, {"beta": 0.5}, "alpha and beta between 0 and 1/2, got 0.05 and 0.5"),
        (1, {"min_pairs": 1}, "min_pairs of at least 2, got 1"),
        (1, {"max_pairs": 99}, "max_pairs of at least 100, got 99"),
        (1, {"largest": 0}, "largest difference above 0, got 0"),
    ],
)
def test_settings_outside_their_range_are_refused(
    delta: float, settings: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(delta, **settings)


def test_a_difference_that_is_no_number_is_refused_and_does_not_count() -> None:
    test = Sprt(1)
    for wrong in ([], [1, math.nan], [math.inf]):
        with pytest.raises(ValueError, match="expected"):
            test.extend(wrong)
    assert test.pairs == 0
