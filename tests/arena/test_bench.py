"""Benches: only missing games are played, each once, also after a kill."""

import contextlib
import json
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.arena.benches import HERE, SMALL, bench_of
from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.support.forks import command, fork, slow_group
from tests.support.forks import forked_workers as forked_workers  # a fixture
from twofold.arena import tables
from twofold.arena.bench import Bench, MemoryStudy, players_to_name, resumed
from twofold.arena.games import GameColumns
from twofold.arena.report import gather
from twofold.arena.study import Study
from twofold.arena.workers import GameWorkers, Task
from twofold.errors import InvalidInput, PlayerError
from twofold.game.notation import SeedRange
from twofold.limits import MAX_GAMES

pytestmark = pytest.mark.usefixtures("forked_workers")

Kept = Callable[[], AbstractContextManager[Study | MemoryStudy]]
KEPT = pytest.mark.parametrize(
    "kept", [Study, lambda: nullcontext(MemoryStudy())], ids=["a study", "without a file"]
)
"""Where games are kept."""


@KEPT
def test_stored_games_are_not_played_again(kept: Kept) -> None:
    with kept() as study:
        played: list[tuple[int, int]] = []

        def note(player: int, games: GameColumns) -> None:
            played.extend((player, seed) for seed in games.seeds.tolist())

        bench_of(study, "greedy", games=5).play(0, on_result=note)
        assert played == [(0, seed) for seed in range(5)]
        played.clear()
        bench_of(study, "greedy", "corner", games=7, seed=2).play(0, on_result=note)
        assert played == [(0, 5), (0, 6), (0, 7), (0, 8)] + [(1, seed) for seed in range(2, 9)]
        bench = bench_of(study, "corner", "greedy", games=5, seed=2)
        assert bench.missing == 0
        assert bench.play(0) == ["", ""]
        assert [len(one.games) for one in bench.standings()] == [5, 5]


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_player_whose_first_game_differs_is_not_reproducible(jobs: int, tmp_path: Path) -> None:
    players, said = (f"{HERE}:Draws", f"{HERE}:Forgetful", "greedy"), list[str]()
    with Study(tmp_path / "s.db") as study:
        bench = bench_of(study, *players)
        bench.say = said.append
        played: list[tuple[int, int]] = []
        note = lambda number, games: played.extend((number, seed) for seed in games.seeds.tolist())  # noqa: E731
        bench.play(jobs, on_result=note)
        assert sorted(set(played)) == sorted(played)
        assert [len(one.games) for one in bench.standings()] == [10, 10, 10]
        assert [one.reproducible for one in bench.standings()] == [False, True, True]
    assert said == [
        f"{HERE}:Draws played the game of seed 0 twice, in two ways: its games are not reproducible"
    ]
    with Study(tmp_path / "s.db") as study:
        assert [run.reproducible for run in study.runs()] == [False, True, True]
        assert "not reproducible: under a time budget, or by a player" in " ".join(
            tables.plain(gather(study)).split()
        )
        again = bench_of(study, players[0], games=12)
        again.say = said.append
        assert again.play(0) == [""]
        assert [one.reproducible for one in again.standings()] == [False]
    assert len(said) == 1  # it is known


def test_an_interrupt_between_the_two_first_games_keeps_nothing() -> None:
    class Counted(GameWorkers):
        submitted = 0

        def submit(self, task: Task, stop: Callable[[], bool]) -> None:
            self.submitted += 1
            super().submit(task, stop)

    with Study() as study, Counted(0) as workers:
        bench = bench_of(study, f"{HERE}:Draws")
        bench.play(0, backend=workers, stop=lambda: workers.submitted >= 2)
        assert [len(one.games) for one in bench.standings()] == [0]
        bench.play(0)
        assert [len(one.games) for one in bench.standings()] == [10]
        assert [run.reproducible for run in study.runs()] == [False]


@KEPT
def test_a_failed_game_is_played_again_when_it_is_asked_for_again(
    kept: Kept, tmp_path: Path
) -> None:
    code = (tmp_path / "p.py").absolute()
    code.write_text(
        "import os\n"
        "def choose(board):\n"
        f"    if not os.path.exists({str(tmp_path / 'well')!r}):\n"
        "        raise ValueError('not yet')\n"
        "    return board.legal_moves()[0]\n"
    )
    with kept() as study:
        bench = bench_of(study, f"{code}:choose", games=3)
        said = f"ValueError: not yet ({code}, line 4)"
        assert bench.play(0) == [said]
        (one,) = bench.standings()
        assert (one.error, one.failed_seed, len(one.games)) == (said, 0, 0)
        (tmp_path / "well").touch()
        again = bench_of(study, f"{code}:choose", games=3)
        assert again.play(0) == [""]
        (one,) = again.standings()
        assert (one.error, one.failed_seed, len(one.games)) == ("", None, 3)


