"""The order in which games are played: tasks for workers, the same rows for any number of them."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameRow
from twofold.arena.workers import Task, TaskReport
from twofold.rules import Rules
from twofold.seeds import SeedRange

ATTEMPTS: Final = 3
"""How often a game is begun whose worker dies or hangs, before it counts as failed."""

TASK_SECONDS: Final = 0.25
"""A task is to take about so long: short games go to a worker many at a time."""

TASK_GAMES: Final = 4_096
"""Most games of a task."""


class Backend(Protocol):
    """Where tasks are played: `Workers`, or other machines."""

    @property
    def jobs(self) -> int:
        """Tasks at a time; 0 where `submit` plays them itself."""

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Have the games of a task played."""

    def reports(self) -> list[TaskReport]:
        """What has come in, after a short wait if nothing has."""


@dataclass(slots=True)
class Schedule:
    """Games of one player that are wanted.

    Attributes:
        player: position of the player.
        spec: its spec, as given.
        parts: the seeds of the games that are still to be begun, in order.
        records: whether the records of the games are wanted.
        allow_code: whether the spec may name code and programs, see `make_player`.
        boards: where the games begin; None for new games.
        errors: what failed, by seed.
        attempts: how often the worker of a game was lost, by seed.
    """

    player: int
    spec: str
    parts: deque[SeedRange]
    records: bool = False
    allow_code: bool = True
    boards: StartBoards | None = None
    errors: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    _games: int = 0
    _seconds: float = 0.0

    def add(self, report: TaskReport) -> None:
        """Note how long games take."""
        self._games += len(report.rows)
        self._seconds += sum(row.seconds for row in report.rows)

    def next_task(self, rules: Rules) -> Task | None:
        """The next games to play; None where there are no more, or one has failed."""
        if self.errors or not self.parts:
            return None
        usual = self._seconds / self._games if self._games else TASK_SECONDS
        count = max(1, min(int(TASK_SECONDS / max(usual, 1e-9)), TASK_GAMES))
        part = self.parts.popleft()
        if part.count > count:
            self.parts.appendleft(part.part(count))
            part = part.part(0, count)
        boards = tuple(map(self.boards.of_seed, part)) if self.boards else ()
        return Task(self.player, self.spec, rules, part, self.records, self.allow_code, boards)


def play(
    backend: Backend, schedules: Sequence[Schedule], rules: Rules, stop: Callable[[], bool]
) -> Iterator[tuple[int, GameRow]]:
    """Play what is scheduled, `backend.jobs` tasks at a time, and give each game as it comes.

    Games that have not come in when `stop` says so are dropped. Where a worker is lost, the
    game that it was playing is begun again, up to ATTEMPTS times; then it has failed. Errors
    are noted in the schedules; one with an error begins no more games.

    Yields:
        Position of the player, the game.
    """
    new = _tasks(schedules, rules)
    again: list[Task] = []
    under_way: dict[tuple[int, int], int] = {}  # of a task's first game: games reported so far
    while not stop():
        while len(under_way) < max(backend.jobs, 1):
            task = again.pop(0) if again else next(new, None)
            if task is None:
                break
            under_way[task.player, task.seeds.first] = 0
            backend.submit(task, stop)
        if not under_way:
            return
        for report in backend.reports():
            task = report.task
            key, schedule = (task.player, task.seeds.first), schedules[task.player]
            for row in report.rows:
                yield task.player, row
                if stop():
                    return
            schedule.add(report)
            done = under_way[key] = under_way[key] + len(report.rows)
            if report.done:
                del under_way[key]
            again += _after(report, done, schedule)


def _after(report: TaskReport, done: int, schedule: Schedule) -> list[Task]:
    """Note what a report says about the game after the first `done`; what is to be played again."""
    task = report.task
    if done == task.seeds.count or not (report.error or report.lost):
        return []
    seed = task.seeds.part(done).first
    if report.error:
        schedule.errors[seed] = report.error
        return []
    schedule.attempts[seed] += 1
    if schedule.attempts[seed] == ATTEMPTS:
        schedule.errors[seed] = report.lost
        return []
    rest = [task.part(done + 1)] if done + 1 < task.seeds.count else []
    return [task.part(done, done + 1), *rest]  # alone: then it is known which game it was


def _tasks(schedules: Iterable[Schedule], rules: Rules) -> Iterator[Task]:
    for schedule in schedules:
        while (task := schedule.next_task(rules)) is not None:
            yield task
