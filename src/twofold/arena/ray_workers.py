"""Workers on a Ray cluster: games are played there, and their results come back.

Each job is an actor, used by a thread of this process as a worker process is. A player's files,
networks or Python code, are put into the object store once; an actor copies those that its
machine lacks. Endgame tables are not sent: they must be built on each machine.
"""

import contextlib
import hashlib
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from twofold.arena.games import GameRow
from twofold.arena.workers import POLL_SECONDS, GameWorkers, ProcessLost, Task, TaskReport, answers
from twofold.errors import ClusterError, InvalidInput, InvalidSpec, InvalidTable, MissingExtra
from twofold.files import atomic_write, open_regular
from twofold.folders import make_private, shared_place
from twofold.notation import format_spec, parse_spec, printable, split_hashes
from twofold.players import make_player
from twofold.players.faults import describe_caught
from twofold.players.own_code import is_code
from twofold.version import SIGNATURE, __version__

LOCAL: Final = "local"
"""The address that starts a cluster on this machine."""

_ANSWER_SECONDS: Final = 5.0
"""Timeout of the first connection to a cluster."""

_LOOK_SECONDS: Final = 3.0
"""Interval at which a run looks whether Ray still runs on this machine."""

_STARTS: Final = 3
"""Actors that may end while they start, one after the other, before the run ends."""

_REFUSALS: Final = ("InvalidAuthToken", "Unauthenticated", "Failed to connect to Ray cluster")
"""Words of Ray's errors where a token is missing or wrong. The last one names no reason: Ray then
prints it on stderr, and the address has answered before."""

_VERSION: Final = f"twofold {__version__} with signature {SIGNATURE}"


class RayWorkers(GameWorkers):
    """Actors of a cluster; see `GameWorkers`.

    A program that has called `ray.init` uses its own connection, which stays open.

    Args:
        address: of the cluster, or `local` for one on this machine.
        jobs: number of actors; None for the number of cores of the cluster. More than there are
            cores wait for a free one.
        timeout: seconds for one game; None for no timeout.
    """

    is_remote: ClassVar[bool] = True

    def __init__(
        self, address: str, *, jobs: int | None = None, timeout: float | None = None
    ) -> None:
        self._ray = require_ray()
        self._joined = not self._ray.is_initialized()
        if self._joined:
            _check_address(address)
            self._join(address, jobs)
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        super().__init__(jobs or max(cores, 1), timeout=timeout)
        self._seat = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Seat)
        here = self._ray.get_runtime_context().get_node_id()
        self._socket = {one["NodeID"]: one["RayletSocketName"] for one in self._ray.nodes()}.get(
            here
        )
        self._looked = time.monotonic()
        self._contents: dict[str, Any] = {}  # by SHA-256: its reference in the object store
        self._files: dict[str, Sequence[tuple[str, str, str, Any]]] = {}

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

    def __exit__(self, _kind: object, *rest: object) -> None:
        try:
            super().__exit__(None, *rest)  # always waits for the threads: they use the connection
        finally:
            if self._joined:
                self._ray.shutdown()

    def reports(self) -> list[TaskReport]:
        """As in `GameWorkers`; raises ClusterError where Ray's process of this machine has ended.

        Ray itself would wait for ever, or end this process without a word.
        """
        if self._socket and time.monotonic() - self._looked >= _LOOK_SECONDS:
            self._looked = time.monotonic()
            if _is_abandoned(self._socket):
                raise ClusterError("the Ray cluster is lost: its process on this machine has ended")
        return super().reports()

    def submit(self, task: Task, stop: Callable[[], bool]) -> None:
        """Queue a task; the files of a new player are put into the object store."""
        if task.spec not in self._files:
            self._files[task.spec] = [
                self._stored(text, path) for text, path in files_of(task.spec).items()
            ]
        super().submit(task, stop)

    def _stored(self, text: str, path: Path) -> tuple[str, str, str, Any]:
        """A file: its path in the spec, its name, its SHA-256, the reference of its content."""
        with open_regular(path) as file:
            content = file.read()
        digest = hashlib.sha256(content).hexdigest()
        if digest not in self._contents:
            self._contents[digest] = self._ray.put(content)
        return text, path.name, digest, self._contents[digest]

    def start_process(self) -> "_Actor":
        """An actor, used in place of a process. Waits until the cluster has a core for it.

        Raises:
            ClusterError: actors end while they start.
            InvalidInput: they have another version of twofold.
        """
        reason = ""
        for _ in range(_STARTS):
            actor = _Actor(self._ray, self._seat.remote(), self._files)
            try:
                version = actor.version(self._stop.is_set)
            except self._ray.exceptions.RayError as error:
                reason = _line(error)
                continue
            if version != _VERSION:
                raise InvalidInput(f"expected {_VERSION} on the whole cluster, got {version}")
            return actor
        raise ClusterError(f"cannot start workers on the Ray cluster: {reason}")


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


def _line(error: Exception) -> str:
    """The last line of an error, which names the cause where Ray quotes a traceback."""
    return printable(str(error).strip().rpartition("\n")[2].strip())


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


