"""Games and boards as files to share: pictures, animations, and pages that replay a game.

Boards in pixels, drawn with Pillow: the same picture as the SVG of `twofold.drawing`.

Numbers use the font that comes with Pillow, so a picture looks the same on every machine. Text is
English, because that font has few other letters.

Games as animations: GIF, which every program supports, and WebP, which is half as large.

A frame is a position. All frames share one palette of 256 colours, made from the tiles of the game,
so that a tile looks the same in every frame and unchanged parts are not written again.

Replays: a page that plays back a game, for a notebook cell or a file.

The page is one file with its own style and script, and may not load anything. In a notebook it is
in a sandboxed frame. Player names and comments are inserted as text only.
"""

import base64
import html
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from importlib.util import find_spec
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal

from twofold.errors import InvalidInput, MissingExtra
from twofold.figures import counted
from twofold.game import drawing
from twofold.game.board import Board
from twofold.game.drawing import (
    BOARD,
    CELL,
    DOT,
    FACE,
    GAP,
    INK,
    SCALE,
    TILES,
    Colour,
    Theme,
    light_dark,
)
from twofold.game.game import Game
from twofold.game.notation import DIGITS, shown
from twofold.game.record import Record
from twofold.games.makers import player_names
from twofold.limits import MAX_ANIMATION_MOVES, MAX_REPLAY_MOVES, check_limit
from twofold.storage.files import atomic_write

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


AnimationForm = Literal["gif", "webp"]

FORMS: Final[tuple[AnimationForm, ...]] = ("gif", "webp")

RATES: Final = (1, 2, 4, 5, 10, 20, 25)
"""Moves a second; each frame lasts a whole number of hundredths of a second, as GIF requires."""

ANIMATION_SCALE: Final = 0.6
"""Largest scale, in pixels a unit: a 4x4 board is 276 pixels wide."""

SIDE: Final = 300
"""Longest side of a board, in pixels. Pillow holds all frames: 1,000 of them take 90 MB."""

LAST_MS: Final = 2_000
"""Time of the last position before the animation repeats, in milliseconds."""

_OPTIONS: Final[dict[AnimationForm, dict[str, Any]]] = {
    "gif": {},
    "webp": {"lossless": True, "quality": 50, "method": 2},
}
"""Options for Pillow. With these, writing WebP takes about as long as GIF."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A position of an animation: exponents row by row, 0 for empty, and the line below."""

    exponents: tuple[int, ...]
    caption: str


