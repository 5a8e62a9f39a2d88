"""Observations lie in their spaces and have their documented forms."""

from typing import get_args

import numpy as np
import pytest
from gymnasium.wrappers import DtypeObservation, RescaleObservation

from twofold.env.games import Observation, observe, space
from twofold.env.single import Env2048
from twofold.errors import InvalidBoard
from twofold.game.board import Board
from twofold.game.rules import Rules


@pytest.mark.parametrize("form", get_args(Observation))
@pytest.mark.parametrize("text", ["0123/4567/89ab/cdef", "1x2:02", "4x3:012/345/678/9da"])
def test_a_space_holds_its_observations(text: str, form: Observation) -> None:
    board = Board.parse(text)
    box = space(form, Rules(board.rows, board.cols))
    assert observe(board, form) in box
    assert box.sample() in box


def test_the_forms_of_a_board() -> None:
    board, rules = Board.parse("2x3:01f/gz2"), Rules(2, 3, spawn=((2**30, 1),))
    assert observe(board).tolist() == [[0, 1, 15], [16, 35, 2]]
    assert observe(board, "tiles").tolist() == [[0, 2, 32768], [65536, 2**35, 4]]
    assert f"{int(observe(board, 'bits')[0]):016x}" == "01f0ff2000000000"
    planes = observe(board, "onehot", rules)
    assert planes.shape == (36, 2, 3)
    assert planes.sum(axis=0).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert planes.argmax(axis=0).tolist() == [[0, 1, 15], [16, 35, 2]]
    with pytest.raises(InvalidBoard):
        observe(Board.empty((5, 4)), "bits")


@pytest.mark.parametrize(
    ("rules", "exponents", "planes", "tiles"),
    [
        ("4x4", 17, 18, 131_072),
        ("2x2", 5, 6, 32),
        ("3x3 spawn=2:1", 9, 10, 512),
        ("3x4 spawn=2:1,16:1", 15, 16, 32_768),
        ("8x8", 35, 36, 2**35),
    ],
)
def test_the_bounds_are_those_of_the_rules(
    rules: str, exponents: int, planes: int, tiles: int
) -> None:
    parsed = Rules.parse(rules)
    assert space("exponents", parsed).high.max() == exponents
    assert space("onehot", parsed).shape == (planes, *parsed.shape)
    assert space("tiles", parsed).high.max() == tiles


def test_rescaled_exponents_fill_the_range_from_0_to_1() -> None:
    env = RescaleObservation(DtypeObservation(Env2048("2x2"), np.float32), 0, 1)
    observation, _ = env.reset(options={"board": "2x2:50/21"})
    assert observation.tolist() == [[1.0, 0.0], [pytest.approx(0.4), pytest.approx(0.2)]]
    assert (env.observation_space.low.min(), env.observation_space.high.max()) == (0, 1)
