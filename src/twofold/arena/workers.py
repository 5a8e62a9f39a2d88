"""Splits games into tasks, and has workers play them: threads, processes, or a Ray cluster.

Kernels release the interpreter's lock, so threads are enough for them and share the compiled
code and the tables. Python code gets a process of Pebble's pool, which may crash or hang without
harm. Processes are spawned, never forked, and make their players from the specs.

Workers on a Ray cluster: games are played there, and their results come back.

A player's files, networks or Python code, are put into the object store once; a worker copies
those that its machine lacks. Endgame tables are not sent: they must be built on each machine.
"""

import contextlib
import hashlib
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import resource_tracker, util
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import Any, Final, Self

from pebble import ProcessExpired, ProcessPool

from twofold.arena.boards import StartBoards
from twofold.arena.games import GameColumns, record_text
from twofold.errors import ClusterError, InvalidInput, InvalidSpec, InvalidTable, MissingExtra
from twofold.game.board import Board
from twofold.game.notation import SeedRange, printable
from twofold.game.rules import Rules
from twofold.players import Player, PlayerSpec
from twofold.players.base import as_fault, describe_caught
from twofold.storage.files import atomic_write, make_private, open_regular, shared_place
from twofold.version import SIGNATURE, __version__

POLL_SECONDS: Final = 0.1
"""Interval at which a waiting run polls `stop`."""

ATTEMPTS: Final = 3
"""A game fails after this many attempts in which its worker died or timed out."""

TASK_SECONDS: Final = 0.25
"""Target duration of a task: short games are grouped."""

TASK_GAMES: Final = 4_096
"""Largest number of games in a task."""


@dataclass(frozen=True, slots=True)
class Task:
    """Games to play, one after the other.

    Attributes:
        player: position of the player among the players of the run.
        spec: the player, as given.
        records: True to keep the records of the games.
        boards: where each game begins; empty for new games.
        canonical: the player's canonical spec.
        compiled: True if threads are enough for the player.
    """

    player: int
    spec: PlayerSpec
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
        error = ""
        try:
            if self.spec.text not in players:
                players[self.spec.text] = self.spec.make(allow_code=self.allow_code)
            player = players[self.spec.text]
            name = name or player.spec
            results.extend(
                play_games(
                    player,
                    self.rules,
                    self.seeds,
                    boards=self.boards,
                    keep_moves=self.records,
                    stop=stop,
                )
            )
        except faults as fault:
            error = describe_caught(fault)
        record = partial(record_text, spec=name, rules=self.rules) if self.records else None
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

    def add(self, report: TaskReport) -> None:
        """Update the mean time of a game."""
        self._games += len(report.games)
        self._seconds += float(report.games.seconds.sum())

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
    players = {one.task.player: one for one in schedules}
    new = _tasks(players.values())
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
            schedule = players[report.task.player]
            schedule.add(report)
            again += _after(report, schedule)
            if len(report.games):
                yield report


def _after(report: TaskReport, schedule: Schedule) -> list[Task]:
    """Store the error of a task; the tasks to play again, of a game each."""
    task = report.task
    if report.error:
        schedule.errors[task.seeds.part(len(report.games)).first] = report.error
    if not report.lost:
        return []
    schedule.attempts.update(task.seeds)
    first = task.seeds.first
    if task.seeds.count == 1 and schedule.attempts[first] >= ATTEMPTS:
        schedule.errors[first] = report.lost
        return []
    return [task.part(place, place + 1) for place in range(task.seeds.count)]


def _tasks(schedules: Iterable[Schedule]) -> Iterator[Task]:
    for schedule in schedules:
        while (task := schedule.next_task()) is not None:
            yield task


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
        if task.compiled:
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


LOCAL: Final = "local"
"""The address that starts a cluster on this machine."""

_ANSWER_SECONDS: Final = 5.0
"""Timeout of the first connection to a cluster."""

_LOOK_SECONDS: Final = 3.0
"""Interval at which a run looks whether Ray still runs on this machine."""

_REFUSALS: Final = ("InvalidAuthToken", "Unauthenticated", "Failed to connect to Ray cluster")
"""Words of Ray's errors where a token is missing or wrong. The last one names no reason: Ray then
prints it on stderr, and the address has answered before."""

