"""The kernels on 64 bits: symmetries proved on one-bit boards, masks against their pictures."""

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from numba import types

from tests.kernels.drivers import SMALL, from_bits, to_bits
from tests.kernels.lazily import lazy_kernel
from twofold.game import reference
from twofold.kernels import bits as on_bits
from twofold.kernels import intrinsics
from twofold.kernels.bits import frame, row_table
from twofold.kernels.intrinsics import u64_at

ONE_BIT = [1 << bit for bit in range(64)]
Symmetry = Callable[[int], int]


def identity(bits: int) -> int:
    return bits


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


def random_words(count: int, seed: int = 1) -> list[int]:
    rng = Random(seed)
    dense = [rng.getrandbits(64) for _ in range(count // 2)]
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) & rng.getrandbits(64) for _ in dense]
    return [0, 2**64 - 1, *dense, *sparse]


# Symmetries


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
    assert [symmetry(bits) for bits in ONE_BIT] == [moved(bits, place) for bits in ONE_BIT]
    words = random_words(1000)
    assert [symmetry(bits) for bits in words] == [moved(bits, place) for bits in words]
    figure("64 one-bit boards and 1,002 words, 0 differences")


@pytest.mark.promise("R1b")
def test_symmetries_form_the_group_of_the_square() -> None:
    def turn(bits: int) -> int:
        return mirror(transpose(bits))

    def turned(bits: int, times: int) -> int:
        for _ in range(times):
            bits = turn(bits)
        return bits

    elements: dict[tuple[int, ...], str] = {}
    for times, mirrored in itertools.product(range(4), (False, True)):
        images = tuple(turned(mirror(b) if mirrored else b, times) for b in ONE_BIT)
        elements[images] = f"{times} turns, mirrored {mirrored}"
    assert len(elements) == 8
    position = {bits: number for number, bits in enumerate(ONE_BIT)}
    for first, second in itertools.product(elements, elements):  # closed
        assert tuple(second[position[bits]] for bits in first) in elements
    for bits in ONE_BIT:  # generators and their relations
        assert turned(bits, 4) == bits
        assert mirror(mirror(bits)) == flip(flip(bits)) == transpose(transpose(bits)) == bits
        assert mirror(turn(mirror(bits))) == turned(bits, 3)
        assert flip(bits) == turned(mirror(bits), 2)
        assert transpose(mirror(bits)) == flip(transpose(bits))


def test_a_turn_reads_as_one() -> None:
    assert f"{mirror(transpose(0x123456789ABCDEF0)):016x}" == "d951ea62fb730c84"


# Masks


@pytest.mark.parametrize(("rows", "cols"), SMALL)
def test_empty_cells_and_their_number(rows: int, cols: int) -> None:
    mask = frame(rows, cols).mask
    rng = np.random.default_rng(rows * 8 + cols)
    boards = rng.integers(0, 16, (500, rows * cols), dtype=np.uint8)
    boards[rng.random(boards.shape) < 0.5] = 0
    for bits, cells in zip(to_bits(boards, rows, cols), boards.tolist(), strict=True):
        expected = np.array([exponent == 0 for exponent in cells], dtype=np.uint8)
        assert on_bits.empty_mask(bits, np.uint64(mask)) == to_bits(expected, rows, cols)
        empty = len(reference.empty_cells(cells))
        assert on_bits.count_empty(bits, np.uint64(mask)) == empty
        assert on_bits.max_exponent(bits) == max(cells)


def test_the_mask_of_empty_cells_as_a_picture() -> None:
    #       board   empty
    #       1 0 8   0 1 .    shape 2x3: what is outside is never empty
    #       0 f 0   1 0 1
    board, mask = 0x1080_0F00_0000_0000, 0x1110_1110_0000_0000
    assert frame(2, 3).mask == mask
    empty = int(on_bits.empty_mask(np.uint64(board), np.uint64(mask)))
    assert f"{empty:016x}" == "0100101000000000"


@pytest.mark.parametrize("exponent", range(1, 16))
def test_holds_asks_for_at_least_an_exponent(exponent: int) -> None:
    for cell, largest in itertools.product(range(16), range(16)):
        board = largest << 4 * cell
        assert on_bits.holds(np.uint64(board), exponent) == (largest >= exponent)
    for bits in random_words(100):
        found = any(bits >> shift & 15 >= exponent for shift in range(0, 64, 4))
        assert on_bits.holds(np.uint64(bits), exponent) == found


def test_holds_nothing_where_the_exponent_is_out_of_reach() -> None:
    assert not on_bits.holds(np.uint64(2**64 - 1), 255)


