"""Boards in pixels, drawn with Pillow: the same picture as the SVG of `twofold.drawing`.

Numbers use the font that comes with Pillow, so a picture looks the same on every machine. Text is
English, because that font has few other letters.
"""

import io
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal

from twofold import drawing
from twofold.drawing import BOARD, CELL, FACE, GAP, INK, TILES, Colour
from twofold.errors import MissingExtra

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFont import FreeTypeFont, ImageFont

Shade = Literal["light", "dark"]
"""Colours of a picture; unlike SVG, pixels cannot follow the colours of a page."""

CAPTION: Final = 40
"""Height of the caption below a board, in units."""

_CAPTION_SIZE: Final = 26.0
_RADIUS: Final = 5
_BOLD: Final = 0.03
"""Stroke width of numbers, in font sizes: the font has no bold face."""

_SMOOTH: Final = 4
"""Oversampling factor of round corners."""


def is_installed() -> bool:
    """True if Pillow is installed."""
    return find_spec("PIL") is not None


def check_installed() -> None:
    """Raise `MissingExtra` if Pillow is not installed."""
    if not is_installed():
        raise MissingExtra.of("share", "a picture in pixels")


def draw_png(
    rows: int,
    cols: int,
    exponents: Sequence[int],
    *,
    caption: str = "",
    shade: Shade = "light",
    scale: float = 1.0,
) -> bytes:
    """A board as PNG, with round corners on a transparent ground.

    Args:
        rows: number of rows.
        cols: number of columns.
        exponents: log2 of each tile, row by row, 0 for an empty cell.
        caption: a line of text below the board.
        shade: light or dark colours.
        scale: pixels a unit; a tile has 100 units.

    Raises:
        MissingExtra: Pillow is not installed.
    """
    check_installed()
    easel = Easel(rows, cols, shade, scale, captioned=bool(caption))
    picture = easel.board(exponents)
    if caption:
        easel.write_caption(picture, caption)
    picture.putalpha(_rounded(picture.size, 2 * _RADIUS * scale))
    file = io.BytesIO()
    picture.save(file, "PNG", optimize=True)
    return file.getvalue()


class Easel:
    """Draws boards of one shape, size (`scale` in pixels a unit) and set of colours."""

    def __init__(
        self, rows: int, cols: int, shade: Shade, scale: float, *, captioned: bool
    ) -> None:
        self._cols = cols
        self._shade: Shade = shade
        self._scale = scale
        width, height = drawing.board_size(rows, cols)
        self._board_height = self._pixels(height)
        whole = height + CAPTION if captioned else height
        self.size = (self._pixels(width), self._pixels(whole))
        self.face = lru_cache(maxsize=64)(self._face)

    def board(self, exponents: Sequence[int]) -> "Image.Image":
        """A board, with room for a caption if `captioned`."""
        picture = self.ground.copy()
        for cell, exponent in enumerate(exponents):
            picture.paste(self.face(exponent), self.corner(cell))
        return picture

    def corner(self, cell: int) -> tuple[int, int]:
        """(x, y) of the top-left corner of a cell, in pixels."""
        x, y = drawing.cell_corner(cell, self._cols)
        return self._pixels(x), self._pixels(y)

    @cached_property
    def ground(self) -> "Image.Image":
        """The picture without cells."""
        from PIL import Image

        return Image.new("RGB", self.size, self._colour(BOARD))

    def write_caption(self, picture: "Image.Image", caption: str) -> None:
        """Write a line below the board, in a smaller font if it is too long."""
        from PIL import ImageDraw

        room = self.size[0] - 2 * self._pixels(GAP + 2)
        size = _CAPTION_SIZE * self._scale
        wide = _font(size).getlength(caption)
        place = (self._pixels(GAP + 2), self._board_height + self._pixels(CAPTION) * 0.36)
        ImageDraw.Draw(picture).text(
            place, caption, self._colour(INK), _font(size * min(1.0, room / wide)), "lm"
        )

    def _face(self, exponent: int) -> "Image.Image":
        from PIL import Image, ImageDraw

        side = self._pixels(FACE)
        face = Image.new("RGB", (side, side), self._colour(BOARD))
        colours = TILES[exponent - 1] if exponent else None
        fill = self._colour(colours.face if colours else CELL)
        face.paste(fill, (0, 0, side, side), _rounded((side, side), _RADIUS * self._scale))
        if colours:
            size = drawing.number_size(exponent) * self._scale
            ImageDraw.Draw(face).text(
                (side / 2, side / 2), str(1 << exponent), self._colour(colours.text), _font(size),
                "mm", stroke_width=round(size * _BOLD),
            )  # fmt: skip
        return face

    def _colour(self, colour: Colour) -> str:
        return str(getattr(colour, self._shade))

    def _pixels(self, units: float) -> int:
        return round(units * self._scale)


def _rounded(size: tuple[int, int], radius: float) -> "Image.Image":
    from PIL import Image, ImageDraw

    width, height = (side * _SMOOTH for side in size)
    mask = Image.new("L", (width, height))
    box = (0, 0, width - 1, height - 1)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius * _SMOOTH, fill=255)
    return mask.resize(size, Image.Resampling.LANCZOS)


@lru_cache(maxsize=64)
def _font(size: float) -> "FreeTypeFont | ImageFont":
    from PIL import ImageFont

    return ImageFont.load_default(size)
