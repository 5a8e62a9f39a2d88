"""Minimax and alpha-beta on bits: each spawn is the one with the lowest value for the player.

Depth counts half-moves: a move is one, a spawn is one. Alpha-beta returns the same move as plain
minimax: the first of the best in the order up, right, down, left. The transposition table stores
afterstates only, and a value is used at equal depth only, so it equals that of a search without a
table. If a value depends on the score, the score is part of the key.

In the search of Baeldung's 2048 solver spawn results are summed, not averaged, in integers. The
first move is followed by `rounds` rounds of a spawn and a move. A spawn's term is its value times
0.9 or 0.1 as a float64, rounded towards zero; the value of a state is that of its best move, 0
without a move.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    POLICY,
    U64_POINTER,
    as_f64,
    call_evaluator,
    f32_at,
    nth_set_bit,
    pointer,
    popcount,
    u64_at,
)
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_STRIDE, mix
from twofold.kernels.transposition import (
    EXACT,
    bucket_of,
    entry_key,
    find,
    find_any,
    hash_of,
    new_generation,
    settles,
    store,
    store_within,
)

# The search's own words of a context.
#   DEPTH          Depth in half-moves, at least 1
#   PRUNES         1 for alpha-beta, 0 for plain minimax
#   WIN_EXPONENT   A board that holds at least this exponent is won; 255 for never
#   DEAD_IS_SCORE  1 if a dead board is worth min(score, 1), as in Datumbox, instead of
#                  `DEAD_VALUE`
#   ROOT_SCORE     The score at the root, from which rewards count
#   KILLERS        For each depth the last move, cell and tile that caused a cutoff (three words).
#                  They are tried first, which changes the positions visited but no decision.
DEPTH, PRUNES, WIN_EXPONENT, DEAD_IS_SCORE, ROOT_SCORE, KILLERS = range(at.OWN, at.OWN + 6)
KILLER_WORDS: Final = 3 * 32
SCORE_COUNTS: Final = KILLERS + KILLER_WORDS
"""1 if the value of a board depends on the score itself, not only on the rewards since."""
USES_TABLE: Final = SCORE_COUNTS + 1
"""1 if the current search is deep enough for the table."""
CONTEXT_WORDS: Final = SCORE_COUNTS + 2

WON: Final = 2.0**31 - 1
"""Value of a won board."""

LEAST_DEPTH: Final = 6
"""Searches of fewer half-moves do not use the table, which would cost more than it saves."""

_TREE: Final = types.float64(
    types.uint64, types.int64, types.int64, types.float64, types.float64, types.int64, U64_POINTER
)


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def leaf(bits, score, context):
    """The evaluator's value, plus the rewards since the root if they count."""
    value = call_evaluator(context[at.EVALUATOR], (bits, score, f32_at(context[at.PARAMS])))
    if context[at.ADDS_REWARD] != 0:
        value += np.float64(score - np.int64(context[ROOT_SCORE]))
    return value


@kernel(types.float64(types.int64, U64_POINTER))
def dead(score, context):
    """The value of a board without a legal move."""
    if context[DEAD_IS_SCORE] != 0:
        return np.float64(min(score, 1))
    value = as_f64(context[at.DEAD_VALUE])
    if context[at.ADDS_REWARD] != 0:
        value += np.float64(score - np.int64(context[ROOT_SCORE]))
    return value


@kernel(types.uint64(types.uint64, types.int64, U64_POINTER))
def hash_at(after, score, context):
    """The hash of an afterstate, and of the score if the value depends on it.

    Boards with equal scores never collide; two boards with different scores collide with a
    probability of 2^-64.
    """
    hashed = hash_of(after)
    if context[SCORE_COUNTS] != 0:
        hashed ^= mix(np.uint64(score))
    if context[at.ADDS_REWARD] != 0:
        hashed ^= mix(~np.uint64(score - np.int64(context[ROOT_SCORE])))
    return hashed


