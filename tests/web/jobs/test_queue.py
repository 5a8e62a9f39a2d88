"""The queue of jobs. Most have a fake command, since a real one takes a second of CPU to start.

Jobs with real commands: a bench here and in `test_browser.py`, a training in `test_child.py`.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.jobs.fake_command import PROGRAM
from twofold.errors import InvalidInput, LimitExceeded
from twofold.games.store import NotFound
from twofold.storage.files import alone
from twofold.web import jobs
from twofold.web.job_kinds import MAX_SECONDS, BenchJob, Plan, TableJob, TrainJob, Wanted
from twofold.web.jobs import MAX_WAITING, Job, JobQueue


def planned(wanted: Wanted, folder: Path) -> Plan:
    """The plan of a bench or a training that the fake command does."""
    assert not isinstance(wanted, TableJob)
    file = f"{wanted.name}.db"
    act = wanted.players[0] if isinstance(wanted, BenchJob) else "done"
    words = ["bench", act, "--out", file]
    if isinstance(wanted, TrainJob):
        words += ["--time", f"{wanted.seconds}s"]
    return Plan(title=file, words=words, again=words, files=(file,), result=f"/lab?study={file}")


def queue_in(folder: Path) -> JobQueue:
    queue = JobQueue(folder / "jobs", planned, PROGRAM)
    queue.folder = folder
    return queue


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[JobQueue]:
    queue = queue_in(tmp_path)
    yield queue
    queue.close()


PATIENCE = 60.0


def job_of(queue: JobQueue, job: str) -> Job:
    return next(one for one in queue.all() if one.id == job)


def wait_for(happens: Callable[[], bool]) -> None:
    end, pause = time.monotonic() + PATIENCE, threading.Event()
    while not happens():
        assert time.monotonic() < end
        pause.wait(0.02)


def until(queue: JobQueue, job: str, **wanted: Any) -> Job:
    """The job once its fields have these values."""
    wait_for(
        lambda: all(getattr(job_of(queue, job), name) == value for name, value in wanted.items())
    )
    return job_of(queue, job)


def submit(queue: JobQueue, act: str, name: str = "study") -> str:
    return queue.submit(BenchJob(players=[act], name=name)).job


def test_a_job_is_done_and_stays_in_the_list(queue: JobQueue, tmp_path: Path) -> None:
    job = submit(queue, "done")
    found = until(queue, job, state="done")
    assert (found.progress, found.result) == (1.0, "/lab?study=study.db")
    assert found.created <= found.started <= found.ended
    queue.close()
    assert until(queue_in(tmp_path), job, state="done") == found


def test_a_finished_training_may_take_twice_as_long(queue: JobQueue, tmp_path: Path) -> None:
    """As often as wanted, with the file that it has written."""
    seconds = MAX_SECONDS // 2
    job = queue.submit(TrainJob(network="2x4", name="net", seconds=seconds)).job
    until(queue, job, state="done")
    (info,) = queue.jobs()
    assert (info.lengthenable, info.resumable, info.kind) == (True, False, "train")
    file = (tmp_path / "net.db").rename(tmp_path / "mine")
    assert not queue.jobs()[0].lengthenable
    with pytest.raises(InvalidInput, match=r"net\.db is not there\. Put it back, or"):
        queue.lengthen(job)
    file.rename(tmp_path / "net.db")
    queue.lengthen(job)
    assert f"--time {2 * seconds}s" in until(queue, job, state="done").command
    with pytest.raises(InvalidInput, match="expected a finished training that may take longer"):
        queue.lengthen(job)


def test_a_person_stops_a_job_and_goes_on(queue: JobQueue, tmp_path: Path) -> None:
    job = submit(queue, "again")
    until(queue, job, state="running", progress=0.25)
    with pytest.raises(InvalidInput, match="Stop it first"):
        queue.remove(job)
    queue.stop(job)
    assert until(queue, job, state="stopped").cause == "person"
    queue.resume(job)
    assert until(queue, job, state="done").message == ""
    with pytest.raises(InvalidInput, match="cannot be resumed: it is done"):
        queue.resume(job)
    queue.remove(job)
    assert queue.all() == []
    assert (tmp_path / "study.db").exists()


def test_the_time_left_counts_from_the_first_progress(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A training that is longer now begins at half: it did not make that half in a second."""
    added: list[float] = []
    monkeypatch.setattr(jobs.Pace, "add", lambda _, progress, when: added.append(progress))
    monkeypatch.setattr(jobs, "_LOOK_EVERY", 0.001)
    submit(queue, "waits")
    wait_for(lambda: 0.25 in added)
    assert set(added) == {0.25}


