"""Star1: expectimax on bits with pruning at chance nodes, which makes the same moves.

If values have an upper bound U, the mean over the spawns is bounded before all of them are
searched. At a chance node with children i of probabilities p, searched for a value above alpha:

    searched: sum of p v = S          remaining: sum of p U = R

    cutoff: S + R <= alpha            the next child matters only above (alpha - S - R) / p

There are no min nodes, so there is no other cutoff, and only values at most alpha are inexact. U is
the evaluator's largest value for any board of the tile sum after the spawns (`evaluators.bounds`).

Source: B. W. Ballard, "The *-minimax search procedure for trees containing chance nodes",
Artificial Intelligence 21 (1983).
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    POLICY,
    U64_POINTER,
    as_f64,
    call_layer,
    f64_at,
    nth_set_bit,
    popcount,
    u64_at,
)
from twofold.kernels.rules import bits as on_bits
from twofold.kernels.rules.bits import tile_sum
from twofold.kernels.rules.dice import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE
from twofold.kernels.search import expectimax
from twofold.kernels.search.bounds import find_any, settles, store_within
from twofold.kernels.search.context import (
    ACROSS,
    DEAD_VALUE,
    DISTRIBUTION,
    DOWN,
    HITS,
    MASK,
    NODE_LIMIT,
    NODES,
    TABLE,
)
from twofold.kernels.search.expectimax import LOWEST, depth_at, ordered_move
from twofold.kernels.search.leaf_layer import evaluate
from twofold.kernels.search.transposition import (
    bucket_of,
    entry_key,
    fetch,
    hash_of,
    new_generation,
)

# The search's own words of a context, after those of expectimax.
UPPER: Final = expectimax.CONTEXT_WORDS
"""Address of upper bounds of a board before a move, float64 (spawns, `HALVES`).

By the number of spawns to come, and half the tile sum.
"""
SLACK: Final = expectimax.CONTEXT_WORDS + 1
"""Largest rounding error of a bound, the bits of a float64."""
CONTEXT_WORDS: Final = expectimax.CONTEXT_WORDS + 2

HALVES: Final = 32_768
"""Number of half tile sums: boards of 65,536 or more may hold two tiles 32768.

