"""Tile-downgrading on bits equals the reference, and keeps the legal moves."""

import numpy as np
import pytest

from tests.evaluators.plain import downgraded, tile_sum
from tests.kernels.drivers import SMALL
from tests.kernels.learn.boards import Cells, some_boards
from twofold.game import reference
from twofold.game.board import Board
from twofold.kernels import ntuple


def on_bits(cells: Cells, shape: tuple[int, int], threshold: int) -> Cells:
    bits = np.uint64(Board(cells, shape).to_bits())
    return Board.from_bits(int(ntuple.downgraded(bits, threshold)), shape).exponents


@pytest.mark.parametrize("exponent", range(9, 16))
def test_downgrading_equals_the_reference(exponent: int) -> None:
    for shape in ((4, 4), (3, 3), (2, 4)):
        for cells in some_boards(200, shape):
            expected = reference.downgrade(cells, exponent - 1)
            assert on_bits(cells, shape, 1 << exponent) == tuple(expected)


@pytest.mark.parametrize("threshold", [512, 768, 16384, 32768, 49152, 57344, 65534, 65536])
def test_thresholds_may_be_sums_of_tiles(threshold: int) -> None:
    for cells in some_boards(300, (4, 4)):
        lower = on_bits(cells, (4, 4), threshold)
        assert lower == downgraded(cells, threshold)
        if tile_sum(cells) < threshold:
            assert lower == cells


def test_legal_moves_stay_the_same() -> None:
    changed = 0
    for shape in SMALL:
        for cells in some_boards(5_000 // len(SMALL) + 1, shape):
            lower = on_bits(cells, shape, 512)
            changed += lower != cells
            assert reference.legal_moves(lower, *shape) == reference.legal_moves(cells, *shape)
            assert [lower.index(exponent) for exponent in lower] == [
                cells.index(exponent) for exponent in cells
            ]  # equal tiles stay equal, different ones different
    assert changed > 3_000


def test_a_board_without_a_missing_tile_is_kept() -> None:
    full = Board.parse("fedc/ba98/7654/3210")
    assert on_bits(full.exponents, (4, 4), 512) == full.exponents
    assert on_bits((*range(15, 1, -1), 0, 0), (4, 4), 32768) == (*range(14, 0, -1), 0, 0)


def test_the_sum_of_different_tiles() -> None:
    for cells in some_boards(500, (4, 4)):
        assert ntuple.tile_set(np.uint64(Board(cells).to_bits())) == tile_sum(cells)
    assert ntuple.tile_set(np.uint64(0)) == 0
