"""Where games end: counted by hand, game by game."""

import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest

from tests.support.games import game
from twofold import Rules
from twofold.arena.bench import PlayerStanding
from twofold.arena.boards import parse_boards
from twofold.arena.games import GameColumns
from twofold.arena.stats import (
    Fates,
    SumBand,
    band_cells,
    bands,
    edges_of,
    format_survival,
    told_bands,
    wilson_interval,
)


def naive(
    starts: Sequence[int], ends: Sequence[int], died: Sequence[bool], edges: Sequence[int]
) -> list[SumBand]:
    """The same, one game after the other."""
    found = []
    games = list(zip(starts, ends, died, strict=True))
    for low, high in itertools.pairwise(edges):
        there = [one for one in games if one[0] < high and one[1] >= low]
        dead = [one for one in there if one[2] and one[1] < high]
        gone = [one for one in games if one[2] and one[1] < high]
        if there:
            share = wilson_interval(len(dead), len(there))
            going = wilson_interval(len(games) - len(gone), len(games))
            found.append(SumBand(low, high, len(there), len(dead), share, going))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_bands_are_those_counted_by_hand(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.randrange(1, 60)
    starts = [rng.choice((0, 0, rng.randrange(5_000))) for _ in range(count)]
    ends = [start + rng.randrange(9_000) for start in starts]
    died = [rng.random() < 0.8 for _ in range(count)]
    fates = Fates(np.array(starts), np.array(ends), np.array(died))
    for edges in ([0, 1_000, 1_500, 20_000], list(range(0, 15_000, 500))):
        expected = naive(starts, ends, died, edges)
        assert bands(fates, edges) == expected
        told = told_bands(fates, edges)
        assert sum(band.ended for band in told) == sum(band.ended for band in expected)
        assert [one for one in told if one.ended] == [one for one in expected if one.ended]
        for last, one in itertools.pairwise(told):
            assert last.ended or one.ended or last.high < one.low


def fates_of(ends: list[int], start: int = 0) -> Fates:
    """Of games that all ended without a legal move."""
    sums = np.array(ends, dtype=np.int64)
    return Fates(np.full_like(sums, start), sums, sums > 0)


def test_bounds_suit_the_games() -> None:
    assert edges_of([]) == []
    assert edges_of([fates_of([])]) == []
    assert edges_of([fates_of([37_000]), fates_of([9_000])])[-2:] == [36_000, 38_000]
    assert edges_of([fates_of([36_000])])[-1] == 38_000  # above every sum
    assert edges_of([fates_of([47_500, 50_100], 46_010)]) == [
        46_000, 48_000, 50_000, 52_000,
    ]  # fmt: skip
    assert edges_of([fates_of([190])])[:3] == [0, 10, 20]
    assert edges_of([fates_of([200_000])])[:2] == [0, 10_000]
    assert edges_of([fates_of([5])], width=2) == [0, 2, 4, 6]


def games_of(*sums: int, tile: int = 64) -> GameColumns:
    return GameColumns.joined(
        [
            game(seed, 100, 40, tile, tuple(range(tile.bit_length())), 0.1, tile_sum=total)
            for seed, total in enumerate(sums, 1)
        ]
    )


def test_games_that_stop_at_the_goal_have_not_died() -> None:
    games = games_of(100, 120)
    assert Fates.of_games(games, Rules.parse("goal=64 stop=goal")).died.tolist() == [False, False]
    assert Fates.of_games(games, Rules.parse("goal=64")).died.tolist() == [True, True]
    assert Fates.of_games(games, Rules.parse("goal=128 stop=goal")).died.tolist() == [True, True]


def test_games_begin_with_the_sum_of_their_board() -> None:
    boards = parse_boards("5000/0000/0000/0001\n5400/0000/0000/0001")
    fates = Fates.of_games(games_of(100, 200, 300), Rules(), boards)
    assert fates.starts.tolist() == [34, 50, 34]


def test_a_table_of_text() -> None:
    run = PlayerStanding("greedy", "greedy", games_of(300, 2_500, 2_600, 9_000))
    assert format_survival([run, PlayerStanding("none", "none", games_of())], Rules(), None) == (
        "greedy\n"
        "tile sum         games  ended  ended, %  95 % interval  going on, %\n"
        "0 to 2,000           4      1      25.0    4.6 to 69.9         75.0\n"
        "2,000 to 4,000       3      2      66.7   20.8 to 93.9         25.0\n"
        "4,000 to 8,000       1      0       0.0    0.0 to 79.3         25.0\n"
        "8,000 to 10,000      1      1     100.0  20.7 to 100.0          0.0"
    )
    assert band_cells(bands(fates_of([5]), [0, 10])[0])[0] == "0 to 10"
