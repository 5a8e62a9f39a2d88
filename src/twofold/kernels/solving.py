"""Solving by layers, and boards up to symmetry with their keys in the tables of solved games.

The smallest word of all symmetries stands for a board. In a layer, the boards of one sum of
tiles, its key is the exponents of all cells but the last, which follows from the sum.

A move keeps the sum of the tiles and a spawn adds to it. Forwards, the live boards of a layer are
expanded into the next layers; backwards, their values follow from those of the next layers. Both
passes process each afterstate once, in the first thread that puts it into the layer's set.

A set is an open-addressing hash table of boards with a power of two of slots, 0 if free. A slot is
one word, or two; then the second is the complement of the bits of the board's value, 0 for none.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import bits as on_bits
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_f64,
    as_u64,
    pointer,
    prefetch,
    swap_if,
    trailing_zeros,
    u64_at,
    u64_offset,
)
from twofold.kernels.play import GAMMA, SPAWN_EXPONENT, SPAWN_PROBABILITY

_WORDS: Final = types.uint64[::1]
_0, _1, _4, _15 = map(np.uint64, (0, 1, 4, 15))
_ROW: Final = np.uint64(0xFFFF)


@kernel(types.UniTuple(types.uint64, 8)(types.uint64, types.int64, types.int64))
def forms(bits, rows, cols):
    """The symmetries of a board: 8 of a square; 4 of any other shape, each of them twice."""
    to_left, to_top = np.uint64(4 * (4 - cols)), np.uint64(16 * (4 - rows))
    side = on_bits.mirror(bits) << to_left
    upside = on_bits.flip(bits) << to_top
    both = on_bits.flip(side) << to_top
    if rows != cols:
        return bits, side, upside, both, bits, side, upside, both
    return (
        bits, side, upside, both, on_bits.transpose(bits), on_bits.transpose(side),
        on_bits.transpose(upside), on_bits.transpose(both),
    )  # fmt: skip


@kernel(types.uint64(types.UniTuple(types.uint64, 8)))
def least(words):
    """The least of eight words."""
    a, b = min(words[0], words[1]), min(words[2], words[3])
    c, d = min(words[4], words[5]), min(words[6], words[7])
    return min(min(a, b), min(c, d))


@kernel(types.uint64(types.uint64, types.int64, types.int64))
def canonical(bits, rows, cols):
    """The smallest symmetry of a board, which stands for all."""
    return least(forms(bits, rows, cols))


@kernel(types.uint64(types.UniTuple(types.uint64, 8), types.uint64, types.uint64, U64_POINTER))
def with_tile(words, cell, exponent, sides):
    """`canonical` of a board with one more tile, from the symmetries of the board without it."""
    at = u64_offset(sides, 2 * trailing_zeros(cell))
    return least(
        (
            words[0] | (exponent * at[0]),
            words[1] | (exponent * at[1]),
            words[2] | (exponent * at[2]),
            words[3] | (exponent * at[3]),
            words[4] | (exponent * at[4]),
            words[5] | (exponent * at[5]),
            words[6] | (exponent * at[6]),
            words[7] | (exponent * at[7]),
        )
    )


@kernel(types.void(_WORDS, types.int64, types.int64))
def fill_sides(sides, rows, cols):
    """Fill the table of a plan's SIDES, uint64 (128,)."""
    for cell in range(16):
        words = forms(_1 << np.uint64(4 * cell), rows, cols)
        for side in range(8):
            sides[8 * cell + side] = words[side]


@kernel(types.uint64(types.uint64, types.int64, types.int64))
def to_key(bits, rows, cols):
    """The key of a board: its cells without the gaps of the frame and without the last cell."""
    key = _0
    width = np.uint64(4 * cols)
    for row in range(rows):
        line = (bits >> np.uint64(48 - 16 * row)) & _ROW
        key = (key << width) | (line >> (np.uint64(16) - width))
    return key >> _4


