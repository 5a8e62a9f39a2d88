"""The transposition table: values of positions that the search has visited, and bounds in it.

An array of uint64, divided into buckets of one cache line: four entries of two words.

    word 0   value, the bits of a float64
    word 1   63 .. 12     11 .. 7   6 .. 5   4 .. 0
             low hash     depth     kind     generation      ... XOR word 0

A bucket's number is the high half of hash x buckets; with at least 2^12 buckets the low 52 bits of
the one-to-one hash distinguish the positions of a bucket. The XOR lets threads share a table
without locks: an entry that two threads wrote at once does not match (Hyatt 1994).

A search by one thread that uses only its own values begins with the first 2^12 buckets, which stay
in the processor's cache, and moves to the whole table before it would lose a value.

In a search within a window (alpha, beta) a value outside the window is only a bound. An entry holds
one value of a position at one depth, with its kind: exact, lower bound, upper bound. Only one
thread may use a table with bounds (`find_any`, `store_within`).
"""

from typing import Final

import numpy as np
from numba import types

from twofold.kernels import context as at
from twofold.kernels._jit import kernel
from twofold.kernels.intrinsics import (
    U64_POINTER,
    as_f64,
    as_u64,
    high_product,
    pointer,
    prefetch,
    u64_at,
)
from twofold.kernels.play import GAMMA

ENTRIES: Final = 4
BUCKET_WORDS: Final = 2 * ENTRIES
BUCKET_BYTES: Final = 8 * BUCKET_WORDS
#   Kinds of a value. An entry never written has kind 0, depth 0 and the hash of an empty
#   board.
MIN_BUCKETS: Final = 4096
GENERATIONS: Final = 32
EXACT, LOWER, UPPER = range(1, 4)

_5, _7, _12, _32, _52 = map(np.uint64, (5, 7, 12, 32, 52))
_GENERATION: Final = np.uint64(GENERATIONS - 1)
_DEPTH: Final = np.uint64(31)
_DEPTH_BITS: Final = np.uint64(31 << 7)


@kernel(types.uint64(types.uint64))
def hash_of(position):
    """The hash of a position, one to one."""
    return (position ^ (position >> _32)) * GAMMA


@kernel(types.int64(types.uint64, U64_POINTER))
def bucket_of(hashed, context):
    """Index of the first word of a hash's bucket."""
    return np.int64(high_product(hashed, context[at.BUCKETS])) * BUCKET_WORDS


@kernel(types.void(types.uint64, U64_POINTER))
def fetch(position, context):
    """Prefetch the bucket of a position."""
    prefetch(u64_at(context[at.TABLE]), bucket_of(hash_of(position), context))


@kernel(types.uint64(types.uint64, types.int64, types.int64))
def entry_key(hashed, depth, kind):
    """The key of an entry, with generation 0."""
    return (hashed << _12) | np.uint64((depth << 7) | (kind << 5))


@kernel(types.int64(types.int64, types.uint64, U64_POINTER))
def find(bucket, key, context):
    """The index of the word with the value of a key, or -1; the value itself in `FOUND`.

    Each word is read once, since another thread may replace it.
    """
    table = u64_at(context[at.TABLE])
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        value = table[number]
        difference = value ^ table[number + 1] ^ key
        if difference <= _GENERATION and (
            context[at.ONLY_PRESENT] == 0 or difference == context[at.GENERATION]
        ):
            context[at.FOUND] = value
            return number
    return -1


@kernel(types.int64(types.int64, types.uint64, U64_POINTER))
def find_as_deep(bucket, key, context):
    """`find` for the deepest value of at least the key's depth, of the current generation."""
    table = u64_at(context[at.TABLE])
    found, least = -1, (key >> _7) & _DEPTH
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        value = table[number]
        entry = value ^ table[number + 1]
        depth = (entry >> _7) & _DEPTH
        if (entry ^ key) & ~_DEPTH_BITS == context[at.GENERATION] and depth >= least:
            found, least = number, depth
            context[at.FOUND] = value
    return found


@kernel(types.void(types.int64, types.uint64, types.uint64, U64_POINTER))
def store(bucket, key, value, context):
    """Store a value, given by its bits, in place of the least useful entry.

    That is an entry of an older generation, else the one of the least depth.
    """
    table = u64_at(context[at.TABLE])
    now = context[at.GENERATION]
    place, least = bucket, np.uint64(64)
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        entry = table[number] ^ table[number + 1]
        depth = (entry >> _7) & _DEPTH
        worth = depth + np.uint64(1) if (entry & _GENERATION) == now else np.uint64(0)
        if worth < least:
            place, least = number, worth
    table[place] = value
    table[place + 1] = (key | now) ^ value