These merge into one of 32768, which lowers the sum: such boards are searched without pruning.
"""

_1: Final = np.uint64(1)
_NODE: Final = types.float64(types.uint64, types.int64, types.int64, types.float64, U64_POINTER)
_FLOATS: Final = types.float64[::1]


@kernel(types.void(_FLOATS, _FLOATS, _FLOATS))
def most_of_two(first, second, most):
    """The largest first[i] + second[j], by i + j; all arrays have one length."""
    size = len(most)
    for left in range(size):
        value = first[left]
        if value != -np.inf:
            for right in range(size - left):
                both = value + second[right]
                most[left + right] = both if both > most[left + right] else most[left + right]


@kernel(types.int64(types.int64, types.int64))
def _turn(number, first):
    """Index of the attempt `number`, 0 to 3, when the index `first` is tried first."""
    return first if number == 0 else number - np.int64(number <= first)


@kernel(_NODE)
def chance(after, total, depth, alpha, context):
    """The value of an afterstate of a tile sum, if it is above alpha; otherwise a bound.

    A value above alpha equals that of `expectimax.chance` to the last bit: its sums are added in
    the same order. A bound is at least the value and at most alpha.
    """
    if depth == 0:
        return evaluate(after, 0, context)
    has_table = context[TABLE] != 0
    bucket, key = np.int64(0), np.uint64(0)
    if has_table:
        hashed = hash_of(after)
        bucket, key = bucket_of(hashed, context), entry_key(hashed, depth, 0)
        found = find_any(bucket, key, context)
        if found >= 0 and settles(found, alpha, np.inf, context):
            context[HITS] += _1
            return as_f64(u64_at(context[TABLE])[found])
    context[NODES] += _1
    if context[NODES] >= context[NODE_LIMIT]:
        return 0.0
    distribution, tiles = u64_at(context[DISTRIBUTION]), np.int64(u64_at(context[DISTRIBUTION])[0])
    if depth == 1:
        value = call_layer(context[LOWEST], (after, 0, 0, tiles, context))
        if has_table and context[NODES] < context[NODE_LIMIT]:
            store_within(bucket, key, value, -np.inf, np.inf, context)
        return value
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    below = depth - 1
    upper, row = f64_at(context[UPPER]), below * HALVES
    slack = as_f64(context[SLACK])
    empty = on_bits.empty_mask(after, context[MASK])
    count = popcount(empty)
    to_come = 0.0  # the bounds of the remaining children, weighted by their probabilities
    for tile in range(tiles):
        grown = total + np.int64(_1 << distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
        to_come += (
            as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
            * upper[row + (grown >> 1)]
        )
    done, sum_of_means = 0.0, 0.0
    for number in range(count - 1, -1, -1):  # row-major: from the highest nibble down
        cell = nth_set_bit(empty, number)
        mean = 0.0
        for tile in range(tiles):
            state = after | (cell * distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
            probability = as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
            share = probability / count
            grown = total + np.int64(_1 << distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
            to_come -= share * upper[row + (grown >> 1)]
            low = (alpha - done - to_come - slack) / share
            up, right, bottom, left, _, _ = on_bits.slide_all(state, across, down)
            first, top = np.int64(0), -np.inf  # first the move with the best evaluation
            for move in range(4):
                moved = on_bits.of_move(move, up, right, bottom, left)
                if moved != state:
                    if has_table:
                        fetch(moved, context)
                    value = evaluate(moved, 0, context)
                    if value > top:
                        first, top = np.int64(move), value
            best = -np.inf
            for number_tried in range(4):
                moved = on_bits.of_move(_turn(number_tried, first), up, right, bottom, left)
                if moved != state:
                    best = max(best, chance(moved, grown, below, max(low, best), context))
            if best == -np.inf:
                best = as_f64(context[DEAD_VALUE])
            done += share * best
            if best <= low:
                bound = done + to_come + slack / 2
                if has_table and context[NODES] < context[NODE_LIMIT]:
                    store_within(bucket, key, bound, alpha, np.inf, context)
                return bound
            mean += probability * best
        sum_of_means += mean
    value = sum_of_means / count
    if has_table and context[NODES] < context[NODE_LIMIT]:
        store_within(bucket, key, value, alpha, np.inf, context)
    return value


@kernel(types.int64(types.int64, U64_POINTER))
def _most_spawned(spawns, context):
    """The most that `spawns` spawns can add to the tile sum."""
    distribution, largest = u64_at(context[DISTRIBUTION]), np.uint64(0)
    for tile in range(np.int64(distribution[0])):
        largest = max(largest, distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
    return spawns * np.int64(_1 << largest)


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The move of `expectimax.choose`: of the largest value, the first in `ORDER` of equals.

    The move with the best evaluation is searched first; the others are searched with its bound.
    """
    ply, total = depth_at(bits, context), tile_sum(bits)
    if total + _most_spawned(ply - 1, context) >= 2 * HALVES:
        return expectimax.choose(bits, legal, score, draw, context)
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    new_generation(context)
    first, top = np.int64(0), -np.inf
    for number in range(4):
        move = ordered_move(number, context)
        if (legal >> move) & 1:
            after, _ = on_bits.slide(bits, move, across, down)
            worth = evaluate(after, 0, context)
            if worth > top:
                first, top = np.int64(number), worth
    best, best_value, best_number = np.int64(-1), -np.inf, np.int64(4)
    for number_tried in range(4):
        number = _turn(number_tried, first)
        move = ordered_move(number, context)
        if (legal >> move) & 1:
            after, _ = on_bits.slide(bits, move, across, down)
            alpha = best_value - as_f64(context[SLACK])  # so that equal values are recognised
            value = chance(after, total, ply - 1, alpha, context)
            if value > best_value or (value == best_value and number < best_number):
                best, best_value, best_number = move, value, number
    return best
