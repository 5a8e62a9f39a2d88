"""Tasks: how many games each has, and that their order changes no row."""

import random
from collections import deque
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.forks import forked_workers as forked_workers  # a fixture
from tests.support.games import game
from twofold.arena.games import GameColumns
from twofold.arena.workers import TASK_GAMES, GameWorkers, Schedule, Task, TaskReport, play
from twofold.game.notation import SeedRange
from twofold.game.rules import Rules
from twofold.players import PlayerSpec

HERE = Path(__file__).parent / "players_for_tests.py"
SMALL = Rules.parse("3x3 goal=64")
GREEDY = Task(0, PlayerSpec.parse("greedy"), SMALL, SeedRange(1, 1))


def test_tasks_are_parts_of_ranges_as_long_as_the_games_are_short() -> None:
    schedule = Schedule(GREEDY, deque([SeedRange(2**64 - 1, 10_000), SeedRange(5, 2)]))
    first = schedule.next_task()
    assert first is not None
    assert first.seeds == SeedRange(2**64 - 1, 1)
    schedule.add(TaskReport(first, game(1, 4, 1, 4, (0, 0, 1), 1e-6)))
    sizes = []
    while (task := schedule.next_task()) is not None:
        sizes.append(task.seeds)
    assert [one.count for one in sizes] == [TASK_GAMES, TASK_GAMES, 9_999 - 2 * TASK_GAMES, 2]
    assert [one.first for one in sizes] == [0, TASK_GAMES, 2 * TASK_GAMES, 5]


def test_no_game_starts_after_an_error() -> None:
    schedule = Schedule(GREEDY, deque([SeedRange(1, 10)]))
    schedule.errors[1] = "it broke"
    assert schedule.next_task() is None


@pytest.mark.promise("R30")
@pytest.mark.usefixtures("forked_workers")
def test_rows_do_not_depend_on_the_order_of_games() -> None:
    seeds = list(range(10))

    def rows(order: list[int]) -> list[tuple[object, ...]]:
        task = replace(GREEDY, spec=PlayerSpec.parse(f"{HERE}:Forgetful"))
        schedule = Schedule(task, deque(SeedRange(seed, 1) for seed in order))
        with GameWorkers(1) as workers:
            reports = list(play(workers, [schedule], lambda: False))
        cells = GameColumns.joined(report.games for report in reports).cells("nanoseconds")
        del cells["move_median"], cells["move_99th"]
        return sorted(zip(*cells.values(), strict=True))

    shuffled = seeds.copy()
    random.Random(1).shuffle(shuffled)
    assert rows(seeds) == rows(shuffled)
    assert len(rows(seeds)) == 10