def test_one_job_runs_and_the_others_are_queued(queue: JobQueue, tmp_path: Path) -> None:
    first = submit(queue, "waits", "a")
    until(queue, first, state="running")
    second, *_, last = [submit(queue, "done", f"n{number}") for number in range(MAX_WAITING)]
    with pytest.raises(LimitExceeded, match="8 jobs are waiting"):
        submit(queue, "done", "more")
    assert [job_of(queue, one).state for one in (second, last)] == ["waiting"] * 2
    queue.stop(second)
    assert job_of(queue, second).state == "stopped"
    queue.stop(first)
    until(queue, last, state="done")
    assert not (tmp_path / "n0.db").exists()


def test_no_file_is_overwritten(queue: JobQueue, tmp_path: Path) -> None:
    (tmp_path / "mine.db").write_text("mine")
    with pytest.raises(InvalidInput, match=r"the file mine\.db exists already"):
        submit(queue, "done", "mine")
    waits = submit(queue, "waits", "busy")
    with pytest.raises(InvalidInput, match=r"busy\.db is already queued or running"):
        submit(queue, "done", "busy")
    late = submit(queue, "done", "late")
    (tmp_path / "late.db").write_text("mine")
    queue.stop(waits)
    assert "late.db exists already" in until(queue, late, state="failed").message
    assert (tmp_path / "late.db").read_text() == "mine"


def test_jobs_end_with_their_server(tmp_path: Path) -> None:
    """A real command, which saves its games; the next server lists both."""
    queue = JobQueue(tmp_path / "jobs")
    queue.folder = tmp_path
    bench = BenchJob(players=["greedy"], name="a", games=100_000, threads=1)
    runs, waits = queue.submit(bench).job, submit(queue, "greedy", "b")
    wait_for(lambda: (job_of(queue, runs).progress or 0) > 0)
    queue.close()
    with pytest.raises(InvalidInput, match="shutting down"):
        submit(queue, "greedy", "c")
    stopped = [job_of(JobQueue(tmp_path / "jobs"), job) for job in (runs, waits)]
    assert [(job.state, job.cause, job.begun) for job in stopped] == [
        ("stopped", "server", True),
        ("stopped", "server", False),
    ]


@pytest.mark.promise("R80")
def test_jobs_of_a_killed_server_are_stopped(queue: JobQueue, tmp_path: Path) -> None:
    """A job that is running according to its file, but whose server is gone.

    It cannot be resumed before its command has saved.
    """
    job = submit(queue, "again")
    until(queue, job, state="running", progress=0.25)
    path = tmp_path / "jobs" / "jobs.json"
    killed = path.read_bytes()
    queue.close()
    path.write_bytes(killed)
    other = queue_in(tmp_path)
    held, refused = alone(tmp_path / "study.db", "run"), pytest.raises(InvalidInput, match="saved")
    with held, refused:
        other.resume(job)
    assert (job_of(other, job).state, job_of(other, job).cause) == ("stopped", "server")
    other.resume(job)
    until(other, job, state="done")
    other.close()


def test_of_two_servers_one_runs_jobs(queue: JobQueue, tmp_path: Path) -> None:
    """The other one lists them, and does not change them."""
    other = queue_in(tmp_path)
    job = submit(queue, "waits", "a")
    until(other, job, state="running")
    for act in (other.stop, other.remove, lambda _: submit(other, "done", "b")):
        with pytest.raises(InvalidInput, match="another twofold serve runs jobs"):
            act(job)
    queue.close()
    mine = submit(other, "done", "b")
    until(other, mine, state="done")
    other.close()


def test_a_damaged_file_is_renamed(
    queue: JobQueue, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "jobs.json").write_text('[{"id": "torn"')
    assert queue.all() == []
    assert "jobs.json cannot be read, and was renamed" in caplog.messages[0]
    (kept,) = (tmp_path / "jobs").glob("jobs.json.damaged-*")
    assert kept.read_text() == '[{"id": "torn"'
    with pytest.raises(NotFound):
        queue.remove("torn")


def test_a_job_goes_on_in_its_own_folder(queue: JobQueue, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    job = submit(queue, "interrupted")
    until(queue, job, state="stopped")
    queue.folder = other
    with pytest.raises(InvalidInput, match="start twofold serve --folder"):
        queue.resume(job)


@pytest.mark.parametrize("saved", [False, True])
def test_a_job_that_was_killed_before_it_wrote_a_file(
    saved: bool, queue: JobQueue, tmp_path: Path
) -> None:
    """It begins again, unless its command has saved since; no other file is continued."""
    job = submit(queue, "slow")
    until(queue, job, state="running", progress=0.25)
    path, file = tmp_path / "jobs" / "jobs.json", tmp_path / "study.db"
    killed = path.read_bytes()
    queue.stop(job)
    until(queue, job, state="stopped", begun=False)
    file.write_text("mine")
    queue.resume(job)
    assert "study.db exists already" in until(queue, job, state="failed").message
    file.unlink()
    queue.close()
    path.write_bytes(killed)
    queue = queue_in(tmp_path)
    if saved:
        file.write_text("saved")
    queue.resume(job)
    until(queue, job, state="running", progress=0.25)
    queue.close()
    until(queue, job, state="stopped", begun=saved)
