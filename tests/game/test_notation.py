"""Boards, seeds, rules and player specs as text."""

import os
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest

from twofold.errors import InvalidBoard, InvalidRules, InvalidSeed, InvalidSpec
from twofold.game.notation import (
    Spec,
    format_spec,
    parse_board,
    parse_seed,
    parse_spec,
    plain,
    shell_line,
)
from twofold.game.rules import Move, Rules

# ---- boards


@pytest.mark.parametrize(
    ("text", "rows", "cols", "exponents"),
    [
        ("1000/0000/0000/000z", 4, 4, (1, *[0] * 14, 35)),
        ("100000000000000Z", 4, 4, (1, *[0] * 14, 35)),
        ("2x3:012/3ab", 2, 3, (0, 1, 2, 3, 10, 11)),
        (" 2x3 : 0123AB\n", 2, 3, (0, 1, 2, 3, 10, 11)),
        ("2x3: 0 2 4 / 8 1024 2048", 2, 3, (0, 1, 2, 3, 10, 11)),
        ("1x2: 2 34359738368", 1, 2, (1, 35)),
        ("0 0 0 0 / 0 0 0 0 / 8 4 2 16 / 0 0 0 0", 4, 4, (*[0] * 8, 3, 2, 1, 4, *[0] * 4)),
        ("2x1:1/2", 2, 1, (1, 2)),
        ("2x3:\r\n0 2 4\r\n\r\n8 1024 2048\r\n", 2, 3, (0, 1, 2, 3, 10, 11)),
        ("2x3:    .    2    4\n    8 1024 2048", 2, 3, (0, 1, 2, 3, 10, 11)),
        ("2x3: 0 2 4 8\n1024\n2048", 2, 3, (0, 1, 2, 3, 10, 11)),  # three lines are no rows
        ("4x1:2\n4\n8\n16", 4, 1, (1, 2, 3, 4)),
        ("2,4,0,0,0,0,0,0,0,0,0,0,0,0,0,2048", 4, 4, (1, 2, *[0] * 13, 11)),
        ("2,4,0,0,\r\n0,0,0,0,\r\n0,0,0,0,\r\n0,0,0,2048,", 4, 4, (1, 2, *[0] * 13, 11)),
        ("[[0, 2, 4], [8, 1024, 2048]]", 2, 3, (0, 1, 2, 3, 10, 11)),
        ("[[   0    2    4]\n [   8 1024 2048]]", 2, 3, (0, 1, 2, 3, 10, 11)),  # as NumPy prints
        ("((2,), (4,))", 2, 1, (1, 2)),
        ("0,2,4\n8,1024,2048\n", 2, 3, (0, 1, 2, 3, 10, 11)),  # CSV has its shape in its lines
        (",2,4\r\n8,1024,2048", 2, 3, (0, 1, 2, 3, 10, 11)),
        ('"0"\t"2"\t"4"\n8\t1024\t2048', 2, 3, (0, 1, 2, 3, 10, 11)),
        ("\t\t\r\n\t4\t\r\n8\t\t\r\n", 3, 3, (0, 0, 0, 0, 2, 0, 3, 0, 0)),
        ("\t2\t4\t8\n" * 4, 4, 4, (0, 1, 2, 3) * 4),
        ("\t2\t4\t8\t16\n" * 4, 4, 4, (1, 2, 3, 4) * 4),  # indented
        ("\t2 4 8 16\n" * 4, 4, 4, (1, 2, 3, 4) * 4),
        (",,,\n,,,\n,,,2\n2,4,8,16", 4, 4, (*[0] * 11, 1, 1, 2, 3, 4)),
    ],
)
def test_parse_board(text: str, rows: int, cols: int, exponents: tuple[int, ...]) -> None:
    assert parse_board(text) == (rows, cols, exponents)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected 16 cells for a 4x4 board, got 0 in ''"),
        ("2,4\n" * 9, "expected 1 to 8 rows and columns"),
        ("1000/0000/0000/000", "expected 4 rows of 4 cells, got rows of 4/4/4/3 cells"),
        ("1000/0000/0000", r"rows of 4/4/4 cells .* \(another shape needs a prefix such as 3x4:\)"),
        ("3x4:1000/0000/0000/0000", "expected 3 rows of 4 cells, got rows of 4/4/4/4 cells in"),
        ("10000000000000000", "expected 16 cells for a 4x4 board, got 17"),
        ("1000/0000/0000/000!", "expected cells written as 0 to 9 and a to z, got '!' at cell 16"),
        ("2x2: 2 3 / 4 0", "expected a tile that is 0 or a power of two from 2 to 2.35, got '3'"),
        ("2x2: 2 -2 / 4 0", "power of two from 2 to 2.35, got '-2'"),
        ("2x2: 2 2.5 / 4 0", "power of two from 2 to 2.35, got '2.5'"),
        ("2x2:| 2 | 4 |\n| 8 | 2 | 4 |", "expected 2 rows of 2 cells, got rows of 4/5 cells"),
        ("│\n" * 999, "expected 1 to 8 rows and columns and at least 2 cells, got 999x0"),
        ("2x2:2,,4,0", "power of two from 2 to 2.35, got '2,'"),
        ("[[2, 4], [8]]", "expected 2 rows of 2 cells, got rows of 2/1 cells"),
        ("[[2, 4], [8, 0]", r"power of two from 2 to 2.35, got '\[\[2'"),
        ("1x1:0", "at least 2 cells, got 1x1"),
        ("axb:00", "expected a shape such as 3x4, got 'axb'"),
        ("2x2:2x2:0000", "expected cells written as .* got ':'"),
        ("0" * 4_001, "expected a board of at most 4000 characters, got 4001"),
        (None, "expected a board as text, got None"),
    ],
)
def test_parse_board_refuses(text: str, message: str) -> None:
    with pytest.raises(InvalidBoard, match=message):
        parse_board(text)


