"""`twofold report`: its outputs, what it refuses, the exit codes."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from tests.support.commands import Cli


@pytest.fixture
def study(cli: Cli, tmp_path: Path) -> str:
    path = str(tmp_path / "study.db")
    assert (
        cli("bench", "random", "greedy", "--games", "20", "--rules", "3x3", "--out", path)[0] == 0
    )
    return path


def test_figures_and_tables_for_a_paper(cli: Cli, study: str, tmp_path: Path) -> None:
    kinds = {"reach": "pdf", "scores": "png", "strength": "svg"}
    for kind, form in kinds.items():
        out = str(tmp_path / f"{kind}.{form}")
        named = ("--label", "greedy=Greedy_1")
        assert cli("report", study, "--plot", kind, "--picture", out, *named).code == 0
    assert (tmp_path / "reach.pdf").read_bytes()[:4] == b"%PDF"
    assert (tmp_path / "scores.png").read_bytes()[:4] == b"\x89PNG"
    assert "1 Greedy_1" in (tmp_path / "strength.svg").read_text(encoding="utf-8")
    table = cli("report", study, "--markdown", "-", "--label", "greedy=Greedy_1 & co").out
    assert "\n| `Greedy_1 & co` | 20 | " in table


CURVE = "games,mean\n1000,{}\n2000,{}\n"


def test_learning_curves(cli: Cli, study: str, tmp_path: Path) -> None:
    """In a page of their own, below a study, and as pictures."""
    one, two, last = (tmp_path / name for name in ("a&b-1.csv", "a&b-2.csv", "c,d.csv"))
    for path, means in ((one, (99, 196)), (two, (101, 204)), (last, (50, 60))):
        path.write_text(CURVE.format(*means))
    curves = ["--curves", f"{one},{two}", "--curves", str(last)]
    page = cli("report", *curves, "--html", "-")
    assert page.code == 0
    assert "<h1>2048: 2 learning curves</h1>" in page.out
    assert "a&amp;b, 2 runs" in page.out.replace("<wbr>", "")
    assert "200 ± 51" in page.out
    assert "same dice" not in page.out
    both = cli("report", study, *curves, "--html", "-").out
    assert "<h1>2048: 2 players, 40 games, 2 learning curves</h1>" in both
    assert both.index("<h2>Rules") < both.index("<h2>Learning curves</h2>")
    for form, begin in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        path = tmp_path / f"o.{form}"
        code, out, err = cli("report", *curves, "--picture", str(path))
        assert (code, out, err) == (0, "", f"wrote {path}\n")
        assert path.read_bytes().startswith(begin)


def test_texts_of_strangers_are_shown_without_control_characters(cli: Cli, tmp_path: Path) -> None:
    study = tmp_path / "s.db"
    assert cli("bench", "greedy", "--games", "2", "--rules", "2x2", "--out", str(study)).code == 0
    with contextlib.closing(sqlite3.connect(study)) as file, file:
        file.execute("update run set player = 'greedy' || char(27) || ']0;x' || char(7)")
    out = cli("report", str(study)).out
    assert "greedy\\x1b]0;x\\x07" in out
    assert "\x1b" not in out
    with contextlib.closing(sqlite3.connect(study)) as file, file:  # by a later version
        file.execute("update run set player = 'strong', spec = 'ntuple:later=1'")
    assert cli("report", str(study)).out.splitlines()[-1] == "strong is ntuple:later=1"