@kernel(types.boolean(types.int64, U64_POINTER))
def is_full(bucket, context):
    """Whether all entries of a bucket are of the current generation."""
    table = u64_at(context[at.TABLE])
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        if (table[number] ^ table[number + 1]) & _GENERATION != context[at.GENERATION]:
            return False
    return True


@kernel(types.void(U64_POINTER))
def widen(context):
    """Use all buckets from now on, and move this search's entries to their new buckets.

    From the last bucket down, since no entry moves to a lower bucket; within a bucket in the
    order in which they were stored.
    """
    table, now = u64_at(context[at.TABLE]), context[at.GENERATION]
    context[at.BUCKETS], context[at.WIDE] = context[at.ALL], np.uint64(1)
    for bucket in range(np.int64(context[at.FEW]) - 1, -1, -1):
        for number in range(bucket * BUCKET_WORDS, (bucket + 1) * BUCKET_WORDS, 2):
            value = table[number]
            entry = value ^ table[number + 1]
            table[number], table[number + 1] = np.uint64(0), np.uint64(0)
            if entry & _GENERATION == now:
                hashed = (np.uint64(bucket) << _52) | (entry >> _12)
                store(bucket_of(hashed, context), entry ^ now, value, context)


@kernel(types.void(types.uint64, types.uint64, types.uint64, U64_POINTER))
def keep(hashed, key, value, context):
    """`store` for a search that may have begun with few buckets."""
    bucket = bucket_of(hashed, context)
    if context[at.BUCKETS] == context[at.FEW] and is_full(bucket, context):
        widen(context)
        bucket = bucket_of(hashed, context)
    store(bucket, key, value, context)


@kernel(types.void(U64_POINTER, types.int64))
def clear(table, count):
    """Set the first words of a table to 0."""
    for word in range(count):
        table[word] = np.uint64(0)


@kernel(types.void(U64_POINTER))
def new_generation(context):
    """Begin a search: entries of earlier searches age, or are no longer used.

    Generations count from 1 to `GENERATIONS` - 1 and then from 1 again; entries never written have
    0 and are replaced first. If only the current generation is used, the table is cleared before
    a number is used again, so every entry with it was stored by this search.
    """
    last = np.uint64(GENERATIONS - 1)
    context[at.GENERATION] = context[at.GENERATION] % last + np.uint64(1)
    context[at.SEARCHES] += np.uint64(1)
    if context[at.ONLY_PRESENT] != 0:
        if context[at.FEW] != 0:
            context[at.BUCKETS] = context[at.FEW]
        if context[at.SEARCHES] >= last:
            context[at.SEARCHES] = np.uint64(0)
            if context[at.TABLE] != 0:
                used = context[at.BUCKETS] if context[at.WIDE] == 0 else context[at.ALL]
                clear(u64_at(context[at.TABLE]), np.int64(used) * BUCKET_WORDS)
            context[at.WIDE] = np.uint64(0)


@kernel(types.void(types.uint64[::1]))
def begin(context):
    """`new_generation` for callers outside kernels."""
    new_generation(pointer(context))


_KIND: Final = np.uint64(3)
_KIND_BITS: Final = np.uint64(3 << 5)
_HASH_AND_DEPTH: Final = ~np.uint64((3 << 5) | (GENERATIONS - 1))


@kernel(types.int64(types.int64, types.uint64, U64_POINTER))
def find_any(bucket, key, context):
    """The index of the word with a value of any kind, or -1; the key's kind is 0."""
    table = u64_at(context[at.TABLE])
    for number in range(bucket, bucket + BUCKET_WORDS, 2):
        difference = table[number] ^ table[number + 1] ^ key
        if (
            (difference & _HASH_AND_DEPTH) == 0
            and (difference & _KIND_BITS) != 0
            and (
                context[at.ONLY_PRESENT] == 0
                or (difference & _GENERATION) == context[at.GENERATION]
            )
        ):
            return number
    return -1


@kernel(types.boolean(types.int64, types.float64, types.float64, U64_POINTER))
def settles(number, alpha, beta, context):
    """Whether the value at an index replaces a search within (alpha, beta)."""
    table = u64_at(context[at.TABLE])
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
    useful entry, as in `store`.
    """
    table = u64_at(context[at.TABLE])
    now = context[at.GENERATION]
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
