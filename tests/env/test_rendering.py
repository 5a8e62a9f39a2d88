"""Frames: the numbers in images, and the board as text."""

import numpy as np
import pytest

from twofold.env import single
from twofold.env.single import Env2048
from twofold.game.board import Board

SIDE = single.CELL + single.GAP


def test_the_text_is_read_back_as_the_board() -> None:
    env = Env2048(render_mode="ansi")
    env.reset(seed=1, options={"board": "0123/4567/89ab/cdef", "score": 12})
    first, *rows = env.render().splitlines()
    assert first == "score 12  move 0"
    assert Board.parse("\n".join(rows)) == env.board


def test_human_mode_writes_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = Env2048(render_mode="human")
    env.reset(seed=1)
    env.step(0)
    assert env.render() is None
    assert capsys.readouterr().out.count("score ") == 3
    assert Env2048().render() is None


@pytest.mark.parametrize("exponent", range(36))
def test_every_number_fits_its_cell(exponent: int) -> None:
    image = single.draw(Board([exponent, 0], (1, 2)))
    assert image.shape == (SIDE + single.GAP, 2 * SIDE + single.GAP, 3)
    assert image.dtype == np.uint8
    cell = image[single.GAP : SIDE, single.GAP : SIDE]
    ink = np.argwhere((cell != cell[0, 0]).any(axis=2))
    if not exponent:
        assert len(ink) == 0
        return
    low, high = ink.min(axis=0), ink.max(axis=0)
    assert low.min() >= single.MARGIN - 1
    centre = (low + high) / 2  # some digits are narrower than their 7 dots
    np.testing.assert_allclose(centre, single.CELL / 2, atol=max(single.SCALES) / 2 + 1)


@pytest.mark.parametrize("shape", [(1, 2), (3, 4), (4, 4), (8, 5)])
def test_image_sides_suit_video_recorders(shape: tuple[int, int]) -> None:
    """Browsers cannot show H.264 with odd sides; some recorders need multiples of 16."""
    image = single.draw(Board.empty(shape))
    assert [side % 16 for side in image.shape[:2]] == [0, 0]


def test_numbers_are_drawn_with_the_digits_of_the_font() -> None:
    for value in (2, 4, 16, 1024, 3_579_086):
        dots = single._number(value)
        scale = len(dots) // len(single.FONT)
        small = dots[::scale, ::scale]
        for place, digit in enumerate(str(value)):
            found = small[:, 8 * place : 8 * place + 7]
            expected = [line.split(" ")[int(digit)] for line in single.FONT]
            assert ["".join(".#"[int(dot)] for dot in line) for line in found] == expected


def test_tiles_have_their_colours() -> None:
    image = single.draw(Board.parse("0123/4567/89ab/cdef"))
    corners = image[single.GAP :: SIDE, single.GAP :: SIDE][:4, :4].reshape(-1, 3)
    assert image[0, 0].tolist() == [0xBB, 0xAD, 0xA0]
    assert corners[0].tolist() == [0xCD, 0xC1, 0xB4]
    assert corners[11].tolist() == [0xED, 0xC2, 0x2E]
    assert len({tuple(corner) for corner in corners[:12]}) == 12
    assert {tuple(corner) for corner in corners[12:]} == {(0x3C, 0x3A, 0x32)}
    image[:] = 0  # a frame is the caller's own
    assert single.draw(Board.parse("0123/4567/89ab/cdef"))[0, 0, 0] == 0xBB
