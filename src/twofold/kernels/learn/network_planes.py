"""From the planes of a network file to weights, see `twofold.networks.release`."""

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import trailing_zeros

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
