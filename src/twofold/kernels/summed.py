"""The search of Baeldung's 2048 solver: spawn results are summed, not averaged, in integers.

The first move is followed by `rounds` rounds of a spawn and a move. A spawn's term is its value
times 0.9 or 0.1 as a float64, rounded towards zero; the value of a state is that of its best move,
0 without a move.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import (
    ACROSS,
    DISTRIBUTION,
    DOWN,
    EVALUATOR,
    FOUND,
    HITS,
    MASK,
    NODE_LIMIT,
    NODES,
    OWN,
    PARAMS,
    TABLE,
)
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_f64,
    call_evaluator,
    f32_at,
    nth_set_bit,
    pointer,
    popcount,
    u64_at,
)
from twofold.kernels.play import SPAWN_STRIDE
from twofold.kernels.transposition import EXACT, bucket_of, entry_key, find, hash_of, store

# The search's own words of a context.
PRUNES: Final = OWN
"""1 if the search leaves out moves that change nothing."""
CONTEXT_WORDS: Final = OWN + 1


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def spawn_sum(after, rounds, context):
    """The sum over all spawns on an afterstate; the evaluator's value if no rounds are left."""
    if rounds == 0:
        context[NODES] += np.uint64(1)
        return np.int64(call_evaluator(context[EVALUATOR], (after, 0, f32_at(context[PARAMS]))))
    bucket, key = np.int64(0), np.uint64(0)
    if context[TABLE] != 0:
        hashed = hash_of(after)
        bucket, key = bucket_of(hashed, context), entry_key(hashed, rounds, EXACT)
        slot = find(bucket, key, context)
        if slot >= 0:
            context[HITS] += np.uint64(1)
            return np.int64(context[FOUND])
    context[NODES] += np.uint64(1)
    if context[NODES] >= context[NODE_LIMIT]:
        return np.int64(0)
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    distribution = u64_at(context[DISTRIBUTION])
    prunes = context[PRUNES] != 0
    empty = on_bits.empty_mask(after, context[MASK])
    total = np.int64(0)
    for number in range(popcount(empty) - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        for tile in range(np.int64(distribution[0])):
            state = after | (cell * distribution[1 + SPAWN_STRIDE * tile])
            found = False
            best = np.int64(0)
            for move in range(4):
                moved, _ = on_bits.slide(state, move, across, down)
                if moved == state and prunes:
                    continue
                value = spawn_sum(moved, rounds - 1, context)
                if not found or value > best:
                    found, best = True, value
            total += np.int64(np.float64(best) * as_f64(distribution[3 + SPAWN_STRIDE * tile]))
    if context[TABLE] != 0 and context[NODES] < context[NODE_LIMIT]:
        store(bucket, key, np.uint64(total), context)
    return total


_WORDS: Final = types.uint64[::1]


@kernel(types.int64(types.uint64, types.int64, types.int64, _WORDS))
def value_of(bits, move, rounds, context):
    """The value of one legal move."""
    words = pointer(context)
    after, _ = on_bits.slide(bits, move, u64_at(words[ACROSS]), u64_at(words[DOWN]))
    return spawn_sum(after, rounds, words)
