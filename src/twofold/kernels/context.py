"""The words that every search on bits is given, and its transposition table.

A search context is an array of uint64: addresses, numbers, and float64 values by their bits. The
words from `OWN` on belong to the search.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER

ACROSS: Final = 0
DOWN: Final = 1
"""Addresses of the row tables, see `tables.Frame`."""
MASK: Final = 2
"""The lowest bit of each cell inside the shape."""
LAW: Final = 3
"""Address of the spawn law, see `dice.spawn_law`."""
EVALUATOR: Final = 4
"""Address of the evaluator's kernel."""
PARAMS: Final = 5
"""Address of its parameters."""
ADDS_REWARD: Final = 6
"""1 where rewards on the way are added to the value."""
AT_STATE: Final = 7
"""1 where the evaluator values states: below the last move lies one more spawn layer."""
DEAD_VALUE: Final = 8
"""Value of a state without a legal move, the bits of a float64."""
NODES: Final = 9
"""Number of positions visited; counted by the search."""
TABLE: Final = 10
"""Address of the transposition table: pairs of (afterstate, value); 0 for none."""
TABLE_BITS: Final = 11
"""log2 of its number of pairs for one depth; each depth has a part of its own."""
OWN: Final = 12
"""The first word of the search's own."""

_HASH: Final = np.uint64(0x9E3779B97F4A7C15)


@kernel(types.int64(types.uint64, types.int64, U64_POINTER))
def table_slot(after, depth, context):
    """Where the table keeps the pair of an afterstate at a depth: the word's number."""
    bits = context[TABLE_BITS]
    place = (after * _HASH) >> (np.uint64(64) - bits)
    return np.int64(place + (np.uint64(depth) << bits)) * 2
