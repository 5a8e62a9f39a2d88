"""`twofold analyse`: the four moves of a board."""

import json

import pytest

from tests.cli.conftest import Cli
from twofold.cli.analyse import format_value

BOARD = "0012/0013/0024/1357"


def test_the_table_marks_the_best_and_the_illegal(cli: Cli) -> None:
    code, out, _ = cli("analyse", BOARD, "--player", "expectimax:ply=1")
    assert code == 0
    assert "2   8  32 128" in out
    (best,) = [line for line in out.splitlines() if line.endswith("best") and "to" not in line]
    (illegal,) = [line for line in out.splitlines() if line.endswith("illegal")]
    assert illegal.split()[0] == "right"
    assert " 0 " in best
    assert "player expectimax:cut=0,empty=270,eval=rows," in out
    assert "1 ply" in out or "1 plies" in out


def test_json(cli: Cli) -> None:
    _, out, _ = cli("analyse", BOARD, "--player", "expectimax:ply=1", "--json")
    document = json.loads(out)
    assert next(iter(document)) == "schema"
    assert document["board"] == BOARD
    assert [one["move"] for one in document["moves"]] == ["up", "right", "down", "left"]
    assert document["moves"][1] == {
        "move": "right", "legal": False, "value": None, "reward": None,
    }  # fmt: skip
    values = {one["move"]: one["value"] for one in document["moves"] if one["legal"]}
    assert values[document["best"]] == max(values.values())
    assert document["reproducible"] is True
    assert document["timing"]["seconds"] >= 0
    assert "processor" in document["machine"]


def test_equal_but_for_timing_and_machine(cli: Cli) -> None:
    arguments = ("analyse", BOARD, "--player", "expectimax:ply=2", "--json")
    first, second = (json.loads(cli(*arguments).out) for _ in range(2))
    for document in (first, second):
        del document["timing"], document["machine"]
    assert first == second


def test_budgets(cli: Cli) -> None:
    _, out, _ = cli("analyse", BOARD, "--player", "expectimax:ply=1", "--ply", "2", "--json")
    assert json.loads(out)["depth"] == "2 plies"
    _, out, _ = cli("analyse", BOARD, "--player", "expectimax:ply=1", "--time", "1ms", "--json")
    assert json.loads(out)["reproducible"] is False


def test_other_shapes_and_players_without_values(cli: Cli) -> None:
    code, out, _ = cli("analyse", "3x3:012/034/000", "--player", "corner")
    assert code == 0
    assert out.count("best") == 2  # the heading and the move


def test_a_dead_board_is_said_to_be_one(cli: Cli) -> None:
    code, out, err = cli("analyse", "1212/2121/1212/2121")
    assert (code, out) == (2, "")
    assert err == "twofold: expected a board with a legal move, got 1212/2121/1212/2121\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0001, "-0.0001"),
        (1234.5, "1,234.50"),
        (12345.67, "12,345.7"),
        (12345678.9, "12,345,679"),
        (9.2e18, "9.2e+18"),
    ],
)
def test_values(value: float, text: str) -> None:
    assert format_value(value) == text


def test_distances_have_the_decimals_of_the_best() -> None:
    assert format_value(-860.98, 1_312_139.0) == "-861"
    assert format_value(-0.25, 1_312_139.0) == "-0.2"
    assert format_value(-0.25, 290.07) == "-0.25"