@kernel(types.uint64(types.uint64, types.int64, types.int64, types.int64))
def from_key(key, tile_sum, rows, cols):
    """The board of a key in the layer of a sum of tiles."""
    width = np.uint64(4 * cols)
    line_mask = (_1 << width) - _1
    rest = np.uint64(tile_sum)
    cells = key
    while cells:
        rest -= (_1 << (cells & _15)) & ~_1
        cells >>= _4
    last = np.uint64(trailing_zeros(rest)) & _15 if rest else _0
    key = (key << _4) | last
    bits = _0
    for row in range(rows - 1, -1, -1):
        line = (key & line_mask) << (np.uint64(16) - width)
        bits |= line << np.uint64(48 - 16 * row)
        key >>= width
    return bits


# Words of a plan, uint64, equal for all layers.
#   ACROSS, DOWN   Addresses of the row tables, see `bits.Frame`
#   DISTRIBUTION   Address of the spawn distribution, see `play.spawn_distribution`
#   STOP_EXPONENT  Exponent at which play stops; 99 for never
#   WINS           1 if a value is the chance to reach the goal, 0 if it is in points
#   TARGETS        Address of uint64 (spawn tiles, 2): address and shift of the next layer's set
#                  for each tile
#   SIDES          Address of uint64 (16 cells, 8): the lowest bit of each cell in each symmetry
ACROSS, DOWN, MASK, ROWS, COLS, DISTRIBUTION, STOP_EXPONENT, WINS, TARGETS = range(9)
SIDES, PLAN_WORDS = range(9, 11)

FULL: Final = -(2**62)
"""Result of a set that has no free slot near a word's place and must grow."""

NEVER: Final = 99
_PROBES: Final = 256
"""Most slots tried for a word."""

_FLOATS: Final = types.float64[::1]


@kernel(types.int64(U64_POINTER, types.uint64, types.int64, types.uint64))
def insert(slots, shift, wide, word):
    """Put a word other than 0 into a set.

    `shift` means 2^(64 - shift) slots; `wide` is 1 for slots of two words, 0 for one. Returns the
    word's slot if it was there, ~slot if it is new, FULL if there is no room.
    """
    last = (_1 << (np.uint64(64) - shift)) - _1
    place = (word * GAMMA) >> shift
    for _ in range(_PROBES):
        found = slots[np.int64(place) << wide]
        if found == _0:
            found = swap_if(u64_offset(slots, np.int64(place) << wide), _0, word)
            if found == _0:
                return ~np.int64(place)
        if found == word:
            return np.int64(place)
        place = (place + _1) & last
    return FULL


@kernel(types.int64(U64_POINTER, types.uint64, types.uint64))
def find(slots, shift, word):
    """The slot of a word in a set with slots of two words, or -1."""
    last = (_1 << (np.uint64(64) - shift)) - _1
    place = (word * GAMMA) >> shift
    for _ in range(_PROBES):
        found = slots[np.int64(place) << 1]
        if found == word:
            return np.int64(place)
        if found == _0:
            return -1
        place = (place + _1) & last
    return -1


@kernel(
    types.UniTuple(types.uint64, 6)(types.uint64, _WORDS, U64_POINTER, types.uint64, types.int64)
)
def afterstates_in(bits, plan, seen, shift, wide):
    """The canonical afterstates of a board, 0 for an illegal move, and the packed rewards.

    Their slots in the set `seen` are prefetched together.
    """
    rows, cols = np.int64(plan[ROWS]), np.int64(plan[COLS])
    up, right, lower, left, down_reward, across_reward = on_bits.slide_all(
        bits, u64_at(plan[ACROSS]), u64_at(plan[DOWN])
    )
    up = canonical(up, rows, cols) if up != bits else _0
    right = canonical(right, rows, cols) if right != bits else _0
    lower = canonical(lower, rows, cols) if lower != bits else _0
    left = canonical(left, rows, cols) if left != bits else _0
    prefetch(seen, np.int64((up * GAMMA) >> shift) << wide)
    prefetch(seen, np.int64((right * GAMMA) >> shift) << wide)
    prefetch(seen, np.int64((lower * GAMMA) >> shift) << wide)
    prefetch(seen, np.int64((left * GAMMA) >> shift) << wide)
    return up, right, lower, left, down_reward, across_reward


