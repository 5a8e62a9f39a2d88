"""Tile-downgrading on bits: large tiles are halved, which makes boards like those of the training.

The exponent of every tile above the largest missing one falls by one. Equal tiles stay equal, and
the legal moves stay the same.

    .   .   .   2         .   .   .   2
    .   2   4   8   ->    .   2   4   8        16384 is missing: 32768 becomes 16384
    128 64  32  16        128 64  32  16
    32768 8192 4096 2048  16384 8192 4096 2048

Source: Guei, Chen and Wu 2021.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.rules import bits as on_bits

_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_4: Final = np.uint64(4)
_15: Final = np.uint64(15)
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