@KEPT
def test_a_failure_counts_for_its_own_seed_only(kept: Kept) -> None:
    player = f"{HERE}:FailsOnSeed:seed=6"
    with kept() as study:
        assert bench_of(study, player, games=8).play(0)[0].startswith("ZeroDivisionError")
        (before,) = bench_of(study, player, games=6).standings()  # the seeds 0 to 5
        assert (before.error, before.failed_seed, len(before.games)) == ("", None, 6)
        (with_it,) = bench_of(study, player, games=7).standings()
        assert (with_it.failed_seed, len(with_it.games)) == (6, 6)


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    code = (tmp_path / "p.py").absolute()
    code.write_text("def choose(board):\n    return board.legal_moves()[0]\n")
    with Study() as study:
        bench = bench_of(study, f"{code}:choose", games=3)
        code.write_text("def choose(board):\n    return board.legal_moves()[-1]\n")
        with pytest.raises(PlayerError, match="a file has changed"):
            bench.play(0)
        assert len(bench.standings()[0].games) == 0
        with pytest.raises(InvalidInput, match=r"the file has changed\. Use a new study"):
            bench_of(study, f"{code}:choose", games=3)


# Going on


def test_games_of_another_behaviour_are_not_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    with Study() as study:
        bench_of(study, "greedy", games=2).play(0)
        monkeypatch.setattr("twofold.arena.bench.SIGNATURE", 7)
        with pytest.raises(InvalidInput, match="players may choose other moves now"):
            resumed(study)
        assert bench_of(study, "greedy", games=2).missing == 2


def test_a_name_that_stood_for_other_settings_is_refused() -> None:
    """Such a study went on as a new run, with the games of two players under one name."""
    with Study() as study:
        made = bench_of(study, "expectimax:ply=1", games=2)
        spec = made.entrants[0].spec.replace("empty=270", "empty=9")
        with study.transaction():
            study._connection.execute("UPDATE run SET spec = ?", (spec,))
        words = (
            r"expected 'expectimax:ply=1' to be expectimax:empty=9 as in a study in memory, got "
        )
        with pytest.raises(InvalidInput, match=words + r"expectimax:empty=270\. Use a new"):
            resumed(study)
        with pytest.raises(InvalidInput, match=words + r"expectimax:empty=270\. Use a new"):
            bench_of(study, "expectimax:ply=1", games=2)
        assert len(study.runs()) == 1


