"""The jobs of a server: one runs at a time, the others are queued; a file keeps the list.

When the server ends or is killed, the pipe to the command closes, and the command saves and ends.
The next server marks such jobs as stopped. Of several servers with one data folder one runs jobs.
"""

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import msgspec

from twofold.errors import INTERRUPTED, InvalidInput, LimitExceeded, TwofoldError
from twofold.game.notation import printable
from twofold.games.store import NotFound
from twofold.games.threads import start_thread
from twofold.storage.files import alone, atomic_write, is_held, make_private, read_start
from twofold.values.network import NAMED
from twofold.web import job_kinds
from twofold.web.job_kinds import Plan, TrainJob, Wanted, check_new
from twofold.web.job_process import PROGRAM, CommandProcess
from twofold.web.operations import operation
from twofold.web.roster import MAX_THREADS

MAX_WAITING: Final = 8
"""Maximum number of queued jobs."""

MAX_KEPT: Final = 50
"""Maximum length of the list; the oldest ended jobs are dropped."""

CLOSE_SECONDS: Final = 20.0
"""Seconds that the server waits for a command to save; the command then continues without it."""

NETWORKS: Final = ("2x4", "4x5", "4x6", "5x6", "8x6")
"""Layouts to choose from, small ones first."""

assert set(NETWORKS) <= set(NAMED)

ENDED: Final = ("done", "failed", "stopped")

_MAX_BYTES: Final = 16 * 2**20
_WRITE_EVERY: Final = 3.0
_LOOK_EVERY: Final = 0.5
_LOG: Final = logging.getLogger("twofold.web")

_ELSEWHERE: Final = (
    "another twofold serve runs jobs with this folder of data. Use its page, or stop it first"
)

State = Literal["waiting", "running", "done", "failed", "stopped"]
Cause = Literal["", "person", "server"]
Planner = Callable[[Wanted, Path], Plan]


class _Shown(msgspec.Struct, kw_only=True):
    """The fields of a job that a page gets as they are kept; times are ISO 8601 in UTC.

    Attributes:
        title: its file or table.
        state: running, waiting, done, failed or stopped.
        cause: for a stopped job, whether a person stopped it or the server ended.
        progress: 0 to 1; null if unknown.
        message: why it failed.
        started, ended: of the last run; empty if unknown.
        result: address of its result page; empty for none.
        command: as typed in a terminal.
    """

    id: str
    title: str
    command: str
    result: str
    state: State = "waiting"
    cause: Cause = ""
    progress: float | None = None
    message: str = ""
    started: str = ""
    ended: str = ""


class JobInfo(_Shown, kw_only=True):
    """A job in the list.

    Attributes:
        kind: bench, train or table.
        stopping: true if it was stopped and is still saving.
        left: estimated seconds left; null if unknown.
    """

    kind: str
    stopping: bool
    left: float | None
    resumable: bool
    lengthenable: bool


class Job(_Shown, kw_only=True):
    """A job in its file.

    Attributes:
        folder: folder of the Lab.
        files: names of the files that it writes in the folder.
        begun: True once its command has written the file from which it resumes.
    """

    wanted: Wanted
    folder: str
    files: tuple[str, ...]
    begun: bool = False
    created: str

    @property
    def longer(self) -> TrainJob | None:
        """A finished training with twice its time; None if it cannot take longer."""
        wanted = self.wanted
        if self.state != "done" or not isinstance(wanted, TrainJob):
            return None
        seconds = min(2 * wanted.seconds, job_kinds.MAX_SECONDS)
        longer = msgspec.structs.replace(wanted, seconds=seconds)
        return longer if seconds > wanted.seconds else None

    @property
    def path(self) -> Path | None:
        """The file from which it resumes; tables have none in the folder."""
        return Path(self.folder, self.files[0]) if self.files else None

    def end(self, state: State, *, cause: Cause = "", message: str = "") -> None:
        """Set the state of a job that ends."""
        self.state, self.cause, self.message, self.ended = state, cause, message, now()

    def look(self) -> None:
        """Note if its file is there."""
        self.begun |= bool(self.started) and (self.path is None or self.path.exists())

    def check_file(self) -> None:
        """Raise InvalidInput if the file from which it resumes is gone or in use."""
        if self.begun and self.path is not None and not self.path.exists():
            name = self.files[0]
            raise InvalidInput(f"the file {name} is not there. Put it back, or start a new job")
        if self.path is not None and is_held(self.path):
            raise InvalidInput("the job is still being saved. Wait a moment")


