"""Turning boards to one form: the last of the symmetric boards, and moves that correspond."""

import numpy as np
import pytest

from tests.support.policies import make_policy
from twofold.game import reference
from twofold.game.board import Board
from twofold.kernels.policy import moves_back, turn_each

SHAPES = [(4, 4), (2, 2), (3, 4), (4, 3), (1, 3), (5, 5)]


def boards_of(shape: tuple[int, int], count: int, most: int) -> list[Board]:
    rows = np.random.default_rng(5).integers(0, most + 1, (count, shape[0] * shape[1]))
    return [Board(row, shape) for row in rows.tolist()]


def legal_of(board: Board) -> list[bool]:
    legal = reference.legal_moves(board.exponents, *board.shape)
    return [move in legal for move in reference.MOVES]


def turned(boards: list[Board]) -> tuple[list[Board], list[list[bool]], list[int]]:
    """The form of each board, its legal moves, and its turn."""
    shape = boards[0].shape
    cells = np.array([board.exponents for board in boards], dtype=np.uint8).reshape(-1, *shape)
    legal = np.array([legal_of(board) for board in boards], dtype=np.int8)
    forms, found = np.empty_like(cells), np.empty_like(legal)
    turns = np.empty(len(boards), dtype=np.int64)
    turn_each(cells, legal, forms, found, turns)
    rows = forms.reshape(len(boards), -1).tolist()
    return [Board(row, shape) for row in rows], (found != 0).tolist(), turns.tolist()


def move_back(move: int, turn: int) -> int:
    out = np.empty(1, dtype=np.int64)
    moves_back(np.array([move]), np.array([turn]), out)
    return int(out[0])


@pytest.mark.parametrize("most", [2, 6, 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_form_is_the_last_of_the_symmetric_boards(shape: tuple[int, int], most: int) -> None:
    boards = boards_of(shape, 100, most)
    forms, legal, _ = turned(boards)
    for board, form, mask in zip(boards, forms, legal, strict=True):
        assert form == max(board.symmetries(), key=lambda one: one.exponents)
        assert mask == legal_of(form)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_move_on_the_form_stands_for_one_on_the_board(shape: tuple[int, int]) -> None:
    boards = boards_of(shape, 200, 3)
    forms, _, turns = turned(boards)
    for board, form, turn in zip(boards, forms, turns, strict=True):
        there = [move_back(move, turn) for move in reference.MOVES]
        assert sorted(there) == list(reference.MOVES)
        for move, back in zip(reference.MOVES, there, strict=True):
            cells, reward = reference.slide(form.exponents, *shape, move)
            other, same = reference.slide(board.exponents, *shape, back)
            assert reward == same
            assert Board(other, shape) in Board(cells, shape).symmetries()


def test_all_turns_occur() -> None:
    assert set(turned(boards_of((4, 4), 200, 5))[2]) == set(range(8))
    assert set(turned(boards_of((3, 4), 200, 5))[2]) == set(range(4))


@pytest.mark.parametrize("width", [1, 2, 5, 8, 24])
@pytest.mark.parametrize("shape", [*SHAPES, (8, 8)])
def test_symmetric_boards_have_equal_outputs(shape: tuple[int, int], width: int) -> None:
    network = make_policy(shape, widths=(width,), symmetric=True)
    plain = make_policy(shape, widths=(width,))
    boards = boards_of(shape, 30, 8)
    forms, _, turns = turned(boards)
    for board, form, turn in zip(boards, forms, turns, strict=True):
        here, there = network.think(board), plain.think(form)
        assert here.value == there.value
        for move, logit in enumerate(there.logits):
            assert here.logits[move_back(move, turn)] == logit
