"""`twofold tables`: tables are built, listed, looked into, asked and removed."""

import shlex
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli
from tests.support.endgame_tables import state_with
from twofold.cli import tables
from twofold.tables import work
from twofold.tables.folder import SETS
from twofold.tables.parts import LayerProgress

NAME = "442-8"
SPOKEN = "abcd/6512/1212/2120"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No second is spent on measuring the speed."""
    monkeypatch.setattr(tables, "measured_rate", lambda threads: 1e6 * threads)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with four tables."""
    names = (NAME, "442-16", "441-8", "442-16/4-8")
    return state_with(names, tmp_path_factory.mktemp("tables")) / "tables"


@pytest.fixture
def four(files: Path, tmp_path: Path) -> Path:
    """The same where the commands look for tables."""
    return Path(shutil.copytree(files, tmp_path / "state" / "tables"))


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
    assert not any((tmp_path / "state" / "tables").iterdir())
    assert cli("tables", "remove", NAME).code == 2


def test_why_no_table_speaks(cli: Cli, four: Path) -> None:
    """Each reason is said once, with its tables."""
    for board, asked, why in (
        ("0012/0013/0024/1357", NAME, "442-8: expected 6 tiles from 8 on, got 5"),
        ("abcd/6612/1212/2120", NAME, "442-8: expected tiles from 8 on that all differ"),
        ("abcd/6152/1212/2120", NAME, "in the cells of 442"),
        ("abcd/6512/0000/0000", NAME, "expected 24 to 40 in the other tiles, got 6"),
        ("abcd/6521/1212/2121", NAME, "442-8: no move has a chance to make 8"),
        (
            "abcd/6511/1212/3120",
            "442-16/4-8",
            "442-16/4-8: expected at most 4, the cap, in the fourth row of the pattern, got 8",
        ),
        (
            "abcd/6531/2312/1221",
            "442-16/4-8",
            "no move has a chance to make 16 with the cap 4 in the fourth row of the",
        ),
        ("3x4:abcd/6512/1212", f"441-8+{NAME}", "441-8, 442-8: expected a 4x4 board of tiles up"),
    ):
        code, out, _ = cli("tables", "query", board, "--tables", asked)
        assert (code, why in out) == (0, True), out
        assert out.count("expected") <= 1


def press_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupt each build at the same layer."""

    def interrupted(phase: str, layer: int, *more: Any) -> LayerProgress:
        if layer == 24:
            signal.raise_signal(signal.SIGINT)
        return LayerProgress(phase, layer, *more)

    monkeypatch.setattr(work, "LayerProgress", interrupted)


@pytest.mark.promise("R71")
def test_an_interrupted_build_goes_on(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    press_ctrl_c(monkeypatch)
    code, out, err = cli("tables", "build", NAME)
    assert (code, out) == (130, "")
    assert err.endswith("interrupted and saved. Continue with: twofold tables build 442-8\n")
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
    assert err.endswith(f"Continue with: {goes_on} --jobs 1\n")
    listed = cli("tables", "list", "--out", out).out
    assert f"continue with: twofold tables build 442-8 --out '{out}'\n" in listed


def test_a_damaged_table_is_named_with_the_way_out(
    cli: Cli, four: Path, tmp_path: Path, files: Path
) -> None:
    path, place = four / f"{NAME}.twofold-table", str(tmp_path / "a folder")
    other = four / "442-32.twofold-table"
    shutil.copy(path, other)
    out, err = cli("tables", "info", str(other), "--check")[1:]
    assert "all checksums are right" in out
    assert err.endswith("twofold: 442-32.twofold-table holds the table 442-8\n")
    player = f"ntuple:net=tiny,ply=1,tables={NAME}"
    info, bench = ("tables", "info", NAME), ("bench", player, "--games", "1")
    content = path.read_bytes()
    flipped = content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]
    for damage, words, commands in (
        (content[:-100], "got a damaged or incomplete one", (info, bench)),
        (flipped, "damaged table: ", ((*info, "--check"),)),
    ):
        path.write_bytes(damage)
        for command in commands:
            code, _, err = cli(*command)
            assert (code, words in err) == (2, True)
            assert err.endswith(f". Remove it with: twofold tables remove {NAME}\n")
    shutil.copytree(files, place)
    (Path(place) / path.name).write_bytes(content[:-100])
    remove = f". Remove it with: twofold tables remove {NAME} --out '{place}'"
    assert remove in cli("tables", "build", NAME, "--out", place).err
    out = " ".join(cli("tables", "list", "--out", place).out.split())
    assert remove in out
    assert cli(*shlex.split(remove)[5:]).code == 0