# Rows and table entries


def test_join_rows_takes_the_lowest_16_bits_of_each() -> None:
    words = [0xAAAA_0000_0000_1234, 0xFFFF_5678, 0x1_9ABC, 0xDEF0]
    assert on_bits.join_rows(*map(np.uint64, words)) == 0x1234_5678_9ABC_DEF0


@lazy_kernel(types.UniTuple(types.uint64, 4)(types.uint64, types.uint64))
def entries(bits, table):
    return on_bits.entries(bits, u64_at(table))


@lazy_kernel(types.UniTuple(types.uint64, 3)(types.uint64, types.uint64))
def slide_both(bits, table):
    return on_bits.slide_both(bits, u64_at(table))


def test_entries_are_those_of_the_rows_from_the_top() -> None:
    table = row_table(4)
    for bits in random_words(200):
        expected = [int(table[bits >> shift & 0xFFFF]) for shift in (48, 32, 16, 0)]
        assert list(entries(np.uint64(bits), table.ctypes.data)) == expected


def test_both_slides_at_once() -> None:
    table = row_table(4)
    for bits in random_words(500, seed=2):
        rows = from_bits(np.uint64(bits), 4, 4).reshape(4, 4).tolist()
        left = [reference.slide_row(row) for row in rows]
        right = [reference.slide_row(row[::-1])[0][::-1] for row in rows]
        to_left, to_right, packed = slide_both(np.uint64(bits), table.ctypes.data)
        assert to_left == board_of([row for row, _ in left])
        assert to_right == board_of(right)
        assert on_bits.reward_of(packed) == sum(reward for _, reward in left)
        assert on_bits.overflows(packed) == any(16 in row for row, _ in left)


def board_of(rows: list[list[int]]) -> np.uint64:
    shown = np.minimum(np.array(rows).ravel(), 15).astype(np.uint8)
    return np.uint64(to_bits(shown, 4, 4))


def test_pack_reward_adds_four_rows_and_keeps_the_overflow_apart() -> None:
    most = row_table(4)[0xFFFF]  # two merges to 65536
    none, one = np.uint64(0), row_table(4)[0x1100]
    packed = on_bits.pack_reward(most, most, most, most)
    assert on_bits.reward_of(packed) == 8 * 65536
    assert on_bits.overflows(packed)
    for at in range(4):
        words = [none] * 4
        words[at] = most
        assert on_bits.overflows(on_bits.pack_reward(*words))
        words[at] = one
        assert not on_bits.overflows(on_bits.pack_reward(*words))
        assert on_bits.reward_of(on_bits.pack_reward(*words)) == 4


def test_legal_moves_from_the_flags_of_rows_and_columns() -> None:
    left, right = 1 << 61, 1 << 63
    for across_left, across_right, down_left, down_right in itertools.product((0, 1), repeat=4):
        across = across_left * left | across_right * right
        down = down_left * left | down_right * right
        rest = 0x1FFF_FFFF_FFFF_FFFF  # everything but the three highest bits
        found = on_bits.legal_from_entries(np.uint64(across | rest), np.uint64(down | rest))
        assert found == down_left | across_right << 1 | down_right << 2 | across_left << 3


# Machine instructions


@lazy_kernel("int64(uint64)")
def popcount(word):
    return intrinsics.popcount(word)


@lazy_kernel("int64(uint64)")
def trailing_zeros(word):
    return intrinsics.trailing_zeros(word)


@lazy_kernel("float64(uint64)")
def as_f64(word):
    return intrinsics.as_f64(word)


@lazy_kernel("uint64(float64)")
def as_u64(value):
    return intrinsics.as_u64(value)


def test_popcount_and_trailing_zeros() -> None:
    for word in [*ONE_BIT, *random_words(500, seed=3)]:
        assert popcount(np.uint64(word)) == word.bit_count()
        lowest = (word & -word).bit_length() - 1 if word else 64
        assert trailing_zeros(np.uint64(word)) == lowest


def test_nth_set_bit() -> None:
    for word in [*ONE_BIT, *random_words(200, seed=4)]:
        places = [bit for bit in range(64) if word >> bit & 1]
        found = [int(intrinsics.nth_set_bit(np.uint64(word), n)) for n in range(len(places))]
        assert found == [1 << place for place in places]


def test_casts_keep_the_bits() -> None:
    values = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, 5e-324, 1.7e308])
    for value in values:
        word = value.view(np.uint64)
        assert as_u64(value) == word
        assert np.float64(as_f64(word)).view(np.uint64) == word
