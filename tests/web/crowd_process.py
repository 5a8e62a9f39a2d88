"""A crowd in its own process, and the owner's response times beside it."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from websockets.sync.client import ClientConnection

from tests.support.servers import opened, until
from twofold.web.security import Access

CROWD = Path(__file__).parent / "crowd.py"

SECONDS = 200
"""Longest time that a crowd stays."""


@contextlib.contextmanager
def crowd_of(access: Access, *kinds: str) -> Iterator["subprocess.Popen[str]"]:
    """A crowd, such as `flood=3`, once all its connections are open."""
    command = [sys.executable, str(CROWD), str(access.port), access.token, str(SECONDS), *kinds]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as crowd:
        assert crowd.stdout is not None
        assert crowd.stdout.readline() == "all have come\n"
        yield crowd


def wait_until_ready(access: Access) -> None:
    """Wait until the default player is loaded."""
    with opened(access) as page:
        if not until(page, "welcome")["ready"]:
            until(page, "ready")


def answer_times(page: ClientConnection, count: int) -> list[float]:
    """Response times of some requests, sorted; 50 requests per second."""
    times = []
    for ref in range(1, count + 1):
        began = time.perf_counter()
        page.send(json.dumps({"type": "board", "text": "0012/0013/0024/1357", "ref": ref}))
        while json.loads(page.recv(timeout=60))["ref"] != ref:
            pass
        times.append(time.perf_counter() - began)
        time.sleep(max(0.0, 0.02 - times[-1]))
    return sorted(times)
