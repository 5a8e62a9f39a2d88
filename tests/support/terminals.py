"""Commands in a terminal of their own."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.signals import hear_signals

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@contextmanager
def terminal(
    *arguments: str,
    columns: int = 80,
    lines: int = 24,
    keys: bool = True,
    given: str | None = None,
    **environment: str,
) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Run the command in a terminal of this size, from which it may read keys or not.

    With `given` that is its standard input, and the terminal is the one that controls it.
    """

    def prepare() -> None:
        hear_signals()
        if given is not None:
            fcntl.ioctl(1, termios.TIOCSCTTY, 0)

    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    unset = {"NO_COLOR", "COLORTERM", "COLUMNS", "LINES"}
    env = {key: value for key, value in os.environ.items() if key not in unset}
    process = subprocess.Popen(
        [sys.executable, "-m", "twofold", *arguments],
        stdin=subprocess.PIPE if given is not None else child if keys else subprocess.DEVNULL,
        stdout=child,
        stderr=child,
        env=env | {"TERM": "xterm-256color"} | environment,
        start_new_session=True,
        preexec_fn=prepare,
    )
    os.close(child)
    if given is not None and process.stdin is not None:
        with process.stdin:
            process.stdin.write(given.encode())
    try:
        yield process, main
    finally:
        process.kill()
        process.wait()
        os.close(main)


def read_until(main: int, wanted: str, seconds: float = 120.0) -> str:
    """What the terminal was sent, up to the first appearance of `wanted`."""
    text = ""
    end = time.monotonic() + seconds
    while wanted not in text and (left := end - time.monotonic()) > 0:
        if not select.select([main], [], [], left)[0]:
            break
        try:
            text += os.read(main, 65_536).decode(errors="replace")
        except OSError:  # the other end is closed
            break
    assert wanted in text, text[-2000:]
    return text


def exit_code(process: "subprocess.Popen[bytes]", main: int, seconds: float = 120.0) -> int:
    """The exit code; what is still sent is read, for a full terminal would hold the process."""
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        if select.select([main], [], [], 0.05)[0]:
            try:
                os.read(main, 65_536)
            except OSError:  # the other end is closed
                break
    return process.wait(max(0.0, end - time.monotonic()))
