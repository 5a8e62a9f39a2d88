"""`twofold analyse`: the four moves of a board."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli
from twofold import Board, Budget, make_player
from twofold.players import canonical
from twofold.values import EVALUATORS

BOARD = "0012/0013/0024/1357"
PRINTED = """
  .   .   2   4
  .   .   2   8
  .   .   4  16
  2   8  32 128
"""

CODE = """
import math

import numpy as np

from twofold.values import compiled, simple_evaluator


@compiled
def infinite(bits, score, params):
    return params[0] * np.float64(1e308) * np.float64(1e308)


INFINITE = simple_evaluator("infinite", infinite, [1.0])
"""


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    """The JSON document about the board."""
    code, out, err = cli("analyse", BOARD, *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture
def code(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(CODE, encoding="utf-8")
    return path


# ---- the text


def test_the_figures_below(cli: Cli) -> None:
    _, out, _ = cli("analyse", BOARD, "--player", "expectimax:ply=4,eval=rows,cut=0.0")
    assert re.search(r"^move +value +to best +reward +depth +nodes$", out, re.MULTILINE)
    assert re.search(r"^right +illegal$", out, re.MULTILINE)
    figures = dict(line.split(maxsplit=1) for line in out.splitlines()[11:] if line[0] != " ")
    assert figures["evaluator"] == "rows"
    assert figures["values"] == "on the player's own scale"
    assert re.fullmatch(r"4 plies: [\d,]+ nodes, [\d,]+ table hits", figures["searched"])
    assert re.fullmatch(r"[\d.]+ ms, [\d,]+ nodes/s", figures["time"])
    assert re.fullmatch(r"(\w+, [24] in r[1-4]c[1-4]; ){3}\w+", figures["line"])
    assert figures["player"] == "expectimax:ply=4"


@pytest.mark.parametrize(
    ("board", "player"),
    [
        ("1x3:110", "random"), ("2x2:1100", "greedy"), (BOARD, "corner"),
        ("hgf0/0001/1234/5678", "expectimax:ply=3"), ("1x3:110", "alphabeta:depth=3"),
        (BOARD, "baeldung"),
    ],
)  # fmt: skip
def test_every_player_fits_80_columns(cli: Cli, board: str, player: str) -> None:
    code, out, _ = cli("analyse", board, "--player", player)
    assert code == 0
    assert all(len(line) <= 80 and line == line.rstrip() for line in out.splitlines())
    assert f"player     {player}" in out
    assert ("depth" in out) == (":" in player or player == "baeldung")
    assert ("value" in out) == (player not in ("random", "corner"))


# ---- JSON


@pytest.mark.parametrize("limit", [(), ("--nodes", "50000"), ("--ply", "3")])
def test_equal_but_for_timing_and_machine(cli: Cli, limit: tuple[str, ...]) -> None:
    first, second = (document(cli, "--player", "expectimax:ply=2", *limit) for _ in range(2))
    for found in (first, second):
        del found["timing"], found["machine"]
    assert first == second
    assert first["reproducible"] is True


def test_budgets(cli: Cli) -> None:
    assert document(cli, "--player", "expectimax:ply=1", "--ply", "2")["depth"] == "2 plies"
    found = document(cli, "--player", "expectimax:ply=1", "--nodes", "20000")
    assert 1_000 < found["nodes"] <= 21_000
    analysis = make_player("expectimax:ply=1").analyse(Board.parse(BOARD), Budget(nodes=20_000))
    assert [one["value"] for one in found["moves"]] == [one.value for one in analysis.moves]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--player", "expectimax", "--time", "5ms"),
        ("--player", "expectimax:time=5ms"),
        ("--threads", "2"),
        ("--player", "expectimax:ply=2,threads=2"),
    ],
)
def test_what_is_not_reproducible_says_so(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert document(cli, *arguments)["reproducible"] is False


def test_values_that_json_has_no_number_for(cli: Cli, code: Path) -> None:
    spec = f"expectimax:eval={code}:INFINITE,ply=1"
    assert document(cli, "--player", spec)["moves"][0]["value"] == "inf"
    _, out, _ = cli("analyse", BOARD, "--player", spec, "--explain")
    assert "inf" in out
    assert "nan" not in out


# ---- threads


def test_threads_are_a_key_of_the_player(cli: Cli) -> None:
    found = document(cli, "--player", "expectimax:ply=4,threads=1", "--threads", "2")
    assert found["spec"] == canonical("expectimax:ply=4,threads=2")
    alone = document(cli, "--player", "expectimax:ply=4")
    assert [one["value"] for one in found["moves"]] == [one["value"] for one in alone["moves"]]


# ---- explanations


@pytest.mark.parametrize("name", EVALUATORS)
def test_explain_shows_the_terms_of_the_evaluator(cli: Cli, name: str) -> None:
    arguments = ("--player", f"expectimax:eval={name},ply=1", "--explain")
    code, out, _ = cli("analyse", BOARD, *arguments)
    assert code == 0
    table = out[out.index("terms of") :].splitlines()
    assert table[0].startswith(f"terms of {name}: the board, and the ")
    assert table[1].split() == ["term", "board", "up", "down", "left"]
    parts = EVALUATORS[name].terms(Board.parse(BOARD))
    assert [line.split("  ")[0] for line in table[2 : 2 + len(parts)]] == list(parts)
    assert any(line.startswith("total") for line in table) == (len(parts) > 1)
    assert ("do not add up" in table[-1]) == (name == "clustering")
    assert all(len(line) <= 80 for line in table)


def test_the_score_enters_the_terms(cli: Cli) -> None:
    arguments = ("--player", "datumbox:depth=1", "--explain", "--score", "5000")
    terms = document(cli, *arguments)["terms"]
    assert terms["board"]["parts"]["score"] == 5000
    assert terms["moves"][0]["parts"]["score"] == 5004


# ---- boards


@pytest.mark.parametrize(
    "text", [BOARD, BOARD.replace("/", "\n"), PRINTED, "0 0 2 4\n0 0 2 8\n0 0 4 16\n2 8 32 128\n"]
)
def test_the_board_may_come_as_input_as_it_is_printed_and_in_a_file(
    cli: Cli, text: str, tmp_path: Path
) -> None:
    (tmp_path / "board").write_text(text)
    expected = cli("analyse", BOARD, "--player", "greedy").out
    assert cli("analyse", "-", "--player", "greedy", stdin=text).out == expected
    assert cli("analyse", text, "--player", "greedy").out == expected
    assert cli("analyse", str(tmp_path / "board"), "--player", "greedy").out == expected
    digits = ("0x7531420031002100", "--board-format", "hex-low")
    assert cli("analyse", *digits, "--player", "greedy").out == expected
