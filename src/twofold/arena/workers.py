"""Workers: where games are played. Threads for compiled players, processes for the others.

A thread is enough where the work is done in kernels, which release the interpreter's lock;
threads share the compiled code and the tables. Python code needs a process to itself.
Processes are spawned, never forked, and make their players from the specs.
"""

import contextlib
import itertools
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Final, Self

from twofold.errors import TwofoldError
from twofold.players import Player, make_player, play_game
from twofold.rules import Rules

POLL_SECONDS: Final = 0.1
"""How often a run that waits for its workers looks whether it is asked to stop."""

GRACE_SECONDS: Final = 2.0
"""How long workers may take to notice that they are asked to stop."""


@dataclass(frozen=True, slots=True)
class Task:
    """One game to play.

    Attributes:
        player: position of the player among the players of the run.
        number: position of the game among the games of this player.
        spec: the player's spec, as given.
        rules: the rules of the game.
        seed: its seed.
    """

    player: int
    number: int
    spec: str
    rules: Rules
    seed: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """One finished game.

    Attributes:
        player: canonical spec of the player.
        seed: the seed.
        score: points at the end.
        moves: number of moves made.
        max_tile: largest tile on the final board.
        reached: for each exponent k, the move number at which the largest tile first was
            2^k or more.
        seconds: time taken, wall clock; depends on the machine.
    """

    player: str
    seed: int
    score: int
    moves: int
    max_tile: int
    reached: tuple[int, ...]
    seconds: float


Answer = GameRow | str | None
"""A finished game, or one sentence about what failed, or None for a game that was stopped."""


class Crew:
    """The players of one worker: each is made once and plays game after game."""

    def __init__(self) -> None:
        self.players: dict[int, Player] = {}

    def play(self, task: Task, stop: Callable[[], bool]) -> Answer:
        """Play one game; an error of the player becomes its sentence."""
        try:
            if task.player not in self.players:
                self.players[task.player] = make_player(task.spec)
            player = self.players[task.player]
            result = play_game(player, task.rules, task.seed, stop=stop)
        except Exception as error:
            return describe(error)
        if result is None:
            return None
        return GameRow(
            player.spec,
            result.seed,
            result.score,
            result.moves,
            result.max_tile,
            result.reached,
            result.seconds,
        )

    def close(self) -> None:
        """Close the players."""
        for player in self.players.values():
            player.close()


def describe(error: BaseException) -> str:
    """One sentence: our own errors as they are, others with their type."""
    if isinstance(error, TwofoldError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Workers:
    """Up to `jobs` games at a time.

    Args:
        jobs: number of games at a time. With 1 the games are played in the calling thread.
        compiled: for each player, whether it is compiled.
    """

    def __init__(self, jobs: int, compiled: Sequence[bool]) -> None:
        self.jobs = jobs
        self.compiled = compiled
        self._stop = threading.Event()
        self._context = Spawn()
        # Closing the one end tells every process that holds the other, without a lock that a
        # process might take with it when it dies.
        self._alive, self._line = multiprocessing.Pipe(duplex=False)
        self._pools: dict[bool, Executor] = {}
        self._crews: list[Crew] = []
        self._local = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.stop()
        for pool in self._pools.values():
            pool.shutdown(wait=kind is None, cancel_futures=True)
        self._alive.close()
        for crew in self._crews:
            crew.close()

    def stop(self) -> None:
        """Ask all games to end."""
        self._stop.set()
        self._line.close()

    def submit(self, task: Task, stop: Callable[[], bool]) -> Future[Answer]:
        """Have a game played."""
        if self.jobs == 1:
            done: Future[Answer] = Future()
            done.set_result(self._play_here(task, stop))
            return done
        if self.compiled[task.player]:
            return self._pool(True).submit(self._play_here, task, self._stop.is_set)
        try:
            return self._pool(False).submit(_play_in_process, task)
        except BrokenExecutor:
            self.drop_processes()
            return self._pool(False).submit(_play_in_process, task)

    def _pool(self, compiled: bool) -> Executor:
        if compiled not in self._pools:
            self._pools[compiled] = self._threads() if compiled else self._processes()
        return self._pools[compiled]

    def drop_processes(self) -> None:
        """Forget the processes, one of which has died; new ones start when needed."""
        pool = self._pools.pop(False, None)
        if pool is not None:
            pool.shutdown(wait=False)

    def _threads(self) -> Executor:
        return ThreadPoolExecutor(self.jobs, thread_name_prefix="twofold-game")

    def _processes(self) -> Executor:
        return ProcessPoolExecutor(
            self.jobs,
            mp_context=self._context,
            initializer=_start_process,
            initargs=(self._alive, GRACE_SECONDS),
        )

    def _play_here(self, task: Task, stop: Callable[[], bool]) -> Answer:
        crew = getattr(self._local, "crew", None)
        if crew is None:
            crew = self._local.crew = Crew()
            self._crews.append(crew)
        return crew.play(task, stop)


def play_tasks(
    workers: Workers, tasks: Iterator[Task], stop: Callable[[], bool]
) -> Iterator[tuple[Task, GameRow | str]]:
    """Play games, `workers.jobs` at a time, and give each answer as it comes.

    Tasks are taken from the iterator one by one as workers become free. Games that are
    not finished when `stop` says so are dropped. When a process dies, the games that were
    being played are played again, one at a time, so that the one that kills its process is
    known; it is the one that failed.
    """
    waiting: dict[Future[Answer], Task] = {}
    suspects: deque[Task] = deque()
    while not stop():
        if suspects and not waiting:
            suspect = suspects.popleft()
            waiting[workers.submit(suspect, stop)] = suspect
        elif not suspects:
            for task in itertools.islice(tasks, workers.jobs - len(waiting)):
                waiting[workers.submit(task, stop)] = task
        if not waiting:
            return
        done, _ = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        on_trial = len(waiting) == 1
        for future in sorted(done, key=lambda one: waiting[one].number):
            task = waiting.pop(future)
            if not isinstance(future.exception(), BrokenExecutor):
                answer = future.result()
            elif on_trial:
                answer = "its process died"
            else:
                suspects.append(task)
                continue
            if answer is not None:
                yield task, answer


_crew: Crew
_stopped: Callable[[], bool]


class _Process(SpawnProcess):
    """A spawned process that Ctrl-C never reaches, not even while it starts."""

    def start(self) -> None:
        """Start the process with SIGINT blocked, which it inherits."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            super().start()
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Spawn(SpawnContext):
    """Starts processes that Ctrl-C never reaches."""

    Process = _Process


def _start_process(parent: Connection, grace_seconds: float) -> None:
    """Set up a worker process; Ctrl-C is for the parent, which tells the workers."""
    global _crew, _stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr  # what a player prints is no result
    _crew = Crew()
    stop = threading.Event()
    _stopped = stop.is_set
    threading.Thread(target=watch_parent, args=(parent, stop, grace_seconds), daemon=True).start()


def watch_parent(parent: Connection, stop: threading.Event, grace_seconds: float) -> None:
    """Ask the game to end, then end this process, once the parent hangs up or is gone."""
    with contextlib.suppress(OSError):
        parent.poll(None)
    stop.set()
    time.sleep(grace_seconds)
    os._exit(1)


def _play_in_process(task: Task) -> Answer:
    return _crew.play(task, _stopped)
