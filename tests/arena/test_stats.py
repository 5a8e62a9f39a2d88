"""Statistics against known values, and intervals that cover what they say."""

import random

import pytest

from twofold.arena import GameRow, Run, mean_interval, summarise, wilson_interval
from twofold.arena.stats import quantile


def row(score: int, max_tile: int, seconds: float = 0.5) -> GameRow:
    return GameRow("greedy", score, score, 100, max_tile, (0,) * max_tile.bit_length(), seconds)


def test_the_interval_of_a_mean_is_that_of_students_t() -> None:
    interval = mean_interval([1, 2, 3, 4, 5])
    assert interval.value == 3
    assert interval.low == pytest.approx(3 - 2.776445 * 1.581139 / 5**0.5, abs=1e-5)
    assert interval.half_width == pytest.approx(1.963243, abs=1e-5)


def test_one_value_has_no_interval_and_none_is_refused() -> None:
    assert mean_interval([7]).half_width is None
    with pytest.raises(ValueError, match="at least one value"):
        mean_interval([])


def test_intervals_of_means_cover_the_truth() -> None:
    draw = random.Random(1)
    covered = 0
    for _ in range(1000):
        interval = mean_interval([draw.expovariate(1.0) for _ in range(100)])
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= 1.0 <= interval.high
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


@pytest.mark.parametrize(("hits", "trials"), [(1, 0), (-1, 5), (6, 5), (0, 0)])
def test_wilson_refuses_what_is_no_share(hits: int, trials: int) -> None:
    with pytest.raises(ValueError, match="hits"):
        wilson_interval(hits, trials)


def test_quantiles() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([4, 1, 3, 2], 0) == 1
    assert quantile([4, 1, 3, 2], 1) == 4
    with pytest.raises(ValueError, match="share"):
        quantile([1], 1.5)


def test_summary() -> None:
    run = Run("greedy", "greedy", (row(100, 64), row(300, 128), row(200, 64)))
    summary = summarise(run)
    assert (summary.games, summary.median, summary.best, summary.worst) == (3, 200, 300, 100)
    assert summary.max_tile == 128
    assert {tile: rate.value for tile, rate in summary.reach.items()} == {
        4: 1.0, 8: 1.0, 16: 1.0, 32: 1.0, 64: 1.0, 128: pytest.approx(1 / 3),
    }  # fmt: skip
    assert summary.moves_per_second == 200
    assert summary.seconds_per_game == 0.5


def test_a_run_without_games_has_no_summary() -> None:
    with pytest.raises(ValueError, match="finished game"):
        summarise(Run("greedy", "greedy", ()))


def test_games_that_take_no_time_have_no_speed() -> None:
    assert summarise(Run("a", "a", (row(4, 4, 0.0),))).moves_per_second == 0.0
