"""Solving small games, and look-ups in a table; 3x3 is solved in a separate process."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Figure, Report, Settings, of_runs
from twofold.kernels import solving
from twofold.tables.exact import ExactTable
from twofold.tables.parts import LayerProgress
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver, estimate
from twofold.tables.store import LayerStore

RULES = "3x3"
LOOK_UPS = 1_000_000
PYTHON_LOOK_UPS = 2_000
THREADS = 2

CHILD = """
import json, resource, sys
from benchmarks.exact import solve_once
found = solve_once(sys.argv[1], sys.argv[2])
found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps(found))
"""


def solve_once(rules: str, path: str) -> dict[str, Any]:
    """Solve with two threads and write the table. Returns the seconds of each part."""
    problem = Problem.parse(rules)
    Solver(Problem.parse("2x2"), LayerStore(Problem.parse("2x2"), path + ".warm")).run()
    listed = [0.0]

    def tell(now: LayerProgress) -> None:
        if now.phase == "listing":
            listed[0] = now.seconds

    began = time.perf_counter()
    store = LayerStore(problem, path)
    Solver(problem, store, threads=THREADS, on_progress=tell).run()
    solved = time.perf_counter() - began
    store.write(path)
    states = store.states
    store.remove()
    whole = time.perf_counter() - began
    return {"states": states, "listing": listed[0], "solved": solved, "whole": whole}


def measure(settings: Settings) -> Report:
    """Measure the three targets and the parts of the time."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table")
        done = subprocess.run(
            [sys.executable, "-c", CHILD, RULES, path], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout)
        table = ExactTable.open(path)
        began = time.perf_counter()
        table.check()
        checked = time.perf_counter() - began
        look_ups = [_look_up_seconds(table, settings.seed + run) for run in range(settings.runs)]
        python = _python_seconds(table, settings.seed)
        value = table.start_value
    expected = estimate(Problem.parse(RULES), threads=THREADS)
    states, backwards = found["states"], found["solved"] - found["listing"]
    return Report(
        f"exact play, {RULES} complete, {THREADS} threads",
        [
            _one("complete, with its file", found["whole"], "s", at_most=600),
            _one("memory at its peak", found["memory"] / 1e9, "GB", at_most=8),
            _one("states listed and solved", states / found["solved"], "/s"),
            _one("states solved, backwards", states / backwards, "/s", at_least=3_000_000),
            _one("states listed, forwards", states / found["listing"], "/s"),
            of_runs("look-up in the mapped table, in kernels",
                    [1e9 * each for each in look_ups], "ns", at_most=2_000),
            _one("look-up of a Board, from Python", 1e6 * python, "us"),
            _one("all checksums", checked, "s"),
            _one("states", states, ""),
            _one("states, estimated before", expected.states, ""),
        ],
        [
            f"The start is worth {value:.9f} points.",
            f"Look-ups: {LOOK_UPS:,} of states drawn at random from all of the table, one thread.",
        ],
    )  # fmt: skip


def _one(
    what: str, value: float, unit: str, at_least: float | None = None, at_most: float | None = None
) -> Figure:
    return Figure(what, value, None, None, unit, at_least=at_least, at_most=at_most)


def _boards(table: ExactTable, count: int, seed: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Random states, in 64 bits."""
    numbers = np.random.default_rng(seed).integers(0, len(table), count)
    rows, cols = table.problem.rules.shape
    firsts = table.layers.firsts
    layers = np.searchsorted(firsts, numbers, side="right") - 1
    sums = table.layers.index[layers, 0].tolist()
    keys = table.layers.keys[numbers].astype(np.uint64)
    boards = [
        solving.from_key(key, total, rows, cols) for key, total in zip(keys, sums, strict=True)
    ]
    return np.array(boards, dtype=np.uint64)


def _look_up_seconds(table: ExactTable, seed: int) -> float:
    boards = _boards(table, LOOK_UPS, seed)
    table.values(boards[:1000])
    began = time.thread_time()
    table.values(boards)
    return (time.thread_time() - began) / LOOK_UPS


def _python_seconds(table: ExactTable, seed: int) -> float:
    from twofold.game.board import Board

    bits = _boards(table, PYTHON_LOOK_UPS, seed).tolist()
    boards = [Board.from_bits(each, table.problem.rules.shape) for each in bits]
    times = []
    for board in boards:
        began = time.perf_counter()
        table.value(board)
        times.append(time.perf_counter() - began)
    return statistics.median(times)
