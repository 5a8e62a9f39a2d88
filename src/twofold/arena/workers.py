"""Workers play games: in threads for compiled players, in processes for the others.

Kernels release the interpreter's lock, so threads are enough for them and share the compiled
code and the tables. Python code gets its own process, which may crash or hang without harm.
Processes are spawned, never forked, and make their players from the specs.
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker, util
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ClassVar, Final, ParamSpec, Protocol, Self, TypeVar

from twofold.arena.games import GameRow
from twofold.board import Board
from twofold.players import Player, make_player, play_games
from twofold.players.faults import as_fault, describe_caught
from twofold.rules import Rules
from twofold.seeds import SeedRange

P = ParamSpec("P")
T = TypeVar("T")

POLL_SECONDS: Final = 0.1
"""Interval at which a waiting run polls `stop`."""

GRACE_SECONDS: Final = 2.0
"""Time that workers have to end their games after a stop."""

REPORT_SECONDS: Final = 0.1
"""Interval at which a thread reports its finished games."""


@dataclass(frozen=True, slots=True)
class Task:
    """Games to play, one after the other.

    Attributes:
        player: position of the player among the players of the run.
        spec: the player's spec, as given.
        records: True if the rows hold the records of the games.
        boards: where each game begins; empty for new games.
        canonical: the player's canonical spec.
        compiled: True if threads are enough for the player.
    """

    player: int
    spec: str
    rules: Rules
    seeds: SeedRange
    records: bool = False
    allow_code: bool = True
    boards: tuple[Board, ...] = ()
    canonical: str = ""
    compiled: bool = False

    def part(self, first: int, end: int | None = None) -> "Task":
        """The games from position `first` up to, not including, `end`."""
        return replace(self, seeds=self.seeds.part(first, end), boards=self.boards[first:end])

    def play(
        self, player: Player, spec: str, stop: Callable[[], bool] | None = None
    ) -> Iterator[GameRow]:
        """Play the games with the player `spec` until `stop` returns True."""
        for result in play_games(
            player, self.rules, self.seeds, boards=self.boards, keep_moves=self.records, stop=stop
        ):
            yield GameRow.of_result(result, spec, self.rules, record=self.records)


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The progress of a task since its last report.

    Attributes:
        rows: finished games, in order.
        error: error message of the game after these; empty if nothing failed.
        lost: why the worker ended in the game after these; empty if it did not.
        done: True if this is the last report.
    """

    task: Task
    rows: tuple[GameRow, ...] = ()
    error: str = ""
    lost: str = ""
    done: bool = False


class TaskPlayers:
    """The players of one worker; each is made once."""

    def __init__(self) -> None:
        self.players: dict[str, Player] = {}

    def play(self, task: Task, stop: Callable[[], bool]) -> Iterator[GameRow]:
        """Play the games of a task until `stop` returns True."""
        if task.spec not in self.players:
            self.players[task.spec] = make_player(task.spec, allow_code=task.allow_code)
        player = self.players[task.spec]
        yield from task.play(player, player.spec, stop)

    def close(self) -> None:
        """Close the players."""
        for player in self.players.values():
            player.close()


def answers(rows: Iterator[GameRow]) -> Iterator[tuple[GameRow, ...] | str]:
    """Games in batches as they finish; at the end an error message, empty if nothing failed."""
    batch: list[GameRow] = []
    error, last = "", time.monotonic()
    try:
        for row in rows:
            batch.append(row)
            if time.monotonic() - last >= REPORT_SECONDS:
                yield tuple(batch)
                batch, last = [], time.monotonic()
    except (Exception, SystemExit) as fault:  # a player may call sys.exit()
        error = describe_caught(fault)
    yield tuple(batch)
    yield error


