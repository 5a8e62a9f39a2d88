"""The HTTP operations on jobs: start, list, stop, go on with, take off the list."""

import os
from pathlib import Path
from typing import Final

import msgspec

from twofold.errors import InvalidInput, TwofoldError
from twofold.networks.patterns import NAMED
from twofold.notation import printable
from twofold.web.jobs.kept import Damaged, Job
from twofold.web.jobs.queue import JobQueue
from twofold.web.jobs.wanted import MAX_GAMES, MAX_PLAYERS, MAX_SECONDS, Wanted
from twofold.web.operations import Call, Operation
from twofold.web.roster import MAX_THREADS

NETWORKS: Final = ("2x4", "4x5", "4x6", "5x6", "8x6")
"""Layouts to pick from, those that learn quickly first."""

assert set(NETWORKS) <= set(NAMED)


class JobId(msgspec.Struct, frozen=True):
    """A job.

    Attributes:
        job: its id.
    """

    job: str


class JobInfo(msgspec.Struct, kw_only=True, frozen=True):
    """A job in the list.

    Attributes:
        id: its id.
        kind: bench, train or table; empty where its file is damaged.
        title: its file or table.
        state: running, waiting, done, failed or stopped.
        stopping: whether it was told to stop, and still saves.
        cause: of a stopped job: person or server, which ended; else empty.
        progress: the part that is done, 0 to 1; null where not known.
        left: seconds that it has left; null where not known.
        message: why it failed; else empty.
        started: when its command was started last, ISO 8601; empty if it never was.
        ended: when that ended; empty before.
        result: address of its page, once there is something to see; else empty.
        command: the same as it is typed in a terminal.
        resumable: whether it can go on.
    """

    id: str
    kind: str = ""
    title: str = ""
    state: str = "failed"
    stopping: bool = False
    cause: str = ""
    progress: float | None = None
    left: float | None = None
    message: str = ""
    started: str = ""
    ended: str = ""
    result: str = ""
    command: str = ""
    resumable: bool = False


class Checked(msgspec.Struct, frozen=True):
    """What would come of a job.

    Attributes:
        command: as it is typed in a terminal.
        disk: bytes of disk that it takes; null where they are few.
        memory: bytes of memory; null where they are few.
        error: why it cannot be done; else empty.
    """

    command: str = ""
    disk: int | None = None
    memory: int | None = None
    error: str = ""


class JobLimits(msgspec.Struct, frozen=True):
    """What jobs may be asked for here.

    Attributes:
        allowed: whether jobs can be started at all.
        threads: most threads or processes.
        games: most games of a player.
        players: most players of a bench.
        seconds: longest training.
        networks: layouts to pick from.
    """

    allowed: bool
    threads: int
    games: int
    players: int
    seconds: int
    networks: list[str]


def job_operations(queue: JobQueue, folder: Path, *, allowed: bool) -> list[Operation]:
    """What the API can do with jobs.

    Args:
        queue: the jobs.
        folder: of the Lab.
        allowed: whether anything can be started, stopped or removed.
    """
    jobs = _Jobs(queue, folder, allowed=allowed)
    return [
        Operation(
            path="/api/jobs", summary="List the jobs, newest first.", work=jobs.list,
            reply=list[JobInfo],
        ),
        Operation(
            method="POST", path="/api/jobs", summary="Start a job, or have it wait for its turn.",
            work=jobs.submit, body=Wanted, reply=JobId, status=201, at_once=1,
        ),
        Operation(
            method="POST", path="/api/jobs/check", summary="What would come of a job.",
            work=jobs.check, body=Wanted, reply=Checked, at_once=1,
        ),
        Operation(
            path="/api/jobs/limits", summary="What jobs may be asked for here.",
            work=jobs.limits, reply=JobLimits,
        ),
        Operation(
            method="POST", path="/api/jobs/{job}/stop", summary="Have a job save and end.",
            work=jobs.stop, reply=JobId,
        ),
        Operation(
            method="POST", path="/api/jobs/{job}/resume", summary="Go on with a job.",
            work=jobs.resume, reply=JobId, at_once=1,
        ),
        Operation(
            method="DELETE", path="/api/jobs/{job}",
            summary="Take a job that has ended off the list; its results stay.",
            work=jobs.remove, reply=JobId,
        ),
    ]  # fmt: skip


class _Jobs:
    """The work of each operation."""

    def __init__(self, queue: JobQueue, folder: Path, *, allowed: bool) -> None:
        self._queue = queue
        self._folder = folder
        self._allowed = allowed

    def list(self, call: Call) -> "list[JobInfo]":
        return [self._info(job) for job in self._queue.jobs()] if self._allowed else []

    def submit(self, call: Call) -> JobId:
        self._check_allowed()
        self._check_folder()
        return JobId(self._queue.submit(call.body, self._folder))

    def check(self, call: Call) -> Checked:
        try:
            self._check_allowed()
            plan = self._queue.check(call.body, self._folder)
        except TwofoldError as error:
            return Checked(error=printable(str(error)))
        return Checked(plan.command, plan.disk, plan.memory)

    def limits(self, call: Call) -> JobLimits:
        return JobLimits(
            self._allowed, MAX_THREADS, MAX_GAMES, MAX_PLAYERS, MAX_SECONDS, [*NETWORKS]
        )

    def stop(self, call: Call) -> JobId:
        self._check_allowed()
        self._queue.stop(call.path["job"])
        return JobId(call.path["job"])

    def resume(self, call: Call) -> JobId:
        self._check_allowed()
        self._queue.resume(call.path["job"], self._folder)
        return JobId(call.path["job"])

    def remove(self, call: Call) -> JobId:
        self._check_allowed()
        self._queue.remove(call.path["job"])
        return JobId(call.path["job"])

    def _check_allowed(self) -> None:
        if not self._allowed:
            raise InvalidInput(
                "jobs can be started only where no other machine reaches the server. Start "
                "twofold serve without --host, or give the command in a terminal"
            )

    def _check_folder(self) -> None:
        if not os.access(self._folder, os.W_OK):
            raise InvalidInput(f"cannot write to the folder of the Lab, {str(self._folder)!a}")

    def _info(self, job: Job | Damaged) -> JobInfo:
        if isinstance(job, Damaged):
            return JobInfo(id=job.id, title=job.id, message=job.why)
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
        )
