"""Two policies in turn: one up to a sum of tiles, the other from there on."""

from typing import Final

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import POLICY, call_policy, u64_at
from twofold.kernels.rules.bits import tile_sum

# Words of the context.
LATE_SUM: Final = 0
"""The least sum of the tiles for the second policy."""
EARLY_POLICY: Final = 1
EARLY_CONTEXT: Final = 2
LATE_POLICY: Final = 3
LATE_CONTEXT: Final = 4
CONTEXT_WORDS: Final = 5


@kernel(POLICY)
def relay(bits, legal, score, draw, context):
    """The move of the policy whose turn it is."""
    if tile_sum(bits) < context[LATE_SUM]:
        inner = u64_at(context[EARLY_CONTEXT])
        return call_policy(context[EARLY_POLICY], (bits, legal, score, draw, inner))
    inner = u64_at(context[LATE_CONTEXT])
    return call_policy(context[LATE_POLICY], (bits, legal, score, draw, inner))
