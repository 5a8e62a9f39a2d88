"""Runs: players over many seeds, on all cores, with the same rows for any number of workers."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameRow, Games
from twofold.arena.workers import Report, Task, Workers
from twofold.limits import MAX_GAMES, MAX_JOBS, MAX_SEED, check_limit
from twofold.notation import check_seed
from twofold.players import make_player, settled
from twofold.rules import Rules

__all__ = ["GameRow", "Run", "run", "run_seeds"]

ATTEMPTS: Final = 3
"""How often a game is begun whose worker dies or hangs, before it counts as failed."""

TASK_SECONDS: Final = 0.25
"""A task is to take about so long: short games go to a worker many at a time."""

TASK_GAMES: Final = 4_096
"""Most games of a task."""


@dataclass(frozen=True, slots=True)
class Run:
    """One player over many seeds under one set of rules.

    Attributes:
        player: the player as it was named.
        spec: its canonical spec.
        rows: the games in the order of their seeds; where the run failed, those before the
            first seed that failed.
        error: what went wrong, one sentence; empty if nothing did.
        failed_seed: the first seed whose game failed.
    """

    player: str
    spec: str
    rows: tuple[GameRow, ...]
    error: str = ""
    failed_seed: int | None = None

    @property
    def games(self) -> Games:
        """The rows as columns."""
        return Games.of_rows(self.rows)


class Backend(Protocol):
    """Where tasks are played: `Workers`, or other machines."""

    @property
    def jobs(self) -> int:
        """Tasks at a time; 0 where they are played by whoever submits them."""

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Have the games of a task played."""

    def reports(self) -> list[Report]:
        """What has come in, after a short wait if nothing has."""


@dataclass(slots=True)
class Plan:
    """Games of one player that are wanted.

    Attributes:
        player: position of the player.
        spec: its spec, as given.
        numbers: positions of the games that are still to be played, in ascending order.
        seed_of: the seed of a position.
        records: whether the records of the games are wanted.
        allow_code: whether the spec may name code and programs, see `make_player`.
        boards: where the games begin; None for new games.
        errors: what failed, by position.
        attempts: how often the worker of a game was lost, by position.
    """

    player: int
    spec: str
    numbers: Iterator[int]
    seed_of: Callable[[int], int]
    records: bool = False
    allow_code: bool = True
    boards: StartBoards | None = None
    errors: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    _games: int = 0
    _seconds: float = 0.0

    def add(self, report: Report) -> None:
        """Note how long games take."""
        self._games += len(report.rows)
        self._seconds += sum(row.seconds for row in report.rows)

    def next_task(self, rules: Rules) -> Task | None:
        """The next games to play; None where there are no more, or one has failed."""
        if self.errors:
            return None
        usual = self._seconds / self._games if self._games else TASK_SECONDS
        count = max(1, min(int(TASK_SECONDS / max(usual, 1e-9)), TASK_GAMES))
        numbers = tuple(itertools.islice(self.numbers, count))
        if not numbers:
            return None
        seeds = tuple(map(self.seed_of, numbers))
        return Task(
            self.player,
            numbers,
            self.spec,
            rules,
            seeds,
            self.records,
            self.allow_code,
            tuple(map(self.boards.of_seed, seeds)) if self.boards else (),
        )


def run_seeds(seed: int, games: int) -> Iterator[int]:
    """The seeds of a run: seed, seed + 1, ... modulo 2^64."""
    return ((seed + number) & MAX_SEED for number in range(games))


