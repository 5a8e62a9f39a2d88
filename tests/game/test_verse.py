"""Replays of 2048verse against a slow parser."""

import random

import pytest

from tests.game.replays import NEW_DIGITS, OLD_DIGITS, read_new, read_old
from tests.support.generators import play_randomly
from twofold.game.foreign import replays
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules


def test_the_alphabets_are_those_of_the_site() -> None:
    assert replays.NEW_ALPHABET == NEW_DIGITS
    assert replays.OLD_ALPHABET == OLD_DIGITS


@pytest.mark.parametrize("shape", [(4, 4), (3, 4), (3, 3), (2, 4), (1, 2)])
def test_a_slow_reading_finds_the_same_moves(shape: tuple[int, int]) -> None:
    rng = random.Random(1)
    game = Game(Rules(*shape), seed=11)
    for _ in range(60):
        play_randomly(rng, game, giving=0.3)
    record = Record.from_game(game)
    new = read_new(replays.format_verse(record))
    header = "replay_" if shape == (4, 4) else f"replay_{shape[0]}x{shape[1]}"
    old = read_old(replays.format_verse_old(record).removesuffix("\n").removeprefix(header))
    assert new == old
    cols = shape[1]
    start = [(cell // cols, cell % cols) for cell in range(shape[0] * cols)]
    expected = [(step.move.letter, *start[step.cell], step.tile) for step in game.steps]
    assert [tuple(step) for step in new[2:]] == expected
    assert sorted((one.row, one.col) for one in new[:2]) == sorted(
        start[cell] for cell, e in enumerate(game.start_board.exponents) if e
    )
