"""The number of workers and the order of games change no result; how many games a task has."""

import time
from collections import deque
from concurrent.futures.process import BrokenProcessPool

import pytest
from pebble import ProcessPool

from tests.arena.benches import HERE, SMALL, digest, figures_of, standings_of
from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.support.forks import forked_workers as forked_workers  # a fixture
from tests.support.games import game
from twofold.arena.games import GameColumns
from twofold.arena.workers import TASK_GAMES, Entrant, GameWorkers, Schedule, Task, TaskReport
from twofold.game.notation import SeedRange
from twofold.players import PlayerSpec
from twofold.players.own_code import load_object

PLAYERS = ["random", "greedy", f"{HERE}:Threaded", f"{HERE}:Forgetful"]
ALL = [f"{HERE}:FailsOnSeed", *PLAYERS]
GAMES = 12
SEEDS = SeedRange(2**64 - 3, GAMES)


@pytest.fixture(scope="module")
def expected() -> str:
    standings = standings_of(ALL, SEEDS, 1, SMALL)
    assert [one.failed_seed for one in standings] == [3, None, None, None, None]
    assert standings[0].error == f"ZeroDivisionError: on purpose ({HERE}, line 57)"
    assert standings[1].games.seeds.tolist() == list(SEEDS)
    return digest(standings)


@pytest.mark.promise("R30")
@pytest.mark.parametrize("jobs", [0, 2])
def test_rows_do_not_depend_on_the_number_of_workers(jobs: int, expected: str) -> None:
    assert digest(standings_of(ALL, SEEDS, jobs, SMALL)) == expected


@pytest.mark.promise("R30")
@pytest.mark.usefixtures("forked_workers")
def test_an_interrupted_run_has_a_part_of_the_rows() -> None:
    finished = 0

    def count(_number: int, games: GameColumns) -> None:
        nonlocal finished
        finished += len(games)

    part = standings_of(PLAYERS, SEEDS, 2, SMALL, count, lambda: finished >= 5)
    whole = standings_of(PLAYERS, SEEDS, 1, SMALL)
    assert 5 <= sum(len(one.games) for one in part) < len(PLAYERS) * GAMES
    for one, other in zip(part, whole, strict=True):
        assert figures_of(one).items() <= figures_of(other).items()


@pytest.mark.promise("R91")
def test_an_error_that_no_game_explains_ends_the_command(cli: Cli) -> None:
    for command in ("bench", "compare"):
        done = cli(command, f"{HERE}:Escapes", "greedy", "--games", "40", "--jobs", "2")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("twofold: BaseException: on purpose")
        assert done.err.count("\n") == 1


def test_processes_that_hang_are_ended_with_the_run() -> None:
    began = time.monotonic()

    def stop() -> bool:
        return time.monotonic() - began > 0.3

    (one,) = standings_of([f"{HERE}:Sleeps"], SeedRange(0, 4), 2, SMALL, None, stop)
    assert not len(one.games)
    assert time.monotonic() - began < 60


def test_each_thread_makes_and_closes_players_of_its_own() -> None:
    home = load_object(f"{HERE}:Threaded")
    home.made, home.closed = 0, 0
    (one,) = standings_of([f"{HERE}:Threaded"], SeedRange(0, 20), 2, SMALL)
    assert len(one.games) == 20
    assert 2 <= home.made <= 3
    assert home.closed == home.made


def test_processes_that_end_without_a_game_are_lost_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As after a signal to the whole group: Pebble then refuses to schedule."""

    def refuse(*_: object, **__: object) -> None:
        raise BrokenProcessPool("All workers expired")

    with GameWorkers(1) as workers:
        monkeypatch.setattr(ProcessPool, "schedule", refuse)
        workers.submit(GREEDY, lambda: False)
        assert [one.lost for one in workers.reports()] == ["its process died"]
        monkeypatch.undo()
        workers.submit(GREEDY, lambda: False)
        while not (reports := workers.reports()):
            pass
        assert [(one.lost, len(one.games)) for one in reports] == [("", 1)]


GREEDY = Task(
    0, Entrant(PlayerSpec.parse("greedy"), "greedy", SeedRange(1, 1), SMALL), SeedRange(1, 1)
)


def test_tasks_are_parts_of_ranges_as_long_as_the_games_are_short() -> None:
    schedule = Schedule(GREEDY, deque([SeedRange(2**64 - 1, 10_000), SeedRange(5, 2)]))
    first = schedule.next_task()
    assert first is not None
    assert first.seeds == SeedRange(2**64 - 1, 1)
    schedule.finish(TaskReport(first, game(1, 4, 1, 4, (0, 0, 1), 1e-6)))
    sizes = []
    while (task := schedule.next_task()) is not None:
        sizes.append(task.seeds)
    assert [one.count for one in sizes] == [TASK_GAMES, TASK_GAMES, 9_999 - 2 * TASK_GAMES, 2]
    assert [one.first for one in sizes] == [0, TASK_GAMES, 2 * TASK_GAMES, 5]