@kernel(_TREE)
def search(bits, score, depth, alpha, beta, to_move, context):
    """The value of a board, `depth` half-moves ahead, within the window (alpha, beta).

    A value outside the window is only a bound. `to_move` is 1 if a move comes next and 0 if a
    spawn comes next.
    """
    context[at.NODES] += np.uint64(1)
    if context[at.NODES] >= context[at.NODE_LIMIT]:
        return 0.0
    if on_bits.holds(bits, np.int64(context[WIN_EXPONENT])):
        return WON
    stored = to_move == 0 and depth > 0 and context[USES_TABLE] != 0
    bucket, key = np.int64(0), np.uint64(0)
    if stored:
        hashed = hash_at(bits, score, context)
        bucket, key = bucket_of(hashed, context), entry_key(hashed, depth, 0)
        found = find_any(bucket, key, context)
        if found >= 0 and settles(found, alpha, beta, context):
            context[at.HITS] += np.uint64(1)
            return as_f64(u64_at(context[at.TABLE])[found])
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    prunes = context[PRUNES] != 0
    other = np.int64(1) - to_move
    killer = KILLERS + 3 * depth
    if to_move:
        a, b, c, d = on_bits.entries(bits, across)
        turned = on_bits.transpose(bits)
        e, f, g, h = on_bits.entries(turned, down)
        legal = on_bits.legal_from_entries(a | b | c | d, e | f | g | h)
        if legal == 0:
            return dead(score, context)
        if depth == 0:
            return leaf(bits, score, context)
        best = -np.inf
        first = np.int64(context[killer])
        for number in range(4):
            move = first if number == 0 else number - np.int64(number <= first)
            if (legal >> move) & 1:
                after, packed = on_bits.slide(bits, move, across, down)
                gained = score + on_bits.reward_of(packed)
                value = search(after, gained, depth - 1, max(alpha, best), beta, other, context)
                best = max(best, value)
                if prunes and best >= beta:
                    context[killer] = np.uint64(move)
                    break
        return best
    empty = on_bits.empty_mask(bits, context[at.MASK])
    if depth == 0 or empty == 0:
        return leaf(bits, score, context)
    distribution = u64_at(context[at.DISTRIBUTION])
    tiles = np.int64(distribution[0])
    killer_cell, killer_tile = context[killer + 1], np.int64(context[killer + 2])
    has_killer = prunes and (empty & killer_cell) != 0
    worst = np.inf
    if has_killer:
        state = bits | (killer_cell * distribution[SPAWN_EXPONENT + SPAWN_STRIDE * killer_tile])
        worst = search(state, score, depth - 1, alpha, beta, other, context)
    for number in range(popcount(empty) - 1, -1, -1):
        if prunes and worst <= alpha:
            break
        cell = nth_set_bit(empty, number)
        for tile in range(tiles):
            if has_killer and cell == killer_cell and tile == killer_tile:
                continue
            state = bits | (cell * distribution[SPAWN_EXPONENT + SPAWN_STRIDE * tile])
            value = search(state, score, depth - 1, alpha, min(beta, worst), other, context)
            worst = min(worst, value)
            if prunes and worst <= alpha:
                context[killer + 1] = cell
                context[killer + 2] = np.uint64(tile)
                break
    if stored and context[at.NODES] < context[at.NODE_LIMIT]:
        store_within(bucket, key, worst, alpha, beta, context)
    return worst


@kernel(types.void(types.int64, types.int64, U64_POINTER))
def begin(score, depth, context):
    """Begin a search of `depth` half-moves at a score."""
    context[ROOT_SCORE] = np.uint64(score)
    context[USES_TABLE] = np.uint64(context[at.TABLE] != 0 and depth >= LEAST_DEPTH)


@kernel(types.void(U64_POINTER))
def forget_killers(context):
    """Reset the move ordering, so that it does not depend on earlier searches."""
    for word in range(KILLER_WORDS):
        context[KILLERS + word] = np.uint64(0)


