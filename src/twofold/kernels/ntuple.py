"""The value of an afterstate in an n-tuple network, and its use in searches and games.

Tile-downgrading halves large tiles, which makes boards like those of the training: the exponent of
every tile above the largest missing one falls by one. Equal tiles stay equal, and the legal moves
stay the same.

    .   .   .   2         .   .   .   2
    .   2   4   8   ->    .   2   4   8        16384 is missing: 32768 becomes 16384
    128 64  32  16        128 64  32  16
    32768 8192 4096 2048  16384 8192 4096 2048

Source: Guei, Chen and Wu 2021.

A network is an array of uint64: numbers and addresses, then two words per pattern. A pattern is a
mask of nibbles; the nibbles under it, side by side, are the index into its weight table. Weights
of a later stage that no game has updated are NaN and stand for those of the stage before.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    EVALUATOR,
    F32_POINTER,
    I64_POINTER,
    LAYER,
    POLICY,
    U64_POINTER,
    as_f64,
    as_signed,
    as_u64,
    f32_at,
    gather_nibbles,
    i64_offset,
    i64_space,
    pointer,
    popcount,
    prefetch_f32,
    trailing_zeros,
    u64_at,
    u64_offset,
    u64_pointer,
)
from twofold.kernels.play import GAMMA, SPAWN_EXPONENT, SPAWN_PROBABILITY, SPAWN_STRIDE

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_ROWS = types.Array(types.uint16, 1, "C", readonly=True)


@kernel(types.void(_ROWS, _BYTES, _BYTES, types.float64, types.float32[::1]))
def add_planes(filled, low, high, unit, weights):
    """Add the planes of a file to weights, whole multiples of `unit` points rounded to float32.

    `filled` has one bit per weight, 16 in a number, the first the lowest. `low` and `high` are the
    bytes of a code for each bit that is set: 2 n adds n units, 2 n - 1 subtracts n units.
    """
    number = 0
    for row in range(len(filled)):
        bits = np.uint64(filled[row])
        while bits:
            place = 16 * row + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            code = np.int64(low[number]) | np.int64(high[number]) << 8
            units = (code >> 1) ^ -(code & 1)
            weights[place] = (np.rint(weights[place] / unit) + units) * unit
            number += 1


_0, _1, _4, _15 = map(np.uint64, (0, 1, 4, 15))
_LARGE: Final = np.uint64(0x8888888888888888)
"""The highest bits of the nibbles: one is set if a tile is 256 or more."""


@kernel(types.uint64(types.uint64))
def tile_set(bits):
    """The sum of the different tiles of a board: bit k stands for tile 2^k."""
    tiles = _0
    while bits:
        tiles |= _1 << (bits & _15)
        bits >>= _4
    return tiles & ~_1


@kernel(types.uint64(types.uint64))
def downgrade_once(bits):
    """Halve every tile above the largest missing one; the board itself if none is missing."""
    tiles = tile_set(bits)
    hole = on_bits.max_exponent(bits) - 1
    while hole > 0 and (tiles >> np.uint64(hole)) & _1:
        hole -= 1
    if hole <= 0:
        return bits
    result = _0
    for number in range(16):
        shift = np.uint64(4 * number)
        nibble = (bits >> shift) & _15
        if np.int64(nibble) > hole:
            nibble -= _1
        result |= nibble << shift
    return result


@kernel(types.uint64(types.uint64, types.uint64))
def downgraded(bits, threshold):
    """Downgrade until different tiles sum to less than a threshold, 512 or more, if possible."""
    if not bits & _LARGE:
        return bits
    while tile_set(bits) >= threshold:
        smaller = downgrade_once(bits)
        if smaller == bits:
            break
        bits = smaller
    return bits


# Words of a network.
#   PATTERNS      Number of patterns
#   WEIGHTS       Address of the weights, float32 (stages, STAGE_SIZE)
#   SYMMETRIES    8 on square boards, else 4: the mirrors without the transpositions
#   MIRROR_SHIFT  Bits by which a board mirrored in its frame must be shifted left
#   STAGE_SIZE    Weights per stage
#   THRESHOLDS    The sum of different tiles at which each stage after the first begins
PATTERNS, WEIGHTS, SYMMETRIES, MIRROR_SHIFT, FLIP_SHIFT, STAGES, STAGE_SIZE = range(7)
THRESHOLDS: Final = 7
MAX_STAGES: Final = 16
OWN: Final = THRESHOLDS + MAX_STAGES - 1
"""The first pattern: its mask, and the offset of its table in a stage."""

MAX_FEATURES: Final = 256
"""Features of the largest networks: 32 patterns in 8 symmetries."""

_EIGHT = types.UniTuple(types.uint64, 8)


@kernel(_EIGHT(types.uint64, U64_POINTER))
def symmetries(bits, network):
    """The board in all its symmetries; the last four are used on square boards only."""
    across, down = network[MIRROR_SHIFT], network[FLIP_SHIFT]
    turned = on_bits.transpose(bits)
    mirrored = on_bits.mirror(bits) << across
    turned_mirrored = on_bits.mirror(turned) << across
    return (
        bits,
        mirrored,
        on_bits.flip(bits) << down,
        on_bits.flip(mirrored) << down,
        turned,
        turned_mirrored,
        on_bits.flip(turned) << down,
        on_bits.flip(turned_mirrored) << down,
    )


@kernel(types.int64(U64_POINTER))
def feature_count(network):
    """Patterns x symmetries."""
    return np.int64(network[PATTERNS]) * np.int64(network[SYMMETRIES])


@kernel(types.int64(types.uint64, U64_POINTER))
def stage_of(bits, network):
    """The stage of a board."""
    stages = np.int64(network[STAGES])
    if stages == 1:
        return np.int64(0)
    tiles, stage = tile_set(bits), 0
    while stage + 1 < stages and tiles >= network[THRESHOLDS + stage]:
        stage += 1
    return stage


@kernel(
    types.float64(
        types.float32,
        types.float32,
        types.float32,
        types.float32,
        types.float32,
        types.float32,
        types.float32,
        types.float32,
    )
)
def _sum_of_eight(a, b, c, d, e, f, g, h):  # fmt: skip
    """Float64 hides nearly all effects of the order, so symmetric boards have equal values."""
    return ((np.float64(a) + np.float64(e)) + (np.float64(c) + np.float64(g))) + (
        (np.float64(b) + np.float64(f)) + (np.float64(d) + np.float64(h))
    )


@kernel(types.void(types.uint64, types.uint64, types.int64, F32_POINTER, I64_POINTER, types.int64))
def _list_feature(bits, mask, start, weights, found, number):
    place = start + np.int64(gather_nibbles(bits, mask))
    found[number] = place
    prefetch_f32(weights, place)


@kernel(types.void(types.uint64, U64_POINTER, I64_POINTER))
def list_features(bits, network, found):
    """Fill `found` with the indices of the features' weights, and prefetch these weights.

    `found` has room for patterns x symmetries.
    """
    weights = f32_at(network[WEIGHTS])
    first = stage_of(bits, network) * np.int64(network[STAGE_SIZE])
    square = network[SYMMETRIES] == 8
    b0, b1, b2, b3, b4, b5, b6, b7 = symmetries(bits, network)
    count = 0
    for pattern in range(np.int64(network[PATTERNS])):
        mask = network[OWN + 2 * pattern]
        start = first + np.int64(network[OWN + 2 * pattern + 1])
        _list_feature(b0, mask, start, weights, found, count)
        _list_feature(b1, mask, start, weights, found, count + 1)
        _list_feature(b2, mask, start, weights, found, count + 2)
        _list_feature(b3, mask, start, weights, found, count + 3)
        count += 4
        if square:
            _list_feature(b4, mask, start, weights, found, count)
            _list_feature(b5, mask, start, weights, found, count + 1)
            _list_feature(b6, mask, start, weights, found, count + 2)
            _list_feature(b7, mask, start, weights, found, count + 3)
            count += 4


@kernel(types.float32(types.int64, F32_POINTER, types.int64))
def promoted(place, weights, stage_size):
    """A weight, or if it is NaN that of the last stage before it that is not."""
    while np.isnan(weights[place]) and place >= stage_size:  # NaN of a diverged stage 0 remains
        place -= stage_size
    return weights[place]


@kernel(types.float64(I64_POINTER, types.int64, U64_POINTER))
def sum_promoted(found, count, network):
    """The sum of weights of which some are still untouched."""
    weights, stage_size = f32_at(network[WEIGHTS]), np.int64(network[STAGE_SIZE])
    total = 0.0
    for number in range(count):
        total += np.float64(promoted(found[number], weights, stage_size))
    return total


@kernel(types.float64(I64_POINTER, types.int64, U64_POINTER))
def sum_features(found, count, network):
    """The sum of the weights at `count` indices: the value of an afterstate, in points."""
    weights = f32_at(network[WEIGHTS])
    zero = np.float32(0)
    s0, s1, s2, s3, s4, s5, s6, s7 = zero, zero, zero, zero, zero, zero, zero, zero
    if network[SYMMETRIES] == 8:
        for number in range(0, count, 8):
            s0 += weights[found[number]]
            s1 += weights[found[number + 1]]
            s2 += weights[found[number + 2]]
            s3 += weights[found[number + 3]]
            s4 += weights[found[number + 4]]
            s5 += weights[found[number + 5]]
            s6 += weights[found[number + 6]]
            s7 += weights[found[number + 7]]
    else:
        for number in range(0, count, 4):
            s0 += weights[found[number]]
            s1 += weights[found[number + 1]]
            s2 += weights[found[number + 2]]
            s3 += weights[found[number + 3]]
    total = _sum_of_eight(s0, s1, s2, s3, s4, s5, s6, s7)
    if np.isnan(total):
        return sum_promoted(found, count, network)
    return total


@kernel(types.float64(types.uint64, U64_POINTER))
def value(bits, network):
    """The value of an afterstate, in points.

    It stores no indices, unlike `list_features` and `sum_features`, and is faster if most weights
    are in the cache.
    """
    weights = f32_at(network[WEIGHTS])
    first = stage_of(bits, network) * np.int64(network[STAGE_SIZE])
    b0, b1, b2, b3, b4, b5, b6, b7 = symmetries(bits, network)
    zero = np.float32(0)
    s0, s1, s2, s3, s4, s5, s6, s7 = zero, zero, zero, zero, zero, zero, zero, zero
    patterns = np.int64(network[PATTERNS])
    if network[SYMMETRIES] == 8:
        for pattern in range(patterns):
            mask = network[OWN + 2 * pattern]
            start = first + np.int64(network[OWN + 2 * pattern + 1])
            s0 += weights[start + np.int64(gather_nibbles(b0, mask))]
            s1 += weights[start + np.int64(gather_nibbles(b1, mask))]
            s2 += weights[start + np.int64(gather_nibbles(b2, mask))]
            s3 += weights[start + np.int64(gather_nibbles(b3, mask))]
            s4 += weights[start + np.int64(gather_nibbles(b4, mask))]
            s5 += weights[start + np.int64(gather_nibbles(b5, mask))]
            s6 += weights[start + np.int64(gather_nibbles(b6, mask))]
            s7 += weights[start + np.int64(gather_nibbles(b7, mask))]
    else:
        for pattern in range(patterns):
            mask = network[OWN + 2 * pattern]
            start = first + np.int64(network[OWN + 2 * pattern + 1])
            s0 += weights[start + np.int64(gather_nibbles(b0, mask))]
            s1 += weights[start + np.int64(gather_nibbles(b1, mask))]
            s2 += weights[start + np.int64(gather_nibbles(b2, mask))]
            s3 += weights[start + np.int64(gather_nibbles(b3, mask))]
    total = _sum_of_eight(s0, s1, s2, s3, s4, s5, s6, s7)
    if np.isnan(total):
        places = i64_space(MAX_FEATURES)
        list_features(bits, network, places)
        return sum_promoted(places, feature_count(network), network)
    return total


@kernel(EVALUATOR)
def network_value(bits, score, params):
    """The evaluator: `params` holds the words of the network."""
    return value(bits, u64_pointer(params))


# The evaluator's own words of a search's context; their arrays belong to one thread.
LEAVES: Final = at.OWN
"""Address of a cache of values, uint64 (LEAF_COUNT, 2): a board, and the bits of its value.

