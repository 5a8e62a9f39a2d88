"""The example for notebooks."""

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "notebook.py"


def test_the_cells_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLE))
    assert names["game"].move_number > 100
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.svg", "game.html"]
