"""Words of 64 bits: rows and their tables, symmetries, and machine instructions on one or many."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from numba import types
from numpy.typing import NDArray

from tests.kernels.drivers import SMALL, from_bits, to_bits
from tests.kernels.lazily import lazy_kernel
from twofold.game import reference
from twofold.kernels import bits as on_bits
from twofold.kernels import env_games, intrinsics, simd
from twofold.kernels.bits import ROW_COUNT, frame, row_table
from twofold.kernels.intrinsics import i32_at, pointer, u8_at, u64_at
from twofold.kernels.simd import WIDTH, load, store

Words = NDArray[np.uint64]
Symmetry = Callable[[int], int]
_WORDS = types.uint64[::1]
ONE_BIT = [1 << bit for bit in range(64)]


def random_words(count: int, seed: int = 1) -> list[int]:
    """Dense words and sparse ones, the emptiest and the fullest."""
    rng = Random(seed)
    dense = [rng.getrandbits(64) for _ in range(count // 2)]
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in dense]
    return [0, 2**64 - 1, *dense, *sparse]


# Row tables


def packed(exponents: list[int]) -> int:
    first, second, third, fourth = (min(exponent, 15) for exponent in exponents)
    return first << 12 | second << 8 | third << 4 | fourth


def expected_entry(row: int, width: int) -> int:
    """The entry of a row by the reference, as the module's docstring has it."""
    nibbles = [(row >> shift) & 15 for shift in (12, 8, 4, 0)]
    inside, outside = nibbles[:width], nibbles[width:]
    left, reward = reference.slide_row(inside)
    mirrored, same_reward = reference.slide_row(inside[::-1])
    right = mirrored[::-1]
    assert reward == same_reward
    return (
        packed(left + outside)
        | packed(right + outside) << 16
        | (reward // 4) << 32
        | (16 in left) << 60
        | (packed(left + outside) != row) << 61
        | (packed(right + outside) != row) << 63
    )


@pytest.mark.promise("R1")
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_every_row_slides_as_the_reference_does(width: int, figure: Callable[[str], None]) -> None:
    table = row_table(width)
    assert table.nbytes < 10**6  # small enough to be compiled in
    assert not table.flags.writeable
    assert row_table(width) is table
    found = table.tolist()
    wrong = [row for row in range(ROW_COUNT) if found[row] != expected_entry(row, width)]
    assert wrong == []
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


@pytest.mark.parametrize(("rows", "cols"), [*SMALL, (1, 1)])
def test_a_frame_holds_the_tables_and_the_mask_of_its_shape(rows: int, cols: int) -> None:
    shape = frame(rows, cols)
    assert (shape.rows, shape.cols) == (rows, cols)
    assert shape.across is row_table(cols)
    assert shape.down is row_table(rows)
    digits = f"{shape.mask:016x}"
    drawn = [digits[start : start + 4] for start in range(0, 16, 4)]
    assert drawn == ["1" * cols + "0" * (4 - cols)] * rows + ["0000"] * (4 - rows)


@lazy_kernel(types.UniTuple(types.uint64, 4)(types.uint64, types.uint64))
def entries(bits, table):
    return on_bits.entries(bits, u64_at(table))


@lazy_kernel(types.UniTuple(types.uint64, 3)(types.uint64, types.uint64))
def slide_both(bits, table):
    return on_bits.slide_both(bits, u64_at(table))


def board_of(rows: list[list[int]]) -> np.uint64:
    return np.uint64(to_bits(np.minimum(np.array(rows).ravel(), 15).astype(np.uint8), 4, 4))


def test_entries_of_the_rows_from_the_top_and_both_slides() -> None:
    table = row_table(4)
    for bits in random_words(500):
        expected = [int(table[bits >> shift & 0xFFFF]) for shift in (48, 32, 16, 0)]
        assert list(entries(np.uint64(bits), table.ctypes.data)) == expected
        rows = from_bits(np.uint64(bits), 4, 4).reshape(4, 4).tolist()
        left = [reference.slide_row(row) for row in rows]
        to_left, to_right, sums = slide_both(np.uint64(bits), table.ctypes.data)
        assert to_left == board_of([row for row, _ in left])
        assert to_right == board_of([reference.slide_row(row[::-1])[0][::-1] for row in rows])
        assert on_bits.reward_of(sums) == sum(reward for _, reward in left)
        assert on_bits.overflows(sums) == any(16 in row for row, _ in left)


def test_pack_reward_adds_four_rows_and_keeps_the_overflow_apart() -> None:
    most = row_table(4)[0xFFFF]  # two merges to 65536
    none, one = np.uint64(0), row_table(4)[0x1100]
    assert on_bits.reward_of(on_bits.pack_reward(most, most, most, most)) == 8 * 65536
    for at in range(4):
        words = [none] * 4
        words[at] = most
        assert on_bits.overflows(on_bits.pack_reward(*words))
        words[at] = one
        assert not on_bits.overflows(on_bits.pack_reward(*words))
        assert on_bits.reward_of(on_bits.pack_reward(*words)) == 4


def test_legal_moves_from_the_flags_of_rows_and_columns() -> None:
    left, right = 1 << 61, 1 << 63
    rest = 0x1FFF_FFFF_FFFF_FFFF  # everything but the three highest bits
    for across_left, across_right, down_left, down_right in itertools.product((0, 1), repeat=4):
        across = across_left * left | across_right * right
        down = down_left * left | down_right * right
        found = on_bits.legal_from_entries(np.uint64(across | rest), np.uint64(down | rest))
        assert found == down_left | across_right << 1 | down_right << 2 | across_left << 3


def test_words_as_pictures() -> None:
    #       board   empty
    #       1 0 8   0 1 .    shape 2x3: what is outside is never empty
    #       0 f 0   1 0 1
    board, mask = np.uint64(0x1080_0F00_0000_0000), np.uint64(0x1110_1110_0000_0000)
    assert frame(2, 3).mask == mask
    assert f"{int(on_bits.empty_mask(board, mask)):016x}" == "0100101000000000"
    assert not on_bits.holds(np.uint64(2**64 - 1), 255)
    words = [0xAAAA_0000_0000_1234, 0xFFFF_5678, 0x1_9ABC, 0xDEF0]
    assert on_bits.join_rows(*map(np.uint64, words)) == 0x1234_5678_9ABC_DEF0
    assert f"{mirror(transpose(0x123456789ABCDEF0)):016x}" == "d951ea62fb730c84"  # a turn
    for legal in range(16):
        spread = int(env_games.spread_mask(legal))
        assert spread.to_bytes(4, "little") == bytes(legal >> move & 1 for move in range(4))
        assert env_games.gather_mask(np.uint64(spread)) == legal


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


@lazy_kernel(types.void(_WORDS, _WORDS, types.uint64[:, ::1]))
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
    store(pointer(results[9]), 0, simd.in_all(left[1]))
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
        *(low, powers, powers, a + np.uint64((a != b).any())),
    ]


def test_operations_on_lanes_equal_those_on_arrays() -> None:
    rng = np.random.default_rng(1)
    for turn in range(200):
        a, b = rng.integers(0, 2**64, (2, WIDTH), dtype=np.uint64)
        same = rng.random(WIDTH) < (0.3 if turn else 1.0)
        b[same] = a[same]
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
