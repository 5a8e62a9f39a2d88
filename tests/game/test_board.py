import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from twofold.errors import CellOccupied, InvalidBoard, InvalidMove, InvalidSeed
from twofold.game.board import EMPTY, Board, Spawn
from twofold.game.rules import Move, Rules


def test_what_a_board_holds() -> None:
    board = Board.parse("2x3:01a/0b0")
    assert (board.rows, board.cols, board.shape) == (2, 3, (2, 3))
    assert board.exponents == (0, 1, 10, 0, 11, 0)
    assert board.tiles == ((0, 2, 1024), (0, 2048, 0))
    assert board.empty_cells == (0, 3, 5)
    assert (board.max_exponent, board.max_tile) == (11, 2048)
    assert (EMPTY.max_exponent, EMPTY.max_tile, EMPTY.drawn()[:7]) == (0, 0, ". . . .")
    assert repr(board) == "Board.parse('2x3:01a/0b0')"
    assert (board[0, 1], board[1, 1], list(board)) == (2, 2048, [0, 2, 1024, 0, 2048, 0])
    assert 2048 in board
    assert 8 not in board
    assert len({board, Board.of("2x3:01a/0b0"), Board.parse("1x2:10"), Board.parse("2x1:10")}) == 3
    assert Board.of(board) is board
    assert board != "2x3:01a/0b0"
    with pytest.raises(AttributeError):
        board.rows = 5  # type: ignore[misc]


# ---- moves


@pytest.mark.parametrize("move", ["l", "L", "left", "Left", " LEFT ", 3, Move.LEFT])
def test_moves_by_letter_and_by_name(move: Any) -> None:
    board = Board.parse("1100/0000/0000/0000")
    assert board.slide(move) == board.slide(Move.LEFT)
    assert board.is_legal(move)
    assert not board.is_legal(Move.UP)


# ---- spawns


def test_spawns() -> None:
    spawns = Board.parse("1x4:1002").spawns(Rules.parse("1x4 spawn=2:3,8:1"))
    assert spawns == (
        Spawn(1, 2, 0.375), Spawn(1, 8, 0.125), Spawn(2, 2, 0.375), Spawn(2, 8, 0.125),
    )  # fmt: skip
    assert sum(spawn.probability for spawn in EMPTY.spawns()) == pytest.approx(1)
    assert Board.parse("1x2:12").spawns() == ()


# ---- other forms


LINE: Any = Board.parse("1x4:1002")
ANY: Any = Board
"""For calls that the types forbid."""