_VERSION: Final = f"twofold {__version__} with signature {SIGNATURE}"

_File = tuple[str, str, str, Any]
"""A file of a player: its path in the spec, its name, its SHA-256, the reference of its content."""


class RayWorkers(Backend):
    """Tasks of a cluster.

    A program that has called `ray.init` uses its own connection, which stays open.

    Args:
        address: of the cluster, or `local` for one on this machine.
        jobs: number of tasks at a time; None for the number of cores of the cluster. More than
            there are cores wait for a free one.
        timeout: seconds for one game; None for no timeout.
    """

    def __init__(
        self, address: str, *, jobs: int | None = None, timeout: float | None = None
    ) -> None:
        self._ray = require_ray()
        self._joined = not self._ray.is_initialized()
        if self._joined:
            _check_address(address)
            self._join(address, jobs)
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        super().__init__(jobs or max(cores, 1), timeout)
        self._play = self._ray.remote(num_cpus=1, max_retries=0)(_play_there)
        here = self._ray.get_runtime_context().get_node_id()
        sockets = {one["NodeID"]: one["RayletSocketName"] for one in self._ray.nodes()}
        self._socket = sockets.get(here)
        self._looked = time.monotonic()
        self._calls: dict[Future[TaskReport], tuple[Any, float]] = {}
        self._contents: dict[str, Any] = {}  # by SHA-256: its reference in the object store
        self._files: dict[str, list[_File]] = {}

    def _join(self, address: str, jobs: int | None) -> None:
        where: dict[str, Any] = {"address": address}
        if address == LOCAL:
            where |= {"num_cpus": jobs, "include_dashboard": False}
        before = signal.getsignal(signal.SIGTERM)
        try:
            with contextlib.chdir(os.sep):  # Ray has its workers import from the current folder
                self._ray.init(log_to_driver=False, logging_level="ERROR", **where)
        except SystemExit:  # of Ray's own handler of SIGTERM
            raise KeyboardInterrupt from None
        except Exception as error:  # Ray raises all kinds, the bare one too
            reason = " ".join(str(error).split())
            if any(name in reason for name in _REFUSALS):
                reason += ". If a token protects it, set RAY_AUTH_MODE=token"
            raise InvalidInput(f"cannot reach a Ray cluster at {address}: {reason}") from error
        finally:
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, before)  # Ray's own would end us in a game

    def __exit__(self, *_: object) -> None:
        for call, _begun in self._calls.values():
            self._ray.cancel(call, force=True)
        if self._joined:
            self._ray.shutdown()

    def begin(self, task: Task, stop: Callable[[], bool]) -> Future[TaskReport]:
        """Start a task; the files of a new player are put into the object store."""
        player = task.spec.text
        if player not in self._files:
            self._files[player] = [
                self._stored(text, path) for text, path in files_of(task.spec).items()
            ]
        call = self._play.remote(task, _VERSION, self.timeout, self._files[player])
        future: Future[TaskReport] = call.future()
        self._calls[future] = call, time.monotonic()
        return future

    def reports(self) -> list[TaskReport]:
        """As in `Backend`; raises ClusterError where Ray's process of this machine has ended.

        Ray itself would wait for ever, or end this process without a word.
        """
        if self._socket and time.monotonic() - self._looked >= _LOOK_SECONDS:
            self._looked = time.monotonic()
            if _is_abandoned(self._socket):
                raise ClusterError("the Ray cluster is lost: its process on this machine has ended")
        return super().reports()

    def _report(self, future: Future[TaskReport], task: Task) -> TaskReport:
        """The report of a task; a worker whose time is over ends itself."""
        _, begun = self._calls.pop(future)
        try:
            return future.result()
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, InvalidInput):
                raise error.cause from None
            reason = printable(str(error).strip().rpartition("\n")[2].strip())
            raise ClusterError(f"cannot start workers on the Ray cluster: {reason}") from None
        except self._ray.exceptions.RayError:
            if self.timeout is not None and time.monotonic() - begun >= self.timeout:
                return TaskReport(task, lost=f"its game took longer than {self.timeout:g} s")
            return TaskReport(task, lost="its worker died")

    def _stored(self, text: str, path: Path) -> _File:
        with open_regular(path) as file:
            content = file.read()
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._contents:
            self._contents[digest] = self._ray.put(content)
        return text, path.name, digest, self._contents[digest]


