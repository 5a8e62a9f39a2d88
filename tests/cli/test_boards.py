"""Commands that play on from boards, and tables of where games end."""

import shlex
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold.arena.boards import parse_boards

LINES = "dcba/6789/4321/0120  # late\n\ncdba/6798/4567/0120\n3210/2100/1000/0000\n"


@pytest.fixture
def late(tmp_path: Path) -> Path:
    path = tmp_path / "late.txt"
    path.write_text(LINES)
    return path


def test_bench_plays_each_board_once(cli: Cli, late: Path) -> None:
    found = cli("bench", "greedy", "corner", "--boards", str(late), "--jobs", "1")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[1].split()[:2] == ["greedy", "3"]
    assert any(line.startswith("tile sum ") for line in lines)
    assert "where games ended: for each band of tile sums" in found.out
    boards = parse_boards(LINES, "late.txt")
    assert f"boards {boards}; scores are points from there on" in found.out
    assert all(len(line) <= 80 for line in lines)
    assert "not independent" not in found.out


def test_a_report_says_how_to_make_it_again(
    cli: Cli, late: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("bench", "greedy", "--boards", str(late), "--games", "4", "--out", "old one.db")
    late.unlink()
    assert "boards late.txt (3 boards, " in cli("bench", "--resume", "old one.db").out
    text = cli("report", "old one.db", "--markdown", "-").out
    first, second = (line.strip() for line in text.splitlines() if line.startswith("    twofold"))
    boards = parse_boards(LINES, "late.txt").hash
    assert first == "twofold report 'old one.db' --write-boards ."
    assert second.endswith(f" --games 4 --seed 1 --boards {boards}.txt --out again.db")
    for line in (first, second):
        assert cli(*shlex.split(line)[1:]).code == 0
    old, new = (cli("report", name, "--csv", "-").out for name in ("old one.db", "again.db"))
    assert [line.split(",")[6:9] for line in old.splitlines()] == [
        line.split(",")[6:9] for line in new.splitlines()
    ]
