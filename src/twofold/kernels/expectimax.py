"""Expectimax on bits, to a fixed depth, without any cut-off.

One recursion step is a chance node: it averages over the spawns, and takes the best move of
each. Equal afterstates at equal depth are looked up in a transposition table; that saves work
and changes no value.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import (
    ACROSS,
    ADDS_REWARD,
    AT_STATE,
    DEAD_VALUE,
    DOWN,
    EVALUATOR,
    LAW,
    MASK,
    NODES,
    OWN,
    PARAMS,
    TABLE,
    table_slot,
)
from twofold.kernels.dice import LAW_STRIDE
from twofold.kernels.intrinsics import (
    POLICY,
    U64_POINTER,
    as_f64,
    as_u64,
    call_evaluator,
    f32_at,
    nth_set_bit,
    pointer,
    popcount,
    u64_at,
)

# The search's own words of a context.
PLY: Final = OWN
"""Depth in plies where the position has at least `FEW` empty cells."""
FEW: Final = OWN + 1
FEW_PLY: Final = OWN + 2
"""Depth in plies where it has fewer."""
SECOND_MOVE: Final = OWN + 3
"""1 where the player moves twice before the first spawn."""
CONTEXT_WORDS: Final = OWN + 4


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def evaluate(bits, score, context):
    """The evaluator's value."""
    context[NODES] += np.uint64(1)
    return call_evaluator(context[EVALUATOR], (bits, score, f32_at(context[PARAMS])))


@kernel(types.float64(types.uint64, types.int64, types.int64, U64_POINTER))
def chance(after, score, depth, context):
    """Expected value of an afterstate before its spawn, `depth` more moves ahead."""
    if depth == 0 and context[AT_STATE] == 0:
        return evaluate(after, score, context)
    context[NODES] += np.uint64(1)
    table = u64_at(context[TABLE])
    slot = np.int64(0)
    if context[TABLE] != 0:
        slot = table_slot(after, depth, context)
        if table[slot] == after:
            return as_f64(table[slot + 1])
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    law = u64_at(context[LAW])
    adds_reward = context[ADDS_REWARD] != 0
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    total = 0.0
    for number in range(count - 1, -1, -1):  # row-major: from the highest nibble down
        cell = nth_set_bit(empty, number)
        word = 1
        mean = 0.0
        for _ in range(np.int64(law[0])):
            state = after | (cell * law[word])
            if depth == 0:
                value = evaluate(state, score, context)
            else:
                left, right, packed = on_bits.slide_both(state, across)
                turned = on_bits.transpose(state)
                up, bottom, down_packed = on_bits.slide_both(turned, down)
                best = -np.inf
                if up != turned:
                    gain = on_bits.reward_of(down_packed)
                    value = chance(on_bits.transpose(up), score + gain, depth - 1, context)
                    best = max(best, value + gain if adds_reward else value)
                if right != state:
                    gain = on_bits.reward_of(packed)
                    value = chance(right, score + gain, depth - 1, context)
                    best = max(best, value + gain if adds_reward else value)
                if bottom != turned:
                    gain = on_bits.reward_of(down_packed)
                    value = chance(on_bits.transpose(bottom), score + gain, depth - 1, context)
                    best = max(best, value + gain if adds_reward else value)
                if left != state:
                    gain = on_bits.reward_of(packed)
                    value = chance(left, score + gain, depth - 1, context)
                    best = max(best, value + gain if adds_reward else value)
                value = best if best != -np.inf else as_f64(context[DEAD_VALUE])
            mean += as_f64(law[word + 2]) * value
            word += LAW_STRIDE
        total += mean
    value = total / count
    if context[TABLE] != 0:
        table[slot] = after
        table[slot + 1] = as_u64(value)
    return value


@kernel(types.int64(types.uint64, U64_POINTER))
def depth_at(bits, context):
    """Depth in plies for this position."""
    few = on_bits.count_empty(bits, context[MASK]) < np.int64(context[FEW])
    return np.int64(context[FEW_PLY] if few else context[PLY])


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, U64_POINTER))
def move_value(bits, score, move, ply, context):
    """The value of a legal move, `ply` plies deep, its own reward included where rewards count."""
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    after, packed = on_bits.slide(bits, move, across, down)
    gain = on_bits.reward_of(packed)
    if context[SECOND_MOVE] == 0:
        value = chance(after, score + gain, ply - 1, context)
        return value + gain if context[ADDS_REWARD] else value
    best = -np.inf
    for second in range(4):
        last, packed = on_bits.slide(after, second, across, down)
        if last != after:
            more = on_bits.reward_of(packed)
            value = chance(last, score + gain + more, ply - 1, context)
            best = max(best, value + gain + more if context[ADDS_REWARD] else value)
    return best if best != -np.inf else as_f64(context[DEAD_VALUE])


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The legal move of the largest value, the first one of equals."""
    ply = depth_at(bits, context)
    best, best_value = -1, 0.0
    for move in range(4):
        if (legal >> move) & 1:
            value = move_value(bits, score, move, ply, context)
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best


_WORDS: Final = types.Array(types.uint64, 1, "C")


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, _WORDS))
def value_of(bits, score, move, ply, context):
    """`move_value` for callers outside kernels; ply 0 takes the context's own depth."""
    from_context = ply == 0
    words = pointer(context)
    depth = depth_at(bits, words) if from_context else ply
    return move_value(bits, score, move, depth, words)
