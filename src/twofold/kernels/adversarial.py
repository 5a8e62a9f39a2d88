"""Minimax and alpha-beta on bits: the computer places the spawn that hurts most.

Depth counts half-moves: a move is one, a spawn is one. Values are float64, whole numbers stay
exact below 2**53. Alpha-beta returns the move that plain minimax would choose: the first of
the best in the order up, right, down, left.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.context import (
    ACROSS,
    ADDS_REWARD,
    DEAD_VALUE,
    DOWN,
    EVALUATOR,
    LAW,
    MASK,
    NODE_LIMIT,
    NODES,
    OWN,
    PARAMS,
)
from twofold.kernels.dice import LAW_STRIDE
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

# The search's own words of a context; it has no transposition table.
DEPTH: Final = OWN
"""Depth in half-moves, at least 1."""
PRUNES: Final = OWN + 1
"""1 for alpha-beta, 0 for plain minimax."""
WIN_EXPONENT: Final = OWN + 2
"""A board that holds at least this exponent is won; 255 for never."""
DEAD_IS_SCORE: Final = OWN + 3
"""1 where a dead board is worth min(score, 1), as Datumbox has it, and not `DEAD_VALUE`."""
ROOT_SCORE: Final = OWN + 4
"""The score at the root: rewards count from there."""
KILLERS: Final = OWN + 5
"""For each depth what last cut the search off there: a move, a cell, a tile (three words).

Trying it first changes which positions are visited, and no decision.
"""
KILLER_WORDS: Final = 3 * 32
CONTEXT_WORDS: Final = KILLERS + KILLER_WORDS

WON: Final = 2.0**31 - 1
"""Value of a won board."""

_TREE: Final = types.float64(
    types.uint64, types.int64, types.int64, types.float64, types.float64, types.int64, U64_POINTER
)


@kernel(types.float64(types.uint64, types.int64, U64_POINTER))
def leaf(bits, score, context):
    """The evaluator's value, with the rewards since the root where they count."""
    value = call_evaluator(context[EVALUATOR], (bits, score, f32_at(context[PARAMS])))
    if context[ADDS_REWARD] != 0:
        value += np.float64(score - np.int64(context[ROOT_SCORE]))
    return value


@kernel(types.float64(types.int64, U64_POINTER))
def dead(score, context):
    """The value of a board without a legal move."""
    if context[DEAD_IS_SCORE] != 0:
        return np.float64(min(score, 1))
    value = as_f64(context[DEAD_VALUE])
    if context[ADDS_REWARD] != 0:
        value += np.float64(score - np.int64(context[ROOT_SCORE]))
    return value


@kernel(_TREE)
def search(bits, score, depth, alpha, beta, to_move, context):
    """The value of a board, `depth` half-moves ahead, within the window (alpha, beta).

    A value outside the window is only a bound. `to_move` is 1 where the player moves next and
    0 where a spawn comes next.
    """
    context[NODES] += np.uint64(1)
    if context[NODES] >= context[NODE_LIMIT]:
        return 0.0
    if on_bits.holds(bits, np.int64(context[WIN_EXPONENT])):
        return WON
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
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
    empty = on_bits.empty_mask(bits, context[MASK])
    if depth == 0 or empty == 0:
        return leaf(bits, score, context)
    law = u64_at(context[LAW])
    tiles = np.int64(law[0])
    killer_cell, killer_tile = context[killer + 1], np.int64(context[killer + 2])
    has_killer = prunes and (empty & killer_cell) != 0
    worst = np.inf
    if has_killer:
        state = bits | (killer_cell * law[1 + LAW_STRIDE * killer_tile])
        worst = search(state, score, depth - 1, alpha, beta, other, context)
        if worst <= alpha:
            return worst
    for number in range(popcount(empty) - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        for tile in range(tiles):
            if has_killer and cell == killer_cell and tile == killer_tile:
                continue
            state = bits | (cell * law[1 + LAW_STRIDE * tile])
            value = search(state, score, depth - 1, alpha, min(beta, worst), other, context)
            worst = min(worst, value)
            if prunes and worst <= alpha:
                context[killer + 1] = cell
                context[killer + 2] = np.uint64(tile)
                return worst
    return worst


@kernel(types.void(U64_POINTER))
def forget_killers(context):
    """Begin a search that depends on nothing before it."""
    for word in range(KILLER_WORDS):
        context[KILLERS + word] = np.uint64(0)


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The legal move of the largest value, the first one of equals."""
    across, down = u64_at(context[ACROSS]), u64_at(context[DOWN])
    depth = np.int64(context[DEPTH])
    context[ROOT_SCORE] = np.uint64(score)
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


_WORDS: Final = types.Array(types.uint64, 1, "C")


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, _WORDS))
def value_of(bits, score, move, depth, context):
    """The exact value of one legal move; depth 0 takes the context's own, in half-moves."""
    words = pointer(context)
    after, packed = on_bits.slide(bits, move, u64_at(words[ACROSS]), u64_at(words[DOWN]))
    gained = score + on_bits.reward_of(packed)
    words[ROOT_SCORE] = np.uint64(score)
    forget_killers(words)
    half_moves = depth if depth > 0 else np.int64(words[DEPTH])
    return search(after, gained, half_moves - 1, -np.inf, np.inf, 0, words)
