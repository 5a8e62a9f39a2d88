"""Ray: the same games on a cluster, also if workers and machines are lost.

One cluster of two nodes serves all tests. Ray gives up where a worker takes longer than 15 s to
come up (ray-project/ray#65983), so they run by themselves: `scripts/test` runs them first.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.arena.benches import HERE, SMALL, bench_of, digest
from tests.support.commands import Cli
from tests.support.commands import cli as cli
from tests.support.signals import hear_signals
from twofold.arena import ray_workers as module
from twofold.arena.bench import Bench
from twofold.arena.ray_workers import RayWorkers
from twofold.arena.study import Study
from twofold.errors import InvalidInput, MissingExtra
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.values.network_file import network_path

pytestmark = pytest.mark.alone

CHEAP = {
    "include_dashboard": False,
    "include_log_monitor": False,
    "no_monitor": True,
    "object_store_memory": 80 << 20,
}
"""A node without the processes that only watch it."""

SLOW = """
import os, pathlib, time
import ray
from twofold import Player

class Slow(Player):
    def __init__(self, folder, nodes="1"):
        self.folder, self.nodes = pathlib.Path(folder), int(nodes)

    def choose(self, board, *, score=None, move_number=0):
        if move_number == 0:
            (self.folder / ray.get_runtime_context().get_node_id()).touch()
        while self.seed and len(list(self.folder.iterdir())) < self.nodes:
            time.sleep(0.01)  # every node takes part, but for the first game, which comes alone
        time.sleep(0.01)
        return board.legal_moves()[0]
"""
"""A player that signs with the node on which it plays."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two nodes with a core each, and a connection to it."""
    import ray
    from ray.cluster_utils import Cluster

    before, home = Path.cwd(), Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        os.chdir(home)  # workers start here: they lack the files of the tests
        cluster = Cluster()
        add_node(cluster, temp_dir=str(home))
        add_node(cluster)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        os.chdir(before)
        yield cluster
        ray.shutdown()
        cluster.shutdown()
    shutil.rmtree(home, ignore_errors=True)


def add_node(cluster: Any, **more: Any) -> Any:
    """A new node with a core; Ray gives one 30 s to start, which no setting changes: try twice."""
    try:
        return cluster.add_node(num_cpus=1, **CHEAP, **more)
    except Exception:
        return cluster.add_node(num_cpus=1, **CHEAP, **more)


PROGRAM = str(Path(sys.executable).with_name("twofold"))


def on(
    cluster: Any, bench: Bench, *, jobs: int | None = 2, timeout: float | None = None, **more: Any
) -> list[str]:
    with RayWorkers(cluster.address, jobs=jobs, timeout=timeout) as workers:
        return bench.play(workers.jobs, backend=workers, **more)


def here_and_there(cluster: Any, *players: str, games: int, rules: Rules = SMALL) -> list[str]:
    """Errors of games that are equal here and on the cluster."""
    with Study() as study, Study() as other:
        expected, found = Bench(study, rules), Bench(other, rules)
        for bench in (expected, found):
            for player in players:
                bench.add(player, SeedRange(0, games))
        errors = expected.play(1)
        assert on(cluster, found, jobs=None) == errors
        assert digest(found.standings()) == digest(expected.standings())
    return errors


@pytest.mark.promise("R30")
def test_a_cluster_gives_the_same_games_and_errors(cluster: Any, tmp_path: Path) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text(
        "import sys, threading\n"
        "class Odd(Exception):\n"
        "    lock = threading.Lock()\n"
        "    def __init__(self): self.own = threading.Lock()\n"
        "def raises(board):\n"
        "    raise Odd\n"
        "def leaves(board):\n"
        "    sys.exit('enough')\n"
    )
    players = ("random", "greedy", f"{HERE}:Forgetful", f"{HERE}:FailsOnSeed", f"{odd}:raises",
               f"{odd}:leaves")  # fmt: skip
    errors = here_and_there(cluster, *players, games=20)
    assert errors[:3] == [""] * 3
    assert [error.partition(" (")[0] for error in errors[3:]] == [
        "ZeroDivisionError: on purpose",
        "Odd",
        "SystemExit: enough",
    ]


@pytest.mark.promise("R17")
def test_a_worker_that_is_killed_in_a_game_costs_no_game(cluster: Any, tmp_path: Path) -> None:
    spec = f"{HERE}:DiesAtFirst:folder={tmp_path},times=2"
    with Study() as study, Study() as other:
        found, expected = bench_of(study, spec, games=6), bench_of(other, spec, games=6)
        assert on(cluster, found) == [""]
        assert len(list(tmp_path.iterdir())) == 2
        assert expected.play(1) == [""]  # it does not die any more
        assert digest(found.standings()) == digest(expected.standings())


@pytest.mark.promise("R17")
def test_a_node_that_is_removed_costs_no_game(cluster: Any, tmp_path: Path) -> None:
    """Also where the others have no core left for its jobs."""
    node = add_node(cluster)
    (code := tmp_path / "slow.py").write_text(SLOW)
    (nodes := tmp_path / "nodes").mkdir()
    removed: list[int] = []

    def remove(_number: int, _row: object) -> None:
        if not removed and len(list(nodes.iterdir())) == 3:
            removed.append(3)
            cluster.remove_node(node, allow_graceful=False)

    with Study() as study:
        bench = bench_of(study, f"{code}:Slow:folder={nodes},nodes=3", games=12)
        with RayWorkers(cluster.address, jobs=3) as workers:
            assert bench.play(3, backend=workers, on_result=remove) == [""]
        (one,) = bench.standings()
    assert removed == [3]
    assert one.games.seeds.tolist() == list(range(12))


