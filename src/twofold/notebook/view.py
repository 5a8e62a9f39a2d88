"""Pictures of boards, games, records and analyses."""

import os
from dataclasses import dataclass

from twofold import drawing
from twofold.board import Board
from twofold.drawing import SCALE, check_scale, check_theme
from twofold.errors import InvalidInput
from twofold.files import atomic_write
from twofold.game import Game, status_of
from twofold.notation import shown
from twofold.notebook.analysis import draw_analysis
from twofold.record import Record
from twofold.search.analysis import Analysis


@dataclass(frozen=True, slots=True)
class View:
    """A picture that a notebook shows.

    Attributes:
        svg: the picture.
        board: the board in it.
    """

    svg: str
    board: Board

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<View of {self.board}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file.

        Raises:
            InvalidInput: the path cannot be written to.
            ResourceError: the disk is full or failed; the old file is intact.
        """
        atomic_write(path, self.svg)


def show(
    what: Board | Game | Record | Analysis,
    analysis: Analysis | None = None,
    *,
    theme: str = "auto",
    scale: float = SCALE,
) -> View:
    """A picture of a board, where a game stands or ended, or what a player thinks.

    Args:
        what: a board; a game or a record, shown with its points; an analysis.
        analysis: what a player thinks of that board: the best move is marked, and the values of
            all four stand beside it.
        theme: `auto` follows the page around it, `light` and `dark` do not.
        scale: pixels a unit; a tile has 100 units.

    Raises:
        InvalidInput: no such theme or scale, or an analysis of another board.
    """
    checked = check_theme(theme)
    check_scale(scale)
    board, caption = _shown_of(what)
    if isinstance(what, Analysis):
        analysis = what
    if analysis is None:
        svg = drawing.draw_board(
            board.rows, board.cols, board.exponents, caption=caption, theme=checked, scale=scale
        )
        return View(svg, board)
    if analysis.board != board:
        raise InvalidInput(f"expected an analysis of {board}, got one of {analysis.board}")
    return View(draw_analysis(analysis, caption, checked, scale), board)


def _shown_of(what: object) -> tuple[Board, str]:
    """The board of something, and the line below it."""
    if isinstance(what, Board):
        return what, ""
    if isinstance(what, Analysis):
        return what.board, ""
    if isinstance(what, Game):
        return what.board, drawing.game_caption(what.score, what.move_number, what.status.value)
    if isinstance(what, Record):
        return _ended(what)
    raise InvalidInput(f"expected a board, a game, a record or an analysis, got {shown(what)}")


def _ended(record: Record) -> tuple[Board, str]:
    board, score = record.final, record.score
    if board is None or score is None:
        game = record.replay()
        board, score = game.board, game.score
    number = record.start_move + len(record.moves)
    caption = drawing.game_caption(score, number, status_of(board, record.rules).value)
    return board, caption + (drawing.DOT + record.player if record.player else "")
