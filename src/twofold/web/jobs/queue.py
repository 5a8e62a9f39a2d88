"""The jobs of a server: one runs at a time, the others are queued; the list is kept in files.

When the server ends or is killed, the pipe to the command closes, and the command saves and ends.
The next server marks jobs of a server that is gone as stopped.
"""

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Final

from twofold.errors import INTERRUPTED, InvalidInput, LimitExceeded, TwofoldError
from twofold.locks import alone
from twofold.play.threads import start_thread
from twofold.web.jobs.kept import Cause, Damaged, Job, JobFolder, State, new_id, now
from twofold.web.jobs.process import PROGRAM, CommandProcess
from twofold.web.jobs.wanted import Plan, TrainJob, Wanted, check_new

MAX_WAITING: Final = 8
"""Maximum number of queued jobs."""

CLOSE_SECONDS: Final = 20.0
"""Seconds that the server waits for a command to save; the command then continues without it."""

_WRITE_EVERY: Final = 3.0
_LOOK_EVERY: Final = 0.5
_PACE_SECONDS: Final = 30.0
_LOG: Final = logging.getLogger("twofold.web")

Planner = Callable[[Wanted, Path], Plan]


class Pace:
    """Estimates the time left from recent progress."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()

    def add(self, progress: float, when: float) -> None:
        """Record progress, 0 to 1, at a time in seconds."""
        self._marks.append((when, progress))
        while len(self._marks) > 2 and when - self._marks[1][0] > _PACE_SECONDS:
            self._marks.popleft()

    @property
    def left(self) -> float | None:
        """Seconds left; None if unknown."""
        if len(self._marks) < 2:
            return None
        (began, before), (when, progress) = self._marks[0], self._marks[-1]
        rate = (progress - before) / max(when - began, 1e-9)
        return (1 - progress) / rate if rate > 0 and when - began >= 1 else None


class JobQueue:
    """The job queue of a server, with its files in the folder `path`. Thread-safe.

    `planner` makes the plan of a job, `program` runs a command.
    """

    def __init__(
        self,
        path: Path,
        planner: Planner = lambda wanted, folder: wanted.plan(folder),
        program: Sequence[str] = PROGRAM,
    ) -> None:
        self.folder: Final = JobFolder(path)
        self.server: Final = new_id()
        self._plan = planner
        self._program = program
        self._changed = threading.Condition()
        self._own: dict[str, Job] = {}  # queued or running here, in order
        self._running: tuple[str, CommandProcess] | None = None
        self._stopping: set[str] = set()
        self._unsaved: set[str] = set()  # said on stderr, once a job
        self._pace = Pace()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._up: Future[None] = Future()

    # ---- requests

    def submit(self, wanted: Wanted, folder: Path) -> str:
        """Queue a job; returns its id. `folder` is that of the Lab.

        Raises InvalidInput if it is not possible, LimitExceeded if `MAX_WAITING` jobs are queued.
        """
        plan = self._plan(wanted, folder)
        with self._changed:
            check_new(plan, folder, self._busy(folder))
            job = self._new(wanted, folder, plan)
            self._enqueue(job)
        self.folder.drop_oldest()
        return job.id

    def check(self, wanted: Wanted, folder: Path) -> Plan:
        """The plan of a job that is not started; raises as `submit`."""
        plan = self._plan(wanted, folder)
        with self._changed:
            check_new(plan, folder, self._busy(folder))
        return plan

    def lengthen(self, job: str, folder: Path) -> None:
        """Let a finished training go on for as long again; raises as `resume`."""
        found = self._find(job)
        wanted = found.longer
        if wanted is None:
            raise InvalidInput("expected a finished training that may take longer")
        command = self._plan(wanted, folder).command
        self.resume(job, folder, longer=(wanted, command))

    def resume(self, job: str, folder: Path, *, longer: tuple[TrainJob, str] | None = None) -> None:
        """Resume a stopped or failed job; raises NotFound, or InvalidInput if it cannot.

        `longer` is what a finished training becomes, and its command.
        """
        with self._changed:
            found = self._find(job)
            if found.state not in (("done",) if longer else ("stopped", "failed")):
                raise InvalidInput(f"the job cannot be resumed: it is {found.state}")
            if found.folder != str(folder.resolve()):
                raise InvalidInput(
                    f"the files of this job are in {found.folder!a}. To resume it, start twofold "
                    "serve --folder with that folder"
                )
            # The command of a server that was killed saves after it.
            found.begun |= found.cause == "server" and bool(found.started) and _has_file(found)
            _check_file(found)
            if longer:
                found.wanted, found.command = longer
                found.progress = None
            found.server, found.state, found.cause, found.message = self.server, "waiting", "", ""
            found.ended = ""
            self._enqueue(found)

    def stop(self, job: str) -> None:
        """Stop a job after it has saved, or remove it from the queue.

        Raises NotFound, or InvalidInput if it is not queued or running here.
        """
        with self._changed:
            found = self._find(job)
            if job not in self._own:
                where = "has ended" if found.has_ended else "belongs to another twofold serve"
                raise InvalidInput(f"the job {where}")
            self._stop(found, "person")

    def remove(self, job: str) -> None:
        """Remove an ended job from the list; its results stay. Raises NotFound or InvalidInput."""
        with self._changed:
            found = self._settled(self.folder.get(job))
            if isinstance(found, Job) and not found.has_ended:
                raise InvalidInput("the job has not ended. Stop it first")
            self.folder.remove(job)

    def jobs(self) -> list[Job | Damaged]:
        """All jobs, newest first."""
        with self._changed:
            return [self._settled(job) for job in self.folder.all()]

    def left_of(self, job: str) -> float | None:
        """Estimated seconds left of a running job; None if unknown."""
        with self._changed:
            return self._pace.left if self._running and self._running[0] == job else None

    def is_stopping(self, job: str) -> bool:
        """True if a job was stopped but has not ended."""
        return job in self._stopping

    def close(self) -> None:
        """Stop all jobs and keep the list. May be called twice."""
        with self._changed:
            self._closed = True
            for job in list(self._own.values()):
                self._stop(job, "server")
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    # ---- with the lock held

    def _find(self, job: str) -> Job:
        found = self.folder.get(job)
        if isinstance(found, Damaged):
            raise InvalidInput(found.why)
        settled = self._settled(found)
        assert isinstance(settled, Job)
        return settled

    def _settled(self, job: Job | Damaged) -> "Job | Damaged":
        """A job in its current state; it is marked as stopped if its server is gone."""
        if isinstance(job, Damaged) or job.has_ended:
            return job
        if job.id in self._own:
            return self._own[job.id]
        if job.server == self.server or not self.folder.is_served(job):
            job.end("stopped", cause="server")
            with contextlib.suppress(TwofoldError):
                self.folder.write(job)
        return job

    def _busy(self, folder: Path) -> set[str]:
        """What the unfinished jobs make: ours, and those of other servers in this folder."""
        here = str(folder.resolve())
        listed = [self._settled(job) for job in self.folder.all()]
        others = [job for job in listed if isinstance(job, Job) and not job.has_ended]
        return {job.title for job in self._own.values()} | {
            job.title for job in others if job.folder == here
        }

    def _new(self, wanted: Wanted, folder: Path, plan: Plan) -> Job:
        return Job(
            id=new_id(),
            wanted=wanted,
            folder=str(folder.resolve()),
            title=plan.title,
            command=plan.command,
            files=plan.files,
            result=plan.result,
            server=self.server,
            created=now(),
        )

    def _enqueue(self, job: Job) -> None:
        if self._closed:
            raise InvalidInput("the server is shutting down")
        waiting = sum(one.state == "waiting" for one in self._own.values())
        if waiting >= MAX_WAITING:
            raise LimitExceeded(f"{waiting} jobs are waiting already. Wait, or stop some")
        self._start_thread()
        self.folder.write(job)
        self._own[job.id] = job
        self._changed.notify_all()

    def _start_thread(self) -> None:
        if self._thread is None:
            self.folder.make()
            self._thread = start_thread(self._work, "twofold-jobs")
        self._up.result()

    def _stop(self, job: Job, cause: Cause) -> None:
        job.cause = cause
        if self._running and self._running[0] == job.id:
            self._stopping.add(job.id)
            self._running[1].stop()
        elif job.state == "waiting":
            self._over(job, "stopped")

    def _over(self, job: Job, state: State, message: str = "") -> None:
        job.end(state, cause=job.cause if state == "stopped" else "", message=message)
        self._own.pop(job.id, None)
        self._stopping.discard(job.id)
        self._write(job)

    def _write(self, job: Job) -> None:
        try:
            self.folder.write(job)
        except TwofoldError as error:
            if job.id not in self._unsaved:
                _LOG.error("cannot save the state of the job for %s: %s", job.title, error)
            self._unsaved.add(job.id)
        else:
            self._unsaved.discard(job.id)

    # ---- the thread

    def _work(self) -> None:
        """Hold the lock file of this server, and run the jobs in turn."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(alone(self.folder.server_path(self.server), "server"))
            except TwofoldError as error:
                self._up.set_exception(error)
                return
            self._up.set_result(None)
            while (job := self._next()) is not None:
                with self._turn(job) as has_turn:
                    if has_turn:
                        self._do(job)

    def _next(self) -> Job | None:
        """Wait for the next job; None on closing."""
        with self._changed:
            while not self._closed:
                waiting = [job for job in self._own.values() if job.state == "waiting"]
                if waiting:
                    return waiting[0]
                self._changed.wait()
            return None

    @contextlib.contextmanager
    def _turn(self, job: Job) -> Iterator[bool]:
        """Hold the lock for the one running job of all servers on this folder."""
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(alone(self.folder.path / "turn", "job", patience=_LOOK_EVERY))
            except TwofoldError:
                time.sleep(_LOOK_EVERY)
                yield False  # a job of another server is running
                return
            yield job.state == "waiting"

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
            job.begun |= _has_file(job)
            if code == 0:
                job.progress = 1.0
            elif process.progress is not None:
                job.progress = process.progress
            if code == 0:
                self._over(job, "done")
            elif code == INTERRUPTED or job.id in self._stopping:
                self._over(job, "stopped")
            else:
                self._over(job, "failed", process.words or f"the command ended with code {code}")

    def _start(self, job: Job) -> CommandProcess | None:
        folder = Path(job.folder)
        plan = self._plan(job.wanted, folder)
        _check_file(job)
        if not job.begun:  # an earlier start has left no network or study, at most a curve
            check_new(replace(plan, files=plan.files[:1]) if job.started else plan, folder)
        with self._changed:
            if job.state != "waiting" or self._closed:
                return None
            words = plan.again if job.begun else plan.words
            job.progress = job.progress if job.begun else None
            process = CommandProcess(words, folder, self._program)
            job.state, job.started = "running", now()
            self._running, self._pace = (job.id, process), Pace()
            self._write(job)
        return process

    def _follow(self, job: Job, process: CommandProcess) -> int:
        written = time.monotonic()
        while (code := process.wait(_LOOK_EVERY)) is None:
            with self._changed:
                job.begun |= _has_file(job)
                if process.progress is None:
                    continue
                job.progress = process.progress
                self._pace.add(job.progress, time.monotonic())
                if time.monotonic() - written >= _WRITE_EVERY:
                    written = time.monotonic()
                    self._write(job)
        return code


def _check_file(job: Job) -> None:
    """Raise InvalidInput if the file from which the job resumes is gone."""
    if job.begun and not _has_file(job):
        raise InvalidInput(f"the file {job.files[0]} is not there. Put it back, or start a new job")


def _has_file(job: Job) -> bool:
    """True if the file from which the job resumes exists; tables have none in the folder."""
    return all((Path(job.folder) / name).exists() for name in job.files[:1])