class GameWorkers:
    """Up to `jobs` tasks at a time, each in a thread, which uses a process for Python players.

    Args:
        jobs: number of tasks at a time; 0 plays them in `submit`.
        timeout: seconds for one game in a process; None for no timeout.
    """

    is_remote: ClassVar[bool] = False
    """True if all players play in processes, which take long to start: no task waits for one."""

    def __init__(self, jobs: int, *, timeout: float | None = None) -> None:
        self.jobs = jobs
        self.timeout = timeout
        self._stop = threading.Event()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._reports: queue.SimpleQueue[TaskReport | Exception] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._crew = TaskPlayers()
        # Closing one end signals every process that holds the other, without a lock that a
        # crashed process could leave locked.
        self._alive, self._line = multiprocessing.Pipe(duplex=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.stop()
        for _thread in self._threads:
            self._tasks.put(None)
        for thread in self._threads if kind is None else ():
            thread.join()
        self._alive.close()
        self._crew.close()

    def stop(self) -> None:
        """Ask all games to end."""
        self._stop.set()
        self._line.close()

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Queue a task; the caller keeps at most `jobs` tasks in the queue."""
        if self.jobs == 0:
            self._play_here(self._crew, task, stop)
            return
        if len(self._threads) < self.jobs:
            name = f"twofold-games-{len(self._threads) + 1}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
            thread.start()
        self._tasks.put(task)

    def reports(self) -> list[TaskReport]:
        """Reports since the last call; waits a short time if there are none.

        Raises what ended a thread: its games would be missing for ever.
        """
        found = []
        with contextlib.suppress(queue.Empty):
            report = self._reports.get(timeout=POLL_SECONDS)
            while True:
                if isinstance(report, Exception):
                    raise report
                found.append(report)
                report = self._reports.get_nowait()
        return found

    def _serve(self) -> None:
        try:
            self._serve_tasks()
        except BaseException as fault:  # `reports` raises it in the main thread
            self._reports.put(as_fault(fault))

    def _serve_tasks(self) -> None:
        crew, process = TaskPlayers(), None
        while not self._stop.is_set():
            if process is None and self.is_remote:
                process = self.start_process()
            task = self._tasks.get()
            if task is None:
                break
            if task.compiled and not self.is_remote:
                self._play_here(crew, task, self._stop.is_set)
                continue
            process = process or self.start_process()
            if not self._play_there(process, task):
                process = None
        crew.close()
        if process is not None:
            process.end()

    def start_process(self) -> "TaskProcess":
        """Start the process in which a thread plays Python players."""
        return _Process(self._alive)

    def _play_here(self, crew: TaskPlayers, task: Task, stop: Callable[[], bool]) -> None:
        for answer in answers(crew.play(task, stop)):
            if isinstance(answer, str):
                self._reports.put(TaskReport(task, error=answer, done=True))
            else:
                self._reports.put(TaskReport(task, answer))

    def _play_there(self, process: "TaskProcess", task: Task) -> bool:
        """Play a task in a process; False if the process is lost."""
        lost, played = process.begin(task), 0
        while not lost:
            answer = process.answer(self.timeout, self._stop.is_set)
            if isinstance(answer, tuple):
                played += len(answer)
                self._reports.put(TaskReport(task, answer))
            elif isinstance(answer, ProcessLost):
                lost = answer.why
            else:
                if answer == "" and played < task.seeds.count and not self._stop.is_set():
                    answer = "its process left out a game"
                self._reports.put(TaskReport(task, error=answer, done=True))
                return True
        stopped = self._stop.is_set()
        self._reports.put(TaskReport(task, lost="" if stopped else lost, done=True))
        return False


@dataclass(frozen=True, slots=True)
class ProcessLost:
    """The reason why a process ended."""

    why: str


class TaskProcess(Protocol):
    """Plays the tasks of players that need a process."""

    def begin(self, task: Task) -> str:
        """Send a task; an error message if that fails, else empty."""

    def answer(
        self, timeout: float | None, stop: Callable[[], bool]
    ) -> tuple[GameRow, ...] | str | ProcessLost:
        """Finished games; at the end of the task an error message, empty if nothing failed."""

    def end(self) -> None:
        """End the process."""


class _Process:
    """A worker process as its thread uses it; closing the other end of `alive` stops it."""

    def __init__(self, alive: Connection) -> None:
        context = QuietSpawn()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, alive, GRACE_SECONDS), name="twofold-games"
        )
        self._process.start()
        theirs.close()
        self._is_ready = False

    def begin(self, task: Task) -> str:
        try:
            if not self._is_ready:  # the clock of a game starts after this
                self._pipe.recv()
                self._is_ready = True
            self._pipe.send(task)
        except (EOFError, OSError):
            return self._died()
        return ""

    def answer(
        self, timeout: float | None, stop: Callable[[], bool]
    ) -> tuple[GameRow, ...] | str | ProcessLost:
        began = time.monotonic()
        try:
            while not self._pipe.poll(POLL_SECONDS):
                late = timeout is not None and time.monotonic() - began > timeout
                if late and not stop():
                    self._process.kill()
                    self._process.join()
                    return ProcessLost(f"its game took longer than {timeout:g} s")
            answer: GameRow | str = self._pipe.recv()
        except (EOFError, OSError):
            return ProcessLost(self._died())
        return (answer,) if isinstance(answer, GameRow) else answer

    def _died(self) -> str:
        self._process.join()
        return "its process died"

    def end(self) -> None:
        self._pipe.close()
        self._process.join()


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


def _work(pipe: Connection, alive: Connection, grace_seconds: float) -> None:
    """The loop of a worker process."""
    send, is_stopped = serve(pipe, alive, grace_seconds)
    crew = TaskPlayers()
    with contextlib.suppress(EOFError, OSError):
        send(None)  # ready
        while True:
            task: Task = pipe.recv()
            error = ""
            try:
                for row in crew.play(task, is_stopped):
                    send(row)
            except BaseException as fault:  # a player may raise any
                error = describe_caught(fault)
            send(error)
    crew.close()


def serve(
    pipe: Connection, parent: Connection, grace_seconds: float
) -> tuple[Callable[[Any], None], Callable[[], bool]]:
    """Make this process a worker; how it sends through `pipe`, and whether it is to stop.

    Ctrl-C goes to the parent only, which stops its workers: it closes the other end of `parent`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # the output of a player is not a result
    stop = threading.Event()
    threading.Thread(target=_watch, args=(parent, stop, grace_seconds), daemon=True).start()
    return _only_here(pipe.send), _only_here(stop.is_set)


def _only_here(function: Callable[P, T]) -> Callable[P, T]:
    """The function for this process only: it ends a copy of the process that a player has forked.

    The copy would play the same games, and its answers would count as those of this process.
    """
    here = os.getpid()

    def checked(*args: P.args, **keys: P.kwargs) -> T:
        if os.getpid() != here:
            os._exit(0)
        return function(*args, **keys)

    return checked


def _watch(parent: Connection, stop: threading.Event, grace_seconds: float) -> None:
    """End the game, then this process, once the parent closes the pipe or is gone."""
    with contextlib.suppress(OSError):
        parent.poll(None)
    stop.set()
    time.sleep(grace_seconds)
    os._exit(1)
