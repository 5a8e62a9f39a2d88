"""What a move earns in training: a value for each tile that it makes."""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import F64_POINTER, U8_POINTER, pointer

_UP: Final = 0
_RIGHT: Final = 1
_DOWN: Final = 2


@kernel(types.float64(U8_POINTER, types.int64, types.int64, types.int64, F64_POINTER))
def merge_reward(cells, rows, cols, move, values):
    """Sum of values[k] over the tiles 2^k that a move makes."""
    vertical = move == _UP or move == _DOWN
    lines, length = (cols, rows) if vertical else (rows, cols)
    total = 0.0
    for line in range(lines):
        waiting = 0
        for step in range(length):
            place = length - 1 - step if move == _RIGHT or move == _DOWN else step
            tile = np.int64(cells[place * cols + line if vertical else line * cols + place])
            if tile == 0:
                continue
            if tile == waiting:
                total += values[tile + 1]
                waiting = 0
            else:
                waiting = tile
    return total


@kernel(
    types.void(types.uint8[:, :, ::1], types.int64[::1], types.float64[::1], types.float32[::1])
)
def merge_rewards(boards, moves, values, rewards):
    """`merge_reward` of each game.

    Args:
        boards: exponents, (games, rows, cols).
        moves: a legal move for each game.
        values: a value for each exponent.
        rewards: filled, (games,).
    """
    games, rows, cols = boards.shape
    for game in range(games):
        board = pointer(boards[game])
        rewards[game] = merge_reward(board, rows, cols, moves[game], pointer(values))


@kernel(
    types.void(
        types.float32[:, ::1],
        types.float32[:, ::1],
        types.bool_[:, ::1],
        types.float64,
        types.float64,
        types.float32[:, ::1],
    )
)
def advantages(rewards, values, ended, gamma, decay, found):
    """Generalised advantage estimates.

    Args:
        rewards: of each step, (steps, games).
        values: of the board before each step, and of the last board, (steps + 1, games).
        ended: whether the game ended with the step, (steps, games).
        gamma: discount of a step.
        decay: lambda.
        found: filled, (steps, games).

    Source: Schulman et al. 2016, equation 16.
    """
    steps, games = rewards.shape
    for game in range(games):
        last = 0.0
        for step in range(steps - 1, -1, -1):
            goes_on = 0.0 if ended[step, game] else 1.0
            error = rewards[step, game] + gamma * goes_on * values[step + 1, game]
            last = error - values[step, game] + gamma * decay * goes_on * last
            found[step, game] = last