def animate(
    game: Game,
    *,
    first: int | None = None,
    last: int | None = None,
    rate: int = 5,
    form: AnimationForm = "gif",
    shade: Shade = "light",
    on_scene: Callable[[int], None] = lambda _: None,
) -> bytes:
    """An animation of a game, or of a part of it, in an endless loop.

    Args:
        game: the game.
        first: first move number; None means the beginning.
        last: last move number; None means the end.
        rate: moves a second, one of `RATES`.
        form: the format of the file.
        shade: light or dark colours.
        on_scene: called with the number of positions drawn; may raise to stop.
    """
    check_installed()
    if rate not in RATES:
        raise InvalidInput(f"expected a rate ({', '.join(map(str, RATES))}), got {shown(rate)}")
    played = list(scenes(game, first, last))
    easel = Easel(*game.board.shape, shade, scale_of(*game.board.shape), captioned=True)
    pictures = _drawn(easel, played, on_scene)
    times = [1000 // rate] * (len(played) - 1) + [LAST_MS]
    return _write(pictures, times, form)


def scale_of(rows: int, cols: int) -> float:
    """The scale for a board of this shape, in pixels a unit."""
    return min(ANIMATION_SCALE, SIDE / max(drawing.board_size(rows, cols)))


def scenes(game: Game, first: int | None, last: int | None) -> Iterator[Scene]:
    """Yield the positions from one move number to another; raises `LimitExceeded`."""
    begin, boards, scores = _part(game, first, last, "an animation", MAX_ANIMATION_MOVES)
    for number, (board, score) in enumerate(zip(boards, scores, strict=True), begin):
        yield Scene(board.exponents, f"{counted(score, 'point')}{DOT}move {number:,}")


def _part(
    game: Game, first: int | None, last: int | None, what: str, most: int
) -> tuple[int, list[Board], list[int]]:
    """The first move number of a part of a game, its boards and its scores."""
    low, high = game.start_move_number, game.move_number
    begin = check_limit("the first move", low if first is None else first, low, high)
    end = check_limit("the last move", high if last is None else last, begin, high)
    check_limit(f"a number of moves in {what}", end - begin, 0, most)
    boards = [game.start_board, *(step.board for step in game.steps)]
    scores = accumulate((step.reward for step in game.steps), initial=game.start_score)
    part = slice(begin - low, end - low + 1)
    return begin, boards[part], list(scores)[part]


def _drawn(
    easel: Easel, played: list[Scene], on_scene: Callable[[int], None]
) -> "Iterator[Image.Image]":
    from PIL import Image

    palette = _palette(easel, played)
    for number, scene in enumerate(played, 1):
        picture = easel.board(scene.exponents)
        easel.write_caption(picture, scene.caption)
        on_scene(number)
        yield picture.quantize(palette=palette, dither=Image.Dither.NONE)


def _palette(easel: Easel, played: list[Scene]) -> "Image.Image":
    """A picture with the palette of all tiles that occur."""
    from PIL import Image

    found = sorted({exponent for scene in played for exponent in scene.exponents} | {0})
    side = easel.face(0).width
    sheet = Image.new("RGB", (side * len(found), side + easel.size[1]))
    for place, exponent in enumerate(found):
        sheet.paste(easel.face(exponent), (place * side, 0))
    ground = easel.ground.copy()
    easel.write_caption(ground, played[-1].caption)
    sheet.paste(ground, (0, side))
    return sheet.quantize(256, dither=Image.Dither.NONE)


def _write(pictures: "Iterator[Image.Image]", times: list[int], form: AnimationForm) -> bytes:
    file = io.BytesIO()
    first = next(pictures)
    first.save(
        file, form, save_all=True, append_images=pictures, duration=times, loop=0, **_OPTIONS[form]
    )
    return file.getvalue()


CONTROLS_HEIGHT: Final = 242
"""Pixels for the title, figures, slider, buttons, speed and two lines of comment."""

LEAST_WIDTH: Final = 264
"""Minimum width of the controls, in pixels."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A page that plays back a game; width and height are in pixels."""

    html: str
    title: str
    width: int
    height: int

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="{html.escape(self.title)}" sandbox="allow-scripts" '
            f'srcdoc="{html.escape(self.html)}" width="{self.width}" height="{self.height}" '
            'style="border:0;max-width:100%"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Replay: {self.title}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file in one step; raises `InvalidInput` or `ResourceError`."""
        atomic_write(path, self.html)


def replay(
    what: Game | Record,
    *,
    first: int | None = None,
    last: int | None = None,
    theme: str = "auto",
    scale: float = SCALE,
) -> Replay:
    """A replay of a game or a record, or of a part of it.

    Args:
        what: the game; a record is played.
        first: first move number; None means the beginning.
        last: last move number; None means the end.
        theme: `auto` follows the page around it, `light` and `dark` do not.
        scale: pixels a unit; a tile has 100 units.

    Raises:
        InvalidInput: there is no such theme, scale or move, or the record is invalid.
        LimitExceeded: there are too many moves for a page; `first` and `last` choose some.
    """
    checked = drawing.check_theme(theme)
    drawing.check_scale(scale)
    if not isinstance(what, Game | Record):
        raise InvalidInput(f"expected a game or a record, got {shown(what)}")
    game = what.replay() if isinstance(what, Record) else what
    begin, boards, scores = _part(game, first, last, "a replay", MAX_REPLAY_MOVES)
    part = range(begin, begin + len(boards))
    made = game.steps[begin - game.start_move_number :][: len(boards) - 1]
    player, comments = (what.player, what.comments) if isinstance(what, Record) else ("", {})
    data = {
        "rows": game.board.rows,
        "cols": game.board.cols,
        "first": begin,
        "boards": "".join(DIGITS[e] for board in boards for e in board.exponents),
        "scores": scores,
        "moves": "".join(step.move.letter for step in made),
        "cells": [step.cell for step in made],
        "comments": {number: text for number, text in comments.items() if number in part},
    }
    caption = drawing.game_caption(game.score, game.move_number, game.status.value)
    title = f"2048 game{f' by {player_names(player)}' if player else ''}: {caption}"
    board_width, board_height = drawing.board_size(*game.board.shape)
    width = max(LEAST_WIDTH, round(board_width * scale))
    height = round(board_height * scale) + CONTROLS_HEIGHT
    page = _page(data, title, checked, scale, width)
    return Replay(page, title, width, height)


# ---- the page


def _page(data: dict[str, Any], title: str, theme: Theme, scale: float, width: int) -> str:
    scheme = "light dark" if theme == "auto" else theme
    rules = _tile_rules(max(map(DIGITS.index, data["boards"])))
    packed = base64.b64encode(zlib.compress(json.dumps(data).encode(), 9)).decode()
    return _read("replay.html").format(
        title=drawing.escaped(title),
        style=f":root{{color-scheme:{scheme}}}\n" + _read("replay.css") + "".join(rules),
        board=_board(data, scale),
        width=width,
        last=data["first"] + len(data["moves"]),
        first=data["first"],
        data=packed,
        script=_read("replay.js"),
    )


def _read(name: str) -> str:
    return resources.files("twofold.games").joinpath(name).read_text(encoding="utf-8")


def _tile_rules(largest: int) -> Iterator[str]:
    yield f".ground{{fill:{light_dark(BOARD)}}}\n"
    yield f".e0 rect{{fill:{light_dark(CELL)}}}\n.new rect{{stroke:{light_dark(INK)}}}\n"
    for exponent, colours in enumerate(TILES[:largest], 1):
        size = f"font-size:{drawing.number_size(exponent):.4g}px"
        yield (
            f".e{exponent} rect{{fill:{light_dark(colours.face)}}}"
            f".e{exponent} text{{fill:{light_dark(colours.text)};{size}}}\n"
        )


def _board(data: dict[str, Any], scale: float) -> str:
    """The first board, as SVG that the script changes."""
    rows, cols = data["rows"], data["cols"]
    exponents = [DIGITS.index(digit) for digit in data["boards"][: rows * cols]]
    width, height = drawing.board_size(rows, cols)
    cells = []
    for cell, exponent in enumerate(exponents):
        x, y = drawing.cell_corner(cell, cols)
        number = 1 << exponent if exponent else ""
        cells.append(
            f'<g class="e{exponent}" transform="translate({x} {y})">'
            f'<rect width="{FACE}" height="{FACE}" rx="5"/>'
            f'<text x="{FACE // 2}" y="{FACE // 2}">{number}</text></g>'
        )
    words = drawing.escaped(drawing.board_words(rows, cols, exponents))
    return "\n".join(
        [
            f'<svg id="board" role="img" aria-label="{words}" viewBox="0 0 {width} {height}" '
            f'width="{width * scale:.6g}" height="{height * scale:.6g}">',
            f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
            *cells,
            "</svg>",
        ]
    )
