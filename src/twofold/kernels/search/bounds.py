"""Bounds in the transposition table, for searches within a window.

A value outside the window (alpha, beta) is only a bound. An entry holds one value of a position at
one depth, with its kind: exact, lower bound, upper bound. `transposition` describes the
entries; but here only one thread may use the table.
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import U64_POINTER, as_f64, as_u64, u64_at
from twofold.kernels.search.context import GENERATION, ONLY_PRESENT, TABLE
from twofold.kernels.search.transposition import BUCKET_WORDS, EXACT, GENERATIONS, LOWER, UPPER

_5: Final = np.uint64(5)
_7: Final = np.uint64(7)
_GENERATION: Final = np.uint64(GENERATIONS - 1)
_DEPTH: Final = np.uint64(31)
_KIND: Final = np.uint64(3)
_KIND_BITS: Final = np.uint64(3 << 5)
_HASH_AND_DEPTH: Final = ~np.uint64((3 << 5) | (GENERATIONS - 1))


@kernel(types.int64(types.int64, types.uint64, U64_POINTER))
def find_any(bucket, key, context):
    """The index of the word with a value of any kind, or -1; the key's kind is 0."""
    table = u64_at(context[TABLE])
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        difference = table[number] ^ table[number + 1] ^ key
        if (
            (difference & _HASH_AND_DEPTH) == 0
            and (difference & _KIND_BITS) != 0
            and (context[ONLY_PRESENT] == 0 or (difference & _GENERATION) == context[GENERATION])
        ):
            return number
    return -1


@kernel(types.boolean(types.int64, types.float64, types.float64, U64_POINTER))
def settles(number, alpha, beta, context):
    """Whether the value at an index replaces a search within (alpha, beta)."""
    table = u64_at(context[TABLE])
    kind = ((table[number] ^ table[number + 1]) >> _5) & _KIND
    value = as_f64(table[number])
    if kind == LOWER:
        return value >= beta
    return kind == EXACT or value <= alpha


@kernel(
    types.void(types.int64, types.uint64, types.float64, types.float64, types.float64, U64_POINTER)
)
def store_within(bucket, key, value, alpha, beta, context):
    """Store the result of a search within (alpha, beta); the key's kind is 0.

    It replaces the current generation's value of the same position and depth, or else the least
    useful entry, as in `transposition.store`.
    """
    table = u64_at(context[TABLE])
    now = context[GENERATION]
    place, least = bucket, np.uint64(64)
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        entry = table[number] ^ table[number + 1]
        if ((entry ^ key ^ now) & ~_KIND_BITS) == 0:
            place = number
            break
        depth = (entry >> _7) & _DEPTH
        worth = depth + np.uint64(1) if (entry & _GENERATION) == now else np.uint64(0)
        if worth < least:
            place, least = number, worth
    kind = np.uint64(EXACT)
    if value >= beta:
        kind = np.uint64(LOWER)
    elif value <= alpha:
        kind = np.uint64(UPPER)
    bits = as_u64(value)
    table[place] = bits
    table[place + 1] = (key | (kind << _5) | now) ^ bits