@kernel(types.void(types.UniTuple(types.uint64, 8), types.uint64, _WORDS, types.int64))
def fetch_targets(words, empty, plan, wide):
    """Prefetch the slots, in the sets of the next layers, of all boards that spawns make.

    `words` are the symmetries of the afterstate, `empty` the lowest bits of its empty cells, `wide`
    as in `insert`.
    """
    distribution, targets, sides = (
        u64_at(plan[DISTRIBUTION]),
        u64_at(plan[TARGETS]),
        u64_at(plan[SIDES]),
    )
    for tile in range(np.int64(distribution[0])):
        exponent = distribution[SPAWN_EXPONENT + 3 * tile]
        slots, shift = u64_at(targets[2 * tile]), targets[2 * tile + 1]
        rest = empty
        while rest:
            cell = rest & (~rest + _1)
            rest ^= cell
            place = np.int64((with_tile(words, cell, exponent, sides) * GAMMA) >> shift)
            prefetch(slots, place << wide)


@kernel(types.int64(_WORDS, _WORDS, types.int64, _WORDS, types.uint64))
def expand(plan, keys, layer_sum, seen, shift):
    """Put every board that can follow the boards of a layer into the sets of the next layers.

    `keys` are the boards or a part of them; `seen` is the layer's set of afterstates. Returns 0, or
    FULL: then no entry is lost, but the sets must grow and `seen` be cleared.
    """
    distribution, targets, mask = u64_at(plan[DISTRIBUTION]), u64_at(plan[TARGETS]), plan[MASK]
    rows, cols = np.int64(plan[ROWS]), np.int64(plan[COLS])
    stop, sides = np.int64(plan[STOP_EXPONENT]), u64_at(plan[SIDES])
    slots = pointer(seen)
    for number in range(len(keys)):
        bits = from_key(keys[number], layer_sum, rows, cols)
        up, right, lower, left, _, _ = afterstates_in(bits, plan, slots, shift, 0)
        for move in range(4):
            after = on_bits.of_move(move, up, right, lower, left)
            if after == _0 or on_bits.holds(after, stop):
                continue
            place = insert(slots, shift, 0, after)
            if place >= 0:
                continue
            if place == FULL:
                return FULL
            words = forms(after, rows, cols)
            empty = on_bits.empty_mask(after, mask)
            fetch_targets(words, empty, plan, 0)
            for tile in range(np.int64(distribution[0])):
                exponent = distribution[SPAWN_EXPONENT + 3 * tile]
                if np.int64(exponent) >= stop:
                    continue
                target, target_shift = u64_at(targets[2 * tile]), targets[2 * tile + 1]
                rest = empty
                while rest:
                    cell = rest & (~rest + _1)
                    rest ^= cell
                    state = with_tile(words, cell, exponent, sides)
                    if insert(target, target_shift, 0, state) == FULL:
                        return FULL
    return 0


@kernel(types.int64(_WORDS, _WORDS, _WORDS))
def collect(plan, slots, keys):
    """List the keys of the live boards of a set, or of a part of it; returns their number."""
    across, down = u64_at(plan[ACROSS]), u64_at(plan[DOWN])
    rows, cols = np.int64(plan[ROWS]), np.int64(plan[COLS])
    count = 0
    for place in range(len(slots)):
        bits = slots[place]
        if bits != _0 and on_bits.legal_mask(bits, across, down) != 0:
            keys[count] = to_key(bits, rows, cols)
            count += 1
    return count