@pytest.mark.promise("R17")
def test_a_game_that_hangs_has_failed(cluster: Any, tmp_path: Path) -> None:
    with Study() as study:
        spec = f"{HERE}:HangsOnSeed:folder={tmp_path}"
        bench = bench_of(study, spec, "corner", games=3)
        errors = on(cluster, bench, jobs=1, timeout=3)
        assert errors == ["its game took longer than 3 s", ""]
        one, other = bench.standings()
        assert (one.failed_seed, one.games.seeds.tolist()) == (1, [0])
        assert len(other.games) == 3
    assert len(list(tmp_path.iterdir())) == 3


def test_networks_and_code_reach_nodes_that_do_not_have_them(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths that only the folder of this process explains."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(network_path("tiny"), "n.safetensors")
    Path("mine.py").write_text("def choose(board):\n    return board.legal_moves()[-1]\n")
    players = ("ntuple:net=n.safetensors,ply=1", "mine.py:choose")
    rules = Rules.parse("goal=128 stop=goal")
    assert here_and_there(cluster, *players, games=4, rules=rules) == ["", ""]


@pytest.mark.promise("R91")
def test_workers_of_another_version_or_without_ours_end_the_command(
    cluster: Any, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_VERSION", "twofold 9")
    done = cli("bench", "greedy", "--games", "4", "--ray", cluster.address)
    assert done.code == 2
    assert "expected twofold 9 on the whole cluster, got twofold" in done.err
    monkeypatch.setattr(module, "_play_there", elsewhere)
    done = cli("bench", "greedy", "--games", "4", "--ray", cluster.address)
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "cannot start workers on the Ray cluster: ModuleNotFoundError: No module" in done.err


def elsewhere(*_: object) -> None:
    """A function of a module that the workers lack, as where twofold is not installed."""


@pytest.mark.promise("R30", "R68")
def test_the_command_joins_a_cluster(cluster: Any, cli: Cli, tmp_path: Path) -> None:
    """It takes a job for each core, and its workers import nothing from the folder at hand.

    By itself Ray has workers import from the current folder of its driver first.
    """
    for name in ("twofold", "numba", "numpy", "msgspec"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\n")
    words = ("bench", "greedy", "expectimax:ply=1", "--games", "20", "--json")
    done = subprocess.run(
        [PROGRAM, *words, "--ray", cluster.address],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    said = done.stderr.replace(f"joining {cluster.address} ...\n", "")  # it may take a second
    assert (done.returncode, said) == (0, "")
    there, here = json.loads(done.stdout), json.loads(cli(*words).out)
    assert there.pop("timing")["jobs"] == 2
    here.pop("timing")
    assert there.pop("machine") == here.pop("machine")
    assert there == here


@pytest.mark.promise("R17")
def test_ctrl_c_ends_the_command_and_keeps_the_games(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "nodes").mkdir()
    spec = f"slow.py:Slow:folder={tmp_path / 'nodes'}"
    words = ("bench", spec, "--rules", str(SMALL), "--games", "1000", "--out", "s.db")
    with subprocess.Popen(
        [PROGRAM, *words, "--ray", cluster.address],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_signals,
    ) as process:
        until = time.monotonic() + 60
        while not _stored(tmp_path / "s.db"):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert "twofold: interrupted; " in (said := process.stderr.read())
        assert "--resume s.db" in said
        assert "Traceback" not in said


def test_a_signal_while_ray_starts_interrupts() -> None:
    """One that Ray takes for itself; Ctrl-C is a `KeyboardInterrupt` there, too."""
    with subprocess.Popen(
        [PROGRAM, "bench", "greedy", "--games", "9", "--ray", "local"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "starting Ray ...\n"
        process.terminate()
        assert process.wait(60) == 130
        assert process.stderr.read() == "twofold: interrupted\n"


def test_a_cluster_that_is_lost_ends_the_command(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "nodes").mkdir()
    words = ("bench", f"slow.py:Slow:folder={tmp_path / 'nodes'}", "--games", "1000")
    with subprocess.Popen(
        [PROGRAM, *words, "--ray", "local", "--jobs", "1"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not list((tmp_path / "nodes").iterdir()):
            assert process.poll() is None
            time.sleep(0.1)
        shown = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], capture_output=True, text=True)
        (raylet,) = (
            int(line.split()[0])
            for line in shown.stdout.splitlines()
            if line.split()[1] == str(process.pid) and "raylet/raylet " in line
        )
        os.kill(raylet, signal.SIGKILL)
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert "twofold: the Ray cluster is lost: its process on this" in process.stderr.read()


def _stored(path: Path) -> int:
    """Number of finished games that a study holds."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            return int(file.execute("SELECT count(*) FROM game").fetchone()[0])
    except sqlite3.OperationalError:  # it is not there yet
        return 0


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    for address in ("no such address", "127.0.0.1:1", "ray://localhost:1", "localhost:99999999"):
        with pytest.raises(InvalidInput, match="cannot reach a Ray cluster at"):
            RayWorkers(address)


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[ray\]'"):
        module.require_ray()
