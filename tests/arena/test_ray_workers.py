"""Ray: the same games on a cluster, also if workers die."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.arena import little_ray
from tests.arena.benches import HERE, bench_of, digest
from tests.arena.hours import HoursPass
from twofold.arena import ray_workers as module
from twofold.arena.bench import Bench
from twofold.arena.ray_workers import RayWorkers, files_of
from twofold.arena.studies.study import Study
from twofold.errors import MissingExtra, ResourceError
from twofold.networks.library import network_path
from twofold.rules import Rules
from twofold.seeds import SeedRange


@pytest.fixture(scope="module", params=["little", pytest.param("real", marks=pytest.mark.long)])
def ray(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Ray, with a cluster of two cores that outlives each bench.

    A real one is slow, and does not come up where the machine is busy: see `little_ray`.
    """
    if request.param == "little":
        yield little_ray
    else:
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield ray
        ray.shutdown()


@pytest.fixture
def cluster(ray: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the cluster. Joining and leaving takes seconds: the tests stay in it."""
    monkeypatch.setattr(module, "require_ray", lambda: ray)
    monkeypatch.setattr(RayWorkers, "_begin", lambda *_: None)
    monkeypatch.setattr(RayWorkers, "_leave", lambda _: None)
    yield "local"
    little_ray.shutdown()


def on(
    cluster: str, bench: Bench, *, jobs: int | None = 2, timeout: float | None = None
) -> list[str]:
    players = [(one.player, one.spec) for one in bench.entrants]
    with RayWorkers(cluster, players, jobs=jobs, timeout=timeout) as workers:
        return bench.play(workers.jobs, backend=workers)


@pytest.mark.promise("R30")
def test_a_cluster_gives_the_same_games(cluster: str) -> None:
    players = ("random", f"{HERE}:Forgetful", f"{HERE}:FailsOnSeed", "greedy")
    with Study() as study:
        expected = bench_of(study, *players, games=20)
        errors = expected.play(0)
        with Study() as other:
            found = bench_of(other, *players, games=20)
            assert on(cluster, found, jobs=None) == errors
            assert digest(found) == digest(expected)


@pytest.mark.promise("R17")
def test_a_worker_that_is_killed_costs_no_game(cluster: str, tmp_path: Path) -> None:
    code = tmp_path / "slow.py"
    code.write_text(
        "import os, time\n"
        "def choose(board):\n"
        f"    open({str(tmp_path / 'pid-')!r} + str(os.getpid()), 'w').close()\n"
        "    time.sleep(0.002)\n"
        "    return board.legal_moves()[0]\n"
    )
    with Study() as study:
        expected = bench_of(study, f"{code}:choose", games=12)
        expected.play(0)
        for file in tmp_path.glob("pid-*"):
            file.unlink()
        with Study() as other:
            found = bench_of(other, f"{code}:choose", games=12)
            killed: list[int] = []

            def kill(_number: int, _row: object) -> None:
                if not killed:
                    killed.append(int(next(tmp_path.glob("pid-*")).name.removeprefix("pid-")))
                    os.kill(killed[0], signal.SIGKILL)

            players = [(one.player, one.spec) for one in found.entrants]
            with RayWorkers(cluster, players, jobs=2) as workers:
                assert found.play(2, backend=workers, on_result=kill) == [""]
            assert digest(found) == digest(expected)
            assert len(list(tmp_path.glob("pid-*"))) >= 3


@pytest.mark.promise("R17")
def test_a_game_that_hangs_has_failed(
    cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "time", HoursPass(tmp_path))
    with Study() as study:
        spec = f"{HERE}:HangsOnSeed:folder={tmp_path}"
        bench = bench_of(study, spec, "corner", games=3)
        assert on(cluster, bench, jobs=1, timeout=1) == ["its game took longer than 1 s", ""]
        one, other = bench.standings()
        assert (one.failed_seed, one.games.seeds.tolist()) == (1, [0])
        assert len(other.games) == 3


def test_networks_and_code_reach_workers_that_do_not_have_them(
    cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, code = tmp_path / "n.safetensors", tmp_path / "mine.py"
    shutil.copy(network_path("tiny"), net)
    code.write_text("def choose(board):\n    return board.legal_moves()[-1]\n")
    players = (f"ntuple:net={net},ply=1", f"{code}:choose")
    with Study() as study:
        bench = Bench(study, Rules.parse("goal=128 stop=goal"))
        for player in players:
            bench.add(player, SeedRange(1, 4))
        specs = [(one.player, one.spec) for one in bench.entrants]
        with RayWorkers(cluster, specs, jobs=1) as workers:
            net.unlink()  # as on another machine: only the store has them
            code.unlink()
            assert bench.play(1, backend=workers) == ["", ""]
        assert [len(one.games) for one in bench.standings()] == [4, 4]


def test_the_files_of_a_spec(tmp_path: Path) -> None:
    net = tmp_path / "n.safetensors"
    shutil.copy(network_path("tiny"), net)
    assert files_of(f"ntuple:net={net},ply=2") == {str(net): net}
    assert files_of("ntuple:net=tiny") == {}
    assert files_of("greedy") == {}
    assert files_of("a/b.py:Name:key=c.py:Other") == {
        "a/b.py": Path("a/b.py"),
        "c.py": Path("c.py"),
    }


def test_no_cluster() -> None:
    for address in ("no such address", "127.0.0.1:1", "ray://localhost:1", "localhost:99999999"):
        with pytest.raises(ResourceError, match="cannot reach a Ray cluster at"):
            RayWorkers(address, [("greedy", "greedy")])


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[ray\]'"):
        module.require_ray()
