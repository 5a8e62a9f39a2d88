"""`policy`: one board of a policy network, many boards, moves a second in games."""

import time
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.common import Figure, Report, Settings, of_runs, timings
from benchmarks.positions import Words, of_games
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Rules
from twofold.kernels.policy import forward_each
from twofold.players.loop import play_game
from twofold.players.policy import PolicyPlayer
from twofold.values.policy_network import Dense, PolicyNetwork

WIDTHS: Final = {
    "1024-512-512 (0.81 M weights in dense layers)": (1024, 512, 512),
    "512-256 (the default of train-policy)": (512, 256),
}
ONE_TARGET: Final = 0.5
"""Milliseconds for one board."""
MANY_TARGET: Final = 20.0
"""GFLOP/s for many boards."""
BOARDS: Final = 4_096
SINGLE: Final = 500
MOVES: Final = 20


def measure(settings: Settings) -> Report:
    """All of it."""
    bits = of_games("expectimax:eval=rows,ply=1", STANDARD, settings.seed, 10).bits
    figures = []
    for name, widths in WIDTHS.items():
        network = _network(widths, settings.seed)
        cells = _cells(bits)
        figures += [
            _one(name, network, cells, settings),
            _many(name, network, cells, settings),
            _game(name, network, settings),
        ]
    return Report(
        "Policy networks",
        figures,
        [
            f"Random weights; boards of 10 games of expectimax:eval=rows,ply=1, seeds from "
            f"{settings.seed}.",
            f"One board: {SINGLE} boards one after the other in the kernel, CPU time of one "
            "thread. About half of the inputs of a layer are 0 and skipped, as in a trained "
            "network.",
            f"Many boards: {BOARDS:,} in one call of the kernel, CPU time of one thread; an "
            "operation is an addition or a multiplication, those with 0 counted.",
            f"Median of {settings.runs} runs.",
        ],
    )


def _network(widths: tuple[int, ...], seed: int) -> PolicyNetwork:
    dice = np.random.default_rng(seed)

    def some(inputs: int, *rest: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return dice.normal(0, inputs**-0.5, (inputs, *rest)).astype(np.float32)

    sizes = [*widths, 5]
    layers = [Dense(some(a, b), some(1, b)[0]) for a, b in pairwise(sizes)]
    table, bias = some(16, 18, widths[0]), some(1, widths[0])[0]
    return PolicyNetwork((4, 4), table, bias, layers, reward="points", symmetric=True)


def _cells(bits: Words) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    chosen = np.resize(bits, BOARDS)
    rows = [Board.from_bits(int(word)).exponents for word in chosen]
    return np.array(rows, dtype=np.uint8)


def _one(
    name: str,
    network: PolicyNetwork,
    cells: np.ndarray[tuple[int, int], np.dtype[np.uint8]],
    settings: Settings,
) -> Figure:
    part, out = cells[:SINGLE], np.empty((SINGLE, 5), dtype=np.float32)
    times = timings(partial(forward_each, part, network.words, out), settings.runs)
    each = [1e3 * time.cpu / SINGLE for time in times]
    return of_runs(f"one board, {name}", each, "ms", at_most=ONE_TARGET)


def _many(
    name: str,
    network: PolicyNetwork,
    cells: np.ndarray[tuple[int, int], np.dtype[np.uint8]],
    settings: Settings,
) -> Figure:
    times = timings(partial(network.outputs, cells), settings.runs)
    speeds = [network.operations * BOARDS / time.cpu / 1e9 for time in times]
    return of_runs(f"many boards, {name}", speeds, "GFLOP/s", at_least=MANY_TARGET)


def _game(name: str, network: PolicyNetwork, settings: Settings) -> Figure:
    """Moves a second of whole games in the kernel."""
    player, speeds = PolicyPlayer(network), []
    for _ in range(settings.runs + 1):
        began, moves = time.thread_time(), 0
        for seed in range(settings.seed, settings.seed + MOVES):
            game = play_game(player, Rules(), seed)
            moves += 0 if game is None else game.moves
        speeds.append(moves / (time.thread_time() - began))
    return of_runs(f"moves/s in games, {name}", speeds[1:], "/s")
