"""Boards up to symmetry, and their keys in the tables of solved games.

The smallest word of all symmetries stands for a board. In a layer, the boards of one sum of
tiles, its key is the exponents of all cells but the last, which follows from the sum.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER, trailing_zeros, u64_offset
from twofold.kernels.rules import bits as on_bits

_WORDS: Final = types.uint64[::1]
_0: Final = np.uint64(0)
_1: Final = np.uint64(1)
_4: Final = np.uint64(4)
_ROW: Final = np.uint64(0xFFFF)
_15: Final = np.uint64(15)


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
