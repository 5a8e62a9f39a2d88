"""Words of 64 bits: rows and their tables, symmetries, and machine instructions on one or many."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from tests.kernels.lazily import lazy_kernel
from twofold.game import reference
from twofold.kernels import bits as on_bits
from twofold.kernels import intrinsics
from twofold.kernels.bits import ROW_COUNT, row_table

Words = NDArray[np.uint64]
Symmetry = Callable[[int], int]
ONE_BIT = [1 << bit for bit in range(64)]


def random_words(count: int, seed: int = 1) -> list[int]:
    """Dense words and sparse ones, the emptiest and the fullest."""
    rng = Random(seed)
    dense = [rng.getrandbits(64) for _ in range(count // 2)]
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in dense]
    return [0, 2**64 - 1, *dense, *sparse]


# Row tables


def packed(exponents: list[int]) -> int:
    return int("".join(f"{min(exponent, 15):x}" for exponent in exponents), 16)


def slid(row: tuple[int, ...]) -> tuple[int, int, int, bool]:
    """The row to the left, to the right, a quarter of the reward, and whether it overflows."""
    left, reward = reference.slide_row(row)
    mirrored, same_reward = reference.slide_row(row[::-1])
    assert reward == same_reward
    return packed(left), packed(mirrored[::-1]), reward // 4, 16 in left


def expected_entries(width: int) -> Words:
    """The entries of all rows by the reference, as the module's docstring has them."""
    rows, outside = np.arange(ROW_COUNT, dtype=np.uint64), np.uint64(4 * (4 - width))
    kept, inside = rows & ((np.uint64(1) << outside) - np.uint64(1)), rows >> outside
    found = np.array([slid(row) for row in itertools.product(range(16), repeat=width)])
    left, right, reward, overflow = found.astype(np.uint64)[inside].T
    left, right = (part << outside | kept for part in (left, right))
    words = [left, right, reward, overflow, left != rows, right != rows]
    shifts = np.array([[0], [16], [32], [60], [61], [63]], dtype=np.uint64)
    entries: Words = np.bitwise_or.reduce(np.array(words, dtype=np.uint64) << shifts, axis=0)
    return entries


@pytest.mark.promise("R1")
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_every_row_slides_as_the_reference_does(width: int, figure: Callable[[str], None]) -> None:
    table = row_table(width)
    assert table.nbytes < 10**6  # small enough to be compiled in
    assert not table.flags.writeable
    assert row_table(width) is table
    assert np.array_equal(table, expected_entries(width))
    figure(f"width {width}: {ROW_COUNT:,} rows x 2 directions, 0 differences")


@pytest.mark.promise("R1")
def test_known_counts(figure: Callable[[str], None]) -> None:
    table = row_table(4)
    left, right, overflow = (
        int((table >> np.uint64(bit) & np.uint64(1)).sum())
        for bit in (on_bits.LEFT_BIT, on_bits.RIGHT_BIT, on_bits.OVERFLOW_BIT)
    )
    points = table >> np.uint64(on_bits.REWARD_SHIFT) & np.uint64(2**28 - 1)
    assert (left, right, overflow) == (21_210, 21_210, 767)
    assert 4 * int(points.sum()) == 100_660_224
    assert 4 * int(points.max()) < 2**28  # a whole board's sum stays in its bits
    figure(f"{left:,} rows change, {overflow} overflow, rewards sum to {4 * int(points.sum()):,}")


# Symmetries


def apply(function: Any) -> Symmetry:
    return lambda bits: int(function(np.uint64(bits)))


transpose, mirror, flip = map(apply, (on_bits.transpose, on_bits.mirror, on_bits.flip))


def moved(bits: int, place: Callable[[int, int], tuple[int, int]]) -> int:
    """The board whose cell (row, col) is the cell `place(row, col)` of this one."""
    result = 0
    for row, col in itertools.product(range(4), range(4)):
        from_row, from_col = place(row, col)
        nibble = bits >> (60 - 4 * (4 * from_row + from_col)) & 15
        result |= nibble << (60 - 4 * (4 * row + col))
    return result


@pytest.mark.promise("R1b")
@pytest.mark.parametrize(
    ("symmetry", "place"),
    [
        (transpose, lambda row, col: (col, row)),
        (mirror, lambda row, col: (row, 3 - col)),
        (flip, lambda row, col: (3 - row, col)),
    ],
    ids=["transpose", "mirror", "flip"],
)
def test_each_bit_goes_where_it_should(
    symmetry: Symmetry, place: Callable[[int, int], tuple[int, int]], figure: Callable[[str], None]
) -> None:
    # Each is made of shifts, ANDs with constants and ORs of disjoint parts, so that what holds
    # for single bits holds for every board; the random words check that premise.
    words = ONE_BIT + random_words(1000)
    assert [symmetry(bits) for bits in words] == [moved(bits, place) for bits in words]
    figure("64 one-bit boards and 1,002 words, 0 differences")


@pytest.mark.promise("R1b")
def test_symmetries_form_the_group_of_the_square() -> None:
    def turned(bits: int, times: int) -> int:
        for _ in range(times):
            bits = mirror(transpose(bits))
        return bits

    elements = {
        tuple(turned(mirror(bit) if mirrored else bit, times) for bit in ONE_BIT)
        for times, mirrored in itertools.product(range(4), (False, True))
    }
    assert len(elements) == 8
    for first, second in itertools.product(elements, elements):  # closed
        assert tuple(second[bits.bit_length() - 1] for bits in first) in elements
    for bits in ONE_BIT:  # generators and their relations
        assert turned(bits, 4) == bits
        assert mirror(mirror(bits)) == flip(flip(bits)) == transpose(transpose(bits)) == bits
        assert mirror(turned(mirror(bits), 1)) == turned(bits, 3)
        assert flip(bits) == turned(mirror(bits), 2)
        assert transpose(mirror(bits)) == flip(transpose(bits))


# Machine instructions


@lazy_kernel(types.UniTuple(types.uint64, 5)(types.uint64, types.uint64))
def instructions(word, other):
    return (
        np.uint64(intrinsics.popcount(word)),
        np.uint64(intrinsics.trailing_zeros(word)),
        intrinsics.high_product(word, other),
        intrinsics.spread_nibbles(word & np.uint64(0xFFFF)),
        intrinsics.as_u64(intrinsics.as_f64(word)),
    )


def test_instructions_on_one_word() -> None:
    """`nth_set_bit` and casts included; 0x1234 is spread to 0x0001_0002_0003_0004."""
    ends = [0, 1, 2**32, 2**63, 2**64 - 1]
    floats = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, 5e-324, 1.7e308]).view(np.uint64)
    words = [*itertools.product(ends, ends), *itertools.pairwise(ONE_BIT + random_words(1000, 3))]
    for word, other in [*words, *((one, 7) for one in floats.tolist())]:
        lowest = (word & -word).bit_length() - 1 if word else 64
        spread = sum((word >> 4 * n & 15) << 16 * n for n in range(4))
        found = instructions(np.uint64(word), np.uint64(other))
        assert list(found) == [word.bit_count(), lowest, word * other >> 64, spread, word]
    for word in [*ONE_BIT, *random_words(200, seed=4)]:
        ones = [int(intrinsics.nth_set_bit(np.uint64(word), n)) for n in range(word.bit_count())]
        assert ones == [bit for bit in ONE_BIT if word & bit]
