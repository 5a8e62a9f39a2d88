"""From the planes of a network file to weights, see `twofold.networks.release`."""

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import trailing_zeros

_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_ROWS = types.Array(types.uint16, 1, "C", readonly=True)


@kernel(types.void(_ROWS, _BYTES, _BYTES, types.float64, types.float32[::1]))
def add_planes(filled, low, high, unit, weights):
    """Add to weights what the planes hold.

    Args:
        filled: one bit a weight, 16 of them in a number, the first the lowest: is there one.
        low: low bytes of the codes, one for each bit that is set.
        high: high bytes. A code of 2 n adds n units, one of 2 n - 1 takes n away.
        unit: points.
        weights: whole multiples of `unit`, rounded to float32; they stay so.
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