@kernel(types.int64(types.uint64, types.int64, types.int64, types.int64, U64_POINTER))
def best_move(bits, legal, score, depth, context):
    """The first legal move of the largest value; -1 for none."""
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    forget_killers(context)
    best, best_value = -1, -np.inf
    for move in range(4):
        if (legal >> move) & 1:
            after, packed = on_bits.slide(bits, move, across, down)
            gained = score + on_bits.reward_of(packed)
            value = search(after, gained, depth - 1, best_value, np.inf, 0, context)
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The legal move of the largest value, the first one of equals."""
    depth = np.int64(context[DEPTH])
    begin(score, depth, context)
    if context[USES_TABLE] != 0:
        new_generation(context)
    return best_move(bits, legal, score, depth, context)


_WORDS: Final = types.uint64[::1]
_STEP: Final = types.Tuple((types.uint64, types.uint64, types.int64))


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, _WORDS))
def value_of(bits, score, move, depth, context):
    """The exact value of one legal move, `depth` half-moves deep; rewards count from here."""
    words = pointer(context)
    after, packed = on_bits.slide(bits, move, u64_at(words[at.ACROSS]), u64_at(words[at.DOWN]))
    gained = score + on_bits.reward_of(packed)
    begin(score, depth, words)
    forget_killers(words)
    return search(after, gained, depth - 1, -np.inf, np.inf, 0, words)


@kernel(types.int64(types.uint64, types.int64, types.int64, _WORDS))
def reply_to(state, score, depth, context):
    """The best move on a board inside a search, `depth` half-moves from its end; -1 for none.

    Rewards count from the root of the last search.
    """
    words = pointer(context)
    if depth == 0 or on_bits.holds(state, np.int64(words[WIN_EXPONENT])):
        return -1
    legal = on_bits.legal_mask(state, u64_at(words[at.ACROSS]), u64_at(words[at.DOWN]))
    return best_move(state, legal, score, depth, words)


@kernel(_STEP(types.uint64, types.int64, types.int64, types.int64, _WORDS))
def worst_spawn(bits, score, move, depth, context):
    """The first spawn of the lowest value after a legal move, inside a search.

    `depth` is in half-moves and includes the move; rewards count from the root of the last search.
    Returns the afterstate, the board with the spawn, or 0 if the search ends before it, and the
    score of both.
    """
    words = pointer(context)
    after, packed = on_bits.slide(bits, move, u64_at(words[at.ACROSS]), u64_at(words[at.DOWN]))
    gained = score + on_bits.reward_of(packed)
    found, worst = np.uint64(0), np.inf
    if depth == 1 or on_bits.holds(after, np.int64(words[WIN_EXPONENT])):
        return after, found, gained
    distribution = u64_at(words[at.DISTRIBUTION])
    empty = on_bits.empty_mask(after, words[at.MASK])
    forget_killers(words)
    for number in range(popcount(empty) - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        for tile in range(np.int64(distribution[0])):
            state = after | (cell * distribution[SPAWN_EXPONENT + SPAWN_STRIDE * tile])
            value = search(state, gained, depth - 2, -np.inf, worst, 1, words)
            if found == 0 or value < worst:
                found, worst = state, value
    return after, found, gained


# ---- the summed search, and its own word of a context
SKIPS: Final = at.OWN
"""1 if the search leaves out moves that change nothing."""
SUM_WORDS: Final = at.OWN + 1


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def spawn_sum(after, rounds, context):
    """The sum over all spawns on an afterstate; the evaluator's value if no rounds are left."""
    if rounds == 0:
        context[at.NODES] += np.uint64(1)
        return np.int64(
            call_evaluator(context[at.EVALUATOR], (after, 0, f32_at(context[at.PARAMS])))
        )
    bucket, key = np.int64(0), np.uint64(0)
    if context[at.TABLE] != 0:
        hashed = hash_of(after)
        bucket, key = bucket_of(hashed, context), entry_key(hashed, rounds, EXACT)
        slot = find(bucket, key, context)
        if slot >= 0:
            context[at.HITS] += np.uint64(1)
            return np.int64(context[at.FOUND])
    context[at.NODES] += np.uint64(1)
    if context[at.NODES] >= context[at.NODE_LIMIT]:
        return np.int64(0)
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    distribution = u64_at(context[at.DISTRIBUTION])
    prunes = context[SKIPS] != 0
    empty = on_bits.empty_mask(after, context[at.MASK])
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
    if context[at.TABLE] != 0 and context[at.NODES] < context[at.NODE_LIMIT]:
        store(bucket, key, np.uint64(total), context)
    return total


@kernel(types.int64(types.uint64, types.int64, types.int64, _WORDS))
def sum_of(bits, move, rounds, context):
    """The value of one legal move."""
    words = pointer(context)
    after, _ = on_bits.slide(bits, move, u64_at(words[at.ACROSS]), u64_at(words[at.DOWN]))
    return spawn_sum(after, rounds, words)
