"""Tables that are built for tests, in files."""

import tempfile
from functools import cache
from pathlib import Path

from twofold.tables.library import EndgameTable
from twofold.tables.pattern import EndgamePattern
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore
from twofold.tables.work import build_table


@cache
def made(name: str) -> EndgameTable:
    """An endgame table; its file stays mapped without a name."""
    with tempfile.TemporaryDirectory() as folder:
        assert build_table(Path(folder) / "t", EndgamePattern.parse(name))
        return EndgameTable.open(Path(folder) / "t")


def write_solution(path: Path, rules: str = "2x2") -> None:
    """Solve a game into a file."""
    store = LayerStore(Problem.parse(rules), path)
    assert Solver(store.problem, store).run()
    store.write(path)
    store.remove()
