"""Runs a program and ends it when whoever started this is gone.

    python -I -S engine_guard.py SECONDS COMMAND...

The program has our input and output, which are pipes: nothing passes through here. Who is killed
can close nothing but its pipes, so the end of our input is the sign; a program that does not end
by itself within so many seconds is killed, with all of its process group, which is ours. For
POSIX, and imports nothing of twofold: it starts in 20 ms.
"""

import os
import select
import signal
import subprocess
import sys
import threading
import time

LOOK_MILLISECONDS = 1_000
"""How often to look for the parent, on systems that do not tell of a pipe that was hung up."""

CANNOT_RUN = 127
"""Exit code where there is no such program, as in a shell."""


def main() -> int:
    """Run the command of the arguments; its exit code, or 128 and the number of its signal."""
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    threading.Thread(target=_follow, args=(os.getppid(), seconds), daemon=True).start()
    try:
        process = subprocess.Popen(command)
    except OSError as error:
        sys.stderr.write(f"cannot run {command[0]}: {error.strerror}\n")
        return CANNOT_RUN
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # its end is to be seen as soon as the program ends
        os.dup2(nowhere, stream)
    os.close(nowhere)
    code = process.wait()
    return code if code >= 0 else 128 - code


def _follow(parent: int, seconds: float) -> None:
    """Wait for the end of whoever started us, then end the process group."""
    poll = select.poll()
    poll.register(0, 0)  # no event but a hang-up
    while not poll.poll(LOOK_MILLISECONDS) and os.getppid() == parent:
        pass
    time.sleep(seconds)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    os._exit(main())
