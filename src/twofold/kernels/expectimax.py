"""Expectimax on bits, to a fixed depth.

One recursion step is a chance node: the mean over the spawns of the value of the best move. Kernels
of `leaf_layer` search the lowest layer. Values of equal afterstates at equal depth are taken from a
transposition table, which changes no value, unless the search cuts off improbable positions: then
a value depends on the path that first led to the position.
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
    as_u64,
    call_layer,
    nth_set_bit,
    pointer,
    popcount,
    take_number,
    u64_at,
)
from twofold.kernels.leaf_layer import LAYER_END, evaluate
from twofold.kernels.ntuple import downgraded, tile_set
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE
from twofold.kernels.transposition import (
    EXACT,
    bucket_of,
    entry_key,
    fetch,
    find,
    find_as_deep,
    hash_of,
    keep,
    new_generation,
)

# The search's own words of a context, after those of its layer.
#   LOWEST        Address of the kernel of the lowest layer, see `leaf_layer`
#   CUT           Less probable positions are evaluated without a search; the bits of a float64; 0
#                 for none
#   SECOND_MOVE   1 if the player moves twice before the first spawn
#   ORDER         The order in which moves are tried, two bits each, the first in the lowest bits
#   ENTRY_KIND    The kind of the entries in the transposition table. `EXACT`, or with a cut the
#                 number of the first move, since values then depend on the path.
#   PLY_BY_EMPTY  Depth in plies for each number of empty cells, 0 to 16
LOWEST, CUT, SECOND_MOVE, ORDER, ENTRY_KIND, PLY_BY_EMPTY = range(LAYER_END, LAYER_END + 6)
PLY_BY_TILES: Final = PLY_BY_EMPTY + 17
"""Least depth in plies for each number of different tiles, 0 to 15; all 0 if unused."""
STAKES: Final = PLY_BY_TILES + 16
"""Address of the values that depend on the largest tile of the searched board; 0 for none.

