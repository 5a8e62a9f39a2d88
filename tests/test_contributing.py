"""Changes made in a copy as CONTRIBUTING.md says: what is added in one place is everywhere."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import twofold

PACKAGE = Path(twofold.__file__).parent

HEURISTIC = """
def roomy_line(lines: Lines, weights: Mapping[str, float]) -> dict[str, Lines]:
    return {"empty cells": weights["empty"] * (lines == 0).sum(axis=1)}


ROOMY: Final = line_evaluator(
    "roomy",
    "empty cells of every row and column",
    roomy_line,
    {"empty": Weight(1.0, "each empty cell")},
)
"""

OPTION = """    patience: Annotated[int, setting("Games before a pause.", "N", ge=0, le=9)] = 3
    order: Annotated["""

FIGURE = """    empties: Annotated[
        Numbers,
        Figure("empty", "cells", "at the end", lambda one: one.board.exponents.count(0), 64),
    ]

    def __repr__("""

BENCHED = "expectimax:eval=roomy,ply=1"
TRAINED = "train 0123+4567 --out net.safetensors --games 20 --json --threads 1"
COMMANDS = {
    "explained": f"analyse 0000/0000/0012/1357 --player {BENCHED}",
    "trained": f"{TRAINED} --patience 5",
    "resumed": "train --out net.safetensors --resume --games 30 --json",
    "refused": f"{TRAINED} --force --patience 10",
    "benched": f"bench {BENCHED} --games 3 --out study.db",
    "reported": "report study.db --csv games.csv",
}
PROGRAM = """
import contextlib, io, json, sys
from twofold.cli import main
found = {}
for name, words in json.loads(sys.argv[1]).items():
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([word.replace("+", " ") for word in words.split()])
        except SystemExit as stop:
            found[name] = [stop.code or 0, out.getvalue(), err.getvalue()]
print(json.dumps(found))
"""


class Ended(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the changed copy."""
    found = tmp_path_factory.mktemp("copy")
    package = found / "twofold"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in (
        ("values/rows.py", "\nORDERED: Final =", f"{HEURISTIC}\n\nORDERED: Final ="),
        ("values/__init__.py", "        ORDERED,\n", "        ORDERED,\n        ROOMY,\n"),
        ("values/__init__.py", "ORDERED, ROWS", "ORDERED, ROOMY, ROWS"),
        ("learn/settings.py", "    order: Annotated[", OPTION),
        ("arena/games.py", "    def __repr__(", FIGURE),
    ):
        text = (package / name).read_text("utf-8")
        assert text.count(old) == 1, f"expected {old!r} once in {name}"
        (package / name).write_text(text.replace(old, new), "utf-8")
    return found


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    """What the commands of the changed copy did, one after the other in one process."""
    call = [sys.executable, "-c", PROGRAM, json.dumps(COMMANDS)]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        call, capture_output=True, text=True, env=environment, cwd=folder, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return {name: Ended(*found) for name, found in json.loads(done.stdout).items()}


def test_a_heuristic_is_a_function_and_a_name(ended: dict[str, Ended]) -> None:
    assert ended["explained"].code == 0, ended["explained"].err
    assert "eval=roomy" in ended["explained"].out


def test_a_training_option_is_a_field(ended: dict[str, Ended]) -> None:
    for name in ("trained", "resumed"):
        assert json.loads(ended[name].out)["settings"]["patience"] == 5, ended[name].err
    assert (ended["refused"].code, "patience" in ended["refused"].err) == (2, True)


def test_a_figure_of_a_game_is_a_column(ended: dict[str, Ended], folder: Path) -> None:
    """The new heuristic played the games."""
    for name in ("benched", "reported"):
        assert ended[name].code == 0, ended[name].err
    with (folder / "games.csv").open(newline="", encoding="utf-8") as lines:
        assert [int(row["empty"]) for row in csv.DictReader(lines)] == [0, 0, 0]
