"""Policies that look no further than the move itself, on bits and on cells."""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    CELLS_POLICY,
    POLICY,
    nth_set_bit,
    pointer,
    popcount,
    trailing_zeros,
    u64_at,
)

ACROSS: Final = 0
DOWN: Final = 1
"""Words of a policy's context: the addresses of the row tables."""


@kernel(types.int64(types.int64, types.uint64))
def random_legal(legal, draw):
    """One of the legal moves (4 bits), chosen by the high half of a draw."""
    mask = np.uint64(legal)
    number = np.int64(((draw >> np.uint64(32)) * np.uint64(popcount(mask))) >> np.uint64(32))
    return trailing_zeros(nth_set_bit(mask, number))


@kernel(types.int64(types.int64))
def corner_legal(legal):
    """Down, else left, else right, else up."""
    if legal & 4:
        return 2
    if legal & 8:
        return 3
    return 1 if legal & 2 else 0


@kernel(POLICY)
def random_bits(bits, legal, score, draw, context):
    """Any legal move."""
    return random_legal(legal, draw)


@kernel(CELLS_POLICY)
def random_cells(cells, rows, cols, legal, score, draw):
    """Any legal move."""
    return random_legal(legal, draw)


@kernel(POLICY)
def corner_bits(bits, legal, score, draw, context):
    """Down, else left, else right, else up."""
    return corner_legal(legal)


@kernel(CELLS_POLICY)
def corner_cells(cells, rows, cols, legal, score, draw):
    """Down, else left, else right, else up."""
    return corner_legal(legal)


@kernel(POLICY)
def greedy_bits(bits, legal, score, draw, context):
    """The largest reward; ties in the order up, right, down, left."""
    best, best_reward = -1, -1
    for move in range(4):
        if (legal >> move) & 1:
            _, packed = on_bits.slide(bits, move, u64_at(context[ACROSS]), u64_at(context[DOWN]))
            reward = on_bits.reward_of(packed)
            if reward > best_reward:
                best, best_reward = move, reward
    return best


@kernel(CELLS_POLICY)
def greedy_cells(cells, rows, cols, legal, score, draw):
    """The largest reward; ties in the order up, right, down, left."""
    after = np.empty(64, dtype=np.uint8)
    best, best_reward = -1, -1
    for move in range(4):
        if (legal >> move) & 1:
            reward = on_cells.slide(cells, rows, cols, move, pointer(after))
            if reward > best_reward:
                best, best_reward = move, reward
    return best
