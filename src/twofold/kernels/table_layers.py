"""Endgame tables, layer by layer: chances after moves, then chances before moves.

A layer holds the boards of one sum of tiles, in units of 2. A board is two halves, see
`twofold.tables.layers`; its number in the layer of sum S is

    offsets[low sum] + low rank * (codes of the high half of sum S - low sum) + high rank

so spawns in the low half, and moves to the left and right, work on contiguous ranges.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numba import types

from twofold.kernels._jit import kernel

# Flags of the result of a move, uint32; the other bits are a rank or a part of a code.
WINS: Final = np.uint32(1 << 31)
"""The move makes the target."""
BLOCKED: Final = np.uint32(1 << 30)
"""The move shifts a large tile: it is not allowed."""
CHANGED: Final = np.uint32(1 << 29)
"""The move changes the half."""
OVER: Final = np.uint32(1 << 28)
"""The move exceeds a cap: it is not allowed, unless it makes the target."""
RANK: Final = np.uint32((1 << 28) - 1)


class HalfArrays(NamedTuple):
    """A half. Its codes are listed by their sum of tiles; a *place* is an index in that list.

    Attributes:
        sums: int32 by place, in units of 2.
        firsts: int64 by sum, the first place of that sum.
        counts: int64 by sum, number of codes; two zeros follow.
        left: uint32 by place, rank and flags after a move to the left.
        right: uint32 by place.
        starts: int64 by place, the start of its empty cells in `two` and `four`.
        two: int32 by empty cell, the rank with a 2 in it.
        four: int32 by empty cell, the rank with a 4 in it.
        ranks: int32 by code.
        code_sums: int32 by code.
    """

    sums: Any
    firsts: Any
    counts: Any
    left: Any
    right: Any
    starts: Any
    two: Any
    four: Any
    ranks: Any
    code_sums: Any


class LiftArrays(NamedTuple):
    """The effect of up on two neighbouring columns.

    Attributes:
        low: int32 (low pairs, high pairs), the pair's part of the new code of the low half.
        high: uint32, the same of the high half, with flags.
        low_pairs: int32 by place in the low half, its content in the pair of columns.
        high_pairs: int32 by place in the high half.
    """

    low: Any
    high: Any
    low_pairs: Any
    high_pairs: Any


_I32: Final = types.int32[::1]
_I64: Final = types.int64[::1]
_U32: Final = types.uint32[::1]
_F32: Final = types.float32[::1]
HALF: Final = types.NamedTuple(
    [_I32, _I64, _I64, _U32, _U32, _I64, _I32, _I32, _I32, _I32], HalfArrays
)
_LIFT: Final = types.NamedTuple([types.int32[:, ::1], types.uint32[:, ::1], _I32, _I32], LiftArrays)
_0: Final = np.float32(0)
_1: Final = np.float32(1)
_TWO: Final = np.float32(0.9)
_FOUR: Final = np.float32(0.1)


@kernel(
    types.void(
        types.int64, types.int64, types.int64, HALF, HALF, _I64, _I64, _I64, _F32, _F32, _F32
    )
)
def spread(begin, end, layer, low, high, offsets, offsets_2, offsets_4, with_2, with_4, after):
    """Fill in chances after moves: the mean over the spawns, 0.9 for a 2 and 0.1 for a 4.

    It works on the places `begin` to `end` - 1 of the low half, in the layer of a sum of tiles, in
    units of 2. `offsets`, by sum of the low half, belong to this layer, the next one, and the one
    after that; `with_2` and `with_4` are chances before moves in the latter two. `after` receives
    the chances in this layer, 0 for full boards, which no move makes.
    """
    for place in range(begin, end):
        low_sum = np.int64(low.sums[place])
        high_sum = layer - low_sum
        if high_sum < 0 or high_sum + 2 >= len(high.counts):
            continue
        count = high.counts[high_sum]
        rank = place - low.firsts[low_sum]
        start = offsets[low_sum] + rank * count
        out = after[start : start + count]
        out[:] = _0
        begin_low, end_low = low.starts[place], low.starts[place + 1]
        for cell in range(begin_low, end_low):
            at = offsets_2[low_sum + 1] + low.two[cell] * count
            twos = with_2[at : at + count]
            at = offsets_4[low_sum + 2] + low.four[cell] * count
            fours = with_4[at : at + count]
            for one in range(count):
                out[one] += _TWO * twos[one] + _FOUR * fours[one]
        at = offsets_2[low_sum] + rank * high.counts[high_sum + 1]
        twos = with_2[at : at + high.counts[high_sum + 1]]
        at = offsets_4[low_sum] + rank * high.counts[high_sum + 2]
        fours = with_4[at : at + high.counts[high_sum + 2]]
        first = high.firsts[high_sum]
        for one in range(count):
            begin_high, end_high = high.starts[first + one], high.starts[first + one + 1]
            total = out[one]
            for cell in range(begin_high, end_high):
                total += _TWO * twos[high.two[cell]] + _FOUR * fours[high.four[cell]]
            empty = end_low - begin_low + end_high - begin_high
            out[one] = total / np.float32(empty) if empty else _0


@kernel(
    types.void(types.int64, types.int64, types.int64, HALF, HALF, _LIFT, _LIFT, _I64, _F32, _F32)
)
def choose(begin, end, layer, low, high, left_pair, right_pair, offsets, after, before):
    """Fill in chances before moves: the best of left, right and up. Down shifts large tiles.

    `left_pair` and `right_pair` are the effects of up on the two pairs of columns; `after` has the
    chances after moves in this layer, `before` receives those before moves, 0 without a move. The
    other arguments are those of `spread`.
    """
    for place in range(begin, end):
        low_sum = np.int64(low.sums[place])
        high_sum = layer - low_sum
        if high_sum < 0 or high_sum + 2 >= len(high.counts):
            continue
        count = high.counts[high_sum]
        first = high.firsts[high_sum]
        start = offsets[low_sum] + (place - low.firsts[low_sum]) * count
        low_left, low_right = low.left[place], low.right[place]
        left_start = offsets[low_sum] + np.int64(low_left & RANK) * count
        right_start = offsets[low_sum] + np.int64(low_right & RANK) * count
        pair = left_pair.low_pairs[place]
        low_a, high_a = left_pair.low[pair], left_pair.high[pair]
        pair = right_pair.low_pairs[place]
        low_b, high_b = right_pair.low[pair], right_pair.high[pair]
        for one in range(count):
            at = first + one
            best = _0
            word = high.left[at]
            flags = (low_left | word) & ~RANK
            if flags == CHANGED:
                best = max(best, after[left_start + np.int64(word & RANK)])
            elif flags & (WINS | BLOCKED) == WINS:
                best = _1
            word = high.right[at]
            flags = (low_right | word) & ~RANK
            if flags == CHANGED:
                best = max(best, after[right_start + np.int64(word & RANK)])
            elif flags & (WINS | BLOCKED) == WINS:
                best = _1
            pair_a, pair_b = left_pair.high_pairs[at], right_pair.high_pairs[at]
            word_a, word_b = high_a[pair_a], high_b[pair_b]
            flags = (word_a | word_b) & ~RANK
            if flags & WINS:
                best = _1
            elif flags == CHANGED and best < _1:
                low_code = low_a[pair_a] + low_b[pair_b]
                new_sum = np.int64(low.code_sums[low_code])
                number = offsets[new_sum] + (
                    np.int64(low.ranks[low_code]) * high.counts[layer - new_sum]
                    + np.int64(high.ranks[np.int64(word_a & RANK) + np.int64(word_b & RANK)])
                )
                best = max(best, after[number])
            before[start + one] = best


STEPS: Final = 65_535
"""The highest level, for a chance of 1."""

_U16: Final = types.uint16[::1]
_HALF_STEP: Final = np.float32(0.5)


@kernel(types.void(_F32, _U16))
def to_levels(chances, levels):
    """Chances as levels, whose steps are small near 0 and near 1.

    The level of a chance p up to 1/2 is 65,535 sqrt(p / 2), rounded; above, 65,535 less the level
    of 1 - p. Only a chance of 0 has level 0, only a chance of 1 level 65,535. IEEE 754 defines
    each operation exactly, so all machines get the same levels.
    """
    for number in range(len(chances)):
        chance = chances[number]
        rest = _1 - chance
        small = min(chance, rest)
        level = np.int64(np.float32(STEPS) * np.sqrt(small * _HALF_STEP) + _HALF_STEP)
        if chance > rest:
            level = STEPS - level
        if chance > _0:
            level = max(level, 1)
        levels[number] = level
