"""Threads for jobs: a limited number, and none left at the end."""

import threading
from collections.abc import Callable

import pytest

from twofold.errors import LimitExceeded, ResourceError
from twofold.games.threads import JobThreads, Seats, join, start_thread


def test_the_number_of_simultaneous_jobs_is_limited() -> None:
    workers = JobThreads(2, "test-workers")
    opened, all_here = threading.Event(), threading.Barrier(3)
    done: list[int] = []

    def job(number: int) -> None:
        if number < 2:
            all_here.wait(120)
        assert opened.wait(120)
        done.append(number)

    for number in range(4):
        workers.start(lambda number=number: job(number))  # type: ignore[misc]
    all_here.wait(120)
    names = [thread.name for thread in threading.enumerate()]
    assert names.count("test-workers") == 2
    opened.set()
    workers.close()
    assert sorted(done) == [0, 1, 2, 3]
    assert "test-workers" not in [thread.name for thread in threading.enumerate()]
    workers.close()


def test_a_job_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    workers = JobThreads(1, "test-failing")
    done = threading.Event()
    workers.start(lambda: 1 / 0)
    workers.start(done.set)
    assert done.wait(120)
    workers.close()
    assert "a job of test-failing failed" in caplog.text


def test_closing_ends_jobs_that_would_go_on() -> None:
    workers = JobThreads(1, "test-endable", polite=True)
    ended = threading.Event()
    begun = threading.Event()

    def job() -> None:
        begun.set()
        assert ended.wait(120)

    workers.start(job, ended.set)
    assert begun.wait(120)
    workers.close()
    assert ended.is_set()
    assert not workers._ends
    with pytest.raises(ResourceError, match="the server is shutting down"):
        workers.start(job, ended.set)


def hanging() -> tuple[threading.Event, Callable[[], None]]:
    """An event, and a job that waits for it."""
    release = threading.Event()

    def hang() -> None:
        assert release.wait(120)

    return release, hang


def test_a_hung_thread_is_abandoned(caplog: pytest.LogCaptureFixture) -> None:
    release, hang = hanging()
    thread = start_thread(hang, "test-hanging")
    join([thread], 0.01)
    assert "test-hanging did not end" in caplog.text
    release.set()
    join([thread])


def test_the_number_of_seats_is_limited() -> None:
    seats = Seats(2, "test-seats")
    release, hang = hanging()
    for _ in range(2):
        seats.start(hang)
    with pytest.raises(LimitExceeded, match="2 players are playing"):
        seats.start(lambda: None)
    release.set()
    join([t for t in threading.enumerate() if t.name == "test-seats"])
    seats.start(lambda: None)
    seats.close()
    with pytest.raises(LimitExceeded):
        seats.start(lambda: None)
