"""Sums of table entries are exact, so that any order gives the same value."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.twins import small_positions
from twofold.values import EVALUATORS
from twofold.values.rows import CELL_DIGITS, LINE_DIGITS, in_units, unit_of

LINES = [name for name, evaluator in EVALUATORS.items() if evaluator.line_tables_for]
SHAPES = [(1, 4), (2, 2), (3, 4), (4, 4)]


def line_tables(name: str, shape: tuple[int, int], **weights: float) -> NDArray[np.float64]:
    tables_for = EVALUATORS[name].reweighted(weights).line_tables_for
    assert tables_for is not None
    tables = tables_for(*shape)
    assert all(table.shape == (65_536,) and table.dtype == np.float32 for table in tables)
    return np.stack(tables).astype(np.float64)


def test_which_evaluators_are_sums_over_lines() -> None:
    assert LINES == ["rows", "ordered", "baeldung"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", LINES)
def test_lines_are_whole_multiples_of_a_unit_and_eight_fit_32_bits(
    name: str, shape: tuple[int, int]
) -> None:
    tables = line_tables(name, shape)
    units = tables / unit_of(tables)
    assert (units == np.rint(units)).all()
    assert 8 * np.abs(units).max() < 2**31
    sixteenths = tables * 65_536
    assert (sixteenths == np.rint(sixteenths)).all()
    assert 8 * np.abs(sixteenths).max() < 2**53


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
def test_the_unit_follows_the_weights(scale: float) -> None:
    weights = {
        name: EVALUATORS["rows"].weights[name] * scale
        for name in ("lost", "empty", "merges", "order", "sum")
    }
    tables = line_tables("rows", (4, 4), **weights)
    units = tables / unit_of(tables)
    assert (units == np.rint(units)).all()
    plain = line_tables("rows", (4, 4)) * scale
    assert np.abs(tables - plain).max() <= 2.0**-22 * np.abs(plain).max()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", LINES)
def test_the_value_is_the_sum_of_the_tables_in_any_order(name: str, shape: tuple[int, int]) -> None:
    across, down = line_tables(name, shape)
    rng = np.random.default_rng(3)
    for board in small_positions(shape, 40, largest=15):
        grid = np.array(board.exponents).reshape(shape)
        rows = [across[row @ [4096, 256, 16, 1][: shape[1]]] for row in grid]
        cols = [down[col @ [4096, 256, 16, 1][: shape[0]]] for col in grid.T]
        parts = rng.permutation([*rows, *cols])
        assert EVALUATORS[name].value(board) == sum(parts.tolist())


@pytest.mark.parametrize("name", ["snake", "it3105-snake", "it3105-gradient"])
def test_sums_over_cells_are_exact(name: str) -> None:
    entries = EVALUATORS[name].params_for(4, 4).astype(np.float64)
    units = entries / (2.0**-29 if name == "snake" else 1.0)
    assert (units == np.rint(units)).all()
    assert 4 * np.abs(units).max() < 2**53


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.9, 1.0])
def test_sums_along_any_snake_are_exact(ratio: float) -> None:
    entries = EVALUATORS["snake"].reweighted({"ratio": ratio}).params_for(4, 4).astype(np.float64)
    units = entries / unit_of(entries, CELL_DIGITS)
    assert (units == np.rint(units)).all()
    assert 16 * np.abs(units).max() <= 2**53


@pytest.mark.parametrize("largest", [1e-30, 0.1, 1.0, 4_194_303.99, 4_194_304.0, 1e20])
def test_the_unit_stays_the_same(largest: float) -> None:
    tables = np.random.default_rng(1).uniform(-largest, largest, 1000)
    tables[5] = largest
    rounded = in_units(tables)
    assert unit_of(rounded) == unit_of(tables)
    assert (in_units(rounded.astype(np.float64)) == rounded).all()
    assert np.abs(rounded - tables).max() <= largest * 2.0**-24
    assert np.abs(rounded / unit_of(tables)).max() < 2**LINE_DIGITS


def test_tables_of_zeros() -> None:
    assert (in_units(np.zeros(4)) == 0).all()
