"""Splits games into tasks, and has workers play them: threads, processes, or a Ray cluster.

Kernels release the interpreter's lock, so threads are enough for them and share the compiled
code and the tables. Python code gets a process of Pebble's pool, which may crash or hang without
harm. Processes are spawned, never forked, and make their players from the specs. Workers on a Ray
cluster are those of `ray_workers`.
"""

import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from multiprocessing import resource_tracker, util
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Final, Self

from pebble import ProcessExpired, ProcessPool

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameColumns, record_text
from twofold.game.board import Board
from twofold.game.notation import SeedRange
from twofold.game.rules import STANDARD, Rules
from twofold.players import Player, PlayerSpec
from twofold.players.base import as_fault, describe_caught

POLL_SECONDS: Final = 0.1
"""Interval at which a waiting run polls `stop`."""

ATTEMPTS: Final = 3
"""A game fails after this many attempts in which its worker died or timed out."""

TASK_SECONDS: Final = 0.25
"""Target duration of a task: short games are grouped."""

TASK_GAMES: Final = 4_096
"""Largest number of games in a task."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player that takes part.

    Attributes:
        player: as given.
        spec: canonical.
        seeds: of all its games.
        rules: of its games.
        boards: on which its games begin; None for new games.
        compiled: True if threads are enough for it.
        reproducible: True if its games depend on player, rules and seed alone, as far as is known.
        run: its number in the study.
        missing: number of games still to play.
    """

    player: PlayerSpec
    spec: str
    seeds: SeedRange
    rules: Rules = STANDARD
    boards: StartBoards | None = None
    compiled: bool = False
    reproducible: bool = True
    allow_code: bool = True
    run: int = 0
    missing: int = 0

    @classmethod
    def of(cls, player: PlayerSpec, made: Player, seeds: SeedRange, rules: Rules) -> "Entrant":
        """What is known of a player once it is `made`."""
        return cls(player, made.spec, seeds, rules, None, made.compiled, made.reproducible)


@dataclass(frozen=True, slots=True)
class Task:
    """Games to play, one after the other.

    Attributes:
        number: position of the entrant among those of the run.
        records: True to keep the records of the games.
        boards: where each game begins; empty for new games.
    """

    number: int
    entrant: Entrant
    seeds: SeedRange
    records: bool = False
    boards: tuple[Board, ...] = ()

    def part(self, first: int, end: int | None = None) -> "Task":
        """The games from position `first` up to, not including, `end`."""
        return replace(self, seeds=self.seeds.part(first, end), boards=self.boards[first:end])

    def play(
        self,
        players: dict[str, Player],
        stop: Callable[[], bool] | None = None,
        name: str = "",
        faults: tuple[type[BaseException], ...] = (Exception, SystemExit),
    ) -> "TaskReport":
        """Play the games until `stop` returns True or one fails.

        Args:
            players: of this worker, by the texts of their specs; a missing one is made.
            stop: polled; None to play all games.
            name: the player's spec in the report; empty for the one that it has here.
            faults: what the player may raise; it may also call sys.exit().
        """
        from twofold.players import GameResult, play_games  # loads kernels

        results: list[GameResult] = []
        error, spec = "", self.entrant.player
        try:
            if spec.text not in players:
                players[spec.text] = spec.make(allow_code=self.entrant.allow_code)
            player = players[spec.text]
            name = name or player.spec
            results.extend(
                play_games(
                    player,
                    self.entrant.rules,
                    self.seeds,
                    boards=self.boards,
                    keep_moves=self.records,
                    stop=stop,
                )
            )
        except faults as fault:
            error = describe_caught(fault)
        record = partial(record_text, spec=name, rules=self.entrant.rules) if self.records else None
        return TaskReport(self, GameColumns.of_results(results, record), name, error)


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The result of a task.

    Attributes:
        games: finished games, in order.
        spec: canonical spec of the player that played; empty if it could not be made.
        error: error message of the game after these; empty if nothing failed.
        lost: why the worker ended in one of the games; empty if it did not.
    """

    task: Task
    games: GameColumns = field(default_factory=lambda: GameColumns.joined(()))
    spec: str = ""
    error: str = ""
    lost: str = ""


# ---- the order of play, which changes no result


class Backend(ABC):
    """Plays tasks, on this machine or a Ray cluster: those under way are futures of their reports.

    `jobs` is the number of tasks at a time; 0 if `submit` plays them itself.
    """

    def __init__(self, jobs: int, timeout: float | None) -> None:
        self.jobs, self.timeout = jobs, timeout
        self._tasks: dict[Future[TaskReport], Task] = {}

    def __enter__(self) -> Self:
        return self

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Start a task; the caller has at most `jobs` under way."""
        self._tasks[self.begin(task, stop)] = task

    @abstractmethod
    def begin(self, task: Task, stop: Callable[[], bool]) -> Future[TaskReport]:
        """Start a task."""

    def reports(self) -> list[TaskReport]:
        """Reports since the last call; waits a short time if there are none.

        Raises the error of a worker: its games would be missing for ever.
        """
        done, _ = wait(self._tasks, POLL_SECONDS, FIRST_COMPLETED)
        return [self._report(future, self._tasks.pop(future)) for future in done]

    @abstractmethod
    def _report(self, future: Future[TaskReport], task: Task) -> TaskReport:
        """The report of a task that has ended."""


