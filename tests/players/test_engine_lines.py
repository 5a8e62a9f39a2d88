"""The lines of the engine protocol: what is read, what is refused, what is passed over.

Round trips and mutations have files of their own.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from twofold import Board, Budget, Move, Rules
from twofold.errors import InvalidInput
from twofold.players.engine.lines import (
    ALL_SHAPES,
    BestMove,
    ErrorLine,
    Go,
    Identity,
    Info,
    NewGame,
    Option,
    SetOption,
    SetPosition,
    Shapes,
    Word,
    format_line,
    parse_answer,
    parse_command,
)
from twofold.search.analysis import LineStep

BOARD = Board.parse("0012/0000/0000/0000")
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "engine-protocol.md"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("u2048", Word.HELLO),
        ("  ready\r", Word.READY),
        ("quit", Word.QUIT),
        ("option ply 3", SetOption("ply", "3")),
        ("option motto  to  be ", SetOption("motto", "to  be")),
        ("new", NewGame()),
        ("new 3x4 goal=64 seed 7", NewGame(Rules(3, 4, goal=64), 7)),
        ("position 0012/0000/0000/0000", SetPosition(BOARD)),
        ("position 0012000000000000 move 3 by-the-way score 40", SetPosition(BOARD, 40, 3)),
        ("go", Go()),
        ("go ply 3 nodes 1000 time 50", Go(Budget(3, 0.05, 1000))),
        ("go quiet ply 2", Go(Budget(2), quiet=True)),
        ("", None),
        ("U2048", None),
    ],
)
def test_commands(line: str, command: object) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("id name my engine 2", Identity("name", "my engine 2")),
        ("shapes any", Shapes(ALL_SHAPES)),
        ("option name a default", Option("a", "")),
        ("option name a  default to  be ", Option("a", "to  be")),
        ("u2048ok", Word.HELLO_OK),
        ("readyok", Word.READY_OK),
        ("info", Info()),
        ("info depth 2 hashfull 12 u 1.5 l -inf best l", Info(
            2, values={Move.UP: 1.5, Move.LEFT: -math.inf}, best=Move.LEFT)),
        ("info time 12.5 unit own_unit", Info(seconds=0.0125, unit="own unit")),
        ("info line l@5:2 u", Info(line=(LineStep(Move.LEFT, 5, 2), LineStep(Move.UP)))),
        ("info string line u depth 3", Info(text="line u depth 3")),
        ("info best l time 5 l 3 depth 1", Info(
            1, seconds=0.005, values={Move.LEFT: 3.0}, best=Move.LEFT)),
        ("bestmove none", BestMove(None)),
        ("error expected\x1b[2J this", ErrorLine("expected\\x1b[2J this")),
        ("frobnicate", None),
    ],
)  # fmt: skip
def test_answers(line: str, answer: object) -> None:
    assert parse_answer(line) == answer


INVALID: dict[Callable[[str], object], dict[str, str]] = {
    parse_command: {
        "position": "expected position and a board",
        "position 12": "expected 16 cells",
        "position 0000/0000/0000/0000 score": "expected a value after score",
        "position 0000/0000/0000/0000 score -1": "expected score as a whole number, got '-1'",
        "position 0000/0000/0000/0000 move 1 move 2": "expected move once, got it twice",
        "go ply 0": "expected ply from 1 to 12, got 0",
        "go time 1e9": r"expected time from 0 to 8.64e\+07 ms, got '1e9'",
        "go nodes 9999999999999999": "expected nodes from 1 to",
        "new 4x4 seed x": "expected a seed",
        "option": "expected an option's name",
        "option Ply 3": "expected an option's name",
        "option ply \x00": "expected a value of at most 1000 printable characters",
        "go " + "x" * 10_000: "expected a line of at most 10000 characters, got a longer one",
    },
    parse_answer: {
        "bestmove": "expected a move u, r, d or l, got ''",
        "info depth deep": "expected depth as a whole number, got 'deep'",
        "info u nan": "expected a value as a number, got 'nan'",
        "info l 5 l 6": "expected l once, got it twice",
        "info time": "expected a value after time",
        "info unit " + "x" * 21: "expected a unit of 1 to 20 characters",
        "info line x": "expected a step such as l or l@5:2",
        "info line l@5:3": "expected a tile",
        "option name A default": "expected an option's name",
        "option a": "expected option name NAME default TEXT",
    },
}


@pytest.mark.parametrize("parse", INVALID)
def test_invalid_lines(parse: Callable[[str], object]) -> None:
    for line, says in INVALID[parse].items():
        with pytest.raises(InvalidInput, match=says):
            parse(line)


def test_formatted_messages_are_one_line() -> None:
    for message in (
        ErrorLine("a\nb"),
        Info(text="a\r\nb"),
        Identity("name", "\x1b[2J" + "x" * 5_000),
    ):
        line = format_line(message)
        assert line.isprintable()
        assert len(line) < 1_100


def test_the_conversation_on_the_page_can_be_read_and_its_moves_are_legal() -> None:
    legal: set[Move] = set()
    block = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[0]
    for line in block.splitlines():
        side, _, text = line.partition(" ")
        if text == "position 12":  # which is answered by an error there
            continue
        match (parse_command if side == ">" else parse_answer)(text):
            case SetPosition(board):
                legal = set(board.legal_moves())
            case Info(values=values, best=best):
                assert set(values) == legal
                assert best in legal
            case BestMove(move):
                assert (move in legal) if legal else move is None
            case message:
                assert message is not None
