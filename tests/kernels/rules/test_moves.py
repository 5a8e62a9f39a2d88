"""Whole moves: the reference, the kernels on cells and those on bits agree."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tests.kernels.drivers import (
    SHAPES,
    SMALL,
    Cells,
    Moves,
    moves_by_reference,
    moves_on_bits,
    moves_on_cells,
    played_boards,
)
from twofold.errors import TileTooLarge
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels import cells as on_cells
from twofold.limits import MAX_EXPONENT, TOO_LARGE_MERGE

BITS_LARGEST = 15


def uniform(rng: np.random.Generator, count: int, size: int, largest: int) -> Cells:
    """Any exponent in any cell."""
    return rng.integers(0, largest + 1, (count, size), dtype=np.uint8)


def nearly_full(rng: np.random.Generator, count: int, size: int, largest: int) -> Cells:
    """No empty cell, or one or two; few different exponents, so that some merge and some do not."""
    boards = rng.integers(1, min(largest, 7) + 1, (count, size), dtype=np.uint8)
    for _ in range(2):
        empty = rng.random(count) < 0.4
        boards[empty, rng.integers(0, size, count)[empty]] = 0
    return boards


def large(rng: np.random.Generator, count: int, size: int, largest: int) -> Cells:
    """Exponents of 14 and more among small ones and empty cells."""
    boards = rng.integers(0, 4, (count, size), dtype=np.uint8)
    high = rng.integers(14, largest + 1, (count, size), dtype=np.uint8)
    return np.where(rng.random((count, size)) < 0.5, high, boards).astype(np.uint8)


def boards_of(rows: int, cols: int, count: int, largest: int) -> Cells:
    """A quarter each: uniform, nearly full, exponents of 14 and more, from random games."""
    rng = np.random.default_rng([rows, cols, count, largest])
    quarter = -(-count // 4)
    kinds = [make(rng, quarter, rows * cols, largest) for make in (uniform, nearly_full, large)]
    return np.concatenate([*kinds, played_boards(quarter, rows, cols, seed=rows * 8 + cols)])


def chunks(rows: int, cols: int, count: int, largest: int) -> Iterator[Cells]:
    boards = boards_of(rows, cols, count, largest)
    for start in range(0, len(boards), 50_000):
        yield boards[start : start + 50_000]


def assert_equal(found: Moves, expected: Moves, shown_as: int) -> None:
    """Compare everything; exponent 16 may be shown as 15."""
    assert np.array_equal(found.after, np.minimum(expected.after, shown_as))
    assert np.array_equal(found.reward, expected.reward)
    assert np.array_equal(found.legal, expected.legal)
    assert np.array_equal(found.over, expected.over)
    assert np.array_equal(found.overflow, expected.overflow)


def compare_all(count: int) -> int:
    """Compare the three on a number of boards; returns that number.

    A shape that holds more lines has fewer boards: the reference slides one line at a time.
    """
    shares = {shape: 1 / sum(shape) for shape in SHAPES}
    one = count / (sum(shares.values()) + sum(shares[shape] for shape in SMALL))
    compared = 0
    for rows, cols in SHAPES:
        each = math.ceil(one * shares[rows, cols])
        for boards in chunks(rows, cols, each, MAX_EXPONENT - 1):
            expected = moves_by_reference(boards, rows, cols)
            assert_equal(moves_on_cells(boards, rows, cols), expected, MAX_EXPONENT)
            compared += len(boards)
    for rows, cols in SMALL:
        each = math.ceil(one * shares[rows, cols])
        for boards in chunks(rows, cols, each, BITS_LARGEST):
            expected = moves_by_reference(boards, rows, cols)
            assert_equal(moves_on_cells(boards, rows, cols), expected, MAX_EXPONENT)
            assert_equal(moves_on_bits(boards, rows, cols), expected, BITS_LARGEST)
            compared += len(boards)
    return compared


@pytest.mark.promise("R2")
def test_moves_agree(figure: Callable[[str], None]) -> None:
    compared = compare_all(20_000)
    assert compared >= 20_000
    figure(f"{compared:,} boards of {len(SHAPES)} shapes, 0 differences")


@pytest.mark.promise("R2")
@pytest.mark.long
def test_moves_agree_on_ten_million_boards(figure: Callable[[str], None]) -> None:
    compared = compare_all(10_000_000)
    assert compared >= 10_000_000
    figure(f"{compared:,} boards of {len(SHAPES)} shapes, 0 differences")


@pytest.mark.parametrize(("rows", "cols"), SHAPES)
def test_the_quick_reference_and_the_board_are_the_reference(rows: int, cols: int) -> None:
    boards = boards_of(rows, cols, 32, MAX_EXPONENT - 1)
    quick = moves_by_reference(boards, rows, cols)
    for index, cells in enumerate(boards.tolist()):
        board = Board(cells, (rows, cols))
        legal = reference.legal_moves(cells, rows, cols)
        assert legal == list(board.legal_moves())
        assert reference.is_over(cells, rows, cols) == board.is_over == quick.over[index]
        for move in Move:
            after, reward = reference.slide(cells, rows, cols, move)
            assert after == quick.after[index, move].tolist()
            assert reward == quick.reward[index, move]
            assert (move in legal) == bool(quick.legal[index] >> move & 1)
            if move in legal:
                assert board.slide(move) == (Board(after, (rows, cols)), reward)


def test_the_boards_are_of_every_kind() -> None:
    boards = boards_of(4, 4, 4_000, BITS_LARGEST)
    expected = moves_by_reference(boards, 4, 4)
    empty = (boards == 0).sum(axis=1)
    assert set(range(14)) <= set(empty.tolist())
    assert expected.over.sum() > 50
    assert expected.overflow.sum() > 500
    assert set(expected.legal.tolist()) >= {0, 5, 10, 15}


@pytest.mark.parametrize("move", Move)
def test_a_merge_past_the_largest_exponent_is_refused(move: Move) -> None:
    cells = np.full(4, MAX_EXPONENT, dtype=np.uint8)
    after = np.zeros(4, dtype=np.uint8)
    assert on_cells.slide_array(cells, 2, 2, int(move), after) == on_cells.TOO_LARGE
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        reference.slide(cells.tolist(), 2, 2, move)
    with pytest.raises(TileTooLarge):
        Board(cells.tolist(), (2, 2)).slide(move)


def test_the_largest_merge_is_exact() -> None:
    cells = np.array([34, 34, 35, 34, 34, 34, 34, 0], dtype=np.uint8)
    after = np.zeros(8, dtype=np.uint8)
    expected, reward = reference.slide(cells.tolist(), 1, 8, Move.LEFT)
    assert on_cells.slide_array(cells, 1, 8, int(Move.LEFT), after) == reward == 3 * 2**35
    assert after.tolist() == expected == [35, 35, 35, 35, 0, 0, 0, 0]
