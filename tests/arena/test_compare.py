"""Comparisons on common seeds, and the sentences about them."""

from dataclasses import replace
from typing import Any

import pytest

from twofold.arena.compare import (
    Comparison,
    Sprt,
    Verdict,
    compare_scores,
    paired_interval,
    paired_rates,
    verdict_words,
)
from twofold.arena.stats import Interval

TOP = 2**64 - 1


def comparison(
    value: float, low: float | None, high: float | None, relative: float | None, games: int = 1000
) -> Comparison:
    paired = replace(
        paired_interval([1, 2], [2, 1]),
        games=games,
        draws=0,
        difference=Interval(value, low, high),
        relative=None if relative is None else Interval(relative, None, None),
    )
    return Comparison(("deep", "flat"), games, paired, {})


def test_only_common_seeds_count_in_the_order_of_a() -> None:
    found = compare_scores([TOP, 5, 7, TOP - 1], [40, 10, 90, 20], [5, TOP, TOP - 1], [8, 30, 25])
    assert found.paired == paired_interval([40, 10, 20], [30, 8, 25])
    assert (found.games, found.names, found.reach) == (3, ("A", "B"), {})


def test_reach_rates_of_the_tiles_that_tell_games_apart() -> None:
    found = compare_scores(
        [1, 2, 3, 4], [1] * 4, [4, 3, 2, 9], [1] * 4,
        max_tiles_a=[4096, 64, 16, 32], max_tiles_b=[16, 32, 64, 8],
    )  # fmt: skip
    assert found.reach == {
        32: paired_rates([1, 0, 1], [1, 1, 0]),
        64: paired_rates([1, 0, 0], [1, 0, 0]),
    }
    tiles = [2**17, 4]
    found = compare_scores([1, 2], [0, 0], [1, 2], [0, 0], max_tiles_a=tiles, max_tiles_b=[4, 4])
    assert list(found.reach) == [2**exponent for exponent in range(10, 18)]  # the largest


@pytest.mark.parametrize(
    ("arguments", "tiles", "message"),
    [
        (([1, 2], [1, 2], [3], [1]), {}, "at least one common seed, got none in 2 and 1"),
        (([1, 1, 1], [1, 2, 3], [1], [1]), {}, "each seed once, got 1 again"),
        (([1], [1], [1, 2, 2], [1, 2, 3]), {}, "each seed once, got 2 again"),
        (([1], [1, 2], [1], [1]), {}, "as many scores as seeds, got 2 and 1"),
        (([1], [1], [1], [1]), {"max_tiles_a": [2]}, "of both players or of neither"),
        (
            ([1], [1], [1], [1]),
            {"max_tiles_a": [2], "max_tiles_b": [2, 4]},
            "as many largest tiles as seeds, got 2 and 1",
        ),
    ],
)
def test_incomparable_games_are_refused(
    arguments: tuple[Any, Any, Any, Any], tiles: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare_scores(*arguments, **tiles)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            comparison(12_345, 10_100, 14_600, 9.81),
            "deep is stronger: 12,345 points a game more"
            " (9.81 %, 95 % interval 10,100 to 14,600) over 1,000 games",
        ),
        (  # deep has half the score of flat, so flat has twice that of deep
            comparison(-50_000, -60_000, -40_000, -50),
            "flat is stronger: 50,000 points a game more"
            " (100 %, 95 % interval 40,000 to 60,000) over 1,000 games",
        ),
        (
            comparison(-12.5, -40, 15.25, -0.125, games=20),
            "flat scored 12.5 points a game more"
            " (0.125 %, 95 % interval -15.2 to 40) over 20 games, which may be chance",
        ),
        (
            comparison(-5, -6, -4, -100, games=2),
            "flat is stronger: 5 points a game more (95 % interval 4 to 6) over 2 games",
        ),
        (
            comparison(-7, None, None, None, games=1),
            "flat scored 7 points a game more, but 1 game cannot tell who is stronger",
        ),
        (
            compare_scores([1, 2], [4, 4], [1, 2], [4, 4]),
            "no difference: the scores are the same in all of 2 games",
        ),
    ],
)
def test_a_comparison_in_words(found: Comparison, words: str) -> None:
    assert verdict_words(found) == words


def state(
    verdict: Verdict | None, mean: float, delta: float, finished: bool = True, pairs: int = 1234
) -> Sprt:
    test = Sprt(delta, max_pairs=pairs if finished else None)
    test.verdict, test.pairs, test._total = verdict, pairs, pairs * mean
    return test


@pytest.mark.parametrize(
    ("found", "tile", "words"),
    [
        (
            state(Verdict.A, 7000, 5000),
            None,
            "deep is stronger: 7,000 points a game more (biased away from 0, as the test ends at a"
            " large lead), after 1,234 games each",
        ),
        (
            state(Verdict.B, -0.034, 0.02),
            8192,
            "flat is stronger: it reaches 8192 more often, by 3.4 percentage points (biased away"
            " from 0, as the test ends at a large lead), after 1,234 games each",
        ),
        (
            state(Verdict.EQUAL, 0.001, 0.02),
            8192,
            "deep and flat differ by less than 2 percentage points in how often they reach 8192,"
            " after 1,234 games each",
        ),
        (
            state(None, 0, 5000, finished=False, pairs=1),
            None,
            "it is not known yet whether deep and flat differ by 5,000 points a game,"
            " after 1 game each",
        ),
    ],
)
def test_a_sequential_test_in_words(found: Sprt, tile: int | None, words: str) -> None:
    assert verdict_words(found, ("deep", "flat"), tile) == words
