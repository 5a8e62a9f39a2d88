"""Jobs in files, one each, so that the list survives a restart of the server."""

import secrets
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec.structs import replace

from twofold.errors import InvalidInput
from twofold.files import atomic_write, read_start
from twofold.folders import make_private
from twofold.locks import is_held, remove_abandoned
from twofold.notation import printable
from twofold.play.store import NotFound
from twofold.web.jobs.wanted import MAX_SECONDS, TrainJob, Wanted

MAX_KEPT: Final = 50
"""Maximum length of the list; the oldest ended jobs are dropped."""

MAX_FILES: Final = 500
"""Maximum number of files to read."""

MAX_BYTES: Final = 65_536
"""Maximum size of a job's file."""

SUFFIX: Final = ".json"
SERVER: Final = ".server"
"""Suffix of the lock file of a server with jobs."""

ENDED: Final = ("done", "failed", "stopped")

State = Literal["waiting", "running", "done", "failed", "stopped"]
Cause = Literal["", "person", "server"]


FileName = Annotated[str, msgspec.Meta(max_length=100, pattern=r"^[A-Za-z0-9_.-]+$")]


class Job(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A job in its file; times are ISO 8601 in UTC, empty if unknown.

    Attributes:
        folder: folder of the Lab.
        title: its file or table.
        files: names of the files that it writes in the folder.
        result: address of its result page; empty for none.
        server: id of the server that runs it.
        cause: for a stopped job, whether a person stopped it or the server ended.
        begun: True once its command has written the file from which it resumes.
        progress: 0 to 1; None if unknown.
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
        """True if it is neither queued nor running."""
        return self.state in ENDED

    @property
    def longer(self) -> TrainJob | None:
        """A finished training with twice its time; None if it cannot take longer."""
        wanted = self.wanted
        if self.state != "done" or not isinstance(wanted, TrainJob):
            return None
        seconds = min(2 * wanted.seconds, MAX_SECONDS)
        return replace(wanted, seconds=seconds) if seconds > wanted.seconds else None

    def end(self, state: State, *, cause: Cause = "", message: str = "") -> None:
        """Set the state of a job that ends."""
        self.state, self.cause, self.message, self.ended = state, cause, message, now()


class Damaged(msgspec.Struct):
    """A job's file that cannot be read."""

    id: str
    why: str


def is_plain(path: Path) -> bool:
    """True for a regular file that is not a link."""
    return path.is_file() and not path.is_symlink()


def now() -> str:
    """The time in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


def new_id() -> str:
    """A random id."""
    return secrets.token_hex(6)


class JobFolder:
    """The files of jobs. Thread-safe; a server writes only its own jobs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """Create the folder, and remove lock files of killed servers; raises InvalidInput."""
        try:
            make_private(self.path)
            remove_abandoned(self.path, SERVER)
        except OSError as error:
            raise InvalidInput(f"cannot use {str(self.path)!a}: {error.strerror}") from None

    def all(self) -> list[Job | Damaged]:
        """All jobs, newest first, then unreadable files."""
        found: list[Job | Damaged] = []
        for path in sorted(self.path.glob(f"*{SUFFIX}"))[:MAX_FILES]:
            if path.stem.isalnum() and path.stem.isascii() and is_plain(path):
                found.append(self._read(path))
        return sorted(found, key=_order)

    def get(self, job: str) -> Job | Damaged:
        """A job by id; raises NotFound."""
        path = self._path(job)
        if not is_plain(path):
            raise NotFound(f"there is no job {printable(job)[:100]!r}")
        return self._read(path)

    def write(self, job: Job) -> None:
        """Write a job; raises ResourceError."""
        atomic_write(self._path(job.id), msgspec.json.encode(job))

    def remove(self, job: str) -> None:
        """Delete the file of a job."""
        self._path(job).unlink(missing_ok=True)

    def drop_oldest(self) -> None:
        """Delete the oldest ended jobs beyond `MAX_KEPT`."""
        over = [job for job in self.all() if isinstance(job, Job) and job.has_ended]
        for job in over[MAX_KEPT:]:
            self.remove(job.id)

    def is_served(self, job: Job) -> bool:
        """True if the server of a job is running, or its command, which saves after it."""
        command = [Path(job.folder) / name for name in job.files[:1] if job.state == "running"]
        return any(map(is_held, [self.server_path(job.server), *command]))

    def server_path(self, server: str) -> Path:
        """The lock file of a server."""
        return self.path / f"{server}{SERVER}"

    def _path(self, job: str) -> Path:
        if not (job.isalnum() and job.isascii() and len(job) <= 64):
            raise NotFound(f"there is no job {printable(job)[:100]!r}")
        return self.path / f"{job}{SUFFIX}"

    def _read(self, path: Path) -> Job | Damaged:
        try:
            job = msgspec.json.decode(read_start(path, MAX_BYTES), type=Job)
        except (InvalidInput, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            return Damaged(path.stem, printable(f"the file {path.name} is damaged: {error}")[:300])
        if job.id != path.stem or not job.server.isalnum():
            return Damaged(path.stem, f"the file {path.name} belongs to another job")
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
