"""Boards and games in the notations of other programs."""

import json
import random

import pytest

from tests.game.replays import FINAL, NEW_DIGITS, OLD_DIGITS, SAVED, write_old
from tests.support.generators import play_randomly
from twofold.errors import InvalidBoard
from twofold.game.board import Board
from twofold.game.foreign import replays
from twofold.game.foreign.boards import format_original, parse_original, state_of
from twofold.game.formats import parse_position
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.limits import MAX_SAVED_GAME

# ---- boards as digits


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ("0x123456789abcdef0", None, "'0x123456789abcdef0' is ambiguous. Choose the format hex"),
        ("0x123456789abcdef0", "text", "is ambiguous"),
        ("123456789abcdef", "hex", "expected 16 hexadecimal digits, got '123456789abcdef'"),
        ("123456789abcdefg", "hex-low", "expected 16 hexadecimal digits"),
        ("1" * 10**5, "hex", "expected a board of at most 1000 characters"),
        ("1234", "original", "expected a saved game as JSON"),
        ("{}", None, "expected a game or a board in a known form"),
        ("12 13/4", None, "expected a tile that is 0 or a power of two"),
        ('{"board": [[2, 3]]}', None, "board: expected a tile that is 0 or a power of two"),
        ('{"board": [[2], [2, 4]]}', None, "board: expected rows of equal length"),
        ('{"board": "2 4"}', None, "expected a board as JSON"),
        ('{"board": [[2, 2]], "score": -1}', None, "expected a score from 0"),
        ('{"board": "' + "2" * 200_000, None, "expected a board of at most 100000 characters"),
        ('{"grid":{"cells":[[null,{"value":-2}]]}}', None, "expected a tile that is 0 or a power"),
        ("1234/5678/9abc/def0", "fen", r"expected a format \(twofold, jsonl, .*\), got 'fen'"),
        ("{" * (MAX_SAVED_GAME + 1), None, "in a known form"),
    ],
)
def test_invalid_boards_are_refused(text: str, form: str | None, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        parse_position(text, form)


# ---- the saved game of the original page


def test_saved_games_with_extra_quotes() -> None:
    assert parse_position(SAVED) == (Board.parse(FINAL), 4)
    storage = json.dumps({"bestScore": "20", "gameState": SAVED, "theme": "dark"})
    for text in (
        storage,
        json.dumps(storage),
        json.dumps(SAVED),
        json.dumps({"gameState": json.loads(SAVED)}),
        json.dumps(json.loads(SAVED), indent=2),
        "\n " + SAVED,
        SAVED.replace('"score":4', '"score":4,"bestScore":20'),
    ):
        assert parse_position(text, None) == parse_position(SAVED, "original")


@pytest.mark.parametrize(
    ("board", "rules", "over", "won", "keep"),
    [
        ("1000/0000/0000/0001", "4x4", False, False, False),
        ("b000/0000/0000/0001", "4x4", False, True, True),
        ("b000/0000/0000/0001", "4x4 stop=goal", False, True, False),
        ("1212/2121/1212/2121", "4x4", True, False, False),
    ],
)
def test_how_a_game_stands(board: str, rules: str, over: bool, won: bool, keep: bool) -> None:
    state = state_of(Game.from_board(board, rules, seed=0))
    assert (state["over"], state["won"], state["keepPlaying"]) == (over, won, keep)


@pytest.mark.promise("R21")
@pytest.mark.parametrize("side", range(2, 9))
def test_positions_of_every_size_round_trip(side: int) -> None:
    game = Game(Rules(side, side), seed=side)
    for _ in range(50):
        if legal := game.legal_moves():
            game.play(legal[-1])
    text = format_original(Record.from_game(game))
    again = parse_original(text)
    assert (again.board, again.score, again.start_score) == (game.board, game.score, game.score)
    assert format_original(again) == text
    assert again.replay().board == game.board


# ---- replays of 2048verse


def test_the_alphabets_are_those_of_the_site() -> None:
    assert replays.NEW_ALPHABET == NEW_DIGITS
    assert replays.OLD_ALPHABET == OLD_DIGITS


@pytest.mark.parametrize("shape", [(4, 4), (3, 4), (2, 4), (1, 2)])
def test_the_old_form_of_2048verse_is_read(shape: tuple[int, int]) -> None:
    rng = random.Random(1)
    game = Game(Rules(*shape), seed=11)
    for _ in range(60):
        play_randomly(rng, game, giving=0.3)
    record = Record.from_game(game)
    start = [("u", cell, 1 << e) for cell, e in enumerate(game.start_board.exponents) if e]
    steps = [*start, *((step.move.letter, step.cell, step.tile) for step in game.steps)]
    header = "replay_" if shape == (4, 4) else f"replay_{shape[0]}x{shape[1]}"
    old = replays.parse_verse_old(header + write_old(steps, shape[1]))
    assert (old.moves, old.final, old.score) == (record.moves, record.final, record.score)
