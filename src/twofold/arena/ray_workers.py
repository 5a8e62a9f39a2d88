"""Workers on a Ray cluster: games are played there, and their results come back.

A player's files, networks or Python code, are put into the object store once; a worker copies
those that its machine lacks. Endgame tables are not sent: they must be built on each machine.
"""

import contextlib
import hashlib
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final

from twofold.arena.workers import Backend, Task, TaskReport
from twofold.errors import ClusterError, InvalidInput, InvalidSpec, InvalidTable, MissingExtra
from twofold.game.notation import printable
from twofold.players import Player, PlayerSpec
from twofold.players.base import describe_caught
from twofold.storage.files import atomic_write, make_private, open_regular, shared_place
from twofold.version import SIGNATURE, __version__

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
        player = task.entrant.player.text
        if player not in self._files:
            self._files[player] = [
                self._stored(text, path) for text, path in files_of(task.entrant.player).items()
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

_PLAYERS: Final[dict[str, Player]] = {}
"""The players of this worker; each is made once."""


def _play_there(
    task: Task, version: str, timeout: float | None, files: Sequence[_File]
) -> TaskReport:
    """Play a task in a worker of the cluster, which ends itself after `timeout` seconds."""
    if version != _VERSION:
        raise InvalidInput(f"expected {version} on the whole cluster, got {_VERSION}")
    try:
        if task.entrant.player.text not in _PLAYERS:
            _PLAYERS[task.entrant.player.text] = _made(task, files)
    except (Exception, SystemExit) as fault:  # a player may call sys.exit()
        return TaskReport(task, error=describe_caught(fault))
    clock = threading.Timer(timeout or 0.0, os._exit, (1,))
    clock.daemon = True
    if timeout is not None:
        clock.start()
    try:
        return task.play(_PLAYERS, name=task.entrant.spec)
    finally:
        clock.cancel()


def _made(task: Task, files: Sequence[_File]) -> Player:
    """Make a player from the files on this machine."""
    name, values = task.entrant.player.name, dict(task.entrant.player.values)
    for key, file_name, digest, content in files:
        path = str(_taken(key, file_name, digest, partial(require_ray().get, content)))
        name = _renamed(name, key, path)
        values = {one: _renamed(text, key, path) for one, text in values.items()}
    try:
        spec = PlayerSpec.of_parts(name, values, task.entrant.player.hashes)
        made = spec.make(allow_code=task.entrant.allow_code)
    except InvalidTable as error:
        if "tables" not in values:
            raise
        raise InvalidTable(
            f"{error} (on {socket.gethostname()}). Build endgame tables there; they are not sent"
        ) from None
    if made.made_from.hashes != PlayerSpec.parse(task.entrant.spec).hashes:
        raise InvalidSpec(f"expected {task.entrant.spec} on every worker, got {made.spec}")
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
