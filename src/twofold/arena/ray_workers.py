"""Workers on a Ray cluster: games are played there, and their results come back.

Each job is an actor, used by a thread of this process as a worker process is. A player's files,
networks or Python code, are put into the object store once; an actor copies those that its
machine lacks. Endgame tables are not sent: they must be built on each machine.
"""

import contextlib
import hashlib
import socket
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from twofold.arena.games import GameRow
from twofold.arena.workers import POLL_SECONDS, GameWorkers, ProcessLost, Task, answers
from twofold.errors import InvalidSpec, InvalidTable, MissingExtra, ResourceError
from twofold.files import atomic_write, open_regular
from twofold.folders import make_private, shared_place
from twofold.notation import format_spec, parse_spec, split_hashes
from twofold.players import make_player
from twofold.players.faults import describe_caught
from twofold.players.own_code import is_code

LOCAL: Final = "local"
"""The address that starts a cluster on this machine."""

_ANSWER_SECONDS: Final = 5.0
"""Timeout of the first connection to a cluster."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A player as actors make it.

    Attributes:
        spec: its canonical spec here, under which every game is stored.
        files: path in the spec to (file name, SHA-256 of the content, object store reference).
    """

    spec: str
    files: Mapping[str, tuple[str, str, Any]]


class RayWorkers(GameWorkers):
    """Actors of a cluster; see `GameWorkers`.

    Args:
        address: of the cluster, or `local` for one on this machine.
        players: the specs of the players, as given, and their canonical ones.
        jobs: number of actors; None for the number of cores of the cluster.
        timeout: seconds for one game; None for no timeout.
    """

    def __init__(
        self,
        address: str,
        players: Sequence[tuple[str, str]],
        *,
        jobs: int | None = None,
        timeout: float | None = None,
    ) -> None:
        self._ray = require_ray()
        self._begin(address, jobs)
        cores = int(self._ray.cluster_resources().get("CPU", 1))
        super().__init__(jobs or max(cores, 1), [False] * len(players), timeout=timeout)
        contents: dict[str, Any] = {}
        self._shipped = [self._ship(given, spec, contents) for given, spec in players]

    def _begin(self, address: str, jobs: int | None) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
        _check_address(address)
        try:
            if address == LOCAL:
                self._ray.init(num_cpus=jobs, **quiet)
            else:
                del quiet["include_dashboard"]
                self._ray.init(address=address, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise ResourceError(f"cannot reach a Ray cluster at {address}: {reason}") from error

    def __exit__(self, kind: object, *rest: object) -> None:
        try:
            super().__exit__(kind, *rest)
        finally:
            self._leave()

    def _leave(self) -> None:
        self._ray.shutdown()

    def start_process(self) -> "_Actor":
        """Start an actor, used in place of a process."""
        return _Actor(self._ray, self._shipped)

    def _ship(self, given: str, spec: str, contents: dict[str, Any]) -> Shipped:
        files = {}
        for text, path in files_of(given).items():
            with open_regular(path) as file:
                content = file.read()
            digest = hashlib.sha256(content).hexdigest()
            if digest not in contents:
                contents[digest] = self._ray.put(content)
            files[text] = (path.name, digest, contents[digest])
        return Shipped(spec, files)


def _check_address(address: str) -> None:
    """Refuse an unreachable address at once: Ray itself would retry for minutes."""
    host, separator, port = address.removeprefix("ray://").rpartition(":")
    if not (separator and port.isdecimal()):
        return  # such as `auto`, which Ray resolves itself
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ResourceError(f"cannot reach a Ray cluster at {address}: {error}") from None


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

    def __init__(self, ray: Any, shipped: Sequence[Shipped]) -> None:
        self._ray = ray
        seat = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Seat)
        self._actor = seat.remote(
            [(one.spec, {key: (name, digest) for key, (name, digest, _) in one.files.items()})
             for one in shipped],
        )  # fmt: skip
        self._contents = [
            {key: content for key, (_, _, content) in one.files.items()} for one in shipped
        ]
        self._answers: Any = None
        self._has: set[int] = set()

    def begin(self, task: Task) -> str:
        if task.player not in self._has:  # done before the clock of a game starts
            taken = [
                self._actor.take.remote(task.player, key, content)
                for key, content in self._contents[task.player].items()
            ]
            try:
                self._ray.get([*taken, self._actor.make.remote(task)])
            except self._ray.exceptions.RayError:
                return "its worker died"
            self._has.add(task.player)
        self._answers = self._actor.play.options(num_returns="streaming").remote(task)
        return ""

    def answer(self, timeout: float | None, stop: Any) -> tuple[GameRow, ...] | str | ProcessLost:
        began = time.monotonic()
        while not self._ray.wait([self._answers], timeout=POLL_SECONDS)[0]:
            if stop():
                self.end()
                return ProcessLost("it was stopped")
            if timeout is not None and time.monotonic() - began > timeout:
                self.end()
                return ProcessLost(f"its game took longer than {timeout:g} s")
        try:
            answer: tuple[GameRow, ...] | str = self._ray.get(next(self._answers))
        except self._ray.exceptions.RayTaskError as error:
            return describe_caught(error.cause)
        except (StopIteration, self._ray.exceptions.RayError):
            return ProcessLost("its worker died")
        return answer

    def end(self) -> None:
        self._ray.kill(self._actor)


class _Seat:
    """The remote part of an actor; each player is its canonical spec and the files it needs."""

    def __init__(self, players: Sequence[tuple[str, Mapping[str, tuple[str, str]]]]) -> None:
        self._players = players
        self._made: dict[int, Any] = {}
        self._paths: dict[tuple[int, str], str] = {}

    def take(self, player: int, key: str, content: bytes) -> None:
        """Store the content of a file, unless this machine already has the same file."""
        name, digest = self._players[player][1][key]
        path = Path(key)
        if not (path.is_file() and _digest(path) == digest):
            path = _own_folder(digest) / name
            if not (path.is_file() and _digest(path) == digest):
                atomic_write(path, content)
        self._paths[player, key] = str(path)

    def make(self, task: Task) -> None:
        """Make the player of a task; errors are reported by `play`."""
        with contextlib.suppress(Exception):
            self._player(task)

    def play(self, task: Task) -> Iterator[tuple[GameRow, ...] | str]:
        """The answers to a task: `twofold.arena.workers.answers`."""
        return answers(self._rows(task))

    def _rows(self, task: Task) -> Iterator[GameRow]:
        yield from task.play(self._player(task), self._players[task.player][0])

    def _player(self, task: Task) -> Any:
        if task.player not in self._made:
            spec = self._players[task.player][0]
            made = _made(self._local(task), allow_code=task.allow_code)
            if _hashes(made.spec) != _hashes(spec):
                raise InvalidSpec(f"expected {spec} on every worker, got {made.spec}")
            self._made[task.player] = made
        return self._made[task.player]

    def _local(self, task: Task) -> str:
        """The spec with the paths of the files on this machine."""
        parsed = parse_spec(task.spec)
        name, values = parsed.name, dict(parsed.values)
        for (player, key), path in self._paths.items():
            if player != task.player:
                continue
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
