"""The transposition table returns stored values and no others."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from tests.kernels.drivers import Words
from tests.kernels.lazily import lazy_kernel
from twofold.game.rules import Rules
from twofold.kernels import context as names
from twofold.kernels import expectimax_cells as cell_kernels
from twofold.kernels import transposition as table
from twofold.kernels.intrinsics import pointer
from twofold.kernels.play import mix
from twofold.kernels.transposition import BUCKET_WORDS, EXACT, GENERATIONS, LOWER, UPPER
from twofold.search.context import aligned_zeros
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS

_WORDS = types.uint64[::1]
_INTS = types.int64[::1]
Ints = NDArray[np.int64]

FACTOR = 0x9E3779B97F4A7C15
BUCKETS = [4096, 5000, 65_536]


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


@lazy_kernel(types.void(_WORDS, _INTS, _INTS, _WORDS, _INTS, _WORDS, _WORDS, _WORDS))
def use(positions, depths, kinds, values, order, found, hits, context):
    """Look up each position, and store missing values, as a search does."""
    words = pointer(context)
    for turn in range(len(order)):
        index = order[turn]
        hashed = table.hash_of(positions[index])
        key = table.entry_key(hashed, depths[index], kinds[index])
        bucket = table.bucket_of(hashed, words)
        place = table.find(bucket, key, words)
        if place >= 0:
            hits[turn] = np.uint64(1)
            found[turn] = words[names.FOUND]
        else:
            table.store(bucket, key, values[turn], words)


@lazy_kernel(types.void(_WORDS, _INTS, _INTS, _WORDS, _WORDS, _WORDS, _WORDS))
def use_as_deep(positions, depths, kinds, values, found, hits, context):
    """The same for a search with a cut, in a table that may begin with few buckets."""
    words = pointer(context)
    for turn in range(len(positions)):
        hashed = table.hash_of(positions[turn])
        key = table.entry_key(hashed, depths[turn], kinds[turn])
        if table.find_as_deep(table.bucket_of(hashed, words), key, words) >= 0:
            hits[turn] = np.uint64(1)
            found[turn] = words[names.FOUND]
        else:
            table.keep(hashed, key, values[turn], words)


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


@lazy_kernel(types.UniTuple(types.uint64, 2)(types.uint64, _WORDS))
def hash_and_bucket(position, context):
    hashed = table.hash_of(position)
    return hashed, np.uint64(table.bucket_of(hashed, pointer(context)))


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


@pytest.mark.parametrize("buckets", BUCKETS)
def test_hashes_are_one_to_one_and_spread_over_all_buckets(buckets: int) -> None:
    one = Table(buckets)
    seen = set()
    for position in [0, 2**64 - 1, *awkward_positions(buckets), *map(int, random_words(3000, 1))]:
        hashed, bucket = map(int, hash_and_bucket(np.uint64(position), one.words))
        assert unhash(hashed) == position
        assert bucket == (hashed * buckets >> 64) * BUCKET_WORDS
        assert bucket + BUCKET_WORDS <= len(one.array)
        seen.add(bucket)
    assert {0, (buckets - 1) * BUCKET_WORDS} <= seen


def test_what_is_stored_is_found_by_its_position_depth_and_kind_alone() -> None:
    one = Table(4096)
    position = unhash(2**63)
    keys = [(depth, kind) for depth in (0, 1, 15, 31) for kind in (EXACT, LOWER, UPPER)]
    for stored in keys:
        one.array[:] = 0
        assert all(one.find(position, *key) is None for key in keys)
        one.store(position, *stored, 77)
        assert [key for key in keys if one.find(position, *key) is not None] == [stored]
        assert one.find(position, *stored) == 77
        for other in (unhash(2**63 + 1), unhash(2**63 + 2**52), unhash(0), 0, position ^ 1):
            assert one.find(other, *stored) is None


@pytest.mark.parametrize("only_present", [True, False])
@pytest.mark.parametrize("buckets", BUCKETS)
def test_the_table_never_returns_a_wrong_value(buckets: int, only_present: bool) -> None:
    """A million look-ups and stores against a dictionary."""
    rng = np.random.default_rng(buckets)
    awkward = np.array(awkward_positions(buckets), dtype=np.uint64)
    count = 6 * buckets
    positions = np.concatenate([awkward, random_words(count, buckets)])
    positions = np.concatenate([positions, positions[: count // 2]])  # at other depths
    depths = rng.integers(0, 32, len(positions))
    kinds = rng.integers(1, 4, len(positions))
    one, hits_in_all = Table(buckets, only_present=only_present), 0
    known: dict[tuple[int, int, int], int] = {}
    keys = list(zip(positions.tolist(), depths.tolist(), kinds.tolist(), strict=True))
    parts = 5
    for part in range(parts):
        table.begin(one.words)
        if only_present:
            known.clear()
        order = rng.integers(0, len(positions), 1_000_000 // 3 // parts)
        values = random_words(len(order), part)
        found, hits = np.zeros_like(values), np.zeros_like(values)
        use(positions, depths, kinds, values, order, found, hits, one.words)
        hits_in_all += int(hits.sum())
        answers = zip(order.tolist(), values.tolist(), found.tolist(), hits.tolist(), strict=True)
        for index, value, answer, hit in answers:
            if hit:
                assert known[keys[index]] == answer
            else:
                known[keys[index]] = value
    assert hits_in_all > 1000


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


@pytest.mark.parametrize("generation", range(GENERATIONS + 2))
def test_an_empty_entry_is_taken_before_any_other(generation: int) -> None:
    one = Table(4096)
    for _ in range(generation + 1):
        table.begin(one.words)
    for position in neighbours(4):
        one.store(position, 0, EXACT, 5)
    assert [one.find(position, 0, EXACT) for position in neighbours(4)] == [5, 5, 5, 5]


def test_only_the_present_generation_is_believed_where_asked() -> None:
    one, position = Table(4096), unhash(9)
    table.begin(one.words)
    one.store(position, 3, EXACT, 1)
    table.begin(one.words)
    assert one.find(position, 3, EXACT) == 1
    one.words[names.ONLY_PRESENT] = 1
    assert one.find(position, 3, EXACT) is None
    one.store(position, 3, EXACT, 2)
    assert one.find(position, 3, EXACT) == 2


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


def test_a_new_generation_needs_no_table() -> None:
    words = np.zeros(names.OWN, dtype=np.uint64)
    for _ in range(2 * GENERATIONS):
        table.begin(words)
        assert words[names.GENERATION] < GENERATIONS


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


def test_two_threads_on_one_table_give_no_wrong_value(figure: Callable[[str], None]) -> None:
    one = Table(4096)
    positions = np.concatenate(
        [random_words(20_000, 8), np.array(awkward_positions(4096), dtype=np.uint64)]
    )
    contexts = [one.words.copy() for _ in range(2)]
    counts = [np.zeros(2, dtype=np.int64) for _ in contexts]
    turns = 1_000_000
    threads = [
        threading.Thread(target=hammer, args=(positions, 7 * n, turns, counts[n], contexts[n]))
        for n in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hits, wrong = (sum(int(count[place]) for count in counts) for place in (0, 1))
    assert hits > 100_000
    assert wrong == 0
    figure(f"2 threads on one table: {hits:,} values found, 0 wrong")


@pytest.mark.parametrize("megabytes", [1, 3, 16, 100])
def test_a_table_takes_the_memory_asked_for(megabytes: int) -> None:
    search = Expectimax(EVALUATORS["snake"], Rules(), Depth.fixed(2), table_mb=megabytes)
    context: Any = search.context
    array = context._held[names.TABLE]
    asked = megabytes * 2**20
    assert 0.99 * asked <= array.nbytes <= 1.01 * asked
    assert array.base.nbytes <= 1.01 * asked
    assert array.nbytes == int(context.words[names.BUCKETS]) * 8 * BUCKET_WORDS
    assert context.words[names.TABLE] % 64 == 0
    assert context.words[names.BUCKETS] >= table.MIN_BUCKETS


@pytest.mark.parametrize("buckets", [16_384, 65_536])
def test_a_table_that_begins_with_few_buckets_finds_and_loses_the_same(buckets: int) -> None:
    whole, growing = (Table(buckets, only_present=True) for _ in range(2))
    growing.words[names.ALL] = buckets
    growing.words[names.BUCKETS] = growing.words[names.FEW] = table.MIN_BUCKETS
    rng = np.random.default_rng(3)
    near = np.array(awkward_positions(buckets), dtype=np.uint64)
    grew = []
    for search in range(3 * GENERATIONS):
        count = (200, 2_000, 20_000, 6 * buckets)[search % 3 + (search % 31 == 5)]
        positions = rng.integers(0, 2**64, count, dtype=np.uint64)
        if search % 3:
            crowded = rng.random(count) < 0.1
            positions[crowded] = rng.choice(near, int(crowded.sum()))
        again = rng.integers(0, count, count // 2)
        positions[count - len(again) :] = positions[again]
        depths, kinds = rng.integers(0, 12, count), rng.integers(0, 4, count)
        results = []
        for one in (whole, growing):
            table.begin(one.words)
            found, hits = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
            use_as_deep(positions, depths, kinds, positions ^ np.uint64(7), found, hits, one.words)
            results.append((found, hits))
        np.testing.assert_array_equal(results[0], results[1])
        assert 0 < results[0][1].sum() < count
        grew.append(growing.words[names.BUCKETS] == buckets)
    assert 0 < sum(grew) < len(grew)


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
