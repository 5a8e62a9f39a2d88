"""Basic kernels: whole games in one call, and move generation."""

from functools import partial
from typing import Any

import numpy as np
from numba import types

from benchmarks.common import NO_LIMIT, Figure, Report, Settings, of_runs, timings
from benchmarks.positions import Positions, of_games
from twofold.game.rules import STANDARD
from twofold.kernels import bits as on_bits
from twofold.kernels import play
from twofold.kernels._jit import kernel
from twofold.kernels.bits import frame
from twofold.kernels.intrinsics import u64_at
from twofold.kernels.play import spawn_distribution
from twofold.players import make_player
from twofold.players.compiled import CompiledPlayer
from twofold.players.loop import game_words

GAMES = {"random": 2_000, "greedy": 1_000, "corner": 1_000}
"""Games per run, a few milliseconds: some runs are then undisturbed by other work."""

REPEATS = 20
"""Short runs per requested run."""

TARGETS = {"random": 40.0}
"""Target in million moves per second."""

BOARD_GAMES = 8
BOARDS_PLAYER = "expectimax:eval=rows,ply=2"
ROUNDS = 20
BOARDS_TARGET = 60.0

MILLION = 1e6


def measure(settings: Settings) -> Report:
    """Measure random, greedy and corner games, and the moves of boards."""
    figures = [figure for spec in GAMES for figure in _games(spec, settings)]
    boards = of_games(BOARDS_PLAYER, STANDARD, settings.seed, BOARD_GAMES)
    figures += _generation(boards, settings)
    return Report(
        "Kernels, one thread",
        figures,
        [
            f"Games: {', '.join(f'{count:,} {spec}' for spec, count in GAMES.items())} a run, "
            f"whole, by kernels.play.play_many; seeds from {settings.seed}.",
            f"Boards: all {len(boards):,} of {BOARD_GAMES} games of {BOARDS_PLAYER}, "
            f"{ROUNDS} times a run; the four boards and the rewards. Transposed: up and down are "
            "left as a search can use them.",
            f"Median of {REPEATS * settings.runs} runs; from and to are the slowest and the "
            "fastest.",
        ],
    )


def _games(spec: str, settings: Settings) -> list[Figure]:
    states = np.zeros((GAMES[spec], play.STATE_WORDS), dtype=np.uint64)
    with make_player(spec) as player:
        assert isinstance(player, CompiledPlayer)
        player.start(STANDARD, settings.seed)
        distribution = spawn_distribution(STANDARD.spawn_exponents, STANDARD.spawn_weights)
        reached = np.zeros((GAMES[spec], play.REACHED_SIZE), dtype=np.uint64)
        words = game_words(STANDARD, distribution)
        words[play.POLICY_ADDRESS] = player.policy
        words[play.POLICY_CONTEXT] = player.context.ctypes.data
        words[play.REACHED] = reached.ctypes.data
        first = np.uint64(settings.seed)
        times = timings(
            lambda: play.play_many(words, first, states, NO_LIMIT), REPEATS * settings.runs
        )
    moves = int(states[:, play.MOVE_NUMBER].sum())
    return [
        of_runs(
            f"{spec} games, CPU time",
            [moves / time.cpu / MILLION for time in times],
            "M moves/s",
            at_least=TARGETS.get(spec),
        ),
        of_runs(
            f"{spec} games, wall clock",
            [moves / time.wall / MILLION for time in times],
            "M moves/s",
        ),
    ]


_BOARDS = types.Array(types.uint64, 1, "C")


@kernel(types.uint64(_BOARDS, types.uint64, types.uint64, types.int64), cached=False)
def _generate(boards: Any, across: Any, down: Any, rounds: Any) -> Any:
    """All four moves and both rewards of every board, folded so that none is optimised away."""
    rows, columns = u64_at(across), u64_at(down)
    folded = np.uint64(0)
    for _ in range(rounds):
        for index in range(len(boards)):
            left, right, reward = on_bits.slide_both(boards[index], rows)
            turned = on_bits.transpose(boards[index])
            up, bottom, down_reward = on_bits.slide_both(turned, columns)
            folded = (((folded + left) ^ right) + up) ^ bottom
            folded += reward + down_reward
    return folded


@kernel(types.uint64(_BOARDS, types.uint64, types.uint64, types.int64), cached=False)
def _generate_turned(boards: Any, across: Any, down: Any, rounds: Any) -> Any:
    """The same, with the results of up and down transposed back."""
    rows, columns = u64_at(across), u64_at(down)
    folded = np.uint64(0)
    for _ in range(rounds):
        for index in range(len(boards)):
            left, right, reward = on_bits.slide_both(boards[index], rows)
            turned = on_bits.transpose(boards[index])
            up, bottom, down_reward = on_bits.slide_both(turned, columns)
            folded = (((folded + left) ^ right) + on_bits.transpose(up)) ^ on_bits.transpose(bottom)
            folded += reward + down_reward
    return folded


def _generation(boards: Positions, settings: Settings) -> list[Figure]:
    shape = frame(4, 4)
    arguments = (boards.bits, shape.across.ctypes.data, shape.down.ctypes.data, ROUNDS)
    figures = []
    for what, work, target in (
        ("four moves of a board", _generate_turned, BOARDS_TARGET),
        ("the same, up and down transposed", _generate, None),
    ):
        times = timings(partial(work, *arguments), REPEATS * settings.runs)
        speeds = [len(boards) * ROUNDS / time.cpu / MILLION for time in times]
        figures.append(of_runs(what, speeds, "M boards/s", at_least=target))
    return figures
