"""Waits for states of jobs."""

import threading
import time
from typing import Any

from twofold.web.jobs import Job, JobQueue

PATIENCE = 60.0
LOOK_EVERY = 0.02


def job_of(queue: JobQueue, job: str) -> Job:
    return next(one for one in queue.all() if one.id == job)


def until(queue: JobQueue, job: str, **wanted: Any) -> Job:
    """The job once its fields have these values."""
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while time.monotonic() < end:
        found = job_of(queue, job)
        if all(getattr(found, name) == value for name, value in wanted.items()):
            return found
        pause.wait(LOOK_EVERY)
    raise AssertionError(f"{wanted} never came, got {found}")
