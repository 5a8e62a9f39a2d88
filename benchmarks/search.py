"""`search`: leaves per second, threads on one position, deadlines."""

import statistics
import threading
import time
from functools import partial
from typing import Any, Final

import numpy as np
from numba import types

from benchmarks.common import Figure, Report, Settings, of_runs, timed, timings
from benchmarks.positions import Positions, Words, of_games
from twofold.game.board import Board
from twofold.game.rules import STANDARD
from twofold.kernels import expectimax as kernels
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import call_layer, pointer
from twofold.players import make_player
from twofold.search.budget import Budget, Stop
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS

POSITIONS_PLAYER: Final = "expectimax:eval=rows,ply=2"
GAMES: Final = 10
MILLION: Final = 1e6

LEAF_AFTERSTATES: Final = 2_000
LEAF_ROUNDS: Final = 20
LEAVES_TARGET: Final = 100.0

THREADED: Final = 12
"""Positions for two threads, at `THREADED_PLY` plies."""
THREADED_PLY: Final = 7
THREADS_TARGET: Final = 1.7

DEADLINES: Final = 200
"""Searches under a budget of `DEADLINE` seconds."""
DEADLINE: Final = 0.1
DEADLINE_TARGET: Final = 120.0
STOPS: Final = 100
STOP_TARGET: Final = 20.0


def measure(settings: Settings) -> Report:
    """Measure all of these."""
    positions = of_games(POSITIONS_PLAYER, STANDARD, settings.seed, GAMES, part=(0.25, 1.0))
    return Report(
        "Search",
        [
            _leaves(positions, settings),
            *_two_threads(positions.thinned(THREADED), settings),
            *_deadlines(positions.thinned(DEADLINES)),
            *_stops(positions.thinned(STOPS)),
        ],
        [
            f"Positions: evenly spaced over the last three quarters of {GAMES} games of "
            f"{POSITIONS_PLAYER}, seeds from {settings.seed}.",
            f"Leaves: eval=rows, afterstates valued by the lowest layer of a search, "
            f"{LEAF_ROUNDS} times {LEAF_AFTERSTATES:,} afterstates; CPU time of one thread, "
            f"median of {settings.runs} runs.",
            f"Two threads: wall clock for {THREADED} positions at {THREADED_PLY} plies, one "
            "thread and two in turn, tables of 64 MiB that begin empty; the moves are compared.",
            f"Deadlines: {DEADLINES} positions with time=100ms; from and to are p50 and the "
            "longest. Stop: a second thread raises the flag 30 ms into a search of 12 plies.",
        ],
    )


_WORDS = types.Array(types.uint64, 1, "C")


@kernel(types.float64(_WORDS, types.int64, types.uint64, _WORDS), cached=False)
def _lowest_layers(afters: Any, rounds: Any, layer: Any, context: Any) -> Any:
    total = 0.0
    for _ in range(rounds):
        for after in afters:
            total += call_layer(layer, (after, 0, 0, 2, pointer(context)))
    return total


def _leaves(positions: Positions, settings: Settings) -> Figure:
    search = Expectimax(EVALUATORS["rows"], STANDARD, Depth.fixed(3))
    afters = _afterstates(positions.thinned(LEAF_AFTERSTATES))
    context = search.context.words
    layer = np.uint64(context[kernels.LOWEST])
    before = search.nodes
    _lowest_layers(afters, 1, layer, context)
    leaves = (search.nodes - before) * LEAF_ROUNDS
    times = timings(partial(_lowest_layers, afters, LEAF_ROUNDS, layer, context), settings.runs)
    speeds = [leaves / time.cpu / MILLION for time in times]
    return of_runs("leaf evaluations, eval=rows", speeds, "M/s", at_least=LEAVES_TARGET)


def _afterstates(positions: Positions) -> Words:
    """The first legal afterstate of each board."""
    boards = [Board.from_bits(int(bits)) for bits in positions.bits]
    afters = [board.slide(board.legal_moves()[0]).board for board in boards]
    return np.array([after.to_bits() for after in afters], dtype=np.uint64)


def _two_threads(positions: Positions, settings: Settings) -> list[Figure]:
    boards = [Board.from_bits(int(bits)) for bits in positions.bits]
    one = f"expectimax:eval=rows,ply={THREADED_PLY},table_mb=64"
    with make_player(one) as single, make_player(f"{one},threads=2") as double:

        def moves(player: Any) -> list[Any]:
            player.start(STANDARD, 0)
            return [player.choose(board) for board in boards]

        same = sum(a is b for a, b in zip(moves(single), moves(double), strict=True))
        pairs = [
            (timed(partial(moves, single)).wall, timed(partial(moves, double)).wall)
            for _ in range(settings.runs)
        ]
    return [
        of_runs(
            "two threads on one position, times as fast as one",
            [first / second for first, second in pairs],
            "x",
            at_least=THREADS_TARGET,
        ),
        of_runs("one thread, a move", [1e3 * first / THREADED for first, _ in pairs], "ms"),
        Figure("the same move", same, None, None, f"of {THREADED}", at_least=float(THREADED)),
    ]


def _deadlines(positions: Positions) -> list[Figure]:
    budget = Budget(seconds=DEADLINE)
    times, depths = [], []
    with make_player("expectimax:eval=rows") as player:
        player.start(STANDARD, 0)
        for bits in positions.bits:
            began = time.perf_counter()
            analysis = player.analyse(Board.from_bits(int(bits)), budget)
            times.append(1e3 * (time.perf_counter() - began))
            depths.append(max(move.depth for move in analysis.moves))
    return [
        Figure(
            "answer to time=100ms, p99",
            np.quantile(times, 0.99),
            np.quantile(times, 0.5),
            max(times),
            "ms",
            at_most=DEADLINE_TARGET,
        ),
        Figure("depth reached", statistics.fmean(depths), min(depths), max(depths), "plies"),
    ]


def _stops(positions: Positions) -> list[Figure]:
    waits = []
    with make_player("expectimax:eval=rows") as player:
        player.start(STANDARD, 0)
        for bits in positions.bits:
            stop, raised = Stop(), [0.0]

            def ring(flag: Stop = stop, at: list[float] = raised) -> None:
                at[0] = time.perf_counter()
                flag.raise_flag()

            timer = threading.Timer(0.03, ring)
            timer.start()
            player.analyse(Board.from_bits(int(bits)), Budget(ply=12), stop=stop)
            ended = time.perf_counter()
            timer.join()
            if raised[0] < ended:
                waits.append(1e3 * (ended - raised[0]))
    return [
        Figure(
            "answer after the stop flag, p99",
            np.quantile(waits, 0.99),
            np.quantile(waits, 0.5),
            max(waits),
            "ms",
            at_most=STOP_TARGET,
        )
    ]
