"""The row tables against the rules, for every row."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.kernels.drivers import SMALL
from twofold.game import reference
from twofold.kernels import bits as tables
from twofold.kernels.bits import ROW_COUNT, frame, row_table

WIDTHS = [2, 3, 4]


def nibbles(row: int) -> list[int]:
    return [(row >> shift) & 15 for shift in (12, 8, 4, 0)]


def packed(exponents: list[int]) -> int:
    first, second, third, fourth = (min(exponent, 15) for exponent in exponents)
    return first << 12 | second << 8 | third << 4 | fourth


def expected_entry(row: int, width: int) -> int:
    """The entry of a row by the reference, as the module's docstring has it."""
    inside, outside = nibbles(row)[:width], nibbles(row)[width:]
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
@pytest.mark.parametrize("width", WIDTHS)
def test_every_row_slides_as_the_reference_does(width: int, figure: Callable[[str], None]) -> None:
    table = row_table(width).tolist()
    wrong = [row for row in range(ROW_COUNT) if table[row] != expected_entry(row, width)]
    assert wrong == []
    figure(f"width {width}: {ROW_COUNT:,} rows x 2 directions, 0 differences")


@pytest.mark.promise("R1")
def test_known_counts(figure: Callable[[str], None]) -> None:
    table = row_table(4)
    left = int((table >> np.uint64(tables.LEFT_BIT) & np.uint64(1)).sum())
    right = int((table >> np.uint64(tables.RIGHT_BIT) & np.uint64(1)).sum())
    overflow = int((table >> np.uint64(tables.OVERFLOW_BIT) & np.uint64(1)).sum())
    points = table >> np.uint64(tables.REWARD_SHIFT) & np.uint64(2**28 - 1)
    assert (left, right) == (21_210, 21_210)
    assert overflow == 767
    assert 4 * int(points.sum()) == 100_660_224
    figure(f"{left:,} rows change, {overflow} overflow, rewards sum to {4 * int(points.sum()):,}")


@pytest.mark.promise("R1")
@pytest.mark.parametrize("width", [1, *WIDTHS])
def test_a_table_is_small_enough_to_be_compiled_in(width: int) -> None:
    table = row_table(width)
    assert table.nbytes < 10**6
    assert not table.flags.writeable
    assert row_table(width) is table


def test_a_row_of_one_cell_never_moves() -> None:
    rows = np.arange(ROW_COUNT, dtype=np.uint64)
    assert np.array_equal(row_table(1), rows | rows << np.uint64(16))


def test_largest_reward_fits_its_bits() -> None:
    # four rows of two merges to 65536 each, / 4: the sum of a whole board stays below 28 bits
    assert 4 * int((row_table(4) >> np.uint64(32) & np.uint64(2**28 - 1)).max()) < 2**28


@pytest.mark.parametrize(("rows", "cols"), [*SMALL, (1, 1)])
def test_a_frame_holds_the_tables_and_the_mask_of_its_shape(rows: int, cols: int) -> None:
    shape = frame(rows, cols)
    assert (shape.rows, shape.cols) == (rows, cols)
    assert shape.across is row_table(cols)
    assert shape.down is row_table(rows)
    digits = f"{shape.mask:016x}"
    drawn = [digits[start : start + 4] for start in range(0, 16, 4)]
    assert drawn == ["1" * cols + "0" * (4 - cols)] * rows + ["0000"] * (4 - rows)
