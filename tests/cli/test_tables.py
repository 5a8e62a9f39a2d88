"""`twofold tables`: tables are built, listed, looked into, asked and removed."""

import json
import signal
from pathlib import Path

import pytest

from tests.support.commands import Cli
from twofold.cli import tables
from twofold.tables import work
from twofold.tables.build import BuildPlan
from twofold.tables.folder import SETS
from twofold.tables.parts import LayerProgress

NAME = "442-8"
SPOKEN = "abcd/6512/1212/2120"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second is spent on measuring the speed."""
    monkeypatch.setattr(tables, "measured_rate", lambda threads: 1e6 * threads)


def folder_of(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tables"


def test_a_table_from_its_building_to_its_end(cli: Cli, tmp_path: Path) -> None:
    code, out, _ = cli("tables", "list")
    assert code == 0
    assert "no table is built" in out
    assert "twofold tables build default" in out
    code, out, err = cli("tables", "build", NAME, "441-16/4-8", "--jobs", "2")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [NAME, "441-16/4-8"]
    assert err.splitlines()[0].split() == ["table", "boards", "disk", "memory"]
    assert "about 1 second with 2 threads" in err
    code, out, err = cli("tables", "build", NAME)
    assert (code, out, err) == (0, "", "twofold: 442-8 is built already\n")
    code, out, _ = cli("tables", "list")
    assert [line.split()[0] for line in out.splitlines()][:3] == ["table", "441-16/4-8", NAME]
    code, out, _ = cli("tables", "info", NAME, "--check")
    assert code == 0
    assert "    L L . ." in out
    assert "all checksums are right" in out
    assert all(len(line) <= 80 for line in out.splitlines() if str(tmp_path) not in line)
    code, out, _ = cli("tables", "query", SPOKEN)
    assert code == 0
    assert out.splitlines() == [
        "1024 2048 4096 8192",
        "  64   32    2    4",
        "   2    4    2    4",
        "   4    2    4    .",
        "",
        "442-8: chance to make 8",
        "",
        "move    chance",
        "up       100 %  best",
        "right    100 %",
        "down         -",
        "left   illegal",
    ]
    assert cli("tables", "query", SPOKEN, "--tables", "none").out.endswith(
        "\n\nno table was asked\n"
    )
    assert cli("tables", "remove", NAME, "441-16/4-8").code == 0
    assert not any(folder_of(tmp_path).iterdir())
    assert cli("tables", "remove", NAME).code == 2


def test_json(cli: Cli) -> None:
    cli("tables", "build", NAME)
    (listed,) = json.loads(cli("tables", "list", "--json").out)["tables"]
    info = json.loads(cli("tables", "info", NAME, "--json").out)
    assert {key: info[key] for key in listed} == listed
    assert (listed["name"], listed["target"], listed["large_tiles"]) == (NAME, 8, 6)
    answer = json.loads(cli("tables", "query", SPOKEN, "--json").out)["answer"]
    assert answer["hash"] == listed["hash"]
    assert answer["chances"][answer["best"]] == max(answer["chances"].values())
    silent = json.loads(cli("tables", "query", "0012/0013/0024/1357", "--json").out)
    assert silent["answer"] is None


def test_why_no_table_speaks(cli: Cli) -> None:
    assert "no table is built" in cli("tables", "query", SPOKEN).out
    cli("tables", "build", NAME)
    for board, why in (
        ("0012/0013/0024/1357", "expected 6 tiles from 8 on, got 5"),
        ("abcd/6612/1212/2120", "expected tiles from 8 on that all differ"),
        ("abcd/6152/1212/2120", "in the cells of 442"),
        ("abcd/6512/0000/0000", "expected 24 to 40 in the other tiles, got 6"),
        ("3x4:abcd/6512/1212", "442-8: expected a 4x4 board of tiles up to 32768"),
        ("abcd/6521/1212/2121", "442-8: no move has a chance to make 8"),
    ):
        code, out, _ = cli("tables", "query", board)
        assert code == 0
        assert why in out, board


def test_a_reason_is_said_once_for_all_its_tables(cli: Cli) -> None:
    cli("tables", "build", NAME, "442-16", "441-8")
    lines = cli("tables", "query", "0012/0000/0000/0001").out.splitlines()
    assert lines[5:] == [
        "no table speaks of this board:",
        "441-8: expected 7 tiles from 8 on, got 0",
        "442-16: expected 6 tiles from 16 on, got 0",
        "442-8: expected 6 tiles from 8 on, got 0",
    ]
    said = cli("tables", "query", "3x3:001/200/000").out.splitlines()[4:]
    assert said == [
        "no table speaks of this board:",
        "441-8, 442-16, 442-8: expected a 4x4 board of tiles up to 32768",
    ]


def test_a_cap_that_silences_a_table_is_named(cli: Cli) -> None:
    cli("tables", "build", "442-16/4-8")
    for board, why in (
        (
            "abcd/6511/1212/3120",
            "expected at most 4, the cap, in the fourth row of the pattern, got 8",
        ),
        (
            "abcd/6531/2312/1221",
            "no move has a chance to make 16 with the cap 4 in the fourth row of the",
        ),
    ):
        out = cli("tables", "query", board).out
        assert f"442-16/4-8: {why}" in out, out


def press_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupt each build at the same layer."""
    pace = work._Pace.progress

    def interrupt(self: work._Pace, layer: int, states: int, total: int) -> LayerProgress:
        if layer == 24:
            signal.raise_signal(signal.SIGINT)
        return pace(self, layer, states, total)

    monkeypatch.setattr(work._Pace, "progress", interrupt)