REFUSED: dict[type[Exception], list[tuple[Callable[[], object], str]]] = {
    CellOccupied: [(lambda: LINE.place(0, 2), "expected an empty cell, got cell 0 which holds 2")],
    InvalidMove: [
        *((partial(LINE.slide, move), f".or up, right, down, left., got {re.escape(repr(move))}")
          for move in (4, "x", "", None, [1], 1.5)),
    ],
    IndexError: [
        (partial(LINE.__getitem__, place), r"board\[row, column\] on 1x4")
        for place in ((1, 0), (0, 4), (-1, 0), 3, "ab", (1,))
    ],
    InvalidBoard: [
        (lambda: LINE.place(4, 2), "expected a cell from 0 to 3, got 4"),
        (lambda: LINE.place(-1, 2), "expected a cell from 0 to 3, got -1"),
        (lambda: LINE.place(0.5, 2), "expected a cell from 0 to 3, got 0.5"),
        (lambda: LINE.place(1, 0), "expected a tile to place, got 0"),
        (lambda: LINE.place(1, 3), "expected a tile that is 0 or a power of two"),
        (lambda: LINE.place(1, 2**36), "expected a tile that is 0 or a power of two"),
        (lambda: ANY(np.zeros((4, 4), int)), "expected 16 cells for 4x4, got 4"),
        (lambda: ANY(np.zeros(16)), "expected exponents from 0 to 35, got .*0.0"),
        (lambda: ANY("0012/0013"), "exponents, got text: '0012/0013'; Board.parse reads it"),
        (lambda: ANY([36, 0], (1, 2)), "expected exponents from 0 to 35, got 36 at cell 1"),
        (lambda: ANY([0, -1], (1, 2)), "expected exponents from 0 to 35, got -1 at cell 2"),
        (lambda: ANY([0, "1"], (1, 2)), "expected exponents from 0 to 35, got '1'"),
        (lambda: ANY.from_tiles(np.zeros(16, int)), r"expected rows of tiles .*, got array"),
        (lambda: ANY.from_tiles([2, 4]), r"expected rows of tiles .*, got \[2, 4\]"),
        (lambda: ANY.from_tiles([[2.5, 2]]), "a power of two .* got 2.5"),
        (lambda: ANY.from_tiles([[2, 3]]), "a tile that is 0 or a power of two .* got 3"),
        (lambda: ANY.from_tiles([[2, 4], [2]]), "expected rows of equal length"),
        (lambda: ANY.from_tiles([]), "expected 1 to 8 rows and columns"),
        (lambda: ANY.parse("g000/0000/0000/0000").to_bits(), "up to 32768 in 64 bits, got 65536"),
        (lambda: ANY.empty((4, 5)).to_bits(), "at most 4 rows and columns in 64 bits, got 4x5"),
        (lambda: ANY.from_bits(0, (5, 4)), "at most 4 rows and columns in 64 bits, got 5x4"),
        (lambda: ANY.from_bits(1, (2, 2)), "the 64-bit form of a 2x2 board, got '0x1"),
        (lambda: ANY.from_bits(-1), "the 64-bit form of a 4x4 board, got '-0x1'"),
        (lambda: ANY.from_bits(10**4000), "got '0xd1ba8323fe558c610d5c82a286614f3ec25...00000"),
        *((partial(ANY.empty, shape), "expected ")
          for shape in (3, None, b"abc", ("4", "4"), (4,), range(10**9), (True, 10**5000))),
        (lambda: ANY.of(np.ones((2, 2))), "exponents .* got float64 of shape"),
        (lambda: ANY.of(np.ones(16, dtype=np.uint8)), "exponents .* got uint8 of shape"),
        (lambda: ANY.of(np.full((2, 2), 36, np.uint8)), "expected exponents from 0 to 35"),
        (lambda: ANY.of(np.zeros((9, 9), dtype=np.uint8)), "expected 1 to 8 rows"),
        (lambda: ANY.of(np.zeros((18, 2, 2), np.uint8)), "expected planes with a single 1"),
        (lambda: ANY.of(np.full((1, 2, 2), -1)), "expected planes with a single 1 for each cell"),
        (lambda: ANY.of(np.array([1, -1, 1])[:, None, None] * np.ones((2, 2), int)), "planes"),
        (lambda: ANY.random((2, 2), tiles=5), "0 to 4 tiles"),
        (lambda: ANY.random(max_tile=0), "up to 0"),
        (lambda: ANY.random(tiles="a"), "got 'a' up to"),
    ],
    InvalidSeed: [
        (partial(ANY.random, seed=seed), "expected a seed") for seed in (-1, 2**64, 1.5, True)
    ],
    ValueError: [(lambda: np.asarray(EMPTY, copy=False), "copy")],
}  # fmt: skip


@pytest.mark.parametrize("error", REFUSED)
def test_what_is_refused(error: type[Exception]) -> None:
    for call, message in REFUSED[error]:
        with pytest.raises(error, match=message) as caught:
            call()
        assert type(caught.value) is error


def test_an_array_of_a_board_holds_exponents() -> None:
    board = Board.parse("2x3:120/00b")
    array = np.asarray(board)
    assert array.dtype == np.uint8
    assert array.tolist() == [[1, 2, 0], [0, 0, 11]]
    assert np.array(board, dtype=np.int64).dtype == np.int64
    assert Board(array.ravel(), array.shape) == board


def test_random_boards_come_from_their_seed() -> None:
    assert Board.random(seed=3) == Board.random(seed=3)
    assert len({Board.random(seed=seed) for seed in range(50)}) > 45
    board = Board.random((3, 5), seed=1, tiles=4, max_tile=8)
    assert board.shape == (3, 5)
    assert len(board.empty_cells) == 11
    assert set(board) <= {0, 2, 4, 8}
    assert Board.random(seed=np.int64(3)) == Board.random(seed=3)  # type: ignore[arg-type]


def test_symmetries_are_distinct_and_lead_to_one_board() -> None:
    square = Board.parse("2x2:12/30")
    assert square.symmetries()[0] == square
    assert len(set(square.symmetries())) == 8
    assert {board.canonical() for board in square.symmetries()} == {square.canonical()}
    assert Board.parse("2x2:11/11").symmetries() == (Board.parse("2x2:11/11"),)
    wide = Board.parse("2x3:123/000")
    assert len(wide.symmetries()) == 4
    assert {board.shape for board in wide.symmetries()} == {(2, 3)}


def test_boards_from_arrays() -> None:
    board = Board.parse("2x3:012/3a0")
    for array in (
        np.asarray(board),
        np.array(board.tiles),
        np.array(board.tiles, dtype=np.uint16),
        np.equal(np.asarray(board), np.arange(12)[:, None, None]),
    ):
        assert Board.from_array(array) == Board.of(array) == board
    bits = np.array([board.to_bits()], dtype=np.uint64)
    assert Board.from_array(bits, (2, 3)) == board
    assert Board.of(np.array([0x1100_0000_0000_0000], dtype=np.uint64)) == Board.parse(
        "11" + "0" * 14
    )
