"""Statistics against known values, the coverage of intervals, and the table of a bench."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.games import game
from twofold.arena import (
    GameColumns,
    Interval,
    PlayerStanding,
    mean_interval,
    summarise,
    wilson_interval,
)
from twofold.arena.compare import holm, paired_interval, paired_rates
from twofold.arena.stats import format_runs, student_quantile, student_tail, survival_by_tile

Floats = NDArray[np.float64]

# Student 1908: hours of sleep gained by ten patients under two drugs.
SLEEP = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_OTHER = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

LEVELS = np.array([27e3, 60e3, 120e3, 180e3, 380e3])
WEIGHTS = [0.1, 0.2, 0.4, 0.25, 0.05]
SPREAD = 0.2


def row(score: int, max_tile: int, seconds: float = 0.5) -> GameColumns:
    return game(score, score, 100, max_tile, (0,) * max_tile.bit_length(), seconds)


def test_the_interval_of_a_mean_is_that_of_students_t() -> None:
    interval = mean_interval([1, 2, 3, 4, 5])
    assert interval.value == 3
    assert interval.low == pytest.approx(3 - 2.776445 * 1.581139 / 5**0.5, abs=1e-5)
    assert interval.half_width == pytest.approx(1.963243, abs=1e-5)
    assert mean_interval([7]).half_width is None


def cluster(draw: np.random.Generator, games: int) -> Floats:
    """Scores of a strong player: near the level of the largest tile, with a long tail."""
    return draw.choice(LEVELS, games, p=WEIGHTS) * np.exp(draw.normal(0, SPREAD, games))


TRUE_MEAN = float(LEVELS @ WEIGHTS) * math.exp(SPREAD**2 / 2)


def one_mean(draw: np.random.Generator) -> tuple[Interval, float]:
    return mean_interval(cluster(draw, 100)), TRUE_MEAN


def one_rate(draw: np.random.Generator) -> tuple[Interval, float]:
    return wilson_interval(int(draw.binomial(150, 0.07)), 150), 0.07


def one_pair(draw: np.random.Generator) -> tuple[Interval, float]:
    luck = cluster(draw, 100)
    ours, theirs = luck + 1.1 * cluster(draw, 100), luck + cluster(draw, 100)
    return paired_interval(ours, theirs).difference, 0.1 * TRUE_MEAN


def one_ratio(draw: np.random.Generator) -> tuple[Interval, float]:
    found = paired_interval(1.1 * cluster(draw, 100), cluster(draw, 100)).relative
    assert found is not None
    return found, 10.0


def one_pair_of_rates(draw: np.random.Generator) -> tuple[Interval, float]:
    luck, ours = draw.random((2, 150))
    return paired_rates(np.minimum(luck, ours) < 0.3, luck < 0.2).difference, 0.51 - 0.2


@pytest.mark.promise("R31")
@pytest.mark.parametrize("sample", [one_mean, one_rate, one_pair, one_ratio, one_pair_of_rates])
def test_intervals_cover_the_truth_95_times_in_100(
    sample: Callable[[np.random.Generator], tuple[Interval, float]], figure: Callable[[str], None]
) -> None:
    draw = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        interval, truth = sample(draw)
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= truth <= interval.high
    figure(f"{sample.__name__.replace('_', ' ')} {covered / 10} %")
    assert covered / 1000 == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_wilson(hits: int, trials: int, low: float, high: float) -> None:
    interval = wilson_interval(hits, trials)
    assert interval.low == pytest.approx(low, abs=1e-4)
    assert interval.high == pytest.approx(high, abs=1e-4)


def test_paired_interval_of_students_sleep() -> None:
    paired = paired_interval(SLEEP, SLEEP_OTHER)
    assert (paired.games, paired.wins, paired.draws, paired.losses) == (10, 0, 1, 9)
    assert paired.difference.value == pytest.approx(-1.58)
    assert paired.difference.low == pytest.approx(-2.459886, abs=1e-6)
    assert paired.difference.high == pytest.approx(-0.7001142, abs=1e-6)
    assert paired.p_value == pytest.approx(0.002833, abs=1e-6)


def test_the_relative_difference_ends_where_a_t_test_says_so() -> None:
    ours, theirs = np.array([12.0, 15, 9, 20, 18, 14]), np.array([10.0, 13, 9, 14, 15, 15])
    relative = paired_interval(ours, theirs).relative
    assert relative is not None
    assert relative.value == pytest.approx(100 * (88 / 76 - 1))
    assert relative.low is not None
    assert relative.high is not None
    for end, which in ((relative.low, "low"), (relative.high, "high")):
        rest = mean_interval(ours - (1 + end / 100) * theirs)
        edge = rest.high if which == "high" else rest.low
        assert edge is not None
        other = rest.low if which == "high" else rest.high
        assert other is not None
        assert min(abs(edge), abs(other)) == pytest.approx(0, abs=1e-9)


def test_p_values_are_corrected_as_by_holm() -> None:
    """The values are those of R: p.adjust(c(...), "holm")."""
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.5, None, 0.001, 0.6]) == [1.0, None, 0.003, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def test_equal_games_have_no_difference() -> None:
    paired = paired_interval([5, 6, 7], [5, 6, 7])
    assert (paired.wins, paired.draws, paired.losses, paired.p_value) == (0, 3, 0, 1.0)
    assert paired.difference == paired.relative == Interval(0, 0, 0)
    assert paired_interval([6, 7], [5, 6]).p_value == 0.0


def test_too_few_games_have_no_interval() -> None:
    one = paired_interval([6], [5])
    assert one.p_value is None
    assert one.difference == Interval(1, None, None)
    assert one.relative == Interval(20, None, None)
    assert paired_interval([1, 2], [0, 0]).relative is None
    wide = paired_interval([1, 2], [0, 100]).relative
    assert wide == Interval(-97, None, None)


def test_paired_rates_by_hand() -> None:
    """The counts of Bentur 2009, quoted by Fagerland, Lydersen and Laake 2014: 1, 1, 7, 12."""
    ours = [1] * 2 + [0] * 19
    theirs = [True] + [False] + [True] * 7 + [False] * 12
    found = paired_rates(ours, theirs)
    assert found.ours == wilson_interval(2, 21)
    assert found.theirs == wilson_interval(8, 21)
    middle, error = 2 / 23 - 8 / 23, math.sqrt((10 / 23 - (6 / 23) ** 2) / 23)
    assert found.difference.value == pytest.approx(-6 / 21)
    assert found.difference.low == pytest.approx(middle - 1.959964 * error)
    assert found.difference.high == pytest.approx(middle + 1.959964 * error)


@pytest.mark.parametrize("games", [1, 2, 10, 1000])
def test_paired_rates_at_their_ends(games: int) -> None:
    same = paired_rates([1] * games, [1] * games).difference
    assert same.value == 0
    assert same.high == -(same.low or 0) == pytest.approx(1.959964 * 2**0.5 / (games + 2))
    all_of_them = paired_rates([1] * games, [0] * games).difference
    assert (all_of_them.value, all_of_them.high) == (1, 1)


def test_survival_by_tile() -> None:
    tiles = [8, 32, 8, 16]
    assert survival_by_tile(np.array(tiles)) == {
        4: wilson_interval(4, 4), 8: wilson_interval(4, 4), 16: wilson_interval(2, 4),
        32: wilson_interval(1, 4),
    }  # fmt: skip
    assert survival_by_tile([2]) == {}
    for hits, trials in ((1, 0), (-1, 5), (6, 5), (0, 0)):
        with pytest.raises(ValueError, match="hits"):
            wilson_interval(hits, trials)


@pytest.mark.parametrize("tile", [0, 1, 3, 6, -4, 2.5])
def test_invalid_tiles_are_refused(tile: float) -> None:
    with pytest.raises(ValueError, match=f"powers of two from 2, got {tile}.* as number 2"):
        survival_by_tile([8, tile])


def of_two(function: Callable[..., object]) -> Callable[..., object]:
    return lambda values, **more: function(values, values, **more)


@pytest.mark.parametrize(
    "function", [mean_interval, survival_by_tile, of_two(paired_interval), of_two(paired_rates)]
)
def test_invalid_values_are_refused(function: Callable[[Any], object]) -> None:
    with pytest.raises(ValueError, match="expected at least one value, got none"):
        function([])
    with pytest.raises(ValueError, match="expected finite values, got nan as number 2"):
        function([1, math.nan])
    with pytest.raises(ValueError, match=r"one dimension, got shape \(2, 2\)"):
        function(np.ones((2, 2)))


def test_invalid_pairs_are_refused() -> None:
    for function in (paired_interval, paired_rates):
        with pytest.raises(ValueError, match="values of equal length, got 2 and 1"):
            function([1, 0], [1])
    with pytest.raises(ValueError, match="expected 0 or 1 for each game, got 2"):
        paired_rates([0, 1], [1, 2])


def test_summary() -> None:
    summary = summarise(GameColumns.joined([row(100, 64), row(300, 128), row(200, 64)]))
    assert (summary.games, summary.median, summary.best, summary.worst) == (3, 200, 300, 100)
    assert summary.max_tile == 128
    assert {tile: rate.value for tile, rate in summary.reach.items()} == {
        4: 1.0, 8: 1.0, 16: 1.0, 32: 1.0, 64: 1.0, 128: pytest.approx(1 / 3),
    }  # fmt: skip
    assert summary.moves_per_second == 200
    assert summary.seconds_per_game == 0.5
    assert summarise(row(4, 4, 0.0)).moves_per_second == 0.0
    with pytest.raises(ValueError, match="finished game"):
        summarise(GameColumns.joined(()))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 29, 199, 200, 201, 202, 9_999, 999_999])
def test_students_t_equals_scipys(freedom: int) -> None:
    from scipy import special  # slow to import, so not while tests are collected

    for t in (0, 1e-3, 0.1, 0.5, 0.999, 1, 1.001, 1.7, 1.96, 2.5, 3, 5, 10, 20, 30):
        expected = float(special.stdtr(freedom, -t))
        assert student_tail(t, freedom) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    for tail in (0.4995, 0.25, 0.1, 0.025, 0.005, 5e-7, 5e-10):
        expected = -float(special.stdtrit(freedom, tail))
        assert student_quantile(tail, freedom) == pytest.approx(expected, rel=1e-12)


def make_run(name: str, tiles: list[int], error: str = "") -> PlayerStanding:
    rows = tuple(game(seed, 10 * tile, 100, tile, (), 0.01) for seed, tile in enumerate(tiles))
    return PlayerStanding(name, name, GameColumns.joined(rows), error, 9 if error else None)


def test_scores_and_reach_rates_as_text() -> None:
    """Rates of the tiles that tell games apart, eight at most; long names are numbered."""
    runs = [
        make_run("weak", [64, 128]),
        make_run("strong|", [2048, 4096]),
        make_run("bad", [], "it broke"),
    ]
    assert format_runs(runs) == (
        "player   games  mean score   ± 95 %  median    best  moves/s  s/game\n"
        "weak         2         960    4,066     960   1,280   10,000    0.01\n"
        "strong|      2      30,720  130,112  30,720  40,960   10,000    0.01\n\n"
        "reached, % of games   64  128  256  512  1024  2048  4096\n"
        "weak                 100   50    -    -     -     -     -\n"
        "strong|              100  100  100  100   100   100    50\n\n"
        "bad: failed on seed 9: it broke"
    )
    name = "expectimax:eval=examples/my_evaluator.py:gaps,ply=2"
    runs = [make_run("a", [8192, 16384, 16384, 65536]), make_run(name, [64] * 999 + [4096])]
    assert format_runs(runs, from_boards=True) == (
        f"1  a\n2  {name}\n\n"
        "player  games  mean score   ± 95 %   median     best  moves/s  s/game\n"
        "1           4     266,240  417,333  163,840  655,360   10,000    0.01\n"
        "2       1,000         680       79      640   40,960   10,000    0.01\n\n"
        "reached or given, %  512  1024  2048  4096  8192  16384  32768  65536\n"
        "1                    100   100   100   100   100     75     25     25\n"
        "2                    0.1   0.1   0.1   0.1     -      -      -      -"
    )
    assert format_runs([make_run("bad", [], "it broke")]) == "bad: failed on seed 9: it broke"
