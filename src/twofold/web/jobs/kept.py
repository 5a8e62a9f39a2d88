"""Jobs in files: one each, so that the list is there when the server is started again."""

import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from twofold.errors import InvalidInput, TwofoldError
from twofold.files import atomic_write, open_regular
from twofold.folders import make_private
from twofold.locks import alone, remove_abandoned
from twofold.notation import printable
from twofold.play.store import NotFound
from twofold.web.jobs.wanted import Wanted

MAX_KEPT: Final = 50
"""Most jobs in the list; of more the oldest ones that have ended are dropped."""

MAX_FILES: Final = 500
"""Most files that are looked at."""

MAX_BYTES: Final = 65_536
"""Largest file of a job."""

SUFFIX: Final = ".json"
SERVER: Final = ".server"
"""End of the name that a server holds while it works on jobs."""

ENDED: Final = ("done", "failed", "stopped")

State = Literal["waiting", "running", "done", "failed", "stopped"]
Cause = Literal["", "person", "server"]


FileName = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[A-Za-z0-9_.-]+$")]


class Job(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A job as its file has it.

    Attributes:
        id: its name in the list.
        wanted: what is to be done.
        folder: of the Lab that it was asked for in.
        title: its file or table.
        command: the same as it is typed in a terminal.
        files: names of the files that it makes in the folder.
        result: address of its page; empty for none.
        server: the server that works on it.
        state: how it stands.
        cause: of a stopped one, whether a person stopped it or the server ended.
        begun: whether its command was started, and has left a file to go on with.
        progress: the part that is done, 0 to 1; None where not known.
        message: why it failed, in a sentence.
        created: when it was asked for, ISO 8601, UTC; so are the others.
        started: when its command was started last; empty if it never was.
        ended: when that ended; empty before.
    """

    id: str
    wanted: Wanted
    folder: str
    title: str
    command: str
    files: Annotated[tuple[FileName, ...], msgspec.Meta(max_length=4)]
    result: str
    server: Annotated[str, msgspec.Meta(max_length=64)]
    state: State = "waiting"
    cause: Cause = ""
    begun: bool = False
    progress: float | None = None
    message: str = ""
    created: str
    started: str = ""
    ended: str = ""

    @property
    def has_ended(self) -> bool:
        """Whether it neither waits nor runs."""
        return self.state in ENDED

    def end(self, state: State, *, cause: Cause = "", message: str = "") -> None:
        """It is over, for now."""
        self.state, self.cause, self.message, self.ended = state, cause, message, now()


class Damaged(msgspec.Struct):
    """A file in the place of a job that cannot be read.

    Attributes:
        id: its name in the list.
        why: a sentence.
    """

    id: str
    why: str


def is_plain(path: Path) -> bool:
    """Whether a path is a file and no link: jobs are kept in nothing else."""
    return path.is_file() and not path.is_symlink()


def now() -> str:
    """The time, ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


def new_id() -> str:
    """A name for a job that no other has."""
    return secrets.token_hex(6)


class JobFolder:
    """The files of jobs. For use from any thread; the caller writes only jobs of its own.

    Args:
        path: the folder; made when the first job is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """Make the folder, and remove what killed servers have left.

        Raises:
            InvalidInput: it cannot be made.
        """
        try:
            make_private(self.path)
            remove_abandoned(self.path, SERVER)
        except OSError as error:
            raise InvalidInput(f"cannot use {str(self.path)!a}: {error.strerror}") from None

    def all(self) -> list[Job | Damaged]:
        """All jobs, asked for last first; then files that cannot be read."""
        found: list[Job | Damaged] = []
        for path in sorted(self.path.glob(f"*{SUFFIX}"))[:MAX_FILES]:
            if path.stem.isalnum() and path.stem.isascii() and is_plain(path):
                found.append(self._read(path))
        return sorted(found, key=_order)

    def get(self, job: str) -> Job | Damaged:
        """A job.

        Raises:
            NotFound: there is none of that id.
        """
        path = self._path(job)
        if not is_plain(path):
            raise NotFound(f"there is no job {printable(job)[:100]!r}")
        return self._read(path)

    def write(self, job: Job) -> None:
        """Write a job.

        Raises:
            ResourceError: that cannot be done.
        """
        atomic_write(self._path(job.id), msgspec.json.encode(job))

    def remove(self, job: str) -> None:
        """Remove the file of a job."""
        self._path(job).unlink(missing_ok=True)

    def drop_oldest(self) -> None:
        """Keep the list short."""
        over = [job for job in self.all() if isinstance(job, Job) and job.has_ended]
        for job in over[MAX_KEPT:]:
            self.remove(job.id)

    def is_served(self, job: Job) -> bool:
        """Whether the server that works on a job is still there."""
        try:
            with alone(self.server_path(job.server), "server"):
                return False
        except TwofoldError:
            return True

    def server_path(self, server: str) -> Path:
        """What a server holds while it works on jobs."""
        return self.path / f"{server}{SERVER}"

    def _path(self, job: str) -> Path:
        if not (job.isalnum() and job.isascii() and len(job) <= 64):
            raise NotFound(f"there is no job {printable(job)[:100]!r}")
        return self.path / f"{job}{SUFFIX}"

    def _read(self, path: Path) -> Job | Damaged:
        try:
            with open_regular(path) as file:
                job = msgspec.json.decode(file.read(MAX_BYTES), type=Job)
        except (InvalidInput, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            return Damaged(path.stem, printable(f"the file {path.name} is damaged: {error}")[:300])
        if job.id != path.stem or not job.server.isalnum():
            return Damaged(path.stem, f"the file {path.name} is that of another job")
        return job


def _order(job: Job | Damaged) -> tuple[bool, float, str]:
    if isinstance(job, Damaged):
        return True, 0.0, job.id
    return False, -_seconds(job.created), job.id


def _seconds(date: str) -> float:
    try:
        return datetime.fromisoformat(date).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
