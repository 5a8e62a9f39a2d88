"""Boards in the notations of other programs."""

import random

import pytest

from tests.game.replays import FINAL, SAVED
from tests.support.generators import make_board
from twofold.errors import InvalidBoard
from twofold.game.board import Board
from twofold.game.foreign.boards import format_hex, parse_hex
from twofold.game.formats import parse_position
from twofold.limits import MAX_SAVED_GAME

BOARD = Board.parse("1234/5678/9abc/def0")


def test_digits_from_the_top_left_cell() -> None:
    assert format_hex(BOARD) == "0x123456789abcdef0"
    for text in ("0x123456789abcdef0", "123456789ABCDEF0", " 0X123456789abcdef0\n"):
        assert parse_hex(text) == BOARD


def test_digits_from_the_bottom_right_cell() -> None:
    assert format_hex(BOARD, low_first=True) == "0x0fedcba987654321"
    assert parse_hex("0fedcba987654321", low_first=True) == BOARD


def test_the_lowest_bits_are_the_top_left_cell() -> None:
    value = sum(e << 4 * cell for cell, e in enumerate(BOARD.exponents))
    assert parse_hex(f"{value:016x}", low_first=True) == BOARD


@pytest.mark.promise("R21")
def test_every_board_of_64_bits_both_ways() -> None:
    rng = random.Random(1)
    for _ in range(2_000):
        board = make_board(rng, (4, 4), largest=15)
        for low_first in (False, True):
            text = format_hex(board, low_first=low_first)
            assert parse_hex(text, low_first=low_first) == board
            name = "hex-low" if low_first else "hex"
            assert parse_position(text, name) == (board, None)


def test_the_format_may_be_left_out() -> None:
    assert parse_position(str(BOARD)) == (BOARD, None)
    assert parse_position("2x2:1100", "text").board == Board.parse("2x2:1100")
    assert parse_position(SAVED) == (Board.parse(FINAL), 4)


def test_saved_games_with_extra_quotes() -> None:
    import json

    expected = parse_position(SAVED, "original")
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
        assert parse_position(text) == expected
    assert parse_position('{"grid":{"cells":[[null,{"value":2}],[null,null]]}}') == (
        Board.parse("2x2:00/10"), 0,
    )  # fmt: skip


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
        ("1234/5678/9abc/def0", "fen", r"expected a format \(.*\), got 'fen'"),
        ("{" * (MAX_SAVED_GAME + 1), None, "in a known form"),
        ("1" * 5_000, None, "in a known form"),
    ],
)
def test_invalid_boards_are_refused(text: str, form: str | None, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        parse_position(text, form)


def test_boards_that_64_bits_do_not_hold() -> None:
    with pytest.raises(InvalidBoard, match="expected a 4x4 board, got 3x4"):
        format_hex(Board.empty((3, 4)))
    with pytest.raises(InvalidBoard, match="expected tiles up to 32768"):
        format_hex(Board.parse("g000/0000/0000/0000"))
