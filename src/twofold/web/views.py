"""Views: boards and rules as fields of replies."""

from twofold.board import Board
from twofold.rules import Rules
from twofold.web.protocol import RulesInfo


def rules_info(rules: Rules) -> RulesInfo:
    """Rules as fields."""
    return RulesInfo(
        text=str(rules),
        rows=rules.rows,
        cols=rules.cols,
        goal=rules.goal,
        stop_at_goal=rules.stop_at_goal,
        start_tiles=rules.start_tiles,
        spawn=list(rules.spawn),
    )


def tiles_of(board: Board) -> list[int]:
    """The tiles of a board, row by row; 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in board.exponents]


def letters_of(board: Board) -> str:
    """The legal moves of a board."""
    return "".join(move.letter for move in board.legal_moves())