TILES = [[0, 2, 4, 8], [0, 0, 0, 0], [0, 0, 2, 0], [0, 2048, 0, 0]]
DASHES = "-" * 29
RULE = "+------" * 4 + "+"


def drawn(empty: str = "", width: int = 0, bar: str = "", between: str = "\n") -> str:
    """The tiles with bars and rules between them, or with spaces."""
    rows = [[str(tile or empty).center(width) for tile in row] for row in TILES]
    return between.join(bar + (bar or " ").join(row) + bar for row in rows)


def boxed(first: str, middle: str, last: str) -> str:
    """A frame of box characters."""
    lines = [one[0] + one[1].join(["─" * 6] * 4) + one[2] for one in (first, middle, last)]
    return f"{lines[0]}\n{drawn('', 6, '│', f'{chr(10)}{lines[1]}{chr(10)}')}\n{lines[2]}"


PRINTED = {
    **{f"empty {mark}": drawn(mark) for mark in ("_", "__", "-", "*", ".", "null", "None")},
    **{f"padded {mark}": drawn(mark, 5) for mark in ("_", "-", "*", ".")},
    "compact": ".123/..../__1_/-b--",
    "a list a line, with commas": ",\n".join(map(str, TILES)),
    "lists of texts": str([[str(tile) for tile in row] for row in TILES]),
    "NumPy's repr": repr(np.array(TILES)),
    "NumPy's str": str(np.array(TILES)),
    "NumPy's str of floats": str(np.array(TILES, dtype=float)),
    "floats with exponents": str(np.array(TILES, dtype=float)).replace("2048.", "2.048e+03"),
    "PyTorch's repr": f"tensor({TILES}, dtype=torch.int32)",
    "Markdown": drawn("", 4, "|").replace("\n", "\n|---|---|---|---|\n", 1),
    "Markdown with numbers": f"| 1 | 2 | 3 | 4 |\n|---|---|---|---|\n{drawn('', 4, '|')}",
    "a frame around rows": f"+----+\n| {drawn('0').replace(chr(10), f' |{chr(10)}| ')} |\n+----+",
    "a frame of cells": f"{RULE}\n{drawn('', 6, '|', f'{chr(10)}{RULE}{chr(10)}')}\n{RULE}",
    "a frame of three lines a cell": "\n".join(
        [RULE, *(f"{'|      ' * 4}|\n|{'|'.join(str(one or '').center(6) for one in row)}|\n"
                 f"{'|      ' * 4}|\n{RULE}" for row in TILES)]
    ),
    "dashes between rows": f"{DASHES}\n{drawn('', 6, '|', f'{chr(10)}{DASHES}{chr(10)}')}",
    "box characters": boxed("┌┬┐", "├┼┤", "└┴┘"),
    "double box characters": f"╔════╗\n║ {drawn('0').replace(chr(10), f' ║{chr(10)}║ ')} ║\n╚════╝",
    "thousands": drawn("0").replace("2048", "2k"),
    "a byte order mark": "\ufeff" + drawn("0"),
    "in quotes, with escapes": repr(drawn("0")),
    "a score above": f"Score: 1,500\n{drawn('0')}",
    "a fence of Markdown": f"```text\n{drawn('0')}\n```\n",
    "quoted in a mail": "\n".join(f"> {line}" for line in drawn("0").split("\n")),
    "after a prompt": f">>> {TILES}",
}  # fmt: skip
"""The same board as programs print it."""