def now() -> str:
    """The time in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


class Pace:
    """Estimates the time left of a run from its progress so far."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None
        self.left: float | None = None
        """Seconds left; None if unknown."""

    def add(self, progress: float, when: float) -> None:
        """Record progress, 0 to 1, at a time in seconds."""
        self._first = self._first or (when, progress)
        since, made = when - self._first[0], progress - self._first[1]
        self.left = since * (1 - progress) / made if made > 0 and since >= 1 else None


class JobId(msgspec.Struct, frozen=True):
    """A job's id."""

    job: str


class Checked(msgspec.Struct, frozen=True):
    """The command of a job, or the error if it is not possible.

    `disk` and `memory` are in bytes, null if negligible.
    """

    command: str = ""
    disk: int | None = None
    memory: int | None = None
    error: str = ""


class JobLimits(msgspec.Struct, frozen=True):
    """Limits of jobs on this server, and layouts to choose from.

    Attributes:
        allowed: true if jobs can be started.
        games: per player of a bench.
        seconds: of a training run.
    """

    allowed: bool
    threads: int
    games: int
    players: int
    seconds: int
    networks: list[str]


class JobQueue:
    """The job queue of a server, and the operations on it. Thread-safe.

    Args:
        path: folder of its file.
        planner: makes the plan of a job in a folder.
        program: runs a command.

    Attributes:
        folder: that of the Lab.
        allowed: False if other machines can reach the server; then nothing is listed or started.
    """

    def __init__(
        self,
        path: Path,
        planner: Planner = lambda wanted, folder: wanted.plan(folder),
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self.folder, self.allowed = Path(), True
        self._path = path / "jobs.json"
        self._plan = planner
        self._program = program
        self._changed = threading.Condition()
        self._jobs: list[Job] = []  # while this server runs jobs; the next one to run first
        self._running: tuple[str, CommandProcess] | None = None
        self._stopping: set[str] = set()
        self._pace = Pace()
        self._closed = False
        self._held = contextlib.ExitStack()
        self._thread: threading.Thread | None = None

    # ---- operations

    @operation("GET /api/jobs")
    def jobs(self) -> list[JobInfo]:
        """List the jobs, newest first."""
        return [self._info(job) for job in self.all()] if self.allowed else []

    @operation("POST /api/jobs", status=201, at_once=1)
    def submit(self, body: Wanted) -> JobId:
        """Start or queue a job."""
        plan = self._possible(body)
        with self._changed:
            self._hold()
            job = Job(
                id=secrets.token_hex(6),
                wanted=body,
                folder=str(self.folder.resolve()),
                title=plan.title,
                command=plan.command,
                files=plan.files,
                result=plan.result,
                created=now(),
            )
            self._enqueue(job)
        return JobId(job.id)

    @operation("POST /api/jobs/check", at_once=1)
    def check(self, body: Wanted) -> Checked:
        """Check a job without starting it."""
        try:
            plan = self._possible(body)
        except TwofoldError as error:
            return Checked(error=printable(str(error)))
        return Checked(plan.command, plan.disk, plan.memory)

    @operation("GET /api/jobs/limits")
    def limits(self) -> JobLimits:
        """Limits of jobs on this server."""
        most = (job_kinds.MAX_GAMES, job_kinds.MAX_PLAYERS, job_kinds.MAX_SECONDS)
        return JobLimits(self.allowed, MAX_THREADS, *most, [*NETWORKS])

    @operation("POST /api/jobs/{job}/stop")
    def stop(self, job: str) -> JobId:
        """Save and stop a job, or remove it from the queue."""
        with self._changed:
            found = self._find(job)
            if found.state in ENDED:
                raise InvalidInput("the job has ended")
            self._stop(found, "person")
        return JobId(job)

    @operation("POST /api/jobs/{job}/resume", at_once=1)
    def resume(self, job: str) -> JobId:
        """Resume a stopped or failed job."""
        with self._changed:
            found = self._find(job)
            if found.state not in ("stopped", "failed"):
                raise InvalidInput(f"the job cannot be resumed: it is {found.state}")
            self._resume(found)
        return JobId(job)

    @operation("POST /api/jobs/{job}/lengthen", at_once=1)
    def lengthen(self, job: str) -> JobId:
        """Let a finished training go on for as long again."""
        longer = self._find(job).longer
        if longer is None:
            raise InvalidInput("expected a finished training that may take longer")
        command = self._plan(longer, self.folder).command
        with self._changed:
            self._resume(self._find(job), wanted=longer, command=command, progress=None)
        return JobId(job)

    @operation("DELETE /api/jobs/{job}")
    def remove(self, job: str) -> JobId:
        """Remove an ended job from the list; its results stay."""
        with self._changed:
            found = self._find(job)
            if found.state not in ENDED:
                raise InvalidInput("the job has not ended. Stop it first")
            self._write([one for one in self._jobs if one is not found])
        return JobId(job)

    def _info(self, job: Job) -> JobInfo:
        is_here = job.folder == str(self.folder.resolve())
        there = is_here and all((self.folder / name).is_file() for name in job.files)
        is_running = self._running is not None and self._running[0] == job.id
        shown = {name: getattr(job, name) for name in _Shown.__struct_fields__}
        return JobInfo(
            **shown | {"result": job.result if there else ""},
            kind=str(job.wanted.__struct_config__.tag),
            stopping=job.id in self._stopping,
            left=self._pace.left if is_running else None,
            resumable=job.state in ("stopped", "failed"),
            lengthenable=there and job.longer is not None,
        )

    # ---- for the server

    def all(self) -> list[Job]:
        """All jobs, newest first."""
        with self._changed:
            if self._thread is None:
                self._jobs = self._read(is_elsewhere=is_held(self._path))
            return sorted(self._jobs, key=lambda job: job.created, reverse=True)

    def close(self) -> None:
        """Stop all jobs and keep the list. May be called twice."""
        with self._changed:
            self._closed = True
            for job in self._jobs if self._thread else []:
                self._stop(job, "server")
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    # ---- with the lock held

    def _hold(self) -> None:
        """Be the server that runs jobs with this folder of data, from now on."""
        if self._closed:
            raise InvalidInput("the server is shutting down")
        if self._thread is None:
            make_private(self._path.parent)
            try:
                self._held.enter_context(alone(self._path, "server", patience=_LOOK_EVERY))
            except TwofoldError:
                raise InvalidInput(_ELSEWHERE) from None
            self._jobs = self._read()
            self._thread = start_thread(self._work, "twofold-jobs")

    def _read(self, *, is_elsewhere: bool = False) -> list[Job]:
        """The jobs in the file; those of a server that was killed are stopped."""
        try:
            jobs = msgspec.json.decode(read_start(self._path, _MAX_BYTES), type=list[Job])
        except (InvalidInput, msgspec.MsgspecError, UnicodeError) as error:
            if self._path.exists():
                _LOG.warning("%s cannot be read, and was renamed: %s", self._path, error)
                with contextlib.suppress(OSError):
                    self._path.replace(self._path.with_suffix(f".json.damaged-{time.time_ns()}"))
            return []
        for job in jobs:
            if job.state not in ENDED and not is_elsewhere:
                job.end("stopped", cause="server")
        return jobs

    def _write(self, jobs: list[Job]) -> None:
        """Keep these jobs from now on; of those that have ended the last ones."""
        ended = [job for job in jobs if job.state in ENDED][:-MAX_KEPT]
        jobs = [job for job in jobs if job not in ended]
        atomic_write(self._path, msgspec.json.encode(jobs))
        self._jobs = jobs

    def _check_allowed(self) -> None:
        if not self.allowed:
            raise InvalidInput(
                "jobs are disabled, since other machines can reach the server. Start "
                "twofold serve without --host, or run the command in a terminal"
            )

    def _possible(self, wanted: Wanted) -> Plan:
        """The plan of a new job; raises InvalidInput if it is not possible."""
        self._check_allowed()
        plan = self._plan(wanted, self.folder)
        with self._changed:
            check_new(
                plan, self.folder, {job.title for job in self._jobs if job.state not in ENDED}
            )
        return plan

    def _find(self, job: str) -> Job:
        """A job of this server, which may change it."""
        self._check_allowed()
        with self._changed:
            self._hold()
            found = next((one for one in self._jobs if one.id == job), None)
        if found is None:
            raise NotFound(f"there is no job {printable(job)[:100]!r}")
        return found

    def _resume(self, job: Job, **changes: object) -> None:
        if job.folder != str(self.folder.resolve()):
            raise InvalidInput(
                f"the files of this job are in {job.folder!a}. To resume it, start twofold "
                "serve --folder with that folder"
            )
        if job.cause == "server":  # the command of a server that was killed saves after it
            job.look()
        job.check_file()
        again = {"state": "waiting", "cause": "", "message": "", "ended": ""}
        self._enqueue(msgspec.structs.replace(job, **again | changes))

    def _enqueue(self, job: Job) -> None:
        waiting = sum(one.state == "waiting" for one in self._jobs)
        if waiting >= MAX_WAITING:
            raise LimitExceeded(f"{waiting} jobs are waiting already. Wait, or stop some")
        self._write([*(one for one in self._jobs if one.id != job.id), job])
        self._changed.notify_all()

    def _stop(self, job: Job, cause: Cause) -> None:
        if self._running and self._running[0] == job.id:
            job.cause = cause
            self._stopping.add(job.id)
            self._running[1].stop()
        elif job.state == "waiting":
            job.cause = cause
            self._over(job, "stopped")

    def _over(self, job: Job, state: State, message: str = "") -> None:
        job.end(state, cause=job.cause if state == "stopped" else "", message=message)
        self._stopping.discard(job.id)
        try:
            self._write(self._jobs)
        except TwofoldError as error:
            _LOG.error("cannot save the state of the job for %s: %s", job.title, error)

    # ---- the thread

    def _work(self) -> None:
        with self._held:
            while (job := self._next()) is not None:
                self._do(job)

    def _next(self) -> Job | None:
        """Wait for the next job; None on closing."""
        with self._changed:
            while not self._closed:
                waiting = [job for job in self._jobs if job.state == "waiting"]
                if waiting:
                    return waiting[0]
                self._changed.wait()
            return None

    def _do(self, job: Job) -> None:
        try:
            process = self._start(job)
        except (TwofoldError, OSError) as error:
            with self._changed:
                self._over(job, "failed", str(error))
            return
        if process is None:
            return
        code = self._follow(job, process)
        with self._changed:
            self._running = None
            job.look()
            if code == 0:
                job.progress = 1.0
                self._over(job, "done")
            elif code == INTERRUPTED or job.id in self._stopping:
                self._over(job, "stopped")
            else:
                self._over(job, "failed", process.words or f"the command ended with code {code}")

    def _start(self, job: Job) -> CommandProcess | None:
        plan = self._plan(job.wanted, Path(job.folder))
        job.check_file()
        if not job.begun:  # an earlier start has left no network or study, at most a curve
            files = plan.files[:1] if job.started else plan.files
            check_new(replace(plan, files=files), Path(job.folder))
        with self._changed:
            if job.state != "waiting" or self._closed:
                return None
            words = plan.again if job.begun else plan.words
            job.progress = job.progress if job.begun else None
            process = CommandProcess(words, Path(job.folder), self._program)
            job.state, job.started = "running", now()
            self._running, self._pace = (job.id, process), Pace()
            self._write(self._jobs)
        return process

    def _follow(self, job: Job, process: CommandProcess) -> int:
        written = time.monotonic()
        while (code := process.wait(_LOOK_EVERY)) is None:
            with self._changed:
                job.look()
                if process.progress is not None:  # one that goes on does not begin at 0
                    job.progress = process.progress
                    self._pace.add(process.progress, time.monotonic())
                if time.monotonic() - written >= _WRITE_EVERY:
                    written = time.monotonic()
                    with contextlib.suppress(TwofoldError):
                        self._write(self._jobs)
        with self._changed:
            job.progress = job.progress if process.progress is None else process.progress
        return code
