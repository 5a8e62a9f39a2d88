"""What is seen of a board: observations in their spaces, frames as images and as text."""

from typing import get_args

import numpy as np
import pytest

from twofold.env import single
from twofold.env.games import Observation, observe, space
from twofold.env.single import Env2048
from twofold.env.vector import VectorEnv2048
from twofold.errors import InvalidBoard
from twofold.game.board import Board
from twofold.game.rules import Rules

SIDE = single.CELL + single.GAP


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


@pytest.mark.parametrize("form", get_args(Observation))
def test_a_game_begins_from_an_observation_of_any_form(form: Observation) -> None:
    for kind in (Env2048, VectorEnv2048):
        env = kind(rules="3x4", observation=form)
        env.reset(options={"board": "3x4:1230/0040/5006"})
        seen, _ = env.reset(seed=1)
        shown = seen if kind is Env2048 else seen[0]
        again, _ = env.reset(seed=2, options={"board": shown})
        assert np.array_equal(again, seen)


@pytest.mark.parametrize(
    ("text", "largest"),
    [("4x4", 17), ("2x2", 5), ("3x3 spawn=2:1", 9), ("3x4 spawn=2:1,16:1", 15), ("8x8", 35)],
)
def test_the_bounds_are_those_of_the_rules(text: str, largest: int) -> None:
    rules = Rules.parse(text)
    assert space("exponents", rules).high.max() == largest
    assert space("onehot", rules).shape == (largest + 1, *rules.shape)
    assert space("tiles", rules).high.max() == 2**largest


# Frames


def test_frames_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = Env2048(render_mode="ansi")
    env.reset(seed=1, options={"board": "0123/4567/89ab/cdef", "score": 12})
    first, *rows = env.render().splitlines()
    assert first == "score 12  move 0"
    assert Board.parse("\n".join(rows)) == env.board
    env = Env2048(render_mode="human")  # writes each step
    env.reset(seed=1)
    env.step(0)
    assert env.render() is None
    assert capsys.readouterr().out.count("score ") == 3
    assert Env2048().render() is VectorEnv2048(2).render() is None


def test_images_of_each_game_in_which_every_number_fits_its_cell() -> None:
    many = VectorEnv2048(2, "8x8", render_mode="rgb_array")
    many.reset(options={"board": Board([*range(36), *[0] * 28], (8, 8))})
    image, other = many.render() or ()
    assert image.shape == other.shape == (8 * SIDE + single.GAP,) * 2 + (3,)
    for exponent in range(36):
        top, left = (single.GAP + SIDE * place for place in divmod(exponent, 8))
        cell = image[top : top + single.CELL, left : left + single.CELL]
        ink = np.argwhere((cell != cell[0, 0]).any(axis=2))
        assert bool(len(ink)) == bool(exponent)
        if exponent:
            low, high = ink.min(axis=0), ink.max(axis=0)
            assert low.min() >= single.MARGIN - 1
            centre = (low + high) / 2  # some digits are narrower than their 7 dots
            np.testing.assert_allclose(centre, single.CELL / 2, atol=max(single.SCALES) / 2 + 1)


def test_tiles_have_their_colours() -> None:
    image = single.draw(Board.parse("0123/4567/89ab/cdef"))
    corners = image[single.GAP :: SIDE, single.GAP :: SIDE][:4, :4].reshape(-1, 3)
    assert image[0, 0].tolist() == [0xB5, 0xA7, 0x97]
    assert corners[0].tolist() == [0xCF, 0xC4, 0xB7]
    assert corners[11].tolist() == [0xFF, 0xDC, 0x0A]
    assert len({tuple(corner) for corner in corners}) == 16
    # Browsers cannot show H.264 with odd sides; some recorders need multiples of 16.
    assert [side % 16 for side in image.shape[:2]] == [0, 0]
    image[:] = 0  # a frame is the caller's own
    assert single.draw(Board.parse("0123/4567/89ab/cdef"))[0, 0, 0] == 0xB5