@pytest.mark.parametrize("text", PRINTED.values(), ids=PRINTED)
def test_boards_as_programs_print_them(text: str) -> None:
    assert parse_board(text) == (4, 4, (0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 11, 0, 0))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'"a\"b\\c\u00e9\n"', 'a"b\\cé\n'),
        ("'{\"a\": 1}'", '{"a": 1}'),
        ("```json\n{}\n```\n", "{}\n"),
        (">> > a\n>\n> b", "a\n\nb"),
        (r"'it\'s \x41'", "it's A"),
        (r'"replay\,\ü"', r"replay\,\ü"),  # a person's quotes, who escaped nothing
        ('"2","4"', '"2","4"'),
        (r'"\ud83d\ude00 \ud800"', "\U0001f600 \ufffd"),
        ("\ufeffa\r\nb", "a\nb"),
    ],
)
def test_text_that_was_quoted_once_more(text: str, meant: str) -> None:
    assert plain(text) == meant


# ---- seeds and numbers


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1.0", "1e3", "1_0", "0x", "x", str(2**64), "0x1" + "0" * 16, "१", 7]
)
def test_parse_seed_refuses(text: str) -> None:
    with pytest.raises(InvalidSeed, match=r"expected a seed (from 0 to 2\^64 - 1|as text), got"):
        parse_seed(text)


# ---- specs


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("random", "random", {}),
        (" random\n", "random", {}),
        ("expectimax:eval=snake,ply=3", "expectimax", {"eval": "snake", "ply": "3"}),
        ('engine:cmd="a, b \\"c\\"",ply=1', "engine", {"cmd": 'a, b "c"', "ply": "1"}),
        ('engine:cmd=""', "engine", {"cmd": ""}),
        ("my.py:Name", "my.py:Name", {}),
        ("dir/my.py:Name:key=1", "dir/my.py:Name", {"key": "1"}),
        (r"C:\my.py:Name:key=1", r"C:\my.py:Name", {"key": "1"}),
        ("x:eval=path/to/file.py:Name", "x", {"eval": "path/to/file.py:Name"}),
    ],
)
def test_parse_spec(text: str, name: str, values: dict[str, str]) -> None:
    assert parse_spec(text) == Spec(name, values)
    assert parse_spec(format_spec(name, values)) == Spec(name, values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a player name before the first ':', got ''"),
        ("a b", "expected a player name"),
        ("\x1b[31mred.py:Mine", r"expected a player name of printable characters, got '\\x1b"),
        ("random:", "expected key=value after ':', got 'random:'"),
        ("x:ply=", "expected a value after each '='"),
        ("x:ply=1,eval", "expected key=value separated by commas"),
        ("x:ply=1,Eval=2", "expected key=value separated by commas"),
        ("x:ply=1,ply=2", "expected each key once, got 'ply' twice"),
        ('x:cmd="abc', "expected a JSON string after"),
        ('x:cmd="a"b', "expected ',' and a key after a value, got 'b'"),
        ('x:cmd=a"b', "expected a value after each '='"),
        ("x" * 1_001, "expected a player spec of at most 1000 characters"),
        (5, "expected a player spec as text, got 5"),
    ],
)
def test_parse_spec_refuses(text: str, message: str) -> None:
    with pytest.raises(InvalidSpec, match=message):
        parse_spec(text)


# ---- errors


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, which reads the line back")
@pytest.mark.parametrize(
    "word",
    [
        "plain",
        "two words",
        "it's",
        "\x1b[31mred's \\ file\n",
        "caf\u00e9\u00a0\u202e",
        "\udcff.db",
        "$HOME",
    ],
)
def test_a_suggested_command_can_be_typed(word: str) -> None:
    line = shell_line("printf", "%s", word)
    assert line.isprintable()
    found = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert os.fsdecode(found.stdout) == word


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