@kernel(types.int64(_WORDS, _WORDS, types.uint64, types.int64))
def insert_all(words, slots, shift, wide):
    """Put all words other than 0 into a set; 0 or FULL."""
    target = pointer(slots)
    for number in range(len(words)):
        if words[number] != _0 and insert(target, shift, wide, words[number]) == FULL:
            return FULL
    return 0


@kernel(types.int64(_WORDS, _WORDS, types.int64, _FLOATS, _WORDS, types.uint64))
def remember(plan, keys, layer_sum, values, slots, shift):
    """Put boards of a layer with their values into a set with slots of two words; 0 or FULL."""
    rows, cols = np.int64(plan[ROWS]), np.int64(plan[COLS])
    target = pointer(slots)
    for number in range(len(keys)):
        place = insert(target, shift, 1, from_key(keys[number], layer_sum, rows, cols))
        if place == FULL:
            return FULL
        place = place if place >= 0 else ~place
        target[2 * place + 1] = ~as_u64(values[number])
    return 0


@kernel(types.float64(_WORDS, types.uint64))
def mean_after(plan, after):
    """The mean value over the spawns after an afterstate; a board that is not found is dead."""
    distribution, targets = u64_at(plan[DISTRIBUTION]), u64_at(plan[TARGETS])
    words = forms(after, np.int64(plan[ROWS]), np.int64(plan[COLS]))
    stop, sides = np.int64(plan[STOP_EXPONENT]), u64_at(plan[SIDES])
    empty = on_bits.empty_mask(after, plan[MASK])
    fetch_targets(words, empty, plan, 1)
    total, cells = 0.0, 0.0
    for tile in range(np.int64(distribution[0])):
        exponent = distribution[SPAWN_EXPONENT + 3 * tile]
        slots, shift = u64_at(targets[2 * tile]), targets[2 * tile + 1]
        part, cells = 0.0, 0.0
        rest = empty
        while rest:
            cell = rest & (~rest + _1)
            rest ^= cell
            cells += 1.0
            if np.int64(exponent) >= stop:
                part += np.float64(plan[WINS])
                continue
            place = find(slots, shift, with_tile(words, cell, exponent, sides))
            if place >= 0:
                part += as_f64(~slots[2 * place + 1])
        total += as_f64(distribution[SPAWN_PROBABILITY + 3 * tile]) * part
    return total / cells


@kernel(types.int64(_WORDS, _WORDS, types.int64, _FLOATS, _WORDS, types.uint64))
def solve_layer(plan, keys, layer_sum, values, seen, shift):
    """The values of the boards of a layer, from those of the next layers in the plan's targets.

    `keys` are the boards or a part of them; `seen` is the layer's set of afterstates, with values
    once known. Two threads may compute the same value. Returns 0, or FULL if `seen` must grow.
    """
    rows, cols = np.int64(plan[ROWS]), np.int64(plan[COLS])
    stop, wins = np.int64(plan[STOP_EXPONENT]), plan[WINS] != _0
    slots = pointer(seen)
    for number in range(len(keys)):
        bits = from_key(keys[number], layer_sum, rows, cols)
        up, right, lower, left, down_reward, across_reward = afterstates_in(
            bits, plan, slots, shift, 1
        )
        best = -1.0
        for move in range(4):
            after = on_bits.of_move(move, up, right, lower, left)
            if after == _0:
                continue
            value = 0.0
            if not wins:
                packed = across_reward if move & 1 else down_reward
                value = np.float64(on_bits.reward_of(packed))
            if on_bits.holds(after, stop):
                value += np.float64(plan[WINS])
            else:
                place = insert(slots, shift, 1, after)
                if place == FULL:
                    return FULL
                place = place if place >= 0 else ~place
                known = slots[2 * place + 1]
                if known == _0:
                    known = ~as_u64(mean_after(plan, after))
                    slots[2 * place + 1] = known
                value += as_f64(~known)
            best = max(best, value)
        values[number] = best
    return 0