@pytest.mark.promise("R71")
def test_an_interrupted_build_goes_on(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    press_ctrl_c(monkeypatch)
    code, out, err = cli("tables", "build", NAME)
    assert (code, out) == (130, "")
    assert err.endswith("interrupted and saved. Continue with:\n  twofold tables build 442-8\n")
    assert "built; continue with: twofold tables build 442-8\n" in cli("tables", "list").out
    monkeypatch.undo()
    monkeypatch.setenv("TWOFOLD_STATE_DIR", str(tmp_path / "state"))
    code, out, err = cli("tables", "build", NAME)
    assert code == 0
    assert "continues at" in err
    assert cli("tables", "info", NAME, "--check").code == 0


def test_what_goes_on_repeats_the_options(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    press_ctrl_c(monkeypatch)
    monkeypatch.setitem(SETS, "default", (NAME, "441-16/4-8"))
    out = str(tmp_path / "a folder")
    Path(out).mkdir()
    _, _, err = cli("tables", "build", "default", "--out", out, "--jobs", "1")
    goes_on = f"twofold tables build default --out '{out}'"
    assert err.endswith(f"Continue with:\n  {goes_on} --jobs 1\n")
    listed = cli("tables", "list", "--out", out).out
    assert f"continue with: twofold tables build 442-8 --out '{out}'\n" in listed


def test_tables_of_a_folder_are_removed(cli: Cli, tmp_path: Path) -> None:
    for out in ((), ("--out", str(tmp_path))):
        cli("tables", "build", NAME, *out)
    assert cli("tables", "remove", NAME, "--out", str(tmp_path)).code == 0
    assert not list(tmp_path.glob("442-8*"))
    assert cli("tables", "remove", NAME, "--out", str(tmp_path)).code == 2
    assert "442-8" in cli("tables", "list").out
    code, _, err = cli("tables", "remove", NAME, "--out", str(tmp_path / "none"))
    assert (code, "expected --out with an existing folder" in err) == (2, True)


def test_a_damaged_table_is_named_with_the_way_out(cli: Cli, tmp_path: Path) -> None:
    assert cli("tables", "build", NAME, "--out", str(tmp_path)).code == 0
    path = tmp_path / f"{NAME}.twofold-table"
    other = tmp_path / "442-16.twofold-table"
    other.write_bytes(path.read_bytes())
    out, err = cli("tables", "info", str(other), "--check")[1:]
    assert "all checksums are right" in out
    assert err.endswith("twofold: 442-16.twofold-table holds the table 442-8\n")
    other.unlink()
    path.write_bytes(path.read_bytes()[:-100])
    way_out = f". Remove it with: twofold tables remove {NAME} --out {tmp_path}"
    for words in (
        ("tables", "build", NAME, "--out", str(tmp_path)),
        ("tables", "info", str(path)),
        ("bench", f"expectimax:ply=1,tables={path}", "--games", "1"),
    ):
        code, _, err = cli(*words)
        assert (code, "got a damaged or incomplete one" in err, way_out in err) == (2, True, True)
    out = cli("tables", "list", "--out", str(tmp_path)).out
    assert way_out in " ".join(out.split())
    assert "no table is built" not in out


def test_a_plan_is_what_is_written(cli: Cli, tmp_path: Path) -> None:
    from twofold.tables.pattern import EndgamePattern

    assert cli("tables", "build", NAME, "--out", str(tmp_path)).code == 0
    path = tmp_path / f"{NAME}.twofold-table"
    assert path.stat().st_size == BuildPlan.of(EndgamePattern.parse(NAME)).disk
