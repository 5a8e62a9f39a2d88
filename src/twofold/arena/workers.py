"""Workers: where games are played. Threads for compiled players, processes for the others.

A thread is enough where the work is done in kernels, which release the interpreter's lock;
threads share the compiled code and the tables. Python code needs a process to itself.
Processes are spawned, never forked, and make their players from the specs.
"""

import contextlib
import itertools
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import dataclass
from typing import Any, Final, Self

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
        self._context: Any = multiprocessing.get_context("spawn")
        self._process_stop: Any = None
        self._pools: dict[bool, Executor] = {}
        self._crews: list[Crew] = []
        self._local = threading.local()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.stop()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        _end_processes(self._pools.get(False))
        if kind is None and True in self._pools:
            self._pools[True].shutdown(wait=True)
        for crew in self._crews:
            crew.close()

    def stop(self) -> None:
        """Ask all games to end."""
        self._stop.set()
        if self._process_stop is not None:
            self._process_stop.set()

    def submit(self, task: Task, stop: Callable[[], bool]) -> Future[Answer]:
        """Have a game played."""
        if self.jobs == 1:
            done: Future[Answer] = Future()
            done.set_result(self._play_here(task, stop))
            return done
        compiled = self.compiled[task.player]
        if compiled not in self._pools:
            self._pools[compiled] = self._threads() if compiled else self._processes()
        if compiled:
            return self._pools[True].submit(self._play_here, task, self._stop.is_set)
        return self._pools[False].submit(_play_in_process, task)

    def _threads(self) -> Executor:
        return ThreadPoolExecutor(self.jobs, thread_name_prefix="twofold-game")

    def _processes(self) -> Executor:
        self._process_stop = self._context.Event()
        return ProcessPoolExecutor(
            self.jobs,
            mp_context=self._context,
            initializer=_start_process,
            initargs=(self._process_stop,),
        )

    def _play_here(self, task: Task, stop: Callable[[], bool]) -> Answer:
        crew = getattr(self._local, "crew", None)
        if crew is None:
            crew = self._local.crew = Crew()
            self._crews.append(crew)
        with contextlib.redirect_stdout(sys.stderr):  # what a player prints is no result
            return crew.play(task, stop)


def play_tasks(
    workers: Workers, tasks: Iterator[Task], stop: Callable[[], bool]
) -> Iterator[tuple[Task, GameRow | str]]:
    """Play games, `workers.jobs` at a time, and give each answer as it comes.

    Tasks are taken from the iterator one by one as workers become free. Games that are
    not finished when `stop` says so are dropped.
    """
    waiting: dict[Future[Answer], Task] = {}
    while not stop():
        for task in itertools.islice(tasks, workers.jobs - len(waiting)):
            waiting[workers.submit(task, stop)] = task
        if not waiting:
            return
        done, _ = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda one: waiting[one].number):
            task = waiting.pop(future)
            answer = _answer(future)
            if answer is not None:
                yield task, answer


def _answer(future: Future[Answer]) -> Answer:
    """The answer of a worker; one that died is a failure of the game it played."""
    error = future.exception()
    return future.result() if error is None else describe(error)


def _end_processes(pool: Executor | None) -> None:
    """Wait for worker processes to end, and end those that do not."""
    if pool is None:
        return
    waiter = threading.Thread(target=pool.shutdown, daemon=True)
    waiter.start()
    waiter.join(GRACE_SECONDS)
    if waiter.is_alive():
        for process in list(getattr(pool, "_processes", None) or {}):
            _end_process(process)
        waiter.join(GRACE_SECONDS)


def _end_process(number: int) -> None:
    for child in multiprocessing.active_children():
        if child.pid == number:
            child.terminate()


_crew: Crew
_stopped: Callable[[], bool]


def _start_process(stop: Any) -> None:
    """Set up a worker process; Ctrl-C is for the parent, which tells the workers."""
    global _crew, _stopped
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    _crew = Crew()
    _stopped = stop.is_set


def _play_in_process(task: Task) -> Answer:
    return _crew.play(task, _stopped)
