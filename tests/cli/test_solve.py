"""`twofold solve`: tables, what is said before, going on, and what is refused."""

import json
import os
import signal
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

from tests.support.commands import Cli
from tests.support.forks import command, fork, save_every_layer
from twofold.cli.solve import progress_line
from twofold.storage.files import alone
from twofold.tables.exact import ExactTable
from twofold.tables.parts import LayerProgress
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore


def test_a_table_is_made_and_plays(cli: Cli, tmp_path: Path) -> None:
    path = str(tmp_path / "2x2.table")
    code, out, err = cli("solve", "--rules", "2x2", "--out", path, "--outcomes", "--threads", "2")
    assert code == 0
    assert out.startswith("2x2, expected score: 66.9641494571\n74 states in ")
    assert f"it plays as exact:table={path}\n" in out
    assert "     16       87.96 %    96.25 %  ####" in out
    assert "twofold: 2x2, expected score: about " in err
    assert " on disk (twice that while solving), " in err
    assert [each.name for each in tmp_path.iterdir() if each.name != "state"] == ["2x2.table"]

    code, out, _ = cli("bench", f"exact:table={path}", "greedy", "--games", "500")
    assert code == 0
    assert "rules 2x2 spawn=" in out  # nothing else can be meant
    code, out, _ = cli("analyse", "2x2:11/02", "--player", f"exact:table={path}", "--outcomes")
    assert code == 0
    assert "values     exact, in points" in out
    assert "moves to the end on average" in out


def test_documents_are_equal_but_for_time(cli: Cli, tmp_path: Path) -> None:
    arguments = ["--rules", "2x2", "--goal", "16", "--json", "--outcomes"]
    found = []
    for threads in ("1", "2"):
        document = json.loads(cli("solve", *arguments, "--threads", threads).out)
        assert document.pop("timing")["seconds"] > 0
        document.pop("machine")
        found.append(document)
    assert found[0] == found[1]
    assert found[0]["value"] == pytest.approx(0.962511253750, abs=1e-12)
    assert found[0]["states"] == 35
    assert found[0]["outcomes"]["reach_rates"]["16"]["rate"] == pytest.approx(0.962511253750)
    assert (found[0]["objective"], found[0]["unit"]) == ("goal", "chance of 16")


def leave_parts(path: Path) -> LayerStore:
    """What a run leaves that was killed when all was found."""
    parts = LayerStore(Problem.parse("2x2"), path)
    assert Solver(parts.problem, parts).run()
    return parts


def test_a_run_killed_after_its_table_was_written_leaves_nothing_for_good(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    parts = leave_parts(path)
    parts.write(path)
    code, _, err = cli("solve", "--rules", "2x2", "--out", str(path))
    assert (code, parts.folder.exists()) == (0, False)
    assert "holds this solution already" in err


def test_one_at_a_time_works_on_a_table(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "t"
    with alone(path, "solution"):
        code, _, err = cli("solve", "--rules", "2x2", "--out", str(path))
    assert code == 2
    assert "another solution is using" in err
    assert not path.exists()


def test_the_speed_is_that_of_a_whole_solution(cli: Cli, tmp_path: Path) -> None:
    leave_parts(tmp_path / "t")
    document = json.loads(
        cli("solve", "--rules", "2x2", "--out", str(tmp_path / "t"), "--json").out
    )
    assert document["timing"]["states_per_second"] is None
    assert "states/s" in cli("solve", "--rules", "2x2").out


def start(path: Path, said: Path) -> BaseProcess:
    """A process that solves 2x3 and writes every layer."""
    arguments = ["solve", "--rules", "2x3", "--out", str(path), "--threads", "1"]
    return fork(command, said, save_every_layer, *arguments)


def wait_for(folder: Path, count: int, process: BaseProcess, said: Path) -> None:
    while not folder.is_dir() or len(list(folder.iterdir())) < count:
        assert process.is_alive(), said.with_suffix(".err").read_text()
        time.sleep(0.005)


@pytest.mark.promise("R16")
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_killed_and_interrupted_it_goes_on(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "t"
    folder = tmp_path / "t.work"
    said = tmp_path / "said"
    process = start(path, said)
    wait_for(folder, 20, process, said)
    process.kill()
    process.join()
    kept = {part.name for part in folder.iterdir()}
    assert not path.exists()

    process = start(path, said)
    wait_for(folder, len(kept) + 20, process, said)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    process.join(120)
    err = said.with_suffix(".err").read_text()
    assert process.exitcode == 130
    assert (
        f"interrupted; saved in {path}.work. Continue with: twofold solve --rules 2x3 --out {path}"
        in err
    )
    assert "continuing with " in err

    code, out, err = cli("solve", "--rules", "2x3", "--out", str(path))
    assert code == 0
    assert out.startswith("2x3, expected score: 480.2582717760")
    assert not folder.exists()
    other = tmp_path / "other"
    cli("solve", "--rules", "2x3", "--out", str(other))
    assert path.read_bytes() == other.read_bytes()
    assert np.isfinite(ExactTable.open(path).start_value)


def test_progress_in_a_line() -> None:
    listing = LayerProgress("listing", 1_366, 12_000_000, None, 12.3)
    assert progress_line(listing) == "listing: sum of tiles 1,366, 12,000,000 states, 12 s"
    solving = LayerProgress("solving", 20, 10, 40, 1.0)
    assert progress_line(solving) == "solving: sum of tiles 20, 10 states of 40, 25%, 1 s"
