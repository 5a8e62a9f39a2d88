"""Changes made in a copy as CONTRIBUTING.md says: what is added in one place is everywhere."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """Runs a command of the changed copy."""
    folder = tmp_path_factory.mktemp("copy")
    package = folder / "twofold"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))

    def change(name: str, old: str, new: str) -> None:
        path = package / name
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"expected {old!r} once in {name}"
        path.write_text(text.replace(old, new), "utf-8")

    change("values/rows.py", "\nORDERED: Final =", f"{HEURISTIC}\n\nORDERED: Final =")
    change("values/__init__.py", "        ORDERED,\n", "        ORDERED,\n        ROOMY,\n")
    change("values/__init__.py", "ORDERED, ROWS", "ORDERED, ROOMY, ROWS")
    change("learn/settings.py", "    order: Annotated[", OPTION)
    change("arena/games.py", "    def __repr__(", FIGURE)

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONPATH": str(folder)}
        call = [sys.executable, "-m", "twofold", *words]
        return subprocess.run(
            call, capture_output=True, text=True, env=environment, cwd=folder, timeout=300
        )

    return command


def test_a_heuristic_is_a_function_and_a_name(run: Command) -> None:
    explained = run("analyse", "0000/0000/0012/1357", "--player", "expectimax:eval=roomy,ply=1")
    assert explained.returncode == 0, explained.stderr
    assert "eval=roomy" in explained.stdout


def test_a_training_option_is_a_field(run: Command) -> None:
    words = ("train", "0123 4567", "--out", "net.safetensors", "--games", "20", "--json")
    done = run(*words, "--threads", "1", "--patience", "5")
    assert json.loads(done.stdout)["settings"]["patience"] == 5, done.stderr
    goes_on = run("train", "--out", "net.safetensors", "--resume", "--games", "30", "--json")
    assert json.loads(goes_on.stdout)["settings"]["patience"] == 5, goes_on.stderr
    refused = run(*words, "--force", "--patience", "10")
    assert (refused.returncode, "patience" in refused.stderr) == (2, True)


def test_a_figure_of_a_game_is_a_column(run: Command, tmp_path: Path) -> None:
    """The new heuristic plays the games."""
    study, table = str(tmp_path / "study.db"), tmp_path / "games.csv"
    played = run("bench", "expectimax:eval=roomy,ply=1", "--games", "3", "--out", study)
    assert played.returncode == 0, played.stderr
    written = run("report", study, "--csv", str(table))
    assert written.returncode == 0, written.stderr
    with table.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [int(row["empty"]) for row in rows] == [0, 0, 0]
