"""The order of play: splits games into tasks; the results do not depend on the number of jobs."""

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
"""A game fails after this many attempts in which its worker died or timed out."""

TASK_SECONDS: Final = 0.25
"""Target duration of a task: short games are grouped."""

TASK_GAMES: Final = 4_096
"""Largest number of games in a task."""


class Backend(Protocol):
    """Plays tasks: `GameWorkers` on this machine, or a Ray cluster."""

    @property
    def jobs(self) -> int:
        """Number of tasks at a time; 0 if `submit` plays them itself."""

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Start a task."""

    def reports(self) -> list[TaskReport]:
        """Reports since the last call; waits a short time if there are none."""


@dataclass(slots=True)
class Schedule:
    """The games to play for one player.

    Attributes:
        player: position of the player.
        parts: seeds of the games not yet started, in order.
        errors: error messages, by seed.
        attempts: number of lost workers, by seed.
    """

    player: int
    spec: str
    parts: deque[SeedRange]
    records: bool = False
    allow_code: bool = True
    boards: StartBoards | None = None
    canonical: str = ""
    compiled: bool = False
    errors: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    _games: int = 0
    _seconds: float = 0.0

    def add(self, report: TaskReport) -> None:
        """Update the mean time of a game."""
        self._games += len(report.rows)
        self._seconds += sum(row.seconds for row in report.rows)

    def next_task(self, rules: Rules) -> Task | None:
        """The next games to play; None if there are no more, or one has failed."""
        if self.errors or not self.parts:
            return None
        usual = self._seconds / self._games if self._games else TASK_SECONDS
        count = max(1, min(int(TASK_SECONDS / max(usual, 1e-9)), TASK_GAMES))
        part = self.parts.popleft()
        if part.count > count:
            self.parts.appendleft(part.part(count))
            part = part.part(0, count)
        boards = tuple(map(self.boards.of_seed, part)) if self.boards else ()
        return Task(
            self.player,
            self.spec,
            rules,
            part,
            self.records,
            self.allow_code,
            boards,
            self.canonical,
            self.compiled,
        )


def play(
    backend: Backend, schedules: Sequence[Schedule], rules: Rules, stop: Callable[[], bool]
) -> Iterator[tuple[int, GameRow]]:
    """Play the schedules, `backend.jobs` tasks at a time; yields the player's position and a game.

    Games that are unfinished when `stop` returns True are dropped. A game whose worker is lost is
    started again, up to ATTEMPTS times in all; then it has failed. Errors are stored in the
    schedules; a schedule with an error starts no more games.
    """
    new = _tasks(schedules, rules)
    again: list[Task] = []
    under_way = 0
    while not stop():
        while under_way < max(backend.jobs, 1):
            task = again.pop(0) if again else next(new, None)
            if task is None:
                break
            under_way += 1
            backend.submit(task, stop)
        if not under_way:
            return
        for report in backend.reports():
            under_way -= 1
            schedule = schedules[report.task.player]
            for row in report.rows:
                yield report.task.player, row
                if stop():
                    return
            schedule.add(report)
            again += _after(report, schedule)


def _after(report: TaskReport, schedule: Schedule) -> list[Task]:
    """Store the error of a task; the tasks to play again, of a game each."""
    task = report.task
    if report.error:
        schedule.errors[task.seeds.part(len(report.rows)).first] = report.error
    if not report.lost:
        return []
    schedule.attempts.update(task.seeds)
    first = task.seeds.first
    if task.seeds.count == 1 and schedule.attempts[first] >= ATTEMPTS:
        schedule.errors[first] = report.lost
        return []
    return [task.part(place, place + 1) for place in range(task.seeds.count)]


def _tasks(schedules: Iterable[Schedule], rules: Rules) -> Iterator[Task]:
    for schedule in schedules:
        while (task := schedule.next_task(rules)) is not None:
            yield task
