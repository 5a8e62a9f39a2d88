"""Threads for jobs: a limited number, and none left at the end."""

import threading

import pytest

from twofold.games.threads import JobThreads, join, start_thread


def test_a_job_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    workers = JobThreads(1, "test-failing")
    done = threading.Event()
    workers.start(lambda: 1 / 0)
    workers.start(done.set)
    assert done.wait(120)
    workers.close()
    assert "a job of test-failing failed" in caplog.text


def test_a_hung_thread_is_abandoned(caplog: pytest.LogCaptureFixture) -> None:
    release = threading.Event()
    thread = start_thread(lambda: release.wait(120), "test-hanging")
    join([thread], 0.01)
    assert "test-hanging did not end" in caplog.text
    release.set()
    join([thread])