def _is_abandoned(path: str) -> bool:
    """True if the process that listened at a Unix socket of this machine has ended."""
    if not hasattr(socket, "AF_UNIX"):
        return False
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(_LOOK_SECONDS)
        try:
            line.connect(path)
        except ConnectionRefusedError:
            return True
        except OSError:  # busy, or of another machine
            return False
    return False


def _check_address(address: str) -> None:
    """Refuse an unreachable address at once: Ray itself would retry for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not (separator and port.isdecimal()):
        return  # such as `auto`, which Ray resolves itself
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"cannot reach a Ray cluster at {address}: {error}") from None


def require_ray() -> Any:
    """The module `ray`, or MissingExtra."""
    try:
        import ray
    except ImportError:
        raise MissingExtra.of("ray", "playing on a Ray cluster") from None
    return ray


def files_of(spec: PlayerSpec) -> dict[str, Path]:
    """The files that a spec names: networks that do not come with twofold, and code.

    They are keyed by their path as written in the spec, without the name of an object after it.
    """
    from twofold.values.network_file import network_path

    found = {}
    for text in (spec.name, *spec.values.values()):
        home = text.rpartition(":")[0]
        if home.endswith(".py"):
            found[home] = Path(home)
    net = spec.values.get("net")
    if net is not None and not spec.is_code and Path(net).exists():
        found[net] = network_path(net)
    return found


# ---- on the cluster


def _play_there(
    task: Task, version: str, timeout: float | None, files: Sequence[_File]
) -> TaskReport:
    """Play a task in a worker of the cluster, which ends itself after `timeout` seconds."""
    if version != _VERSION:
        raise InvalidInput(f"expected {version} on the whole cluster, got {_VERSION}")
    try:
        if task.spec.text not in _CREW:
            _CREW[task.spec.text] = _made(task, files)
    except (Exception, SystemExit) as fault:  # a player may call sys.exit()
        return TaskReport(task, error=describe_caught(fault))
    clock = threading.Timer(timeout or 0.0, os._exit, (1,))
    clock.daemon = True
    if timeout is not None:
        clock.start()
    try:
        return task.play(_CREW, name=task.canonical)
    finally:
        clock.cancel()


def _made(task: Task, files: Sequence[_File]) -> Player:
    """Make a player from the files on this machine."""
    name, values = task.spec.name, dict(task.spec.values)
    for key, file_name, digest, content in files:
        path = str(_taken(key, file_name, digest, partial(require_ray().get, content)))
        name = _renamed(name, key, path)
        values = {one: _renamed(text, key, path) for one, text in values.items()}
    try:
        spec = PlayerSpec.of_parts(name, values, task.spec.hashes)
        made = spec.make(allow_code=task.allow_code)
    except InvalidTable as error:
        if "tables" not in values:
            raise
        raise InvalidTable(
            f"{error} (on {socket.gethostname()}). Build endgame tables there; they are not sent"
        ) from None
    if made.made_from.hashes != PlayerSpec.parse(task.canonical).hashes:
        raise InvalidSpec(f"expected {task.canonical} on every worker, got {made.spec}")
    return made


def _taken(key: str, name: str, digest: str, content: Callable[[], bytes]) -> Path:
    """The file on this machine; stored unless it is there already."""
    path = Path(key)
    if not (path.is_file() and _digest(path) == digest):
        # a folder that other processes may share, but that no other user can change
        folder = Path(tempfile.gettempdir()) / f"twofold-{digest[:16]}"
        make_private(folder)
        if shared_place(folder):
            folder = Path(tempfile.mkdtemp(prefix="twofold-"))
        path = folder / name
        if not (path.is_file() and _digest(path) == digest):
            atomic_write(path, content())
    return path


def _renamed(text: str, key: str, path: str) -> str:
    if text == key:
        return path
    return path + text[len(key) :] if text.startswith(f"{key}:") else text


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
