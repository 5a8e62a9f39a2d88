"""Vectors of words: each operation equals NumPy's, lane by lane."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from tests.kernels.lazily import lazy_kernel
from twofold.kernels import simd
from twofold.kernels.intrinsics import i32_at, pointer, u8_at
from twofold.kernels.simd import WIDTH, in_all, load, store

_WORDS = types.uint64[::1]
_TABLE = types.uint64[:, ::1]

Words = NDArray[np.uint64]


@lazy_kernel(types.void(_WORDS, _WORDS, _TABLE))
def operate(left, right, results):
    """One row of results per operation, in the order of `expected`."""
    a, b = load(pointer(left), 0), load(pointer(right), 0)
    small = b & np.uint64(15)
    store(pointer(results[0]), 0, a & b)
    store(pointer(results[1]), 0, a | b)
    store(pointer(results[2]), 0, a ^ b)
    store(pointer(results[3]), 0, a + b)
    store(pointer(results[4]), 0, a - b)
    store(pointer(results[5]), 0, a * b)
    store(pointer(results[6]), 0, a << small)
    store(pointer(results[7]), 0, a >> small)
    store(pointer(results[8]), 0, a + np.uint64(7))
    store(pointer(results[9]), 0, in_all(left[1]))
    store(pointer(results[10]), 0, simd.lane_numbers())
    store(pointer(results[11]), 0, simd.equal(a, b))
    store(pointer(results[12]), 0, simd.less(a, b))
    store(pointer(results[13]), 0, simd.rows_equal(a, b))
    store(pointer(results[14]), 0, simd.choose(simd.less(a, b), a, b))
    store(pointer(results[15]), 0, simd.rows_left(a, 4))
    store(pointer(results[16]), 0, simd.bytes_max(a, b))
    store(pointer(results[17]), 0, simd.as_floats(a & np.uint64(0x7FFFFFFF)))
    rows = a & np.uint64(0x000F000F000F000F)
    store(pointer(results[18]), 0, simd.rows_power(rows))
    store(pointer(results[19]), 0, simd.rows_power_plain(rows))
    for lane in range(WIDTH):
        results[20, lane] = simd.word_of(a, lane) + np.uint64(simd.any_bit(a ^ b))


def expected(a: Words, b: Words) -> list[Words]:
    small = b & np.uint64(15)
    yes = np.uint64(2**64 - 1)
    low = (a & np.uint64(0x7FFFFFFF)).astype(np.float64).view(np.uint64)
    rows_a, rows_b = a.view(np.uint16), b.view(np.uint16)
    powers = (np.uint16(1) << (rows_a & np.uint16(15))).view(np.uint64)
    is_less = a.view(np.int64) < b.view(np.int64)
    rows_same = np.where(rows_a == rows_b, np.uint16(0xFFFF), np.uint16(0)).view(np.uint64)
    return [
        *(a & b, a | b, a ^ b, a + b, a - b, a * b, a << small, a >> small, a + np.uint64(7)),
        np.full(WIDTH, a[1]),
        np.arange(WIDTH, dtype=np.uint64),
        np.where(a == b, yes, np.uint64(0)),
        np.where(is_less, yes, np.uint64(0)),
        rows_same,
        np.where(is_less, a, b),
        (rows_a << np.uint16(4)).view(np.uint64),
        np.maximum(a.view(np.uint8), b.view(np.uint8)).view(np.uint64),
        low,
        powers,
        powers,
        a + np.uint64((a != b).any()),
    ]


def test_operations_equal_those_on_arrays() -> None:
    rng = np.random.default_rng(1)
    for turn in range(200):
        a, b = rng.integers(0, 2**64, (2, WIDTH), dtype=np.uint64)
        same = rng.random(WIDTH) < 0.3
        b[same] = a[same]
        if turn == 0:
            b = a.copy()
        half = rng.random(WIDTH) < 0.3
        b[half] = (b[half] & np.uint64(0xFFFF0000FFFF)) | (a[half] & np.uint64(0xFFFF0000FFFF0000))
        results = np.zeros((21, WIDTH), dtype=np.uint64)
        operate(a, b, results)
        for number, row in enumerate(expected(a, b)):
            np.testing.assert_array_equal(results[number], row, str(number))


@lazy_kernel(types.void(types.uint8[::1], _WORDS))
def copy_narrow(buffer, words):
    """The words cut to 8 and 32 bits, stored, and loaded again."""
    place = np.uint64(buffer.ctypes.data)
    many = load(pointer(words), 0)
    simd.store_u8(u8_at(place), 1, many)
    simd.store_i32(i32_at(place), 8, many)
    store(pointer(words), 0, simd.load_u8(u8_at(place), 1))
    store(pointer(words), WIDTH, simd.load_i32(i32_at(place), 8))


def test_narrow_words_are_cut_and_filled_up() -> None:
    words = np.random.default_rng(2).integers(0, 2**64, 2 * WIDTH, dtype=np.uint64)
    first = words[:WIDTH].copy()
    buffer = np.full(32 + 4 * WIDTH + 1, 77, dtype=np.uint8)
    copy_narrow(buffer, words)
    np.testing.assert_array_equal(words[:WIDTH], first & np.uint64(0xFF))
    np.testing.assert_array_equal(words[WIDTH:], first & np.uint64(0xFFFFFFFF))
    assert buffer[[0, WIDTH + 1, 31, -1]].tolist() == [77] * 4
