"""Threads that have begun since some moment: others may still be ending, and are not counted."""

import threading
from collections.abc import Callable


def threads_since() -> Callable[[], list[str]]:
    """What gives the names of the threads that have begun since now and go on."""
    before = set(threading.enumerate())
    return lambda: [one.name for one in threading.enumerate() if one not in before]
