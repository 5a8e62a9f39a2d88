"""Pictures of boards, games, records, analyses and outcomes."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twofold import drawing
from twofold.board import Board
from twofold.drawing import SCALE, Theme, check_scale, check_theme
from twofold.errors import InvalidInput
from twofold.files import atomic_write
from twofold.game import Game
from twofold.notation import shown
from twofold.notebook.analysis import draw_analysis
from twofold.records.record import Record
from twofold.search.analysis import Analysis
from twofold.step import status_of

if TYPE_CHECKING:
    from twofold.exact.outcomes import Outcomes


@dataclass(frozen=True, slots=True)
class View:
    """A picture for notebooks, as SVG, and the board in it, if any."""

    svg: str
    board: Board | None

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<View of {'outcomes' if self.board is None else self.board}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, as `twofold.files.atomic_write` does."""
        atomic_write(path, self.svg)


def show(
    what: "Board | Game | Record | Analysis | Outcomes",
    analysis: Analysis | None = None,
    *,
    theme: str = "auto",
    scale: float = SCALE,
) -> View:
    """A picture of a board, a game, a record, an analysis or outcomes of a solved game.

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
        return _outcomes(what, analysis, checked, scale)
    board, caption = _shown_of(what)
    if isinstance(what, Analysis):
        analysis = what
    elif not isinstance(analysis, Analysis | None):
        raise InvalidInput(f"expected an analysis, got {shown(analysis)}")
    if analysis is None:
        svg = drawing.draw_board(
            board.rows, board.cols, board.exponents, caption=caption, theme=checked, scale=scale
        )
        return View(svg, board)
    if analysis.board != board:
        raise InvalidInput(f"expected an analysis of {board}, got one of {analysis.board}")
    return View(draw_analysis(analysis, caption, checked, scale), board)


def _outcomes(what: object, analysis: Analysis | None, theme: Theme, scale: float) -> View:
    from twofold.exact.outcomes import Outcomes  # loads kernels
    from twofold.notebook.outcomes import draw_outcomes

    if not isinstance(what, Outcomes):
        raise InvalidInput(
            f"expected a board, a game, a record, an analysis or outcomes, got {shown(what)}"
        )
    if analysis is not None:
        raise InvalidInput("outcomes cannot be shown with an analysis")
    return View(draw_outcomes(what, theme, scale), what.board)


def _shown_of(what: Board | Game | Record | Analysis) -> tuple[Board, str]:
    if isinstance(what, Board):
        return what, ""
    if isinstance(what, Analysis):
        return what.board, ""
    if isinstance(what, Game):
        return what.board, drawing.game_caption(what.score, what.move_number, what.status.value)
    return _ended(what)


def _ended(record: Record) -> tuple[Board, str]:
    board, score = record.ending()
    number = record.start_move + len(record.moves)
    caption = drawing.game_caption(score, number, status_of(board, record.rules).value)
    return board, caption + (drawing.DOT + record.player if record.player else "")
