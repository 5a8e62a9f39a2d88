"""Policies without a search, on bits and on cells; and two policies in turn (`relay`).

The second plays from a large tile on. A board is late if its different tiles sum to a limit, or
all its tiles to an eighth more. The first is so when a large tile has just been made and the board
is nearly empty; before that the tiles already have the sum, but stand as the first policy needs
them. The second keeps boards late whose two largest tiles have become equal.
"""

from typing import Final

import numpy as np
from numba import types
from numpy.typing import NDArray

from twofold.kernels import bits as on_bits
from twofold.kernels import cells as on_cells
from twofold.kernels._jit import kernel
from twofold.kernels.bits import tile_sum
from twofold.kernels.context import ACROSS, DOWN
from twofold.kernels.intrinsics import CELLS_POLICY, POLICY, call_policy, u8_space, u64_at
from twofold.kernels.ntuple import tile_set
from twofold.limits import MAX_CELLS


def _nth_moves(count: int) -> NDArray[np.uint64]:
    """For n below `count`, a word with the n-th move of every set of `count` moves.

    A set of moves is 4 bits; its answer is at twice the set, two bits.
    """
    words = [0] * count
    for legal in range(16):
        moves = [move for move in range(4) if legal >> move & 1]
        if len(moves) == count:
            for number, move in enumerate(moves):
                words[number] |= move << (2 * legal)
    return np.array(words, dtype=np.uint64)


NTH_OF_1, NTH_OF_2, NTH_OF_3, NTH_OF_4 = (_nth_moves(count) for count in (1, 2, 3, 4))
"""Tables of `random_legal`."""


@kernel(types.int64(types.int64, types.uint64))
def random_legal(legal, draw):
    """The (high half of the draw * n >> 32)-th of n legal moves (4 bits).

    The answers for all sets of moves are found from the draw alone, so only one shift depends on
    the legal moves.
    """
    high = draw >> np.uint64(32)
    answers = NTH_OF_1[0] | NTH_OF_2[high >> np.uint64(31)]
    answers |= NTH_OF_3[(high * np.uint64(3)) >> np.uint64(32)]
    answers |= NTH_OF_4[high >> np.uint64(30)]
    return np.int64((answers >> (np.uint64(legal) << np.uint64(1))) & np.uint64(3))


@kernel(types.int64(types.int64))
def corner_legal(legal):
    """The first legal move of down, left, right, up."""
    if legal & 4:
        return 2
    if legal & 8:
        return 3
    return 1 if legal & 2 else 0


@kernel(POLICY)
def random_bits(bits, legal, score, draw, context):
    """A random legal move."""
    return random_legal(legal, draw)


@kernel(CELLS_POLICY)
def random_cells(cells, rows, cols, legal, score, draw):
    """A random legal move."""
    return random_legal(legal, draw)


@kernel(POLICY)
def corner_bits(bits, legal, score, draw, context):
    """The first legal move of down, left, right, up."""
    return corner_legal(legal)


@kernel(CELLS_POLICY)
def corner_cells(cells, rows, cols, legal, score, draw):
    """The first legal move of down, left, right, up."""
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
    after = u8_space(MAX_CELLS)
    best, best_reward = -1, -1
    for move in range(4):
        if (legal >> move) & 1:
            reward = on_cells.slide(cells, rows, cols, move, after)
            if reward > best_reward:
                best, best_reward = move, reward
    return best


# Words of the context.
#   LATE_SUM  The limit from which boards are late
LATE_SUM, EARLY_POLICY, EARLY_CONTEXT, LATE_POLICY, LATE_CONTEXT = range(5)
CONTEXT_WORDS: Final = 5


@kernel(types.boolean(types.uint64, types.uint64))
def is_late(bits, limit):
    """Whether a board is late."""
    return tile_set(bits) >= limit or np.uint64(tile_sum(bits)) >= limit + (limit >> np.uint64(3))


@kernel(POLICY)
def relay(bits, legal, score, draw, context):
    """The move of the policy whose turn it is."""
    if not is_late(bits, context[LATE_SUM]):
        inner = u64_at(context[EARLY_CONTEXT])
        return call_policy(context[EARLY_POLICY], (bits, legal, score, draw, inner))
    inner = u64_at(context[LATE_CONTEXT])
    return call_policy(context[LATE_POLICY], (bits, legal, score, draw, inner))
