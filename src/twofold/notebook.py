"""Boards, analyses and games as pictures in a notebook: Jupyter, JupyterLab, marimo, VS Code.

A `Board` or a `Game` at the end of a cell is shown as a picture. The functions here show more::

    from twofold.notebook import replay, show

    show(board, player.analyse(board))  # the board, its best move, the values of all four
    show(record, theme="dark", scale=0.8)
    replay(game)  # walk through the game with a slider

It needs no installation and fetches nothing: a picture is a complete SVG; a replay is one HTML
page with its script, in a sandboxed frame.
"""

import math
import os
from dataclasses import dataclass
from typing import Final

from twofold.errors import InvalidInput
from twofold.figures import shortened
from twofold.game.board import Board
from twofold.game.drawing import (
    BOARD,
    CELL,
    DOT,
    INK,
    SCALE,
    Colour,
    Theme,
    board_parts,
    board_size,
    board_title,
    board_words,
    captioned,
    check_scale,
    check_theme,
    draw_board,
    game_caption,
    label,
    paint,
    picture,
    rectangle,
)
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.record import Record
from twofold.game.rules import Move
from twofold.game.step import status_of
from twofold.games.pictures import Replay, replay
from twofold.search.analysis import (
    Analysis,
    MoveAnalysis,
    format_chance,
    format_in_unit,
    table_words,
)
from twofold.storage.files import atomic_write

__all__ = ["Replay", "View", "replay", "show"]

BEST: Final = Colour("#1b5f9e", "#7cb8f0")
"""The arrow and the bar of the best move."""

OTHER: Final = Colour("#6c6055", "#b5a999")
"""The bars of the other moves."""

RIM: Final = Colour("#ffffff", "#14110f")
"""The outline of the arrow, and the sign in it."""

SHORTEST: Final = 0.12
"""Length of the bar of the worst legal move; the best bar has length 1."""

_MARGIN: Final = 24
_WIDTH: Final = 360
_BAR_WIDTH: Final = 250
_ROW: Final = 92
_NAME_SIZE: Final = 30
_NOTE_SIZE: Final = 22
_BAR: Final = 14
_RADIUS: Final = 24
_ARROW: Final = "M0-13 12 2H4V13H-4V2H-12Z"
"""An arrow upwards, around 0, 0."""

_LONGEST_PLAYER: Final = 48


