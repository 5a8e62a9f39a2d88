"""Every figure of docs/dice.md, computed again."""

import re
from pathlib import Path

import pytest

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.game import Game, throw
from twofold.game.rules import Move, Rules
from twofold.players.compiled import RandomPlayer

PAGE = (Path(__file__).parent.parent / "docs" / "dice.md").read_text(encoding="utf-8")
LOW = 2**32 - 1


def table(*names: str) -> list[dict[str, str]]:
    """The rows of the table with these column names."""
    head = "| " + " | ".join(names) + " |\n"
    assert PAGE.count(head) == 1
    lines = PAGE.partition(head)[2].split("\n")[1:]
    rows = [line.strip("| ").split(" | ") for line in lines[: lines.index("")]]
    return [dict(zip(names, [c.strip("` ") for c in row], strict=True)) for row in rows]


def test_bits() -> None:
    rows = table("seed", "k", "dice")
    assert len(rows) == 8
    for row in rows:
        assert f"{reference.dice(int(row['seed']), int(row['k'])):016x}" == row["dice"]


def test_thresholds() -> None:
    rows = table("rules", "thresholds")
    assert len(rows) == 4
    for row in rows:
        found = reference.thresholds(Rules.parse(row["rules"]).spawn_weights)
        assert (", ".join(map(str, found)) or "none") == row["thresholds"]


@pytest.mark.promise("R7")
def test_tiles() -> None:
    rows = table("board before", "rules", "seed", "k", "dice", "empty", "cell", "tile")
    assert len(rows) == 7
    for row in rows:
        board, seed, k = Board.parse(row["board before"]), int(row["seed"]), int(row["k"])
        assert len(board.empty_cells) == int(row["empty"])
        assert f"{reference.dice(seed, k):016x}" == row["dice"]
        expected = (int(row["cell"]), int(row["tile"]))
        assert throw(board, Rules.parse(row["rules"]), seed, k) == expected


def test_the_example_by_hand() -> None:
    row = table("board before", "rules", "seed", "k", "dice", "empty", "cell", "tile")[1]
    bits = int(row["dice"], 16)
    text = PAGE.partition("by hand: ")[2].partition("\n\n")[0]
    high, low, threshold = bits >> 32, bits & LOW, 3865470566
    assert f"high = {high:#x} = {high}, and {high} * 14 >> 32 = {(high * 14) >> 32}" in text
    assert f"low = {low:#x} = {low} is not below {threshold}" in text


@pytest.mark.promise("R7")
def test_a_game() -> None:
    rows = table("k", "move", "afterstate", "empty", "dice", "cell", "tile", "board")
    assert len(rows) == 8
    game = Game(Rules(), seed=1)
    board = Board.empty()
    for number, row in enumerate(rows):
        assert int(row["k"]) == number
        assert f"{reference.dice(1, number):016x}" == row["dice"]
        if row["move"] == "start":
            assert row["afterstate"] == str(board)
            assert len(board.empty_cells) == int(row["empty"])
            board = board.place(int(row["cell"]), int(row["tile"]))
            assert row["board"] == str(board)
            continue
        assert number == game.spawn_number
        before = game.board
        step = game.play(Move.parse(row["move"]))
        afterstate = before.slide(step.move).board
        assert row["afterstate"] == str(afterstate)
        assert int(row["empty"]) == len(afterstate.empty_cells)
        assert (int(row["cell"]), int(row["tile"])) == (step.cell, step.tile)
        assert row["board"] == str(game.board)
    assert Game(Rules(), seed=1).board == board


def test_draws_of_a_player() -> None:
    rows = table("seed", "n", "draw", "choice of 4")
    assert len(rows) == 5
    open_board = Board.parse("0000/0110/0110/0000")
    for row in rows:
        seed, n = int(row["seed"]), int(row["n"])
        bits = reference.player_dice(seed, n)
        assert f"{bits:016x}" == row["draw"]
        player = RandomPlayer()
        player.start(Rules(), seed)
        assert player.choose(open_board, move_number=n) == int(row["choice of 4"])
        assert ((bits >> 32) * 4) >> 32 == int(row["choice of 4"])


def test_the_constants() -> None:
    assert bytes.fromhex("74776F666F6C6431") == b"twofold1"
    assert re.findall(r"0x[0-9A-F]{16}", PAGE) == [
        "0xBF58476D1CE4E5B9",
        "0x94D049BB133111EB",
        "0x9E3779B97F4A7C15",
        "0x74776F666F6C6431",
        "0x9E3779B97F4A7C15",
    ]
