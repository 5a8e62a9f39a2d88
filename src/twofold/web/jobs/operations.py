"""The HTTP operations on jobs: start, list, stop, resume, remove."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from twofold.errors import InvalidInput, TwofoldError
from twofold.networks.patterns import NAMED
from twofold.notation import printable
from twofold.web.jobs.queue import Job, JobQueue
from twofold.web.jobs.wanted import MAX_GAMES, MAX_PLAYERS, MAX_SECONDS, Wanted
from twofold.web.operations import Operation, operation, operations_of
from twofold.web.roster import MAX_THREADS

NETWORKS: Final = ("2x4", "4x5", "4x6", "5x6", "8x6")
"""Layouts to choose from, small ones first."""

assert set(NETWORKS) <= set(NAMED)


class JobId(msgspec.Struct, frozen=True):
    """A job's id."""

    job: str


class JobInfo(msgspec.Struct, kw_only=True, frozen=True):
    """A job in the list; texts are empty and numbers null if unknown.

    Attributes:
        kind: bench, train or table.
        title: its file or table.
        state: running, waiting, done, failed or stopped.
        stopping: true if it was stopped and is still saving.
        cause: of a stopped job: person, or server if that ended.
        progress: 0 to 1.
        left: estimated seconds left.
        message: why it failed.
        started, ended: of the last run, ISO 8601.
        result: address of its result page.
        command: as typed in a terminal.
    """

    id: str
    kind: str
    title: str
    state: str
    stopping: bool
    cause: str
    progress: float | None
    left: float | None
    message: str
    started: str
    ended: str
    result: str
    command: str
    resumable: bool
    lengthenable: bool


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


def job_operations(queue: JobQueue, folder: Path, *, allowed: bool) -> list[Operation]:
    """The operations on jobs in the folder of the Lab; they are refused unless `allowed`."""
    return operations_of(_Jobs(queue, folder, allowed=allowed))


class _Jobs:
    def __init__(self, queue: JobQueue, folder: Path, *, allowed: bool) -> None:
        self._queue = queue
        self._folder = folder
        self._allowed = allowed

    @operation("GET /api/jobs")
    def jobs(self) -> list[JobInfo]:
        """List the jobs, newest first."""
        return [self._info(job) for job in self._queue.jobs()] if self._allowed else []

    @operation("POST /api/jobs", status=201, at_once=1)
    def submit(self, body: Wanted) -> JobId:
        """Start or queue a job."""
        self._check_allowed()
        return JobId(self._queue.submit(body, self._folder))

    @operation("POST /api/jobs/check", at_once=1)
    def check(self, body: Wanted) -> Checked:
        """Check a job without starting it."""
        try:
            self._check_allowed()
            plan = self._queue.check(body, self._folder)
        except TwofoldError as error:
            return Checked(error=printable(str(error)))
        return Checked(plan.command, plan.disk, plan.memory)

    @operation("GET /api/jobs/limits")
    def limits(self) -> JobLimits:
        """Limits of jobs on this server."""
        return JobLimits(
            self._allowed, MAX_THREADS, MAX_GAMES, MAX_PLAYERS, MAX_SECONDS, [*NETWORKS]
        )

    @operation("POST /api/jobs/{job}/stop")
    def stop(self, job: str) -> JobId:
        """Save and stop a job."""
        return self._change(self._queue.stop, job)

    @operation("POST /api/jobs/{job}/resume", at_once=1)
    def resume(self, job: str) -> JobId:
        """Resume a job."""
        return self._change(self._queue.resume, job, self._folder)

    @operation("POST /api/jobs/{job}/lengthen", at_once=1)
    def lengthen(self, job: str) -> JobId:
        """Let a finished training go on for as long again."""
        return self._change(self._queue.lengthen, job, self._folder)

    @operation("DELETE /api/jobs/{job}")
    def remove(self, job: str) -> JobId:
        """Remove an ended job from the list; its results stay."""
        return self._change(self._queue.remove, job)

    def _change(self, act: Callable[..., None], job: str, *more: Path) -> JobId:
        self._check_allowed()
        act(job, *more)
        return JobId(job)

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InvalidInput(
                "jobs are disabled, since other machines can reach the server. Start "
                "twofold serve without --host, or run the command in a terminal"
            )

    def _info(self, job: Job) -> JobInfo:
        is_here = job.folder == str(self._folder.resolve())
        there = is_here and all((self._folder / name).is_file() for name in job.files)
        return JobInfo(
            id=job.id,
            kind=job.wanted.kind,
            title=printable(job.title),
            state=job.state,
            stopping=self._queue.is_stopping(job.id),
            cause=job.cause if job.state == "stopped" else "",
            progress=job.progress,
            left=self._queue.left_of(job.id),
            message=printable(job.message),
            started=job.started,
            ended=job.ended,
            result=job.result if there else "",
            command=printable(job.command),
            resumable=job.state in ("stopped", "failed"),
            lengthenable=there and job.longer is not None,
        )
