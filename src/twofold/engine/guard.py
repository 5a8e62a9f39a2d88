"""Runs a program, and ends it and all its children when the process that started this one is gone.

    python -I -S guard.py SECONDS COMMAND...

The program inherits stdin and stdout, which are pipes; no data passes through here. A killed parent
cannot send anything, but its pipes close: at the end of stdin the program has SECONDS to end by
itself. SIGTERM ends it immediately. After it, all processes that it left are killed: on Linux also
those outside its process group, because this process adopts all its orphans; elsewhere the parent
kills the group of this process. For POSIX; it imports nothing of twofold, so that it starts in 30
ms.
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
"""Interval of checks for the parent, on systems that do not report a closed pipe."""

KILL_SECONDS = 5.0
"""Time limit for killing programs that keep starting others."""

CANNOT_RUN = 127
"""Exit code if there is no such program, as in a shell."""

ADOPT_ORPHANS = 36
"""`PR_SET_CHILD_SUBREAPER` of Linux: orphans below this process become its children."""


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
    for stream in (1, 2):  # readers then see the end as soon as the program ends
        os.dup2(nowhere, stream)
    os.close(nowhere)
    code = _watch(process.pid, ears, parent, seconds)
    end_children()
    if code is None or os.getppid() != parent:  # no other process kills this group
        os.killpg(0, signal.SIGKILL)
    return code or 0


def _adopt_orphans() -> None:
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)


def _listen() -> int:
    """A pipe that receives signal numbers: SIGCHLD and SIGTERM."""
    ears, mouth = os.pipe()
    os.set_blocking(mouth, False)
    os.set_blocking(ears, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return ears


def _watch(program: int, ears: int, parent: int, seconds: float) -> int | None:
    """Wait for the end of the program; its exit code, or None if it has to be killed."""
    poll = select.poll()
    poll.register(0, 0)  # only hang-up events
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
    """Wait for children that have ended; the program's exit code if it is one of them."""
    child = -1
    while child != 0:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == program:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
    return None


def end_children() -> None:
    """Kill all children and adopted orphans until none is left; on Linux."""
    until = time.monotonic() + KILL_SECONDS
    while sys.platform == "linux" and time.monotonic() < until:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        for child in children():  # a process id is not reused before waitpid
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.001)


def children() -> list[int]:
    """Process ids of the children of this process, dead or alive."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parent = file.read().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                found.append(int(name))
    return found


if __name__ == "__main__":
    os._exit(main())
