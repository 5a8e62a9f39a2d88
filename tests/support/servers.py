"""Servers in processes of their own."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from twofold.web.security import Access

LINE = re.compile(r"http://127\.0\.0\.1:(\d+)/\?token=([A-Za-z0-9_-]{43})\n")


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple["subprocess.Popen[str]", Access, float]]:
    """A server in a process of its own: with its port and token, and when it was started."""
    words = ["serve", "--port", "0", "--no-open", "--data", str(folder), "--folder", str(folder)]
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "twofold", *words, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            line = LINE.fullmatch(process.stdout.readline())
            assert line
            yield process, Access(int(line[1]), line[2]), began
        finally:
            process.kill()


@contextmanager
def opened(access: Access) -> Iterator[ClientConnection]:
    headers = {"Authorization": f"Bearer {access.token}"}
    with connect(f"ws://127.0.0.1:{access.port}/ws", additional_headers=headers) as page:
        yield page


def until(page: ClientConnection, kind: str) -> Any:
    while (message := json.loads(page.recv(timeout=60)))["type"] != kind:
        pass
    return message
