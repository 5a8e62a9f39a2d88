"""What commands print as JSON is what the page of the reference says, field by field."""

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.support.commands import Cli, write_game
from tests.support.documents import COMMANDS, at, check_document, documents
from tests.support.endgame_tables import table_files as table_files
from tests.support.endgame_tables import tables_here as tables_here

ELSEWHERE = {"drive", "train-policy"}
"""Commands whose documents are checked where there is a browser, or PyTorch."""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ELSEWHERE])
def test_a_command_prints_its_document(
    name: str, cli: Cli, tables_here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tables_here.is_dir()
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    write_game(tmp_path / "game.2048", 20)
    command = COMMANDS[name]
    code, out, err = cli(*shlex.split(command.example), "--json")
    assert code == 0, err
    found = check_document(name, out)
    assert json.dumps(at(found, command.path)) == command.value


def test_the_schema_is_that_of_the_types() -> None:
    """It is written by `python docs/documents.py`."""
    assert documents.SCHEMA.read_text(encoding="utf-8") == documents.schema_text()


def test_the_page_has_a_section_and_a_table_for_each_command() -> None:
    sections = documents.sections()
    assert [line[3:] for line in sections.splitlines() if line.startswith("## ")] == [
        *COMMANDS,
        "machine",
    ]
    assert (
        "| `players[].summary.mean_score` | number, interval | mean score, in points |" in sections
    )


def test_what_other_options_print(cli: Cli, tmp_path: Path) -> None:
    late = tmp_path / "late.txt"
    late.write_text("0122/0123/3456/0000\n")
    words = ("--boards", str(late), "--games", "100", "--json")
    expectimax = ("--player", "expectimax:ply=1", "--explain", "--json")
    explained = cli("analyse", "0012/0013/0024/1357", *expectimax)
    assert "parts" in check_document("analyse", explained.out)["terms"]["board"]
    played = check_document("bench", cli("bench", "greedy", "random", *words).out)
    assert played["players"][1]["boards"]["name"] == late.name
    tested = check_document("compare", cli("compare", "greedy", "random", "--sprt", *words).out)
    assert tested["sprt"]["pairs"] == 100
    assert check_document("solve", cli("solve", "2x2", "--json").out)["file"] is None
