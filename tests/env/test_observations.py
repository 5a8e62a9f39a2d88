"""Observations lie in their spaces and have their documented forms."""

from typing import get_args

import numpy as np
import pytest

from twofold.board import Board
from twofold.env.observations import PLANES, observe, space
from twofold.env.settings import Observation
from twofold.errors import InvalidBoard
from twofold.kernels.env import words as environment_words


@pytest.mark.parametrize("form", get_args(Observation))
@pytest.mark.parametrize("text", ["0123/4567/89ab/cdef", "1x2:02", "4x3:012/345/678/9zh"])
def test_a_space_holds_its_observations(text: str, form: Observation) -> None:
    board = Board.parse(text)
    assert observe(board, form) in space(form, board.shape)
    assert space(form, board.shape).sample() in space(form, board.shape)


def test_the_forms_of_a_board() -> None:
    board = Board.parse("2x3:01f/gz2")
    assert observe(board).tolist() == [[0, 1, 15], [16, 35, 2]]
    assert observe(board, "tiles").tolist() == [[0, 2, 32768], [65536, 2**35, 4]]
    assert f"{int(observe(board, 'bits')[0]):016x}" == "01f0ff2000000000"
    planes = observe(board, "onehot")
    assert planes.shape == (PLANES, 2, 3)
    assert planes.sum(axis=0).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert planes.argmax(axis=0).tolist() == [[0, 1, 15], [16, 17, 2]]
    with pytest.raises(InvalidBoard):
        observe(Board.empty((5, 4)), "bits")


def test_kernels_have_as_many_planes() -> None:
    assert environment_words.PLANES == PLANES
    assert np.iinfo(np.uint8).max > PLANES
