"""Solved games: the value of a board from the table of all boards, and play by it.

A table lists its boards by layers, which are sums of tiles; in a layer keys ascend, so a board is
found by binary search. Boards that are over are not listed.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import POLICY, U64_POINTER, as_f64, f64_at, i32_at, pointer, u64_at
from twofold.kernels.play import SPAWN_EXPONENT, SPAWN_PROBABILITY
from twofold.kernels.solving import (
    ACROSS,
    COLS,
    DISTRIBUTION,
    DOWN,
    MASK,
    PLAN_WORDS,
    ROWS,
    STOP_EXPONENT,
    WINS,
    canonical,
    from_key,
    to_key,
)

# Words of a table, uint64: those of a plan, without its targets, then these.
#   KEYS    Address of the keys, uint32 or uint64
#   VALUES  Address of the values, float64
#   FIRSTS  Address of uint64 (layers + 1,): number of the first board of each layer
#   LOWEST  Sum of the tiles in the first layer, in units
#   UNIT    Log2 of the smallest tile: the sums of all boards are multiples of that tile
KEYS, KEY_BYTES, VALUES, FIRSTS, LAYERS, LOWEST, UNIT = range(PLAN_WORDS, PLAN_WORDS + 7)
TABLE_WORDS: Final = PLAN_WORDS + 7

_WORDS: Final = types.uint64[::1]
_FLOATS: Final = types.float64[::1]
_MATRIX: Final = types.float64[:, ::1]
_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_UNKNOWN: Final = np.float64(np.nan)
_ILLEGAL: Final = np.float64(-np.inf)


@kernel(types.uint64(types.int64, U64_POINTER))
def key_at(number, table):
    """The key of a board by its number in a table."""
    if table[KEY_BYTES] == np.uint64(4):
        return np.uint64(np.uint32(i32_at(table[KEYS])[number]))
    return u64_at(table[KEYS])[number]


@kernel(types.int64(types.uint64, U64_POINTER))
def locate(bits, table):
    """The number in a table of a board or of its symmetries; -1 if it is not in the table."""
    layer = np.int64(np.uint64(on_bits.tile_sum(bits)) >> table[UNIT]) - np.int64(table[LOWEST])
    if layer < 0 or layer >= np.int64(table[LAYERS]):
        return -1
    firsts = u64_at(table[FIRSTS])
    low, end = np.int64(firsts[layer]), np.int64(firsts[layer + 1])
    rows, cols = np.int64(table[ROWS]), np.int64(table[COLS])
    key = to_key(canonical(bits, rows, cols), rows, cols)
    high = end
    while low < high:
        middle = (low + high) >> 1
        if key_at(middle, table) < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and key_at(low, table) == key else -1


@kernel(types.float64(types.uint64, U64_POINTER))
def value_of(bits, table):
    """The value of a board before the stop: 0 if it is over, NaN if it is not in the table."""
    number = locate(bits, table)
    if number >= 0:
        return f64_at(table[VALUES])[number]
    legal = on_bits.legal_mask(bits, u64_at(table[ACROSS]), u64_at(table[DOWN]))
    return _UNKNOWN if legal else 0.0


@kernel(types.float64(types.uint64, U64_POINTER))
def value_after(after, table):
    """The mean value over the spawns after an afterstate before the stop; NaN if unknown."""
    distribution = u64_at(table[DISTRIBUTION])
    stop = np.int64(table[STOP_EXPONENT])
    empty = on_bits.empty_mask(after, table[MASK])
    total, cells = 0.0, 0.0
    for tile in range(np.int64(distribution[0])):
        exponent = distribution[SPAWN_EXPONENT + 3 * tile]
        part, cells = 0.0, 0.0
        rest = empty
        while rest:
            cell = rest & (~rest + _1)
            rest ^= cell
            cells += 1.0
            if np.int64(exponent) >= stop:
                part += np.float64(table[WINS])
            else:
                part += value_of(after | (exponent * cell), table)
        total += as_f64(distribution[SPAWN_PROBABILITY + 3 * tile]) * part
    return total / cells


@kernel(types.float64(types.uint64, types.uint64, U64_POINTER))
def value_of_move(after, packed_reward, table):
    """The value of the move to an afterstate; NaN if unknown."""
    value = 0.0
    if table[WINS] == _0:
        value = np.float64(on_bits.reward_of(packed_reward))
    if on_bits.holds(after, np.int64(table[STOP_EXPONENT])):
        return value + np.float64(table[WINS])
    # By the canonical form, so that symmetric moves have equal values to the last bit.
    rows, cols = np.int64(table[ROWS]), np.int64(table[COLS])
    return value + value_after(canonical(after, rows, cols), table)


@kernel(types.UniTuple(types.float64, 4)(types.uint64, U64_POINTER))
def move_values(bits, table):
    """The values of the four moves: -infinity for an illegal move, NaN if unknown."""
    up, right, lower, left, down_reward, across_reward = on_bits.slide_all(
        bits, u64_at(table[ACROSS]), u64_at(table[DOWN])
    )
    a = b = c = d = _ILLEGAL
    if up != bits:
        a = value_of_move(up, down_reward, table)
    if right != bits:
        b = value_of_move(right, across_reward, table)
    if lower != bits:
        c = value_of_move(lower, down_reward, table)
    if left != bits:
        d = value_of_move(left, across_reward, table)
    return a, b, c, d


@kernel(types.int64(types.uint64, U64_POINTER))
def best_move(bits, table):
    """The first move of the largest known value; the first legal move if no value is known."""
    a, b, c, d = move_values(bits, table)
    best, most, first = -1, _ILLEGAL, -1
    for move in range(4):
        value = a if move == 0 else b if move == 1 else c if move == 2 else d
        if value > most:
            best, most = move, value
        if first < 0 and value != _ILLEGAL:
            first = move
    return best if best >= 0 else first


@kernel(types.int64(types.uint64, types.float64, U64_POINTER))
def move_of_value(bits, value, table):
    """`best_move` of a board of known value: moves after the first with it are not valued."""
    up, right, lower, left, down_reward, across_reward = on_bits.slide_all(
        bits, u64_at(table[ACROSS]), u64_at(table[DOWN])
    )
    for move in range(4):
        after = on_bits.of_move(move, up, right, lower, left)
        packed = across_reward if move & 1 else down_reward
        if after != bits and value_of_move(after, packed, table) == value:
            return move
    return best_move(bits, table)


@kernel(POLICY)
def play_by_table(bits, legal, score, draw, table):
    """The policy of the player `exact`."""
    return best_move(bits, table)


@kernel(types.void(_WORDS, _FLOATS, _FLOATS, _WORDS))
def look_up(boards, values, moves, table):
    """The values of boards, and of the moves on the first one, for callers outside kernels."""
    words = pointer(table)
    for number in range(len(boards)):
        values[number] = value_of(boards[number], words)
    if len(moves):
        moves[0], moves[1], moves[2], moves[3] = move_values(boards[0], words)


@kernel(types.int64(types.uint64, _WORDS))
def locate_board(bits, table):
    """`locate` for callers outside kernels."""
    return locate(bits, pointer(table))


@kernel(types.float64(_WORDS, types.int64, types.int64, types.int64, _FLOATS, _MATRIX))
def spread(table, first, last, layer_sum, chances, ends):
    """Pass the probabilities of a layer's boards on to the boards after optimal moves.

    It works on the boards `first` to `last` - 1. `chances` are, by board of the table, the
    probabilities that the game reaches it. `ends`, (sums of tiles in units, exponents), receives
    the probability that a game ends with this sum and largest tile. Returns the probability that
    the game reaches the layer.
    """
    words = pointer(table)
    distribution = u64_at(table[DISTRIBUTION])
    stop, unit = np.int64(table[STOP_EXPONENT]), table[UNIT]
    rows, cols = np.int64(table[ROWS]), np.int64(table[COLS])
    here = np.int64(np.uint64(layer_sum) >> unit)
    passed = 0.0
    for number in range(first, last):
        chance = chances[number]
        if chance == 0.0:
            continue
        passed += chance
        bits = from_key(key_at(number, words), layer_sum, rows, cols)
        move = move_of_value(bits, f64_at(table[VALUES])[number], words)
        after, _ = on_bits.slide(bits, move, u64_at(table[ACROSS]), u64_at(table[DOWN]))
        if on_bits.holds(after, stop):
            ends[here, stop] += chance
            continue
        empty = on_bits.empty_mask(after, table[MASK])
        share = chance / np.float64(on_bits.count_empty(after, table[MASK]))
        for tile in range(np.int64(distribution[0])):
            exponent = distribution[SPAWN_EXPONENT + 3 * tile]
            part = share * as_f64(distribution[SPAWN_PROBABILITY + 3 * tile])
            step = np.int64((_1 << exponent) >> unit)
            rest = empty
            while rest:
                cell = rest & (~rest + _1)
                rest ^= cell
                state = after | (exponent * cell)
                follows = locate(state, words) if np.int64(exponent) < stop else -1
                if follows >= 0:
                    chances[follows] += part
                else:
                    ends[here + step, on_bits.max_exponent(state)] += part
    return passed