@dataclass(frozen=True, slots=True)
class View:
    """A picture for notebooks, as SVG, and the board in it."""

    svg: str
    board: Board

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<View of {self.board}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, as `twofold.storage.files.atomic_write` does."""
        atomic_write(path, self.svg)


def show(
    what: Board | Game | Record | Analysis,
    analysis: Analysis | None = None,
    *,
    theme: str = "auto",
    scale: float = SCALE,
) -> View:
    """A picture of a board, a game, a record or an analysis.

    Args:
        what: the object; games and records are shown with their points.
        analysis: an analysis of that board: marks the best move, and adds the values of all four.
        theme: `auto` follows the page around it, `light` and `dark` do not.
        scale: pixels per unit; a tile has 100 units.

    Raises:
        InvalidInput: no such theme or scale, or an analysis of another board.
    """
    checked = check_theme(theme)
    check_scale(scale)
    if not isinstance(what, Board | Game | Record | Analysis):
        raise InvalidInput(f"expected a board, a game, a record or an analysis, got {shown(what)}")
    board, caption = _shown_of(what)
    if isinstance(what, Analysis):
        analysis = what
    elif not isinstance(analysis, Analysis | None):
        raise InvalidInput(f"expected an analysis, got {shown(analysis)}")
    if analysis is None:
        svg = draw_board(
            board.rows, board.cols, board.exponents, caption=caption, theme=checked, scale=scale
        )
        return View(svg, board)
    if analysis.board != board:
        raise InvalidInput(f"expected an analysis of {board}, got one of {analysis.board}")
    return View(draw_analysis(analysis, caption, checked, scale), board)


def _shown_of(what: Board | Game | Record | Analysis) -> tuple[Board, str]:
    if isinstance(what, Board):
        return what, ""
    if isinstance(what, Analysis):
        return what.board, ""
    if isinstance(what, Game):
        return what.board, game_caption(what.score, what.move_number, what.status.value)
    board, score = what.ending()
    number = what.start_move + len(what.moves)
    return board, game_caption(score, number, status_of(board, what.rules).value, what.player)


# ---- the picture of an analysis


def draw_analysis(analysis: Analysis, caption: str, theme: Theme, scale: float) -> str:
    """The picture of an analysis as SVG, with an optional caption; `scale` in pixels per unit."""
    board = analysis.board
    width, height = board_size(board.rows, board.cols)
    whole: float = max(height, len(Move) * _ROW) + 2 * _MARGIN
    top = (whole - height) / 2
    total = width + _WIDTH + 3 * _MARGIN
    parts: list[str] = [
        rectangle(0, 0, total, whole, paint(theme, fill=BOARD), 10),
        f'<g transform="translate({_MARGIN} {top:g})">',
        *board_parts(board.rows, board.cols, board.exponents, theme),
        _arrow_at_edge(analysis.best, width, height, theme),
        "</g>",
        f'<g transform="translate({width + 2 * _MARGIN} {(whole - len(Move) * _ROW) / 2:g})">',
        *(part for one in analysis.moves for part in _row(analysis, one, theme)),
        "</g>",
    ]
    lines = [line for line in (caption, _by_whom(analysis)) if line]
    for line in lines:
        parts, whole = captioned(parts, total, whole, line, theme)
    return picture(
        total,
        whole,
        parts,
        title=board_title(board.rows, board.cols, board.exponents),
        description=" ".join(
            [_in_words(analysis), *lines, board_words(board.rows, board.cols, board.exponents)]
        ),
        theme=theme,
        scale=scale,
    )


def _arrow_at_edge(move: Move, width: float, height: float, theme: Theme) -> str:
    """A sign in the middle of the edge that the tiles move to."""
    x, y = {
        Move.UP: (width / 2, 4.0),
        Move.RIGHT: (width - 4.0, height / 2),
        Move.DOWN: (width / 2, height - 4.0),
        Move.LEFT: (4.0, height / 2),
    }[move]
    circle = (
        f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" stroke-width="3" '
        f"{paint(theme, fill=BEST, stroke=RIM)}/>"
    )
    return circle + _sign(move, x, y, RIM, theme)


def _sign(move: Move, x: float, y: float, colour: Colour, theme: Theme) -> str:
    place = f"translate({x:g} {y:g}) rotate({90 * move})"
    return f'<path d="{_ARROW}" transform="{place}" {paint(theme, fill=colour)}/>'


def _row(analysis: Analysis, one: MoveAnalysis, theme: Theme) -> list[str]:
    top = one.move * _ROW
    middle, bar = top + 30, top + 60
    ink = paint(theme, fill=INK)
    best = one.move == analysis.best
    length = bar_length(analysis, one) * _BAR_WIDTH
    name = one.move.name.lower()
    parts = [
        _sign(one.move, 16, middle, INK, theme),
        label(42, middle, name, _NAME_SIZE, ink, bold=best),
        label(_WIDTH, middle, _value(analysis, one), _NAME_SIZE, ink, anchor="end", bold=best),
        rectangle(0, bar, _BAR_WIDTH, _BAR, paint(theme, fill=CELL), _BAR / 2),
    ]
    if length:
        colours = paint(theme, fill=BEST if best else OTHER)
        parts.append(rectangle(0, bar, length, _BAR, colours, _BAR / 2))
    loss = _chance(analysis, one) or _loss(analysis, one)
    if loss:
        parts.append(label(_WIDTH, bar + _BAR / 2, loss, _NOTE_SIZE, ink, anchor="end"))
    return parts


def bar_length(analysis: Analysis, one: MoveAnalysis) -> float:
    """Length of a move's bar, 0 to 1, between the values of the worst and the best legal move.

    Only differences count, since units and zeros of values differ between players.
    """
    if not one.legal:
        return 0.0
    best, values = analysis.value, [other.value for other in analysis.moves]
    if best is None or one.value is None:
        return 1.0 if one.move == analysis.best else 0.0
    span = best - min(value for value in values if value is not None)
    if not 0 < span < math.inf:
        return 1.0 if one.value == best else SHORTEST
    share = (one.value - best) / span
    return max(SHORTEST, min(1.0, 1 + (1 - SHORTEST) * share))


def _value(analysis: Analysis, one: MoveAnalysis) -> str:
    if not one.legal:
        return "illegal"
    if one.value is None:
        return "best" if one.move == analysis.best else ""
    return format_in_unit(one.value, analysis.unit, analysis.value)


def _loss(analysis: Analysis, one: MoveAnalysis) -> str:
    if one.value is None or analysis.value is None or not one.legal:
        return ""
    behind = one.value - analysis.value
    return format_in_unit(behind, analysis.unit, analysis.value) if behind < 0 else ""


def _chance(analysis: Analysis, one: MoveAnalysis) -> str:
    """The chance by the endgame table, if a table chose the best move."""
    chance = analysis.chance(one.move)
    return "" if chance is None else format_chance(chance)


def _by_whom(analysis: Analysis) -> str:
    """Player, depth and unit: `expectimax:ply=3 · 3 plies · points`."""
    from twofold.players import short_spec  # loads NumPy

    try:
        player = short_spec(analysis.player)
    except InvalidInput:  # an analysis made by hand, or by an unknown player
        player = analysis.player
    table = "" if analysis.table is None else f"chance of {analysis.table.target} by table"
    parts = (shortened(player, _LONGEST_PLAYER), analysis.depth, analysis.unit, table)
    return DOT.join(filter(None, parts))


def _in_words(analysis: Analysis) -> str:
    values = ", ".join(
        f"{one.move.name.lower()} {_value(analysis, one)}".strip() for one in analysis.moves
    )
    table = "" if analysis.table is None else f" Table {table_words(analysis.table)}."
    return f"Best move: {analysis.best.name.lower()}. Values: {values}.{table}"
