"""The canonical form of a board, and its key."""

import random

import numpy as np
import pytest

from tests.exact.naive import least
from tests.support.generators import make_board
from twofold.game.board import Board
from twofold.kernels import solving
from twofold.kernels.bits import tile_sum
from twofold.tables.problem import canonical_bits

SHAPES = [(1, 2), (1, 4), (4, 1), (2, 2), (2, 3), (3, 2), (2, 4), (3, 3), (3, 4), (4, 3), (4, 4)]


def some_boards(shape: tuple[int, int], count: int = 40, seed: int = 0) -> list[Board]:
    rng = random.Random(f"{shape} {seed}")
    return [make_board(rng, shape, largest=13) for _ in range(count)]


@pytest.mark.parametrize("shape", SHAPES)
def test_one_board_stands_for_its_symmetries(shape: tuple[int, int]) -> None:
    for board in some_boards(shape):
        found = int(solving.canonical(np.uint64(board.to_bits()), *shape))
        assert found == canonical_bits(board) == least(board).to_bits()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_key_and_the_sum_of_the_tiles_are_the_board(shape: tuple[int, int]) -> None:
    keys = set()
    boards = some_boards(shape)
    for board in boards:
        bits = np.uint64(board.to_bits())
        total = sum(map(sum, board.tiles))
        assert tile_sum(bits) == total
        key = solving.to_key(bits, *shape)
        assert int(solving.from_key(key, total, *shape)) == int(bits)
        assert int(key) < 16 ** (board.rows * board.cols - 1)
        keys.add((int(key), total))
    assert len(keys) == len(set(boards))


def test_keys_ascend_as_boards_of_one_sum_do() -> None:
    boards = sorted(canonical_bits(board) for board in some_boards((3, 3), 200))
    by_sum: dict[int, list[int]] = {}
    for bits in boards:
        total = int(tile_sum(np.uint64(bits)))
        by_sum.setdefault(total, []).append(int(solving.to_key(np.uint64(bits), 3, 3)))
    assert all(keys == sorted(keys) for keys in by_sum.values())
