"""Games as animations: GIF, which every program supports, and WebP, which is half as large.

A frame is a position. All frames share one palette of 256 colours, made from the tiles of the game,
so that a tile looks the same in every frame and unchanged parts are not written again.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, Literal

from twofold import drawing
from twofold.drawing import DOT
from twofold.errors import InvalidInput
from twofold.figures import counted
from twofold.game import Game
from twofold.limits import MAX_ANIMATION_MOVES, check_limit
from twofold.notation import shown
from twofold.pictures.raster import Easel, Shade, check_installed

if TYPE_CHECKING:
    from PIL import Image

AnimationForm = Literal["gif", "webp"]

FORMS: Final[tuple[AnimationForm, ...]] = ("gif", "webp")

RATES: Final = (1, 2, 4, 5, 10, 20, 25)
"""Moves a second; each frame lasts a whole number of hundredths of a second, as GIF requires."""

SCALE: Final = 0.6
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
    return min(SCALE, SIDE / max(drawing.board_size(rows, cols)))


def scenes(game: Game, first: int | None, last: int | None) -> Iterator[Scene]:
    """Yield the positions from one move number to another; raises `LimitExceeded`."""
    low, high = game.start_move_number, game.move_number
    begin = check_limit("the first move", low if first is None else first, low, high)
    end = check_limit("the last move", high if last is None else last, begin, high)
    check_limit("a number of moves in an animation", end - begin, 0, MAX_ANIMATION_MOVES)
    boards = [game.start_board, *(step.board for step in game.steps)]
    scores = list(accumulate((step.reward for step in game.steps), initial=game.start_score))
    for number in range(begin, end + 1):
        points = counted(scores[number - low], "point")
        yield Scene(boards[number - low].exponents, f"{points}{DOT}move {number:,}")


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