@pytest.mark.parametrize(
    ("player", "words"),
    [
        ("expectimax:ply=1,threads=3", "takes 3 threads for a move, more than the cores here"),
        ("fast:threads=3", "takes 3 threads for a move"),
        ("expectimax:ply=1,table_mb=8", "takes 8.4 MB for each game played at a time, more than"),
    ],
)
def test_a_study_alone_takes_no_more_than_the_machine_has(
    player: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Study() as study:
        bench_of(study, player, games=2)
        monkeypatch.setattr("twofold.players.registry.cores", lambda: 2)
        monkeypatch.setattr("twofold.players.registry.free_memory", lambda: 20_000_000)
        (stored,) = players_to_name(study)
        with pytest.raises(InvalidInput, match=f"cannot continue a study in memory: .* {words}"):
            resumed(study)
        named = resumed(study, [stored])
        assert named.missing == 2


# Workers that are lost


@pytest.mark.promise("R17")
@pytest.mark.skipif(os.name != "posix", reason="limits the memory of a process as POSIX does")
def test_a_worker_that_eats_its_memory_fails_its_own_game_only() -> None:
    with Study() as study:
        bench = bench_of(study, f"{HERE}:EatsMemory", "corner", games=3)
        errors = bench.play(1)
        assert (errors[0].partition(" (")[0], errors[1]) == ("MemoryError", "")
        assert [len(one.games) for one in bench.standings()] == [1, 3]


@pytest.mark.promise("R17")
def test_a_game_whose_worker_dies_three_times_has_failed(tmp_path: Path) -> None:
    folder = tmp_path / "deaths"
    folder.mkdir()
    with Study() as study:
        spec = f"{HERE}:DiesAtFirst:folder={folder},times=99"
        bench = bench_of(study, spec, "corner", games=5)
        assert bench.play(2) == ["its process died", ""]
        one, other = bench.standings()
        assert (one.failed_seed, one.games.seeds.tolist()) == (2, [0, 1])
        assert len(other.games) == 5
    assert len(list(folder.iterdir())) == 3


@pytest.mark.promise("R17")
def test_each_game_may_lose_a_worker(tmp_path: Path) -> None:
    with Study() as study:
        bench = bench_of(study, f"{HERE}:DiesOnceAGame:folder={tmp_path}", games=3)
        assert bench.play(1) == [""]
        assert len(bench.standings()[0].games) == 3
    assert sorted(mark.name for mark in tmp_path.iterdir()) == ["0", "1", "2"]


@pytest.mark.promise("R17")
def test_a_worker_that_hangs_is_ended(tmp_path: Path) -> None:
    with Study() as study:
        bench = bench_of(study, f"{HERE}:HangsOnSeed:folder={tmp_path}", "corner", games=3)
        assert bench.play(1, timeout=3) == ["its game took longer than 3 s", ""]
        one, other = bench.standings()
        assert (one.failed_seed, one.games.seeds.tolist()) == (1, [0])
        assert len(other.games) == 3
    assert len(list(tmp_path.iterdir())) == 3


# Kill -9


GAMES = 60
VICTIMS = ("a worker", "the parent", "a worker", "all", "a worker")
"""The processes to kill, in turn. A game may lose its worker twice."""


def arguments(path: Path, signed: Path) -> list[str]:
    players = ["greedy", f"{HERE}:Signs:folder={signed}"]
    options = ["--games", str(GAMES), "--jobs", "2", "--out", str(path), "--json"]
    return ["bench", *players, *options]


def start_bench(said: Path, *arguments: str) -> BaseProcess:
    """A bench in a process and a group of its own, with all its workers."""
    return fork(command, said, slow_group, *arguments)


def games_in(path: Path) -> int:
    if not path.exists():
        return 0
    with Study(path, read_only=True) as study:
        return int(study._one("SELECT count(*) FROM game")[0])


def final(cli: Cli, arguments: list[str]) -> dict[str, object]:
    """The output of a bench that is resumed to its end, without times."""
    result = cli(*arguments)
    assert result.code == 0, result.err
    document = json.loads(result.out)
    for part in ("timing", "machine"):
        del document[part]
    return dict(document)


def kill(victim: str, parent: int, signed: Path) -> bool:
    """Kill a worker, only the parent (its workers end by themselves), or all; True if killed."""
    if victim == "all":
        os.killpg(parent, signal.SIGKILL)
    elif victim == "the parent":
        os.kill(parent, signal.SIGKILL)
    else:
        with contextlib.suppress(ProcessLookupError):
            for file in signed.glob(f"{parent}-*"):
                file.unlink()
                os.kill(int(file.name.partition("-")[2]), signal.SIGKILL)
                return True
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="kills process groups")
@pytest.mark.promise("R15")
@pytest.mark.parametrize(
    "kills", [pytest.param(3, id="3 kills"), pytest.param(50, id="50", marks=pytest.mark.long)]
)
def test_a_bench_that_is_killed_goes_on(
    kills: int, cli: Cli, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    rng, path, signed, killed = random.Random(kills), tmp_path / "s.db", tmp_path / "signed", 0
    signed.mkdir()
    words = arguments(path, signed)
    said = tmp_path / "said"
    process = start_bench(said, *words)
    while killed < kills:
        target = games_in(path) + rng.randrange(1, GAMES // kills + 1)
        while process.is_alive() and games_in(path) < target:
            time.sleep(0.1)
        victim = VICTIMS[killed % len(VICTIMS)]
        if not process.is_alive():  # nothing is left to kill: begin again
            path.unlink()
        elif kill(victim, process.pid or 0, signed):
            killed += 1
            if victim == "a worker":
                continue
            process.join()
        else:
            continue
        process = start_bench(said, *words)
    process.join()
    assert process.exitcode == 0, said.with_suffix(".err").read_text()
    assert final(cli, words) == final(cli, arguments(tmp_path / "whole.db", signed))
    figure(f"{kills} kills: 0 games lost that were written, none twice")


@pytest.mark.parametrize("jobs", [0, 2])
def test_records_are_kept_where_they_are_asked_for(jobs: int, tmp_path: Path) -> None:
    with Study(tmp_path / "study.db") as study:
        bench_of(study, "greedy", games=3).play(jobs)
        assert list(study.records()) == []
        bench = Bench(study, SMALL, records=True)
        for player in ("greedy", f"{HERE}:Prints"):
            bench.add(player, SeedRange(0, 6))
        bench.play(jobs)
        records = list(study.records())
        standings = bench.standings()
    assert [record.seed for record in records] == [3, 4, 5, 0, 1, 2, 3, 4, 5]
    scores = [score for one in standings for score in one.games.scores.tolist()]
    assert [record.score for record in records] == scores[3:]
    assert records[0].player == standings[0].spec
    assert all(record.replay().is_finished for record in records)


@pytest.mark.promise("R64")
def test_a_study_that_asks_for_too_many_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Study(path) as study:
        bench_of(study, "greedy", games=1)
        for first in range(6):
            study.want(1, SeedRange(first * MAX_GAMES, MAX_GAMES))
    with Study(path) as study, pytest.raises(InvalidInput, match="from 0 to 10000000, got"):
        resumed(study)
