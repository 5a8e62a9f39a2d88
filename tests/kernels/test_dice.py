"""The dice and the spawns they make: those of docs/dice.md, and of the right distribution."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.kernels.drivers import (
    SHAPES,
    SMALL,
    STANDARD_DISTRIBUTION,
    Words,
    boards_of,
    spawns_on_bits,
    spawns_on_cells,
)
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.game.step import throw
from twofold.kernels import play
from twofold.limits import MAX_SEED
from twofold.players.compiled import RandomPlayer

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


@pytest.mark.promise("R7")
def test_dice_equal_the_published_examples_and_the_reference() -> None:
    rng = Random(7)
    assert [reference.dice(1234567, k) for k in range(3)] == PUBLISHED
    for seed in [1234567, 0, 1, 2**63, MAX_SEED, *(rng.getrandbits(64) for _ in range(200))]:
        for number in (0, 1, 2, rng.getrandbits(20), rng.getrandbits(63)):
            words = np.uint64(seed), np.uint64(number)
            assert play.dice(*words) == reference.dice(seed, number)
            assert play.player_dice(*words) == reference.player_dice(seed, number)
        assert play.mix(np.uint64(seed)) == reference.mix(seed)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_distribution_as_kernels_read_it(name: str) -> None:
    exponents, weights = DISTRIBUTIONS[name]
    words = play.spawn_distribution(exponents, weights)
    tiles = words[1:].reshape(-1, play.SPAWN_STRIDE)
    assert words[0] == len(tiles) == len(exponents)
    assert tiles[:, 0].tolist() == list(exponents)
    assert tiles[:, 1].tolist() == [*reference.thresholds(weights), 2**32]
    probabilities = np.ascontiguousarray(tiles[:, 2]).view(np.float64)
    assert probabilities.tolist() == [weight / sum(weights) for weight in weights]


@pytest.mark.promise("R7")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("seed", [99, MAX_SEED])
def test_spawns_equal_the_reference(seed: int, name: str) -> None:
    words = play.spawn_distribution(*DISTRIBUTIONS[name])
    for rows, cols in SHAPES if name == "four tiles" else SMALL:
        boards = boards_of(rows, cols, 40)
        boards[np.arange(len(boards)), np.arange(len(boards)) % (rows * cols)] = 0
        expected = boards.tolist()
        for number, cells in enumerate(expected):
            dice = reference.dice(seed, number)
            cell, exponent = reference.spawn(cells, dice, *DISTRIBUTIONS[name])
            cells[cell] = exponent
        assert spawns_on_cells(boards, words, seed).tolist() == expected
        if (rows, cols) in SMALL:
            assert spawns_on_bits(boards, rows, cols, words, seed).tolist() == expected


def counted_spawns(board: Board, form: str, seed: int) -> tuple[Words, int]:
    """A million spawns: how many fell on each cell, and how many were a 4."""
    cells, fours, part = np.zeros(16, dtype=np.uint64), 0, SPAWNS // 10
    before = np.repeat(np.array([board.exponents], dtype=np.uint8), part, axis=0)
    for own_seed in range(seed * 10, seed * 10 + 10):
        if form == "bits":
            after = spawns_on_bits(before, 4, 4, STANDARD_DISTRIBUTION, own_seed)
        else:
            after = spawns_on_cells(before, STANDARD_DISTRIBUTION, own_seed)
        rows, places = np.nonzero(after != before)
        assert np.array_equal(rows, np.arange(part))  # one spawn on each board
        cells += np.bincount(places, minlength=16).astype(np.uint64)
        fours += int((after[rows, places] == 2).sum())
    return cells, fours


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


# Every figure of docs/dice.md, computed again

PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text(encoding="utf-8")


def table(count: int, *names: str) -> list[dict[str, str]]:
    """The rows, of which there are `count`, of the table with these column names."""
    head = "| " + " | ".join(names) + " |\n"
    assert PAGE.count(head) == 1
    lines = PAGE.partition(head)[2].split("\n")[1:]
    rows = [line.strip("| ").split(" | ") for line in lines[: lines.index("")]]
    assert len(rows) == count
    return [dict(zip(names, [c.strip("` ") for c in row], strict=True)) for row in rows]


def dice_of(row: dict[str, str], seed: int = 1) -> str:
    return f"{reference.dice(int(row.get('seed', seed)), int(row['k'])):016x}"


def test_bits_and_thresholds_of_the_page() -> None:
    for row in table(8, "seed", "k", "dice"):
        assert dice_of(row) == row["dice"]
    for row in table(4, "rules", "thresholds"):
        found = reference.thresholds(Rules.parse(row["rules"]).spawn_weights)
        assert (", ".join(map(str, found)) or "none") == row["thresholds"]
    constants = ["BF58476D1CE4E5B9", "94D049BB133111EB", "9E3779B97F4A7C15", "74776F666F6C6431"]
    assert re.findall(r"0x([0-9A-F]{16})", PAGE) == [*constants, "9E3779B97F4A7C15"]
    assert bytes.fromhex(constants[3]) == b"twofold1"


@pytest.mark.promise("R7")
def test_tiles_of_the_page() -> None:
    rows = table(7, "board before", "rules", "seed", "k", "dice", "empty", "cell", "tile")
    for row in rows:
        board = Board.parse(row["board before"])
        assert len(board.empty_cells) == int(row["empty"])
        assert dice_of(row) == row["dice"]
        found = throw(board, Rules.parse(row["rules"]), int(row["seed"]), int(row["k"]))
        assert found == (int(row["cell"]), int(row["tile"]))
    bits = int(rows[1]["dice"], 16)
    text = PAGE.partition("by hand: ")[2].partition("\n\n")[0]
    high, low, threshold = bits >> 32, bits & (2**32 - 1), 3865470566
    assert f"high = {high:#x} = {high}, and {high} * 14 >> 32 = {(high * 14) >> 32}" in text
    assert f"low = {low:#x} = {low} is not below {threshold}" in text


@pytest.mark.promise("R7")
def test_the_game_of_the_page() -> None:
    rows = table(8, "k", "move", "afterstate", "empty", "dice", "cell", "tile", "board")
    game, board = Game(Rules(), seed=1), Board.empty()
    for number, row in enumerate(rows):
        assert int(row["k"]) == number
        assert dice_of(row) == row["dice"]
        after, thrown = board, (int(row["cell"]), int(row["tile"]))
        if row["move"] == "start":
            board = board.place(*thrown)
        else:
            assert number == game.spawn_number
            step = game.play(Move.parse(row["move"]))
            after, board = board.slide(step.move).board, game.board
            assert (step.cell, step.tile) == thrown
        assert row["afterstate"] == str(after)
        assert int(row["empty"]) == len(after.empty_cells)
        assert row["board"] == str(board)
        if number == 1:
            assert game.board == board


def test_draws_of_a_player_on_the_page() -> None:
    open_board = Board.parse("0000/0110/0110/0000")
    for row in table(5, "seed", "n", "draw", "choice of 4"):
        seed, n = int(row["seed"]), int(row["n"])
        bits = reference.player_dice(seed, n)
        assert f"{bits:016x}" == row["draw"]
        player = RandomPlayer()
        player.start(Rules(), seed)
        assert player.choose(open_board, move_number=n) == int(row["choice of 4"])
        assert ((bits >> 32) * 4) >> 32 == int(row["choice of 4"])