def run(
    players: Sequence[str],
    games: int,
    seed: int,
    jobs: int,
    rules: Rules,
    on_result: Callable[[GameRow], None] | None = None,
    stop: Callable[[], bool] | None = None,
    *,
    boards: StartBoards | None = None,
) -> list[Run]:
    """Let each player play the games of the same seeds.

    Compiled players run in threads, the others in processes of their own; each worker makes
    its own players from their specs. Rows depend on (player, rules, seed, boards) alone, but for
    their time, unless a player has a time budget.

    Args:
        players: their specs.
        games: number of games each.
        seed: the seed of the first game; see `run_seeds`.
        jobs: number of games played at the same time; 0 plays them in this thread.
        rules: the rules of all games.
        on_result: called in this thread with each finished game, in the order they finish.
        stop: asked now and then; True ends the runs with the games that are finished.
        boards: where the games begin, see `StartBoards.of_seed`; None for new games. Scores are
            then the points made from there on.

    Returns:
        One run for each player, in the order given. A run whose player fails ends there, and
        says why; the other runs go on.

    Raises:
        InvalidInput: a spec, a number or the rules cannot be used; nothing was played.
    """
    check_limit("games", games, 1, MAX_GAMES)
    check_limit("jobs", jobs, 0, MAX_JOBS)
    first = check_seed(seed)
    players = [settled(player, rules) for player in players]
    checked = [check_player(player, rules, first) for player in players]

    def seed_of(number: int) -> int:
        return (first + number) & MAX_SEED

    plans = [
        Plan(index, player, iter(range(games)), seed_of, boards=boards)
        for index, player in enumerate(players)
    ]
    found: list[dict[int, GameRow]] = [{} for _ in players]
    needed = min(jobs, games * len(players))
    with Workers(needed, [compiled for _, compiled in checked]) as workers:
        for index, number, row in play(workers, plans, rules, stop or _never):
            found[index][number] = row
            if on_result is not None:
                on_result(row)
    return [
        _finish(plan, spec, rows)
        for plan, (spec, _), rows in zip(plans, checked, found, strict=True)
    ]


def check_player(player: str, rules: Rules, seed: int) -> tuple[str, bool]:
    """Its canonical spec and whether it is compiled.

    Raises:
        InvalidInput: it cannot be made, or cannot play under these rules.
    """
    with make_player(player) as made:
        made.start(rules, seed)
        return made.spec, made.compiled


def play(
    backend: Backend, plans: Sequence[Plan], rules: Rules, stop: Callable[[], bool]
) -> Iterator[tuple[int, int, GameRow]]:
    """Play what is planned, `backend.jobs` tasks at a time, and give each game as it comes.

    Games that have not come in when `stop` says so are dropped. Where a worker is lost, the
    game that it was playing is begun again, up to ATTEMPTS times; then it has failed. Errors
    are noted in the plans; a plan with an error begins no more games.

    Yields:
        Position of the player, position of the game, the game.
    """
    new = _tasks(plans, rules)
    again: list[Task] = []
    under_way: dict[tuple[int, int], int] = {}  # of a task's first game: games reported so far
    while not stop():
        while len(under_way) < max(backend.jobs, 1):
            task = again.pop(0) if again else next(new, None)
            if task is None:
                break
            under_way[task.player, task.numbers[0]] = 0
            backend.submit(task, stop)
        if not under_way:
            return
        for report in backend.reports():
            task, plan = report.task, plans[report.task.player]
            key = task.player, task.numbers[0]
            done = under_way[key]
            for number, row in zip(task.numbers[done:], report.rows, strict=False):
                yield task.player, number, row
                if stop():
                    return
            plan.add(report)
            done = under_way[key] = done + len(report.rows)
            if report.done:
                del under_way[key]
            again += _after(report, done, plan)


def _after(report: Report, done: int, plan: Plan) -> list[Task]:
    """Note what a report says about the game after the first `done`; what is to be played again."""
    task = report.task
    if done == len(task.numbers) or not (report.error or report.lost):
        return []
    number = task.numbers[done]
    if report.error:
        plan.errors[number] = report.error
        return []
    plan.attempts[number] += 1
    if plan.attempts[number] == ATTEMPTS:
        plan.errors[number] = report.lost
        return []
    rest = [task.part(done + 1)] if done + 1 < len(task.numbers) else []
    return [task.part(done, done + 1), *rest]  # alone: then it is known which game it was


def _tasks(plans: Iterable[Plan], rules: Rules) -> Iterator[Task]:
    for plan in plans:
        while (task := plan.next_task(rules)) is not None:
            yield task


def _never() -> bool:
    return False


def _finish(plan: Plan, spec: str, found: dict[int, GameRow]) -> Run:
    """Rows in order. After a failure only those before it: the same for any number of jobs.

    Games start in the order of their numbers, so every game before the first failure was
    played to its end.
    """
    if not plan.errors:
        return Run(plan.spec, spec, tuple(row for _, row in sorted(found.items())))
    failed = min(plan.errors)
    rows = tuple(row for number, row in sorted(found.items()) if number < failed)
    return Run(plan.spec, spec, rows, plan.errors[failed], plan.seed_of(failed))
