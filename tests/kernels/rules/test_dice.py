"""The dice and the spawns they make: equal to the reference, and of the right distribution."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np
import pytest

from tests.kernels.drivers import (
    SHAPES,
    SMALL,
    STANDARD_DISTRIBUTION,
    Cells,
    Words,
    spawns_on_bits,
    spawns_on_cells,
)
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.kernels import play
from twofold.limits import MAX_SEED

SPAWNS = 1_000_000

OCCUPANCIES = {
    "1 empty": "1234/5678/1234/5670",
    "2 empty": "0234/5678/1234/5670",
    "3 empty in a row": "1234/5000/1234/5671",
    "8 empty": "1010/0101/1010/0101",
    "14 empty": "1000/0000/0000/0001",
}

# Exponents and weights of spawn distributions: the usual one, others, and hard cases of rounding.
DISTRIBUTIONS: dict[str, tuple[Sequence[int], Sequence[float]]] = {
    "standard": ((1, 2), (0.9, 0.1)),
    "only 2": ((1,), (1.0,)),
    "equal": ((1, 2), (1.0, 1.0)),
    "four tiles": ((1, 2, 3, 5), (7.0, 0.5, 2.0, 0.25)),
    "eight tiles": (tuple(range(1, 9)), (0.1,) * 8),
    "thirds": ((1, 2, 3), (1.0, 1.0, 1.0)),
    "very unequal": ((1, 2, 15), (1e9, 1e-9, 1.0)),
}

# splitmix64 of seed 1234567, as published with it; `docs/dice.md` has the same.
PUBLISHED = [0x599ED017FB08FC85, 0x2C73F08458540FA5, 0x883EBCE5A3F27C77]


def draws(seed: int, count: int) -> list[int]:
    return [int(play.dice(np.uint64(seed), np.uint64(k))) for k in range(count)]


def distribution_of(name: str) -> Words:
    return play.spawn_distribution(*DISTRIBUTIONS[name])


@pytest.mark.promise("R7")
def test_dice_equal_the_published_examples() -> None:
    assert draws(1234567, 3) == PUBLISHED
    assert [reference.dice(1234567, k) for k in range(3)] == PUBLISHED


@pytest.mark.promise("R7")
def test_dice_equal_the_reference() -> None:
    rng = Random(7)
    seeds = [0, 1, 2**63, MAX_SEED, *(rng.getrandbits(64) for _ in range(200))]
    for seed in seeds:
        for number in (0, 1, rng.getrandbits(20), rng.getrandbits(63)):
            words = np.uint64(seed), np.uint64(number)
            assert play.dice(*words) == reference.dice(seed, number)
            assert play.player_dice(*words) == reference.player_dice(seed, number)
        assert play.mix(np.uint64(seed)) == reference.mix(seed)


@pytest.mark.promise("R7")
@pytest.mark.parametrize("form", ["bits", "cells"])
@pytest.mark.parametrize("occupancy", OCCUPANCIES)
def test_spawns_follow_their_distribution(
    occupancy: str, form: str, figure: Callable[[str], None]
) -> None:
    from scipy.stats import chisquare  # slow to import, so not while tests are collected

    board = Board.parse(OCCUPANCIES[occupancy])
    cells, fours = counted_spawns(board, form, seed=len(OCCUPANCIES[occupancy]) + len(form))
    assert set(np.flatnonzero(cells)) == set(board.empty_cells)
    share, sigma = fours / SPAWNS, (0.1 * 0.9 / SPAWNS) ** 0.5
    assert abs(share - 0.1) < 4 * sigma
    counts = cells[list(board.empty_cells)]
    p = float(chisquare(counts).pvalue) if len(counts) > 1 else 1.0
    assert p > 1e-4
    figure(f"{occupancy}, {form}: {(share - 0.1) / sigma:+.1f} sigma, p {p:.2g}")


def counted_spawns(board: Board, form: str, seed: int) -> tuple[Words, int]:
    """Over a million spawns: how many fell on each cell, and how many were a 4."""
    cells, fours, part = np.zeros(16, dtype=np.uint64), 0, SPAWNS // 10
    before = np.repeat(np.array([board.exponents], dtype=np.uint8), part, axis=0)
    for turn in range(10):
        own_seed = seed * 10 + turn
        after = (
            spawns_on_bits(before, 4, 4, STANDARD_DISTRIBUTION, own_seed)
            if form == "bits"
            else spawns_on_cells(before, STANDARD_DISTRIBUTION, own_seed)
        )
        added = after - before
        assert ((added != 0).sum(axis=1) == 1).all()
        cells += (added != 0).sum(axis=0).astype(np.uint64)
        fours += int((added == 2).sum())
    return cells, fours


def scattered(rows: int, cols: int, count: int, seed: int) -> Cells:
    """Boards with at least one empty cell."""
    rng = np.random.default_rng(seed)
    boards = rng.integers(0, 4, (count, rows * cols), dtype=np.uint8)
    boards[np.arange(count), rng.integers(0, rows * cols, count)] = 0
    return boards


def spawned(boards: Cells, seed: int, distribution: str) -> list[list[int]]:
    """The boards after spawns 0, 1, 2 ... by the reference."""
    result: list[list[int]] = boards.tolist()
    for number, cells in enumerate(result):
        cell, exponent = reference.spawn(
            cells, reference.dice(seed, number), *DISTRIBUTIONS[distribution]
        )
        cells[cell] = exponent
    return result


@pytest.mark.promise("R7")
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_spawns_equal_the_reference_under_every_distribution(distribution: str) -> None:
    for rows, cols in SMALL:
        boards = scattered(rows, cols, 300, seed=1)
        expected = spawned(boards, 99, distribution)
        assert (
            spawns_on_bits(boards, rows, cols, distribution_of(distribution), 99).tolist()
            == expected
        )
        assert spawns_on_cells(boards, distribution_of(distribution), 99).tolist() == expected


@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_spawns_on_cells_equal_the_reference_on_every_shape(rows: int, cols: int) -> None:
    boards = scattered(rows, cols, 100, seed=2)
    expected = spawned(boards, MAX_SEED, "four tiles")
    assert spawns_on_cells(boards, distribution_of("four tiles"), MAX_SEED).tolist() == expected


@pytest.mark.promise("R7")
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_other_distributions_are_followed(distribution: str) -> None:
    exponents, weights = DISTRIBUTIONS[distribution]
    before = np.zeros((200_000, 2), dtype=np.uint8)
    after = spawns_on_bits(before, 1, 2, distribution_of(distribution), 5).max(axis=1)
    for exponent, weight in zip(exponents, weights, strict=True):
        share = weight / sum(weights)
        sigma = (share * (1 - share) / len(before)) ** 0.5
        assert abs((after == exponent).mean() - share) <= 4 * sigma + 1 / len(before)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_a_distribution_as_kernels_read_it(distribution: str) -> None:
    exponents, weights = DISTRIBUTIONS[distribution]
    words = distribution_of(distribution)
    count, tiles = int(words[0]), words[1:].reshape(-1, play.SPAWN_STRIDE)
    assert count == len(tiles) == len(exponents)
    assert tiles[:, 0].tolist() == list(exponents)
    assert tiles[:, 1].tolist() == [*reference.thresholds(weights), 2**32]
    assert np.all(tiles[:, 1] <= 2**32)
    probabilities = np.ascontiguousarray(tiles[:, 2]).view(np.float64)
    assert probabilities.tolist() == [weight / sum(weights) for weight in weights]


def test_a_game_throws_the_dice_in_order() -> None:
    rules = Rules.parse("3x3 start=3 spawn=2:0.5,8:0.5")
    cells = [0] * 9
    for number in range(3):
        cell, exponent = reference.spawn(cells, reference.dice(5, number), (1, 3), (0.5, 0.5))
        cells[cell] = exponent
    game = Game(rules, seed=5)
    assert list(game.board.exponents) == cells
    legal = game.legal_moves()[0]
    after, _ = reference.slide(cells, 3, 3, Move(legal))
    cell, exponent = reference.spawn(after, reference.dice(5, 3), (1, 3), (0.5, 0.5))
    step = game.play(legal)
    assert (step.cell, step.tile) == (cell, 2**exponent)
