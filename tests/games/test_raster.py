"""Boards as PNG: the colours of the SVG, in their places, at any shape."""

import io
from typing import get_args

import pytest
from PIL import Image

from twofold.errors import MissingExtra
from twofold.game import drawing
from twofold.game.board import Board
from twofold.game.drawing import BOARD, CELL, TILES
from twofold.games import pictures
from twofold.games.pictures import CAPTION, Shade, draw_png

BOARD_TEXT = "0123/4567/89ab/cdef"


def png(board: Board, shade: Shade = "light", **options: object) -> Image.Image:
    content = draw_png(board.rows, board.cols, board.exponents, shade=shade, **options)  # type: ignore[arg-type]
    picture = Image.open(io.BytesIO(content))
    assert picture.format == "PNG"
    return picture


def colour(picture: Image.Image, x: float, y: float) -> str:
    (found,) = colours(picture.crop((round(x), round(y), round(x) + 1, round(y) + 1)))
    return found


def colours(picture: Image.Image) -> set[str]:
    """All colours that a picture has."""
    content = picture.convert("RGB").tobytes()
    return {f"#{content[first : first + 3].hex()}" for first in range(0, len(content), 3)}


@pytest.mark.parametrize("shade", get_args(Shade))
@pytest.mark.parametrize("scale", [0.6, 2.0])
def test_tiles_have_their_colours_in_their_places(shade: Shade, scale: float) -> None:
    board = Board.parse(BOARD_TEXT)
    picture = png(board, shade, scale=scale)
    assert picture.size == tuple(round(side * scale) for side in drawing.board_size(4, 4))
    for cell, exponent in enumerate(board.exponents):
        x, y = drawing.cell_corner(cell, 4)
        face = TILES[exponent - 1].face if exponent else CELL
        assert colour(picture, (x + 50) * scale, (y + 8) * scale) == getattr(face, shade)
    assert colour(picture, 6 * scale, 60 * scale) == getattr(BOARD, shade)


def test_a_caption_makes_the_picture_higher_and_fits() -> None:
    board = Board.parse("1x2:12")
    plain, short, long = (png(board, caption=words) for words in ("", "8 points", "9 " * 60))
    assert short.height == plain.height + CAPTION
    assert long.size == short.size
    assert colour(long, long.width - 3, long.height - 20) == BOARD.light


def test_without_pillow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'twofold\[share\]'"):
        draw_png(1, 2, (1, 2))
