"""`twofold bench`: the table, the document, the exit codes."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Cli
from tests.support.forks import forked_workers as forked_workers  # a fixture
from twofold.arena.bench import Bench
from twofold.figures import counted

ROOT = Path(__file__).parent.parent.parent
BAD = ROOT / "tests" / "arena" / "players_for_tests.py"
MINE = ROOT / "examples" / "my_player.py"

pytestmark = pytest.mark.usefixtures("forked_workers")


def document(cli: Cli, *arguments: str) -> dict[str, Any]:
    result = cli("bench", *arguments, "--json")
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_the_table(cli: Cli) -> None:
    code, out, err = cli("bench", "greedy", "corner", "--games", "10", "--seed", "1")
    assert "where games ended" not in out
    assert "where games ended" in cli("bench", "greedy", "--games", "3", "--survival").out
    assert (code, err) == (0, "")
    assert "mean score" in out
    assert "reached, % of games" in out
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["greedy", "corner"]
    assert "seeds from 1" in out


@pytest.mark.promise("R30")
def test_documents_are_equal_but_for_timing_and_machine(cli: Cli) -> None:
    def stripped(jobs: str) -> dict[str, Any]:
        arguments = ("corner", f"{MINE}:Tidy", "--games", "4", "--rules", "3x3", "--jobs", jobs)
        found = document(cli, *arguments)
        return {key: found[key] for key in found if key not in ("timing", "machine")}

    assert stripped("1") == stripped("3")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_what_is_finished_and_how_to_go_on(jobs: str, tmp_path: Path) -> None:
    """What the player prints is no output."""
    out_file, player = str(tmp_path / "my study.db"), f"{BAD}:Prints"
    words, options = ("bench", player, "--games", "100000"), ("--jobs", jobs, "--records", "--json")
    process = subprocess.Popen(
        [sys.executable, "-m", "twofold", *words, *options, "--out", out_file],
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
    again = shlex.join(["twofold", "bench", "--resume", out_file, player, *options])
    assert f"interrupted; {counted(len(rows), 'game')} finished. Continue with: {again}" in err
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_before_the_first_game_prints_no_table(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Bench, "play", lambda *_, **__: os.kill(os.getpid(), signal.SIGINT))
    words = "twofold: interrupted; 0 games finished\n"
    assert cli("bench", "greedy", "--games", "3") == (130, "", words)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_after_the_last_game_is_too_late(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    play = Bench.play

    def play_and_interrupt(*arguments: Any, **options: Any) -> list[str]:
        errors = play(*arguments, **options)
        os.kill(os.getpid(), signal.SIGINT)
        return errors

    monkeypatch.setattr(Bench, "play", play_and_interrupt)
    code, out, err = cli("bench", "greedy", "--games", "3", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["interrupted"] is False
    assert len(found["players"][0]["rows"]) == 3


# Studies


def without_times(found: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in found.items() if key not in ("timing", "machine")}


def test_a_study_keeps_the_games(cli: Cli, tmp_path: Path) -> None:
    out = str(tmp_path / "s.db")
    first = document(cli, "greedy", "--games", "5", "--out", out)
    again = document(cli, "greedy", "--games", "5", "--out", out)
    assert first["timing"]["players"] == again["timing"]["players"]  # not played again
    assert without_times(first) == without_times(document(cli, "greedy", "--games", "5"))
    more = document(cli, "corner", "greedy", "--games", "7", "--out", out)
    assert [len(player["rows"]) for player in more["players"]] == [7, 7]
    document(cli, "random", "--games", "3", "--rules", "3x3", "--out", out)
    resumed = document(cli, "--resume", "--out", out)
    assert [(one["player"], one["games"], one["rules"][:3]) for one in resumed["players"]] == [
        ("greedy", 7, "4x4"),
        ("corner", 7, "4x4"),
        ("random", 3, "3x3"),
    ]
    assert (resumed["rules"], resumed["games"], resumed["seed"]) == (None, None, "1")
    assert not resumed["interrupted"]


MINE_TOO = """
from twofold import Player


class Mine(Player):
    def __init__(self, b="", a=""):
        pass

    def choose(self, board, **_):
        return board.legal_moves()[0]
"""


def test_a_study_goes_on_with_players_that_run_code_where_they_are_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that the refusal names is the one that works, however the spec was written."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE_TOO)
    player, short = 'mine.py:Mine:b="1,2",a=x y', ("--rules", "2x2", "--out", "s.db")
    first = document(cli, player, "greedy", "--games", "2", *short)
    options = ["--jobs", "1", "--records", "--json"]
    code, out, err = cli("bench", "--resume", "--out", "s.db", *options)
    assert (code, out) == (2, "")
    said, _, command = err.partition("If you trust that code: twofold ")
    assert said == (
        "twofold: cannot continue 's.db': it names players that run code, and a file alone "
        "starts none. "
    )
    again = shlex.split(command)
    assert again[-4:] == options
    assert json.loads(cli(*again).out)["players"] == first["players"]
    for other in ("greedy", "other.py:choose"):
        result = cli(*again, other)
        assert result.code == 2
        assert "more than this machine has ('mine.py:Mine:" in result.err
        assert result.err.endswith(f"got '{other}'. Leave it out\n")
    Path("mine.py").write_text(MINE_TOO.replace("[0]", "[-1]"))
    result = cli(*again)
    assert result.code == 2
    assert "the file has changed" in result.err


def test_a_study_goes_on_with_players_that_take_too_much_where_they_are_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    player = "expectimax:ply=1,threads=2"
    document(cli, player, "--games", "1", "--rules", "2x2", "--out", "s.db")
    monkeypatch.setattr("twofold.players.registry.cores", lambda: 1)
    code, _, err = cli("bench", "--resume", "--out", "s.db")
    assert code == 2
    assert "takes 2 threads for a move, more than the cores here. If you want that: twofold" in err
    _, _, command = err.partition("If you want that: twofold ")
    assert cli(*shlex.split(command)).code == 0


def test_a_preset(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from twofold.arena import bench

    lines = (bench.Line("greedy", 3), bench.Line("corner", 2, "3x3"))
    monkeypatch.setitem(bench.PRESETS, "sources", lines)
    found = document(cli, "--preset", "sources")
    assert [(one["player"], one["games"], one["rules"][:3]) for one in found["players"]] == [
        ("greedy", 3, "4x4"),
        ("corner", 2, "3x3"),
    ]
    out = cli("bench", "--preset", "sources").out
    assert out.count("mean score") == 2


@pytest.mark.parametrize("name", ["sources", "league"])
def test_the_players_of_presets_can_play(name: str) -> None:
    from twofold import Rules, make_player
    from twofold.arena.bench import preset_lines

    for line in preset_lines(name):
        with make_player(line.player) as player:
            assert not player.unsupported(Rules.parse(line.rules))
            assert line.games >= 20


@pytest.mark.parametrize("command", ["bench", "compare", "bench --resume", "report"])
def test_a_strength_has_its_name_in_each_table(cli: Cli, tmp_path: Path, command: str) -> None:
    study, games = str(tmp_path / "s.db"), ("--rules", "2x2", "--games", "2")
    words = ["fast:time=1ms", "greedy", *games]
    if command.endswith(("resume", "report")):
        assert cli("bench", *words, "--out", study).code == 0
        words = [study]
    code, out, _ = cli(*command.split(), *words)
    assert code == 0
    assert {line.split()[0] for line in out.splitlines()[1:3]} == {"fast:time=1ms", "greedy"}
    assert "\nfast:time=1ms is expectimax:time=1ms\n" in out
