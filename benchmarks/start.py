"""Start-up: time of help, an analysis, a hint and the first move; memory of `twofold bench`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import Figure, Report, Settings, of_runs

PLAYERS = ("random", "greedy", "corner", "baeldung", "datumbox", "it3105-snake", "it3105-gradient")
BENCH_GAMES = 2
MEMORY_RUNS = 2
FIRST_RUNS = 2
"""Number of first runs; each compiles all kernels that it needs."""

SHOWN = b"Ctrl-C ends"
"""Text on the screen of `twofold watch` after the first move."""

PATIENCE = 300.0
MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
HELP_AT_MOST, FIRST_AT_MOST, LATER_AT_MOST, MEMORY_AT_MOST = 0.25, 25.0, 1.5, 400.0
ANALYSE_AT_MOST, HINT_AT_MOST = 1.5, 1.0

BOARD = "0012/0013/0024/1357"

MEASURE_HINT = f"""
import time
import twofold.web.server
from twofold.game.board import Board
from twofold.players import make_player
from twofold.game.rules import Rules
from twofold.search.budget import Budget
began = time.perf_counter()
player = make_player("ntuple:ply=3")
player.start(Rules(), 0)
player.analyse(Board.parse("{BOARD}"), Budget(ply=1))
print(time.perf_counter() - began)
"""
"""The first hint of a server that runs: its modules are imported, those of players are not."""

MEASURE_MEMORY = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""Runs a command from a small process: a child's peak memory includes the parent's at the fork."""


def measure(settings: Settings) -> Report:
    """Measure help, watch and bench, each as a separate process."""
    figures = [_help(settings.runs), _analyse(settings.runs), _hint(settings.runs)]
    notes = [
        f"Wall clock, median of {settings.runs} runs; of {FIRST_RUNS} for first runs.",
        "analyse, hint: the default player, its kernels compiled before; "
        "hint: from the question to the values at 1 ply, in a process with the server's modules.",
    ]
    if os.name == "posix":
        figures += [*_watch(settings), *_memory(settings)]
        notes += [
            "watch: in a terminal of its own, until the screen shows the first move; "
            "a first run ever has an empty folder for compiled kernels.",
            f"bench: {' '.join(PLAYERS)} --games {BENCH_GAMES} --seed {settings.seed}; "
            f"peak resident memory; {MEMORY_RUNS} later runs.",
        ]
    else:
        notes.append("watch and bench are measured where there are pseudo-terminals: on POSIX.")
    return Report("Start and memory", figures, notes)


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "twofold", *words]


def _help(runs: int) -> Figure:
    values = [_seconds("--help") for _ in range(runs + 1)]
    return of_runs("twofold --help", values[1:], "s", at_most=HELP_AT_MOST)


def _analyse(runs: int) -> Figure:
    values = [_seconds("analyse", BOARD, "--player", "ntuple:ply=3") for _ in range(runs + 1)]
    return of_runs("twofold analyse, later runs", values[1:], "s", at_most=ANALYSE_AT_MOST)


def _seconds(*words: str) -> float:
    began = time.perf_counter()
    subprocess.run(_command(*words), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def _hint(runs: int) -> Figure:
    command = [sys.executable, "-c", MEASURE_HINT]
    done = [subprocess.run(command, check=True, capture_output=True) for _ in range(runs + 1)]
    values = [float(one.stdout) for one in done[1:]]
    return of_runs("first hint of a running server", values, "s", at_most=HINT_AT_MOST)


def _watch(settings: Settings) -> list[Figure]:
    first, later = [], []
    with tempfile.TemporaryDirectory() as folder:
        for run in range(FIRST_RUNS):
            cache = Path(folder, str(run))
            first.append(_seconds_to_first_move(cache, settings.seed))
        for _ in range(settings.runs):
            later.append(_seconds_to_first_move(cache, settings.seed))
    return [
        of_runs("watch, first run ever, to the first move", first, "s", at_most=FIRST_AT_MOST),
        of_runs("watch, later runs, to the first move", later, "s", at_most=LATER_AT_MOST),
    ]


def _seconds_to_first_move(cache: Path, seed: int) -> float:
    primary, secondary = os.openpty()
    size = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    began = time.perf_counter()
    process = subprocess.Popen(
        _command("watch", "--seed", str(seed)),
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        env=os.environ | size | {"TWOFOLD_CACHE_DIR": str(cache)},
    )
    os.close(secondary)
    try:
        _read_until(SHOWN, primary)
        return time.perf_counter() - began
    finally:
        process.kill()
        process.wait()
        os.close(primary)


def _read_until(text: bytes, terminal: int) -> None:
    """Raises OSError if the program ends before it shows the text."""
    import select

    seen = b""
    while text not in seen:
        if not select.select([terminal], [], [], PATIENCE)[0]:
            raise TimeoutError(f"expected {text!r} on the screen within {PATIENCE} s")
        seen = seen[-len(text) :] + os.read(terminal, 65_536)


def _memory(settings: Settings) -> list[Figure]:
    """Measure with an empty folder for compiled kernels, then with the kernels of the first run."""
    arguments = ("--games", str(BENCH_GAMES), "--seed", str(settings.seed))
    bench = _command("bench", *PLAYERS, *arguments)
    values = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(1 + MEMORY_RUNS):
            done = subprocess.run(
                [sys.executable, "-S", "-c", MEASURE_MEMORY, *bench],
                env=os.environ | {"TWOFOLD_CACHE_DIR": folder},
                check=True,
                capture_output=True,
                text=True,
            )
            values.append(float(done.stdout) * MAXRSS_BYTES / 1e6)
    return [
        of_runs("bench, first run ever, peak memory", values[:1], "MB", at_most=MEMORY_AT_MOST),
        of_runs("bench, later runs, peak memory", values[1:], "MB", at_most=MEMORY_AT_MOST),
    ]
