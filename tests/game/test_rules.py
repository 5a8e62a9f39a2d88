from typing import Any

import pytest

from twofold.errors import InvalidRules
from twofold.game.rules import Move, Rules


def test_moves_are_in_the_order_of_the_original_game() -> None:
    assert list(Move) == [Move.UP, Move.RIGHT, Move.DOWN, Move.LEFT] == [0, 1, 2, 3]
    assert "".join(move.letter for move in Move) == "urdl"


def test_parse_rules() -> None:
    rules = Rules.parse("3x4 spawn=2:0.5,4:0.5 start=1 goal=512 stop=goal")
    assert rules == Rules(3, 4, ((2, 0.5), (4, 0.5)), 1, 512, True)
    assert Rules.parse("goal=512 stop=goal 3x4 start=1 spawn=4:.5,2:5e-1") == rules
    assert Rules.parse("goal=512") == Rules(goal=512)
    assert Rules.parse("3x4, spawn=2:0.5,4:0.5 ,start=1  goal=512 , stop=goal") == rules
    assert Rules.parse("spawn=2:0.5,4:0.5,3x4,stop=goal,goal=512,start=1") == rules
    assert hash(Rules.parse("3x4")) == hash(Rules(rows=3))
    assert Rules.parse("spawn=2:3,4:1").spawn_probabilities == (0.75, 0.25)
    assert [1 << Rules.parse(shape).max_exponent for shape in ("2x3", "3x3", "4x4", "8x8")] == [
        128, 1024, 131_072, 2**35,  # the first three are published; 35 is the limit of twofold
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4", "expected a shape such as 3x4, got '4'"),
        ("0x4", "expected 1 to 8 rows and columns"),
        ("9x4", "expected 1 to 8 rows and columns"),
        ("1x1", "at least 2 cells, got 1x1"),
        ("4x4 3x3", "expected each part of the rules once, got 'shape' twice"),
        ("goal=8 goal=16", "expected each part of the rules once, got 'goal' twice"),
        ("spam=1", "expected a shape such as 4x4, spawn=, start=, goal= or stop=, got 'spam'"),
        ("start=x", "expected start= and a whole number, got 'x'"),
        ("start=0", "expected 1 to 16 start tiles on a 4x4 board, got 0"),
        ("2x2 start=5", "expected 1 to 4 start tiles on a 2x2 board, got 5"),
        ("goal=2", "expected a goal from 4"),
        ("4x4,", "expected a shape such as 3x4, got '4x4,'"),
        ("spawn=2:1,x", "expected spawn=2:0.9,4:0.1"),
        ("goal=100", "expected a tile that is 0 or a power of two from 2 to 2"),
        ("goal=68719476736", "expected a tile that is 0 or a power of two from 2 to 2"),
        ("stop=maybe", "expected stop= and goal or never, got 'maybe'"),
        ("spawn=", "expected spawn=2:0.9,4:0.1"),
        ("spawn=2", "expected spawn=2:0.9,4:0.1"),
        ("spawn=2:x", "expected a spawn weight as a number, got 'x'"),
        ("spawn=2:nan", "expected a spawn weight as a number, got 'nan'"),
        ("spawn=2:1e999", "expected a spawn weight as a number"),
        ("spawn=2:0", "expected a spawn weight from 1e-9 to 1e9, got 0"),
        ("spawn=2:-1", "expected a spawn weight from 1e-9 to 1e9, got -1"),
        ("spawn=2:1,2:1", "expected each spawn tile once, got 2 twice"),
        ("spawn=3:1", "expected a tile that is 0 or a power of two"),
        ("spawn=0:1", "expected a spawn tile from 2 upwards, got 0"),
        ("spawn=" + ",".join(f"{2 << n}:1" for n in range(9)), "at most 8 spawn tiles, got 9"),
        ("x" * 1001, "expected rules of at most 1000 characters, got 1001"),
        (7, "expected rules as text, got 7"),
    ],
)
def test_parse_rules_refuses(text: str, message: str) -> None:
    with pytest.raises(InvalidRules, match=message):
        Rules.parse(text)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"spawn": ()}, "expected 1 to 8 spawn tiles, got 0"),
        ({"spawn": ((2, 1), (2, 2))}, "expected each spawn tile once"),
        ({"goal": 512.5}, "expected goal as a whole number, got 512.5"),
        ({"rows": "3"}, "expected rows as a whole number, got '3'"),
    ],
)
def test_rules_refuse(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRules, match=message):
        Rules(**values)


def test_a_move_prints_its_name() -> None:
    assert [f"{move} {move:>5}" for move in Move][:2] == ["UP    UP", "RIGHT RIGHT"]
