"""Boards and games as files, for the page's Share dialog."""

from typing import Annotated, Final

import msgspec
from starlette.requests import ClientDisconnect

from twofold.board import Board
from twofold.drawing import DOT, draw_board
from twofold.errors import install
from twofold.figures import counted
from twofold.limits import MAX_ANIMATION_MOVES, MAX_MOVE_NUMBER, MAX_REPLAY_MOVES, MAX_SCORE
from twofold.pictures.animation import FORMS, RATES, AnimationForm, animate
from twofold.pictures.raster import Shade, draw_png, is_installed
from twofold.pictures.replays import replay
from twofold.search.stop import Stop
from twofold.web.operations import File, Operation, check_id, operation, operations_of
from twofold.web.protocol import Text as Short
from twofold.web.table import PageTable

PNG_SCALE: Final = 2.0
"""Pixels per unit: a 4x4 board is 920 pixels wide."""

REPLAY_SCALE: Final = 1.0

HTML: Final = "text/html; charset=utf-8"

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_MOVE_NUMBER)]


class BoardQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A board to draw; a score and a move number are written below it."""

    board: Short
    score: Annotated[int, msgspec.Meta(ge=0, le=MAX_SCORE)] | None = None
    move: Count | None = None
    shade: Shade = "light"


class AnimationQuery(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A part of a game to draw, by move numbers; `rate` is in moves per second."""

    first: Count | None = None
    last: Count | None = None
    rate: int = 5
    shade: Shade = "light"


class PicturesInfo(msgspec.Struct, frozen=True):
    """Formats and limits: maximum numbers of moves, and moves per second to choose from.

    Attributes:
        pixels: true if PNG, GIF and WebP can be drawn; SVG always can.
        install: the command that installs missing packages; empty if none is missing.
    """

    pixels: bool
    install: str
    moves: int
    replay_moves: int
    rates: list[int]


_SHADE: Final = {"shade": "light or dark"}
_BOARD: Final = {
    "board": "exponents or tiles",
    "score": "points, in a line below",
    "move": "move number, in a line below",
    **_SHADE,
}
_ANIMATION: Final = {
    "first": "move number to begin at",
    "last": "move number to end at",
    "rate": f"moves a second: {', '.join(map(str, RATES))}",
    **_SHADE,
}


def picture_operations(table: PageTable) -> list[Operation]:
    """The operations that draw boards and games."""
    return [*operations_of(_Pictures(table)), *(_animation(table, form) for form in FORMS)]


class _Pictures:
    def __init__(self, table: PageTable) -> None:
        self._table = table

    @operation("GET /api/pictures")
    def info(self) -> PicturesInfo:
        """Formats and limits of pictures."""
        there = is_installed()
        hint = "" if there else install("share")
        return PicturesInfo(there, hint, MAX_ANIMATION_MOVES, MAX_REPLAY_MOVES, list(RATES))

    @operation("GET /api/pictures/board.svg", reply="image/svg+xml", query=_BOARD)
    def svg(self, query: BoardQuery) -> File:
        """A board as an SVG picture."""
        board = Board.parse(query.board)
        svg = draw_board(
            board.rows, board.cols, board.exponents,
            caption=_caption(query), theme=query.shade, scale=1,
        )  # fmt: skip
        return File(svg, "2048-board.svg", "image/svg+xml")

    @operation("GET /api/pictures/board.png", reply="image/png", query=_BOARD)
    def png(self, query: BoardQuery) -> File:
        """A board as a PNG picture."""
        board = Board.parse(query.board)
        png = draw_png(
            board.rows, board.cols, board.exponents,
            caption=_caption(query), shade=query.shade, scale=PNG_SCALE,
        )  # fmt: skip
        return File(png, "2048-board.png", "image/png")

    @operation("GET /api/games/{game}/replay", at_once=1, reply=HTML)
    def replay(self, game: str) -> File:
        """A saved game as one HTML page that replays it without a server."""
        page = replay(self._table.record(check_id(game)), scale=REPLAY_SCALE)
        return File(page.html, f"2048-{game}.html", HTML)


def _caption(asked: BoardQuery) -> str:
    parts = []
    if asked.score is not None:
        parts.append(counted(asked.score, "point"))
    if asked.move is not None:
        parts.append(f"move {asked.move:,}")
    return DOT.join(parts)


def _animation(table: PageTable, form: AnimationForm) -> Operation:
    @operation(
        f"GET /api/games/{{game}}/animation.{form}",
        summary=f"A saved game, or a part of it, as an animated {form.upper()}.",
        at_once=1,
        reply=f"image/{form}",
        query=_ANIMATION,
    )
    def animated(game: str, query: AnimationQuery, stop: Stop) -> File:
        def go_on(_: int) -> None:
            if stop.is_raised:
                raise ClientDisconnect

        content = animate(
            table.record(check_id(game)).replay(), first=query.first, last=query.last,
            rate=query.rate, form=form, shade=query.shade, on_scene=go_on,
        )  # fmt: skip
        return File(content, f"2048-{game}.{form}", f"image/{form}")

    return animated
