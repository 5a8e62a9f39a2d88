"""Runs a program and ends it, with all that it has started, when whoever started this is gone.

    python -I -S guard.py SECONDS COMMAND...

The program has our input and output, which are pipes: nothing passes through here. Who is killed
can close nothing but its pipes, so the end of our input is the sign: the program has so many
seconds to end by itself. SIGTERM ends it at once. When it has ended, what it has left running
ends, too: on Linux also what has left its process group, as we adopt all its orphans; elsewhere
the group, which is ours, is killed by who started us. For POSIX, and imports nothing of twofold:
it starts in 30 ms.
"""

import contextlib
import math
import os
import select
import signal
import subprocess
import sys
import time

LOOK_MILLISECONDS = 1_000
"""How often to look for the parent, on systems that do not tell of a pipe that was hung up."""

KILL_SECONDS = 5.0
"""How long to kill programs that go on starting others."""

CANNOT_RUN = 127
"""Exit code where there is no such program, as in a shell."""

ADOPT_ORPHANS = 36
"""`PR_SET_CHILD_SUBREAPER` of Linux: who loses its parent becomes our child."""


def main() -> int:
    """Run the command of the arguments; its exit code, or 128 and the number of its signal."""
    seconds, command, parent = float(sys.argv[1]), sys.argv[2:], os.getppid()
    _adopt_orphans()
    ears = _listen()
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"cannot run {command[0]}: {error.strerror}\n")
        return CANNOT_RUN
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # its end is to be seen as soon as the program ends
        os.dup2(nowhere, stream)
    os.close(nowhere)
    code = _watch(process.pid, ears, parent, seconds)
    end_children()
    if code is None or os.getppid() != parent:  # nobody else ends our group
        os.killpg(0, signal.SIGKILL)
    return code or 0


def _adopt_orphans() -> None:
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)


def _listen() -> int:
    """A pipe in which the numbers of signals arrive: of a child's end, and to end."""
    ears, mouth = os.pipe()
    os.set_blocking(mouth, False)
    os.set_blocking(ears, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return ears


def _watch(program: int, ears: int, parent: int, seconds: float) -> int | None:
    """Wait until the program ends; its exit code, or None where it has to be ended."""
    poll = select.poll()
    poll.register(0, 0)  # no event but a hang-up
    poll.register(ears, select.POLLIN)
    due = math.inf
    while (code := _reap(program)) is None and time.monotonic() < due:
        wait = min(LOOK_MILLISECONDS, 1e3 * (due - time.monotonic()) + 1)
        streams = [stream for stream, _ in poll.poll(max(wait, 0))]
        if ears in streams and signal.SIGTERM in os.read(ears, 4_096):
            break
        if due == math.inf and (0 in streams or os.getppid() != parent):
            poll.unregister(0)
            due = time.monotonic() + seconds
    return code


def _reap(program: int) -> int | None:
    """Wait for children that have ended; the exit code of the program if it is among them."""
    child = -1
    while child != 0:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == program:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
    return None


def end_children() -> None:
    """Kill all children, and those that they leave to us, until none is left; on Linux."""
    until = time.monotonic() + KILL_SECONDS
    while sys.platform == "linux" and time.monotonic() < until:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for child in children():  # its number is its own until we have waited for it
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.001)


def children() -> list[int]:
    """Our children, dead or alive."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parent = file.read().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                found.append(int(name))
    return found


if __name__ == "__main__":
    os._exit(main())