def files_of(spec: str) -> dict[str, Path]:
    """The files that a spec names: networks that do not come with twofold, and code.

    They are keyed by their path as written in the spec, without the name of an object after it.
    """
    from twofold.networks.library import network_path

    parsed = parse_spec(spec)
    found = {}
    for text in (parsed.name, *parsed.values.values()):
        home = text.rpartition(":")[0]
        if home.endswith(".py"):
            found[home] = Path(home)
    net = parsed.values.get("net")
    if net is not None and not is_code(parsed.name) and Path(net).exists():
        found[net] = network_path(net)
    return found


class _Actor:
    """An actor as its thread uses it; a `TaskProcess`."""

    def __init__(
        self, ray: Any, seat: Any, files: Mapping[str, Sequence[tuple[str, str, str, Any]]]
    ) -> None:
        self._ray, self._seat, self._files = ray, seat, files
        self._calls: list[Any] = []
        self._has: set[str] = set()

    def version(self, stop: Callable[[], bool]) -> str:
        """The version of twofold there; waits for it, unless stopped."""
        self._calls = [self._seat.version.remote()]
        while not self._look():
            if stop():
                self.end()
                return _VERSION
        return str(self._ray.get(self._calls)[0])

    def _look(self) -> bool:
        count = len(self._calls)
        ready, _ = self._ray.wait(self._calls, num_returns=count, timeout=POLL_SECONDS)
        return len(ready) == count

    def begin(self, task: Task) -> str:
        files = () if task.spec in self._has else self._files[task.spec]
        self._has.add(task.spec)
        taken = [self._seat.take.remote(task.spec, *file) for file in files]
        self._calls = [*taken, self._seat.play.remote(task)]
        return ""

    def answer(
        self, timeout: float | None, stop: Callable[[], bool]
    ) -> tuple[GameRow, ...] | str | ProcessLost:
        began = time.monotonic()
        while not self._look():
            if stop():
                self.end()
                return ProcessLost("it was stopped")
            if timeout is not None and time.monotonic() - began > timeout:
                self.end()
                return ProcessLost(f"its game took longer than {timeout:g} s")
        try:
            *_, found = self._ray.get(self._calls)
        except self._ray.exceptions.RayTaskError as error:
            return describe_caught(error.cause)
        except self._ray.exceptions.RayError:
            return ProcessLost("its worker died")
        answer: tuple[GameRow, ...] | str = found
        if isinstance(answer, tuple):
            self._calls = [self._seat.more.remote()]
        return answer

    def end(self) -> None:
        self._ray.kill(self._seat)


class _Seat:
    """The remote part of an actor; its players and their files are known by their specs."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        self._paths: dict[str, dict[str, str]] = {}
        self._answers: Iterator[tuple[GameRow, ...] | str] = iter(())

    def version(self) -> str:
        """The version of twofold here."""
        return _VERSION

    def take(self, spec: str, key: str, name: str, digest: str, content: bytes) -> None:
        """Store the content of a file, unless this machine already has the same file."""
        path = Path(key)
        if not (path.is_file() and _digest(path) == digest):
            path = _own_folder(digest) / name
            if not (path.is_file() and _digest(path) == digest):
                atomic_write(path, content)
        self._paths.setdefault(spec, {})[key] = str(path)

    def play(self, task: Task) -> tuple[GameRow, ...] | str:
        """Begin a task; the first of its answers, see `twofold.arena.workers.answers`."""
        self._answers = answers(self._rows(task))
        return self.more()

    def more(self) -> tuple[GameRow, ...] | str:
        """The next answer."""
        return next(self._answers)

    def _rows(self, task: Task) -> Iterator[GameRow]:
        yield from task.play(self._player(task), task.canonical)

    def _player(self, task: Task) -> Any:
        if task.spec not in self._made:
            made = _made(self._local(task.spec), allow_code=task.allow_code)
            if _hashes(made.spec) != _hashes(task.canonical):
                raise InvalidSpec(f"expected {task.canonical} on every worker, got {made.spec}")
            self._made[task.spec] = made
        return self._made[task.spec]

    def _local(self, spec: str) -> str:
        """The spec with the paths of the files on this machine."""
        parsed = parse_spec(spec)
        name, values = parsed.name, dict(parsed.values)
        for key, path in self._paths.get(spec, {}).items():
            name = _renamed(name, key, path)
            values = {one: _renamed(text, key, path) for one, text in values.items()}
        return format_spec(name, values)


def _made(spec: str, *, allow_code: bool) -> Any:
    """Make a player; the message of a missing endgame table names this machine."""
    try:
        return make_player(spec, allow_code=allow_code)
    except InvalidTable as error:
        if "tables" not in parse_spec(spec).values:
            raise
        raise InvalidTable(
            f"{error} (on {socket.gethostname()}). Build endgame tables there; they are not sent"
        ) from None


def _own_folder(digest: str) -> Path:
    """A folder that other processes may share, but that no other user can change."""
    folder = Path(tempfile.gettempdir()) / f"twofold-{digest[:16]}"
    make_private(folder)
    return Path(tempfile.mkdtemp(prefix="twofold-")) if shared_place(folder) else folder


def _renamed(text: str, key: str, path: str) -> str:
    if text == key:
        return path
    return path + text[len(key) :] if text.startswith(f"{key}:") else text


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _hashes(spec: str) -> dict[str, str]:
    return split_hashes(parse_spec(spec).values)[1]
