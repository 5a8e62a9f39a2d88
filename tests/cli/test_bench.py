"""`twofold bench`: the table, the document, the exit codes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

ROOT = Path(__file__).parent.parent.parent
BAD = ROOT / "tests" / "arena" / "players_for_tests.py"
MINE = ROOT / "examples" / "my_player.py"


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    result = cli("bench", *arguments, "--json")
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_the_table(cli: Cli) -> None:
    code, out, err = cli("bench", "greedy", "corner", "--games", "10", "--seed", "1")
    assert (code, err) == (0, "")
    assert "mean score" in out
    assert "reached, % of games" in out
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["greedy", "corner"]
    assert "seeds from 1" in out


def test_the_document(cli: Cli) -> None:
    found = document(cli, "greedy", "--games", "3", "--seed", "18446744073709551615")
    assert list(found)[:2] == ["schema", "command"]
    (player,) = found["players"]
    assert [row["seed"] for row in player["rows"]] == ["18446744073709551615", "0", "1"]
    scores = [row["score"] for row in player["rows"]]
    assert player["summary"]["mean_score"] == pytest.approx(sum(scores) / 3)
    assert player["summary"]["best_score"] == max(scores)
    low, high = player["summary"]["mean_score_95"]
    assert low < player["summary"]["mean_score"] < high
    row = player["rows"][0]
    assert max(map(int, row["reached"])) == row["max_tile"]
    assert player["error"] is None
    assert len(found["timing"]["players"][0]["seconds"]) == 3


@pytest.mark.promise("R30")
def test_documents_are_equal_but_for_timing_and_machine(cli: Cli) -> None:
    def stripped(jobs: str) -> dict[str, Any]:
        arguments = ("corner", f"{MINE}:Tidy", "--games", "4", "--rules", "3x3", "--jobs", jobs)
        found = document(cli, *arguments)
        return {key: found[key] for key in found if key not in ("timing", "machine")}

    assert stripped("1") == stripped("2") == stripped("3")


def test_players_of_your_own_with_two_jobs(cli: Cli) -> None:
    names = [f"{MINE}:Tidy", f"{MINE}:downhill"]
    code, out, _ = cli("bench", *names, "--games", "4", "--jobs", "2")
    assert code == 0
    assert f"1  {names[0]}" in out
    assert f"2  {names[1]}" in out


def test_an_evaluator_of_your_own_with_two_jobs(cli: Cli) -> None:
    evaluator = ROOT / "examples" / "my_evaluator.py"
    spec = f"expectimax:eval={evaluator}:EMPTY_CELLS,ply=1"
    found = document(cli, spec, "--games", "4", "--jobs", "2")
    assert found["players"][0]["summary"]["games"] == 4
    assert found == {
        **found,
        "players": document(cli, spec, "--games", "4", "--jobs", "1")["players"],
    }


def test_a_player_that_fails_is_reported_and_the_others_go_on(cli: Cli) -> None:
    code, out, err = cli("bench", f"{BAD}:FailsOnSeed", "corner", "--games", "5", "--jobs", "1")
    assert code == 1
    assert "failed on seed 3: ZeroDivisionError: on purpose" in out
    assert err == ""
    code, out, err = cli("bench", f"{BAD}:FailsOnSeed", "--games", "5", "--json", "--seed", "3")
    assert code == 1
    assert json.loads(out)["players"][0]["summary"] is None
    assert "failed on seed 3" in err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_player_prints_is_no_output(cli: Cli, jobs: str) -> None:
    result = cli("bench", f"{BAD}:Prints", "--games", "2", "--jobs", jobs, "--json")
    assert result.code == 0
    assert json.loads(result.out)["players"][0]["summary"]["games"] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_what_is_finished(jobs: str) -> None:
    arguments = ["bench", f"{BAD}:Prints", "--games", "100000", "--jobs", jobs, "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "twofold", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    said = ""
    while said.count("hello") < 5:  # two workers may mix their lines
        said += process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    found = json.loads(out)
    rows = found["players"][0]["rows"]
    assert found["interrupted"] is True
    assert 0 < len(rows) < 100_000
    assert "interrupted" in err
    assert "Traceback" not in err
