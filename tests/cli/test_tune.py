"""`twofold tune`: the table, the document, the exit codes, going on after Ctrl-C."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.forks import command, fork
from twofold import make_player
from twofold.storage.files import alone

SPEC = "expectimax:eval=rows,ply=1"
SMALL = ["--games", "4", "--trials", "4", "--check-games", "6", "--rules", "3x3", "--jobs", "1"]


def test_the_table_ends_with_a_player(cli: Cli, tmp_path: Path) -> None:
    out_file = str(tmp_path / "t.db")
    code, out, err = cli("tune", SPEC, *SMALL, "--out", out_file, "--weights", "empty,sum_power")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["start", "best", "from", "to"]
    assert lines[1].split()[:2] == ["empty", "270"]
    assert lines[2].split()[:2] == ["sum_power", "3.5"]
    assert lines[2].split()[3:] == ["2.5", "4.5"]
    assert lines[3].startswith("mean score")
    assert "best of 4 trials of 4 games, seeds from 1, rules 3x3" in out
    if "no weights were better" not in out:
        assert "check on 6 fresh games each, seeds from 4294967297" in out
    with make_player(lines[-1]) as player:
        assert "ply=1" in player.spec
    again = cli("tune", SPEC, *SMALL, "--out", out_file, "--weights", "empty,sum_power")
    assert again.out.splitlines()[-1] == lines[-1]


def finished(path: Path) -> int:
    """Finished trials in a file."""
    return len(json.loads(path.read_text())["trials"]) if path.exists() else 0


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_says_how_to_go_on(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    arguments = [SPEC, "--games", "40", "--rules", "3x3", "--out", str(path), "--json"]
    said = tmp_path / "said"
    more = ["--trials", "99999", "--jobs", "2"]
    process = fork(command, said, os.setsid, "tune", *arguments, *more)
    end = time.monotonic() + 300
    while finished(path) < 3:
        assert time.monotonic() < end
        assert process.is_alive()
        time.sleep(0.05)
    os.killpg(process.pid or 0, signal.SIGINT)  # as a terminal does: the workers get it too
    process.join(120)
    out, err = (said.with_suffix(suffix).read_text() for suffix in (".out", ".err"))
    assert process.exitcode == 130, err
    found = json.loads(out)
    assert found["interrupted"] is True
    assert found["check"] is None
    done = len(found["trials"])
    assert done == finished(path)
    assert (
        f"interrupted; {done} of 99,999 trials finished. Continue with: twofold tune {SPEC} " in err
    )
    assert "Traceback" not in err
    most = max(trial["number"] for trial in found["trials"]) + 1
    wanted = ["--trials", str(most), "--jobs", "1", "--check-games", "4"]
    result = cli("tune", *arguments, *wanted)
    assert result.code == 0, result.err
    again = json.loads(result.out)["trials"]
    assert [again[trial["number"]] for trial in found["trials"]] == found["trials"]


def test_progress_is_shown(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    result = cli("tune", SPEC, *SMALL, "--out", str(tmp_path / "t.db"))
    assert result.code == 0
    assert "4 of 4 trials of 4 games, best " in result.err or "checking the best" in result.err


def test_force_replaces_no_file_that_another_program_holds(cli: Cli, tmp_path: Path) -> None:
    """In place of a tuning and of a study alike."""
    for words in (
        ("tune", "expectimax:ply=1", "--games", "2", "--trials", "1", "--force", "--out"),
        ("bench", "greedy", "--games", "2", "--force", "--out"),
    ):
        path = tmp_path / words[0]
        path.write_text("held")
        with alone(path, "other program"):
            done = cli(*words, str(path))
        assert (done.code, "is using" in done.err) == (2, True), done.err
        assert path.read_text() == "held"
