"""Two policies in turn: one until a large tile is made, the other from there on.

A board is late if its different tiles sum to a limit, or all its tiles to an eighth more. The
first is so when a large tile has just been made and the board is nearly empty; before that the
tiles already have the sum, but stand as the first policy needs them. The second keeps boards late
whose two largest tiles have become equal.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import POLICY, call_policy, u64_at
from twofold.kernels.learn.downgrade import tile_set
from twofold.kernels.rules.bits import tile_sum

# Words of the context.
LATE_SUM: Final = 0
"""The limit from which boards are late."""
EARLY_POLICY: Final = 1
EARLY_CONTEXT: Final = 2
LATE_POLICY: Final = 3
LATE_CONTEXT: Final = 4
CONTEXT_WORDS: Final = 5


@kernel(types.boolean(types.uint64, types.uint64))
def is_late(bits, limit):
    """Whether a board is late."""
    return tile_set(bits) >= limit or np.uint64(tile_sum(bits)) >= limit + (limit >> np.uint64(3))


@kernel(POLICY)
def relay(bits, legal, score, draw, context):
    """The move of the policy whose turn it is."""
    if not is_late(bits, context[LATE_SUM]):
        inner = u64_at(context[EARLY_CONTEXT])
        return call_policy(context[EARLY_POLICY], (bits, legal, score, draw, inner))
    inner = u64_at(context[LATE_CONTEXT])
    return call_policy(context[LATE_POLICY], (bits, legal, score, draw, inner))