Different spawns slide to the same afterstate, so half of them need no evaluation.
"""
LEAF_BITS: Final = 12
LEAF_COUNT: Final = 1 << LEAF_BITS
PLACES: Final = at.OWN + 1
"""Address of int64 space for the features of MAX_LEAVES afterstates."""
FOUND_LEAVES: Final = at.OWN + 2
"""Address of space for the values of MAX_LEAVES afterstates, uint64 (3, MAX_LEAVES)."""
MAX_LEAVES: Final = 16 * 8 * 4
"""Most afterstates in the lowest layer of a search: 16 cells, 8 spawn tiles, 4 moves."""

# ---- one ply: a policy


@kernel(POLICY)
def choose(bits, legal, score, draw, context):
    """The first move of the largest reward plus value: a search of one ply."""
    network = u64_at(context[at.PARAMS])
    if context[at.DOWNGRADE]:
        bits = downgraded(bits, context[at.DOWNGRADE])
    count = feature_count(network)
    places = as_signed(u64_at(context[PLACES]))
    square = network[SYMMETRIES] == 8
    left, right, packed = on_bits.slide_both(bits, u64_at(context[at.ACROSS]))
    turned = on_bits.transpose(bits)
    up, down, packed_down = on_bits.slide_both(turned, u64_at(context[at.DOWN]))
    if not square:  # a square board and its transpose have the same value
        up, down = on_bits.transpose(up), on_bits.transpose(down)
    if legal & 1:
        list_features(up, network, places)
    if legal & 2:
        list_features(right, network, i64_offset(places, count))
    if legal & 4:
        list_features(down, network, i64_offset(places, 2 * count))
    if legal & 8:
        list_features(left, network, i64_offset(places, 3 * count))
    across_gain = np.float64(on_bits.reward_of(packed))
    down_gain = np.float64(on_bits.reward_of(packed_down))
    best, best_value = -1, 0.0
    for move in range(4):
        if (legal >> move) & 1:
            worth = sum_features(i64_offset(places, move * count), count, network)
            worth += across_gain if move & 1 else down_gain
            if best < 0 or worth > best_value:
                best, best_value = move, worth
    return best


# ---- the lowest layer of a search

_LEAF_SHIFT: Final = np.uint64(64 - LEAF_BITS)
_PENDING: Final = np.uint64(0x7FF8000000000000)
"""NaN bits that no value has: with a number in the lowest bits they mark a pending leaf."""


@kernel(types.int64(types.uint64, types.int64, U64_POINTER, U64_POINTER, U64_POINTER))
def _look_up(board, pending, leaves, found, context):
    """Note the value of a leaf if it is cached, or its number among the pending leaves.

    `found` receives the value, or `_PENDING` + number. Returns the new number of pending leaves.
    """
    place = np.int64((board * GAMMA) >> _LEAF_SHIFT) << 1
    if leaves[place] == board:
        found[0] = leaves[place + 1]
        return pending
    network = u64_at(context[at.PARAMS])
    count = feature_count(network)
    list_features(board, network, i64_offset(as_signed(u64_at(context[PLACES])), pending * count))
    u64_offset(u64_at(context[FOUND_LEAVES]), MAX_LEAVES)[pending] = np.uint64(place)
    word = _PENDING | np.uint64(pending)
    leaves[place], leaves[place + 1] = board, word
    found[0] = word
    return pending + 1


@kernel(LAYER)
def after_move(after, score, first, end, context):
    """The mean over the spawns of the best move: `leaf_layer.after_move` for networks.

    First all leaves are listed, so that their weights are prefetched together and each board is
    evaluated once. Then the best move of each state is taken.
    """
    across, down = u64_at(context[at.ACROSS]), u64_at(context[at.DOWN])
    network, distribution = u64_at(context[at.PARAMS]), u64_at(context[at.DISTRIBUTION])
    leaves, room = u64_at(context[LEAVES]), u64_at(context[FOUND_LEAVES])
    square = network[SYMMETRIES] == 8
    empty = on_bits.empty_mask(after, context[at.MASK])
    spawns = popcount(empty)
    visited, pending = 0, 0
    rest = empty
    while rest:
        cell = np.uint64(trailing_zeros(rest))
        rest &= rest - _1
        for tile in range(first, end):
            state = after | (distribution[tile * SPAWN_STRIDE + SPAWN_EXPONENT] << cell)
            turned = on_bits.transpose(state)
            left, right, _ = on_bits.slide_both(state, across)
            up, bottom, _ = on_bits.slide_both(turned, down)
            if left != state:
                pending = _look_up(left, pending, leaves, u64_offset(room, visited), context)
                visited += 1
            if right != state:
                pending = _look_up(right, pending, leaves, u64_offset(room, visited), context)
                visited += 1
            if up != turned:
                lower = up if square else on_bits.transpose(up)
                pending = _look_up(lower, pending, leaves, u64_offset(room, visited), context)
                visited += 1
            if bottom != turned:
                lower = bottom if square else on_bits.transpose(bottom)
                pending = _look_up(lower, pending, leaves, u64_offset(room, visited), context)
                visited += 1
    places = as_signed(u64_at(context[PLACES]))
    count = feature_count(network)
    slots = u64_offset(room, MAX_LEAVES)
    values = u64_offset(room, 2 * MAX_LEAVES)
    for number in range(pending):
        word = as_u64(sum_features(i64_offset(places, number * count), count, network))
        values[number] = word
        place = np.int64(slots[number]) + 1
        if leaves[place] == _PENDING | np.uint64(number):  # not replaced by another leaf
            leaves[place] = word
    total, leaf = 0.0, 0
    rest = empty
    while rest:
        cell = np.uint64(trailing_zeros(rest))
        rest &= rest - _1
        for tile in range(first, end):
            word = tile * SPAWN_STRIDE
            state = after | (distribution[word + SPAWN_EXPONENT] << cell)
            a, b, c, d = on_bits.entries(state, across)
            e, f, g, h = on_bits.entries(on_bits.transpose(state), down)
            legal = on_bits.legal_from_entries(a | b | c | d, e | f | g | h)
            across_gain = np.float64(on_bits.reward_of(on_bits.pack_reward(a, b, c, d)))
            down_gain = np.float64(on_bits.reward_of(on_bits.pack_reward(e, f, g, h)))
            best = -np.inf
            for move in (3, 1, 0, 2):  # in the order in which they were listed
                if (legal >> move) & 1:
                    known = room[leaf]
                    leaf += 1
                    if known & _PENDING == _PENDING:
                        known = values[known & np.uint64(MAX_LEAVES - 1)]
                    worth = as_f64(known) + (across_gain if move & 1 else down_gain)
                    best = max(best, worth)
            if best != -np.inf:  # a dead board adds 0
                total += as_f64(distribution[word + SPAWN_PROBABILITY]) * best
    context[at.NODES] += np.uint64(visited)
    return total / spawns


_WORDS: Final = types.uint64[::1]
_VALUES: Final = types.float64[::1]


@kernel(types.void(_WORDS, _WORDS, _VALUES))
def value_many(boards, network, values):
    """Fill `values` with the values of boards."""
    words = pointer(network)
    for number in range(len(boards)):
        values[number] = value(boards[number], words)