For each exponent, 0 to 15, two float64: `DEAD_VALUE`, and `BOUND` if the board's own value is not
negative.
"""
BOUND: Final = STAKES + 1
"""Afterstates of a smaller value are not searched; the bits of a float64, minus infinity: none."""
CONTEXT_WORDS: Final = STAKES + 2

_1: Final = np.uint64(1)
_NODE: Final = types.float64(types.uint64, types.int64, types.int64, types.float64, U64_POINTER)


@kernel(types.float64(types.float32, types.uint64))
def share_of(chance_of_cell, probability):
    """Probability of a tile on a cell; `chance_of_cell` is that of any spawn there."""
    return np.float64(np.float32(chance_of_cell * np.float32(as_f64(probability))))


@kernel(types.float64(types.float64, types.uint64, types.int64))
def less_probable(chance_of, probability, count):
    """Probability of a spawn on one of `count` cells, after a position of probability `chance_of`.

    In float32, as in nneonneo's program: with ten empty cells 0.1 / 10 x 0.1 / 10 equals the cut
    and must be on the same side of it.
    """
    return share_of(np.float32(chance_of) / np.float32(count), probability)


@kernel(_NODE)
def chance(after, score, depth, chance_of, context):
    """Expected value of an afterstate before its spawn, `depth` more moves ahead.

    `chance_of` is the product of the probabilities of the spawns on the way here.
    """
    lowest = np.int64(context[at.AT_STATE] == 0)
    if depth < lowest or chance_of < as_f64(context[CUT]):
        return evaluate(after, score, context)
    if context[STAKES] != 0:
        value = evaluate(after, score, context)
        if value < as_f64(context[BOUND]):
            return value
    has_table = context[at.TABLE] != 0
    bucket, key = np.int64(0), np.uint64(0)
    if has_table:
        hashed = hash_of(after)
        kind = np.int64(context[ENTRY_KIND])
        bucket, key = bucket_of(hashed, context), entry_key(hashed, depth, kind)
        cuts = as_f64(context[CUT]) > 0.0
        found = find_as_deep(bucket, key, context) if cuts else find(bucket, key, context)
        if found >= 0:
            context[at.HITS] += _1
            return as_f64(context[at.FOUND])
    context[at.NODES] += _1
    if context[at.NODES] >= context[at.NODE_LIMIT]:
        return 0.0
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    distribution = u64_at(context[at.DISTRIBUTION])
    tiles = np.int64(distribution[0])
    adds_reward = context[at.ADDS_REWARD] != 0
    empty = on_bits.empty_mask(after, context[at.MASK])
    count = popcount(empty)
    of_cell = np.float32(chance_of) / np.float32(count)
    value, total = 0.0, 0.0
    searched = 0  # bit t: the states with spawn tile number t are searched deeper
    if depth > lowest:
        for tile in range(tiles):
            below = share_of(of_cell, distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
            searched |= np.int64(below >= as_f64(context[CUT])) << tile
    if searched == 0:
        value = call_layer(context[LOWEST], (after, score, 0, tiles, context))
    else:
        for tile in range(tiles):  # too improbable to be searched
            if (searched >> tile) & 1 == 0:
                value += call_layer(context[LOWEST], (after, score, tile, tile + 1, context))
        for number in range(count - 1, -1, -1):  # row-major: from the highest nibble down
            cell = nth_set_bit(empty, number)
            mean = 0.0
            for tile in range(tiles):
                if (searched >> tile) & 1 == 0:
                    continue
                state = after | (cell * distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
                probability = as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
                below = share_of(of_cell, distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
                up, right, bottom, left, down_packed, packed = on_bits.slide_all(
                    state, across, down
                )
                if has_table:
                    fetch(up, context)
                    fetch(right, context)
                    fetch(bottom, context)
                    fetch(left, context)
                best = -np.inf
                gain = on_bits.reward_of(down_packed)
                more = np.float64(gain) if adds_reward else 0.0
                if up != state:
                    value_up = chance(up, score + gain, depth - 1, below, context)
                    best = max(best, value_up + more)
                if bottom != state:
                    value_down = chance(bottom, score + gain, depth - 1, below, context)
                    best = max(best, value_down + more)
                gain = on_bits.reward_of(packed)
                more = np.float64(gain) if adds_reward else 0.0
                if left != state:
                    value_left = chance(left, score + gain, depth - 1, below, context)
                    best = max(best, value_left + more)
                if right != state:
                    value_right = chance(right, score + gain, depth - 1, below, context)
                    best = max(best, value_right + more)
                mean += probability * (best if best != -np.inf else as_f64(context[at.DEAD_VALUE]))
            total += mean
        value += total / count
    if has_table and context[at.NODES] < context[at.NODE_LIMIT]:
        keep(hash_of(after), key, as_u64(value), context)
    return value


@kernel(types.int64(types.uint64, U64_POINTER))
def depth_at(bits, context):
    """Depth in plies for this position."""
    empty = on_bits.count_empty(bits, context[at.MASK])
    ply = np.int64(context[PLY_BY_EMPTY + empty])
    if context[PLY_BY_TILES] == 0:
        return ply
    return max(ply, np.int64(context[PLY_BY_TILES + popcount(tile_set(bits))]))


@kernel(types.void(types.uint64, types.int64, U64_POINTER))
def set_stakes(bits, score, context):
    """Set the values of `STAKES` for the search of a board."""
    if context[STAKES] != 0:
        stakes = u64_at(context[STAKES])
        place = 2 * on_bits.max_exponent(bits)
        context[at.DEAD_VALUE] = stakes[place]
        bounded = evaluate(bits, score, context) >= 0.0
        context[BOUND] = stakes[place + 1] if bounded else as_u64(-np.inf)


@kernel(types.void(types.int64, U64_POINTER))
def set_first_move(move, context):
    """Set the kind of the entries for the search of a first move."""
    context[ENTRY_KIND] = np.uint64(move if as_f64(context[CUT]) > 0.0 else EXACT)


@kernel(types.int64(types.int64, U64_POINTER))
def ordered_move(number, context):
    """The move that is tried at this place, 0 to 3, in `ORDER`."""
    return np.int64((context[ORDER] >> np.uint64(2 * number)) & np.uint64(3))


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, U64_POINTER))
def move_value(bits, score, move, ply, context):
    """The value of a legal move, `ply` plies deep, including its reward if rewards count."""
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    after, packed = on_bits.slide(bits, move, across, down)
    gain = on_bits.reward_of(packed)
    set_first_move(move, context)
    if context[SECOND_MOVE] == 0:
        value = chance(after, score + gain, ply - 1, 1.0, context)
        return value + gain if context[at.ADDS_REWARD] else value
    best = -np.inf
    for second in range(4):
        last, packed = on_bits.slide(after, second, across, down)
        if last != after:
            more = on_bits.reward_of(packed)
            value = chance(last, score + gain + more, ply - 1, 1.0, context)
            best = max(best, value + gain + more if context[at.ADDS_REWARD] else value)
    return best if best != -np.inf else as_f64(context[at.DEAD_VALUE])


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The legal move of the largest value, the first one tried of equals."""
    new_generation(context)
    ply = depth_at(bits, context)  # by the tile sum of the board before downgrading
    if context[at.DOWNGRADE]:
        bits = downgraded(bits, context[at.DOWNGRADE])
    set_stakes(bits, score, context)
    best, best_value = -1, 0.0
    for number in range(4):
        move = ordered_move(number, context)
        if (legal >> move) & 1:
            value = move_value(bits, score, move, ply, context)
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best


