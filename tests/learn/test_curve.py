"""The learning curve: points, means, joining of points, its forms in checkpoints and CSV."""

import csv
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twofold.learn.curve import MAX_POINTS, STRETCH, TILES, Curve


def results(games: Sequence[tuple[int, int]]) -> NDArray[np.uint64]:
    """Games of (score, largest exponent) in the kernel's form."""
    return np.array([(score, 7, largest) for score, largest in games], dtype=np.uint64)


def random_games(count: int, seed: int = 1) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    scores, largest = rng.integers(0, 400_000, count), rng.integers(3, 16, count)
    return list(zip(scores.tolist(), largest.tolist(), strict=True))


def rates(games: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    return tuple(
        round(sum(2**largest >= tile for _, largest in games) / len(games), 4) for tile in TILES
    )


def test_a_point_for_each_thousand_games() -> None:
    games, curve = random_games(2 * STRETCH + 10), Curve()
    for first in range(0, len(games), 301):  # a call of the kernel may end anywhere
        curve.add(results(games[first : first + 301]), 100 * first, first / 7)
    assert curve.games == len(games)
    assert [point.games for point in curve.points] == [STRETCH, 2 * STRETCH]
    for number, point in enumerate(curve.points):
        part = games[number * STRETCH : (number + 1) * STRETCH]
        assert point.mean == round(sum(score for score, _ in part) / STRETCH, 1)
        assert point.largest == max(score for score, _ in part)
        assert point.reached == rates(part)
    assert curve.points[0].moves == 100 * 903
    assert curve.points[0].seconds == round(903 / 7, 1)


def test_the_mean_is_that_of_the_last_thousand() -> None:
    games, curve = random_games(STRETCH + 500), Curve()
    curve.add(results(games[:20]), 0, 0.0)
    assert curve.mean == sum(score for score, _ in games[:20]) / 20
    assert curve.reached == dict(zip(TILES, rates(games[:20]), strict=True))
    curve.add(results(games[20:]), 0, 0.0)
    assert curve.mean == sum(score for score, _ in games[500:]) / STRETCH
    assert curve.reached == dict(zip(TILES, rates(games[500:]), strict=True))


def test_points_are_joined_in_pairs_at_the_limit() -> None:
    assert MAX_POINTS % 2 == 0
    games, curve = random_games(2 * MAX_POINTS + 3), Curve(stretch=1)
    curve.add(results([games[0]]), 10, 1.0)
    for number, game in enumerate(games[1:], 2):
        curve.add(results([game]), 10 * number, float(number))
        assert len(curve.points) == number // curve.stretch < MAX_POINTS
        assert curve.points[-1].games == len(curve.points) * curve.stretch  # none is left out
    assert curve.stretch == 4
    assert len(curve.points) == len(games) // 4
    for place, point in enumerate(curve.points):
        part = games[4 * place : 4 * place + 4]
        assert abs(point.mean - sum(score for score, _ in part) / 4) <= 0.2
        assert point.largest == max(score for score, _ in part)
        assert point.moves == 40 * (place + 1)
        assert point.seconds == 4 * (place + 1)
        assert np.abs(np.subtract(point.reached, rates(part))).max() <= 2e-4


def test_a_curve_as_a_table() -> None:
    curve = Curve(stretch=2)
    curve.add(results([(100, 9), (300, 11), (5, 1), (7, 15), (9, 2)]), 50, 1.25)
    header, *rows = csv.reader(curve.csv().splitlines())
    assert header == [
        *("games", "moves", "seconds", "mean", "largest"),
        *(f"reached_{tile}" for tile in TILES),
    ]
    assert rows == [
        ["2", "50", "1.2", "200.0", "300", "0.5", "0.5", "0.0", "0.0", "0.0", "0.0"],
        ["4", "50", "1.2", "6.0", "7", "0.5", "0.5", "0.5", "0.5", "0.5", "0.5"],
    ]
    assert Curve().csv().splitlines() == [",".join(header)]


def test_a_run_too_short_for_a_point_has_one_of_all_its_games() -> None:
    curve = Curve()
    for score in (100, 300):
        curve.add(results([(score, 5)]), 50 + score, score / 100)
    assert curve.rows() == [[2, 350, 3.0, 200.0, 300, 0, 0, 0, 0, 0, 0]]
    curve.add(results(random_games(STRETCH)), 999, 9.0)
    assert [row[0] for row in curve.rows()] == [STRETCH]