@dataclass(slots=True)
class Schedule:
    """The games to play for one player.

    Attributes:
        task: of all games, without boards.
        parts: seeds of the games not yet started, in order.
        boards: on which the games begin; None for new games.
        errors: error messages, by seed.
        attempts: number of lost workers, by seed.
    """

    task: Task
    parts: deque[SeedRange]
    boards: StartBoards | None = None
    errors: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    _games: int = 0
    _seconds: float = 0.0

    def finish(self, report: TaskReport) -> list[Task]:
        """Note the times and the error of a task; returns the tasks to play again, a game each."""
        self._games += len(report.games)
        self._seconds += float(report.games.seconds.sum())
        seeds = report.task.seeds
        if report.error:
            self.errors[seeds.part(len(report.games)).first] = report.error
        if not report.lost:
            return []
        self.attempts.update(seeds)
        if seeds.count == 1 and self.attempts[seeds.first] >= ATTEMPTS:
            self.errors[seeds.first] = report.lost
            return []
        return [report.task.part(place, place + 1) for place in range(seeds.count)]

    def next_task(self) -> Task | None:
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
        return replace(self.task, seeds=part, boards=boards)


def play(
    backend: Backend, schedules: Iterable[Schedule], stop: Callable[[], bool]
) -> Iterator[TaskReport]:
    """Play the schedules, `backend.jobs` tasks at a time; yields the reports with finished games.

    Games that are unfinished when `stop` returns True are dropped. A game whose worker is lost is
    started again, up to ATTEMPTS times in all; then it has failed. Errors are stored in the
    schedules; a schedule with an error starts no more games.
    """
    players = {one.task.number: one for one in schedules}
    new = chain.from_iterable(iter(one.next_task, None) for one in players.values())
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
            again += players[report.task.number].finish(report)
            if len(report.games):
                yield report


# ---- workers


class GameWorkers(Backend):
    """Threads and processes of this machine.

    Args:
        jobs: number of tasks at a time; 0 plays them in `submit`.
        timeout: seconds for one game in a process; None for no timeout.
    """

    def __init__(self, jobs: int, *, timeout: float | None = None) -> None:
        super().__init__(jobs, timeout)
        self._stop = threading.Event()
        self._threads = ThreadPoolExecutor(max(jobs, 1), "twofold-games")
        self._processes: ProcessPool | None = None
        self._players = threading.local()
        self._crews: list[dict[str, Player]] = []

    def __exit__(self, kind: object, *_: object) -> None:
        self._stop.set()
        self._end_processes()
        self._threads.shutdown(wait=kind is None, cancel_futures=True)
        for crew in self._crews if kind is None else ():
            _close(crew)

    def _end_processes(self) -> None:
        if self._processes is not None:
            self._processes.stop()  # type: ignore[no-untyped-call]
            self._processes.join()
            self._processes = None

    def begin(self, task: Task, stop: Callable[[], bool]) -> Future[TaskReport]:
        """Start a task in a thread or a process."""
        future: Future[TaskReport] = Future()
        if self.jobs == 0:
            future.set_result(self._play(task, stop))
            return future
        if task.entrant.compiled:
            return self._threads.submit(self._play, task, self._stop.is_set)
        if self._processes is None:
            self._processes = ProcessPool(
                self.jobs, initializer=_start_process, context=QuietSpawn()
            )
        try:
            return self._processes.schedule(_play_here, args=(task,), timeout=self.timeout)
        except RuntimeError as error:  # all processes died before they had a game
            self._end_processes()
            future.set_exception(BrokenProcessPool(*error.args))
            return future

    def _report(self, future: Future[TaskReport], task: Task) -> TaskReport:
        try:
            return future.result()
        except TimeoutError:
            return TaskReport(task, lost=f"its game took longer than {self.timeout:g} s")
        except (ProcessExpired, BrokenProcessPool):
            return TaskReport(task, lost="its process died")
        except BaseException as fault:
            raise as_fault(fault) from fault

    def _play(self, task: Task, stop: Callable[[], bool]) -> TaskReport:
        """Play a task with the players of this thread."""
        if not hasattr(self._players, "crew"):
            self._players.crew = {}
            self._crews.append(self._players.crew)
        return task.play(self._players.crew, stop)


def _close(crew: dict[str, Player]) -> None:
    for player in crew.values():
        player.close()


# ---- processes

_CREW: Final[dict[str, Player]] = {}
"""The players of a worker process; each is made once."""


def _start_process() -> None:
    """Prepare a worker process."""
    sys.stdout = sys.stderr  # the output of a player is not a result
    util.Finalize(None, _close, (_CREW,), exitpriority=1)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _play_here(task: Task) -> TaskReport:
    return task.play(_CREW, faults=(BaseException,))  # Ctrl-C does not come here


_options: Callable[[], list[str]] = util._args_from_interpreter_flags  # type: ignore[attr-defined]

# multiprocessing starts `python -c`, which imports modules from the current folder. Without -P, a
# file `multiprocessing.py` in a folder of foreign players would be run.
util._args_from_interpreter_flags = lambda: [*_options(), "-P"]  # type: ignore[attr-defined]


class _SpawnProcess(SpawnProcess):
    """A spawned process that never receives Ctrl-C, not even while it starts."""

    def start(self) -> None:
        """Start the process with SIGINT blocked; the process inherits the mask."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            super().start()
            return
        resource_tracker.ensure_running()  # starting it later would unblock SIGINT
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class QuietSpawn(SpawnContext):
    """A spawn context whose processes never receive Ctrl-C."""

    Process = _SpawnProcess