@kernel(
    types.Tuple((types.int64, types.float64))(
        types.uint64, types.int64, types.int64, types.float64, U64_POINTER
    )
)
def reply(state, score, ply, chance_of, context):
    """The best move of a state, the first one tried of equals, and its value `ply` plies deep.

    Without a move it is -1, and the value that of a dead board.
    """
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    best, best_value = -1, as_f64(context[at.DEAD_VALUE])
    for number in range(4):
        move = ordered_move(number, context)
        after, packed = on_bits.slide(state, move, across, down)
        if after != state:
            gain = on_bits.reward_of(packed)
            value = chance(after, score + gain, ply - 1, chance_of, context)
            value += gain if context[at.ADDS_REWARD] else 0
            if best < 0 or value > best_value:
                best, best_value = move, value
    return best, best_value


_WORDS: Final = types.uint64[::1]
_FLOATS: Final = types.float64[::1]


@kernel(types.float64(types.uint64, types.int64, types.int64, types.int64, _WORDS))
def value_of(bits, score, move, ply, context):
    """`move_value` for callers outside kernels."""
    return move_value(bits, score, move, ply, pointer(context))


@kernel(types.int64(types.uint64, types.int64, types.int64, types.float64, _WORDS))
def best_reply(state, score, ply, chance_of, context):
    """The move of `reply` for callers outside kernels."""
    return reply(state, score, ply, chance_of, pointer(context))[0]


@kernel(types.void(types.uint64, types.int64, _WORDS))
def begin_board(bits, score, context):
    """`set_stakes` for callers outside kernels."""
    set_stakes(bits, score, pointer(context))


@kernel(types.void(types.int64, _WORDS))
def begin_line(move, context):
    """`set_first_move` for callers outside kernels."""
    set_first_move(move, pointer(context))


@kernel(types.uint64(types.uint64, types.int64, _WORDS))
def after_of(bits, move, context):
    """The afterstate of a move; 15 + 15 makes 15."""
    after, _ = on_bits.slide(bits, move, u64_at(context[at.ACROSS]), u64_at(context[at.DOWN]))
    return after


@kernel(
    types.int64(
        types.uint64, types.int64, types.int64, types.float64, _WORDS, _WORDS, _FLOATS, _WORDS
    )
)
def list_states(bits, score, move, chance_of, states, scores, chances, context):
    """The states after a move and its spawns, by cell and tile, in the order of `chance`.

    Fills the states, their scores (int64 by their bits) and their probabilities, each with space
    for 16 per spawn tile; `chance_of` is the probability of the board. Returns their number.
    """
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    distribution = u64_at(context[at.DISTRIBUTION])
    after, packed = on_bits.slide(bits, move, across, down)
    empty = on_bits.empty_mask(after, context[at.MASK])
    count = popcount(empty)
    place = 0
    for number in range(count - 1, -1, -1):
        cell = nth_set_bit(empty, number)
        for tile in range(np.int64(distribution[0])):
            states[place] = after | (cell * distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT])
            scores[place] = np.uint64(score + on_bits.reward_of(packed))
            probability = distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY]
            chances[place] = less_probable(chance_of, probability, count)
            place += 1
    return place


@kernel(types.float64(types.uint64, types.int64, _FLOATS, _WORDS))
def mean_of(bits, move, values, context):
    """The value of a move from those of the states in `list_states`, summed as in `chance`."""
    distribution = u64_at(context[at.DISTRIBUTION])
    after, packed = on_bits.slide(bits, move, u64_at(context[at.ACROSS]), u64_at(context[at.DOWN]))
    count = on_bits.count_empty(after, context[at.MASK])
    total = 0.0
    for number in range(count):
        mean = 0.0
        for tile in range(np.int64(distribution[0])):
            probability = as_f64(distribution[tile * SPAWN_STRIDE + SPAWN_PROBABILITY])
            mean += probability * values[number * np.int64(distribution[0]) + tile]
        total += mean
    value = 0.0 + total / count
    return value + on_bits.reward_of(packed) if context[at.ADDS_REWARD] else value


@kernel(types.void(_WORDS, _WORDS, types.int64, _FLOATS, _FLOATS, _WORDS, _WORDS, _WORDS))
def share_replies(states, scores, ply, chances, values, nodes, counter, context):
    """Evaluate states `ply` plies deep that no other thread has taken, one after the other.

    Fills `values`, and `nodes` with the positions visited for each. `counter`, (1,), is the number
    of states taken by all threads; scores are int64 by their bits.
    """
    words, taken = pointer(context), pointer(counter)
    while True:
        number = take_number(taken)
        if number >= len(states):
            break
        before = words[at.NODES]
        score = np.int64(scores[number])
        values[number] = reply(states[number], score, ply, chances[number], words)[1]
        nodes[number] = words[at.NODES] - before
