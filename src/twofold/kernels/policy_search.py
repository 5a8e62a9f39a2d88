"""Expectimax guided by a policy network: it tries the probable moves, and its critic values leaves.

A critic is learnt from boards that its policy comes by, and values others too highly. So each max
node tries only moves that are not much less probable than the most probable one.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import ACROSS, DEAD_VALUE, DISTRIBUTION, DOWN, MASK, NODES
from twofold.kernels.intrinsics import (
    POLICY,
    U64_POINTER,
    as_f64,
    f32_space,
    f64_at,
    pointer,
    u8_space,
    u64_at,
)
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE
from twofold.kernels.policy import COLS, NETWORK, OUTPUT, ROWS, VALUE, forward_bits, merge_reward
from twofold.limits import BITS_MAX_CELLS

PLY: Final = NETWORK + 1
"""The depth in plies, 1 or more."""
MARGIN: Final = NETWORK + 2
"""How far below the largest logit a move may be to be tried; the bits of a float64."""
REWARDS: Final = NETWORK + 3
"""Address of what a merge is worth, by the exponent that it makes, float64."""
DISCOUNT: Final = NETWORK + 4
"""Discount of a move, the bits of a float64."""
WORDS: Final = NETWORK + 5


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def probable(bits, legal, context):
    """The legal moves to try, as 4 bits."""
    outputs = f32_space(OUTPUT)
    forward_bits(bits, u64_at(context[NETWORK]), outputs)
    largest = -np.inf
    for move in range(4):
        if (legal >> move) & 1:
            largest = max(largest, np.float64(outputs[move]))
    tried = 0
    for move in range(4):
        if (legal >> move) & 1 and outputs[move] >= largest - as_f64(context[MARGIN]):
            tried |= 1 << move
    return tried


@kernel(types.float64(types.uint64, types.int64, types.int64, U64_POINTER))
def move_value(bits, move, ply, context):
    """Reward of a legal move, and the mean value of the states after it, `ply` - 1 plies deep.

    The reward is the one that the network was trained with, and the values of states where the
    game goes on are discounted as in training.
    """
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    after, _ = on_bits.slide(bits, move, across, down)
    distribution, outputs = u64_at(context[DISTRIBUTION]), f32_space(OUTPUT)
    empty = on_bits.empty_mask(after, context[MASK])
    discount, count, total = as_f64(context[DISCOUNT]), 0, 0.0
    for cell in range(16):
        shift = np.uint64(4 * cell)
        if (empty >> shift) & np.uint64(1) == np.uint64(0):
            continue
        count += 1
        for tile in range(np.int64(distribution[0])):
            state = after | (distribution[SPAWN_EXPONENT + SPAWN_STRIDE * tile] << shift)
            chance = as_f64(distribution[SPAWN_PROBABILITY + SPAWN_STRIDE * tile])
            legal = on_bits.legal_mask(state, across, down)
            if legal == 0:
                total += chance * as_f64(context[DEAD_VALUE])
                continue
            if ply == 1:
                context[NODES] += np.uint64(1)
                forward_bits(state, u64_at(context[NETWORK]), outputs)
                total += chance * discount * np.float64(outputs[VALUE])
                continue
            tried = probable(state, legal, context)
            best = -np.inf
            for reply in range(4):
                if (tried >> reply) & 1:
                    best = max(best, move_value(state, reply, ply - 1, context))
            total += chance * discount * best
    network, cells = u64_at(context[NETWORK]), u8_space(BITS_MAX_CELLS)
    rows, cols = np.int64(network[ROWS]), np.int64(network[COLS])
    on_bits.unpack(bits, rows, cols, cells)
    return merge_reward(cells, rows, cols, move, f64_at(context[REWARDS])) + total / count


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The best of the probable moves; the first of equals."""
    tried = probable(bits, legal, context)
    best, best_value = -1, 0.0
    for move in range(4):
        if (tried >> move) & 1:
            value = move_value(bits, move, np.int64(context[PLY]), context)
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best


@kernel(types.int64(types.uint64, types.int64, types.uint64[::1], types.float64[::1]))
def value_moves(bits, legal, context, values):
    """Fill in the values of all legal moves; returns the moves that `choose` compares."""
    words = pointer(context)
    for move in range(4):
        if (legal >> move) & 1:
            values[move] = move_value(bits, move, np.int64(words[PLY]), words)
    return probable(bits, legal, words)
