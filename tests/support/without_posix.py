"""Takes away what only POSIX systems have, then runs commands: a stand-in for Windows.

    python tests/support/without_posix.py FOLDER

It proves that nothing on their way calls such a function. It does not prove that they run on
Windows: paths, terminals and processes stay those of this system.
"""

import importlib
import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
WITH_OWN_WINDOWS_PARTS = ("filelock", "platformdirs")
"""Libraries that choose the parts for this system when they are imported."""

NAMES = (
    *("O_DIRECTORY", "O_NOFOLLOW", "fork", "getegid", "geteuid", "getgid", "getloadavg", "getuid"),
    *("killpg", "mkfifo", "nice", "sched_getaffinity", "sched_setaffinity", "setsid"),
)
SIGNALS = ("SIGALRM", "SIGHUP", "SIGKILL")

COMMANDS = (
    "--help",
    "watch greedy --seed 1 --record game.2048",
    "watch greedy --seed 1 --words",
    "bench greedy expectimax:ply=1 --games 2 --jobs 2 --out study.db",
    "bench mine.py:choose --games 2 --jobs 1",
    "compare greedy random --games 2",
    "report study.db",
    "analyse 0012/0013/0024/1357 --player expectimax:ply=2",
    "review game.2048 --player quick:ply=1",
    "convert game.2048 game.html",
    "solve --rules 2x2 --out 2x2.table",
    "train 2x4 --out net.safetensors --games 20 --threads 2",
    "train --out net.safetensors --resume --games 30 --threads 2",
    "net info net.safetensors",
    "tables list",
    "doctor",
    "completion bash",
)
IMPORTS = ("web.server", "cli.serve", "cli.play", "cli.tui.screen", "cli.tui.game_screen")


def take_away() -> None:
    """Remove the modules and the names of POSIX from this process."""
    for name in WITH_OWN_WINDOWS_PARTS:
        importlib.import_module(name)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment] # importing it fails
    for name in NAMES:
        delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)


def run(command: str) -> None:
    """Run one command of twofold in this process; raise if it fails."""
    from twofold.cli import main

    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(command.split())
    except SystemExit as end:
        if end.code:
            raise AssertionError(f"twofold {command}: {end.code}\n{err.getvalue()}") from None


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    os.environ |= {"TWOFOLD_DEBUG": "1", "TWOFOLD_STATE_DIR": sys.argv[1]}
    Path("mine.py").write_text("def choose(board):\n    return board.legal_moves()[0]\n")
    take_away()
    for one in COMMANDS:
        run(one)
    for one in IMPORTS:
        importlib.import_module(f"twofold.{one}")
    print("done")
