"""The transposition table returns stored values and no others."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import Words
from tests.kernels.lazily import lazy_kernel
from twofold.kernels import context as names
from twofold.kernels import expectimax_cells as cell_kernels
from twofold.kernels import transposition as table
from twofold.kernels.intrinsics import pointer
from twofold.kernels.play import mix
from twofold.kernels.transposition import BUCKET_WORDS, EXACT, GENERATIONS, LOWER
from twofold.search.context import aligned_zeros

_WORDS = types.uint64[::1]
_INTS = types.int64[::1]

FACTOR = 0x9E3779B97F4A7C15


class Table:
    """A table with a number of buckets, and a context for it."""

    def __init__(self, buckets: int, *, only_present: bool = False) -> None:
        self.array = aligned_zeros(buckets * BUCKET_WORDS)
        self.words = np.zeros(names.OWN, dtype=np.uint64)
        self.words[names.TABLE] = self.array.ctypes.data
        self.words[names.BUCKETS] = buckets
        self.words[names.ONLY_PRESENT] = only_present

    def store(self, position: int, depth: int, kind: int, value: int) -> None:
        store_one(np.uint64(position), depth, kind, np.uint64(value), self.words)

    def find(self, position: int, depth: int, kind: int) -> int | None:
        found = find_one(np.uint64(position), depth, kind, self.words)
        return None if found < 0 else int(self.array[found])


@lazy_kernel(types.void(types.uint64, types.int64, types.int64, types.uint64, _WORDS))
def store_one(position, depth, kind, value, context):
    words, hashed = pointer(context), table.hash_of(position)
    table.store(table.bucket_of(hashed, words), table.entry_key(hashed, depth, kind), value, words)


@lazy_kernel(types.int64(types.uint64, types.int64, types.int64, _WORDS))
def find_one(position, depth, kind, context):
    words, hashed = pointer(context), table.hash_of(position)
    key = table.entry_key(hashed, depth, kind)
    return table.find(table.bucket_of(hashed, words), key, words)


@lazy_kernel(types.void(_WORDS, types.int64, types.int64, _INTS, _WORDS))
def hammer(positions, start, turns, counts, context):
    """Look up and store pseudo-random positions; counts hits and wrong values.

    The value of a position at a depth is a hash of both.
    """
    words = pointer(context)
    for turn in range(turns):
        draw = mix(np.uint64(start + turn))
        position = positions[np.int64(draw % np.uint64(len(positions)))]
        depth = np.int64(draw >> np.uint64(61))
        hashed = table.hash_of(position)
        key, bucket = table.entry_key(hashed, depth, EXACT), table.bucket_of(hashed, words)
        value = mix(position + np.uint64(depth))
        place = table.find(bucket, key, words)
        if place >= 0:
            counts[0] += 1
            other = words[names.FOUND]
            if other != value:
                counts[1] += 1
        else:
            table.store(bucket, key, value, words)


def unhash(hashed: int) -> int:
    """The position of a hash."""
    word = hashed * pow(FACTOR, -1, 2**64) % 2**64
    return int(word ^ (word >> 32))


def awkward_positions(buckets: int) -> list[int]:
    """Positions whose hashes are neighbours, lie at the ends of buckets or agree in low bits."""
    ends = [number * 2**64 // buckets for number in (0, 1, 2, 3, buckets // 2, buckets - 1)]
    hashes = {(end + step) % 2**64 for end in ends for step in range(-20, 20)}
    hashes |= {(12_345 + number * 2**52) % 2**64 for number in range(0, 4096, 7)}
    return [unhash(hashed) for hashed in sorted(hashes)]


def random_words(count: int, seed: int) -> Words:
    return np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)


@pytest.mark.parametrize(("buckets", "threads"), [(4096, 1), (5000, 1), (65_536, 1), (4096, 2)])
def test_the_table_never_returns_a_wrong_value(
    buckets: int, threads: int, figure: Callable[[str], None]
) -> None:
    """A million look-ups and stores by each thread."""
    one = Table(buckets)
    awkward = np.array(awkward_positions(buckets), dtype=np.uint64)
    positions = np.concatenate([random_words(buckets, 8), awkward])
    contexts = [one.words.copy() for _ in range(threads)]
    counts = np.zeros((threads, 2), dtype=np.int64)
    with ThreadPoolExecutor(threads) as pool:
        for thread, context in enumerate(contexts):
            pool.submit(hammer, positions, 7 * thread, 1_000_000, counts[thread], context)
    hits, wrong = counts.sum(axis=0).tolist()
    assert hits > 100_000
    assert wrong == 0
    figure(f"{threads} threads, {buckets} buckets: {hits:,} values found, 0 wrong")


def neighbours(count: int) -> list[int]:
    """Positions of one bucket of 4096."""
    return [unhash(2**63 + number) for number in range(count)]


def test_the_shallowest_entry_is_replaced() -> None:
    one = Table(4096)
    table.begin(one.words)
    for position, depth in zip(neighbours(5), (5, 3, 7, 4, 1), strict=True):
        one.store(position, depth, EXACT, depth)
    kept = [one.find(p, d, EXACT) for p, d in zip(neighbours(5), (5, 3, 7, 4, 1), strict=True)]
    assert kept == [5, None, 7, 4, 1]


def test_old_entries_are_replaced_first_however_deep() -> None:
    one, positions = Table(4096), neighbours(9)
    table.begin(one.words)
    for position in positions[:4]:
        one.store(position, 20, EXACT, 1)
    table.begin(one.words)
    for number, position in enumerate(positions[4:8]):
        one.store(position, 2 + number, EXACT, 2)
        assert sum(one.find(old, 20, EXACT) is not None for old in positions[:4]) == 3 - number
    one.store(positions[8], 9, EXACT, 3)
    found = [one.find(position, 2 + n, EXACT) for n, position in enumerate(positions[4:8])]
    assert found == [None, 2, 2, 2]


def test_before_a_generation_comes_again_the_table_is_cleared() -> None:
    one, seen = Table(4096, only_present=True), []
    positions = [unhash(search << 52) for search in range(3 * GENERATIONS)]  # one a bucket
    for search, position in enumerate(positions):
        table.begin(one.words)
        assert [one.find(old, 3, EXACT) for old in positions[:search]] == [None] * search
        one.store(position, 3, EXACT, search)
        assert one.find(position, 3, EXACT) == search
        seen.append(int(one.words[names.GENERATION]))
    assert len(set(seen)) >= GENERATIONS - 1


def test_torn_entries_match_nothing() -> None:
    """An entry with the first word of one thread and the second word of another."""
    rng = np.random.default_rng(3)
    one, positions = Table(4096), neighbours(8)
    keys = [(p, d, k) for p in positions for d in (1, 2, 9) for k in (EXACT, LOWER)]
    values = [np.float64(value).view(np.uint64) for value in rng.normal(0, 1e5, len(keys))]
    written = []
    for key, value in zip(keys, values, strict=True):
        one.array[:] = 0
        one.store(*key, int(value))
        assert one.find(*key) == value
        (place,) = np.flatnonzero(one.array)[:1]
        written.append((int(place), *one.array[place : place + 2].tolist()))
    assert len({place for place, *_ in written}) == 1
    place = written[0][0]
    for first, (_, value, _) in enumerate(written):
        for second, (_, _, check) in enumerate(written):
            one.array[place : place + 2] = value, check
            found = [key for key in keys if one.find(*key) is not None]
            assert found == ([keys[first]] if first == second else [])


@lazy_kernel(types.uint64(_WORDS, types.uint64, types.int64))
def hash_at(words, address, size):
    return cell_kernels.hash_of(address, size)


def test_hashes_of_boards_on_cells_differ() -> None:
    """Boards of every size, with their words in another order, and with one bit changed."""
    rng = np.random.default_rng(8)
    hashes, boards = set(), set()
    for size in (2, 8, 9, 16, 25, 36, 64) * 200:
        words = np.zeros(8, dtype=np.uint64)
        cells = words.view(np.uint8)
        cells[:size] = rng.integers(0, 3, size) * (rng.random(size) < rng.random())
        for variant in (words, np.roll(words, 1), words[::-1].copy(), words ^ np.uint64(1)):
            boards.add(variant.tobytes())
            hashes.add(int(hash_at(variant, np.uint64(variant.ctypes.data), 64)))
    assert len(hashes) == len(boards) > 2_000
