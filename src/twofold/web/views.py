"""Views: boards, rules and the slides of a move as fields of replies."""

from collections.abc import Sequence
from functools import lru_cache

from twofold import reference
from twofold.board import Board
from twofold.rules import Move, Rules
from twofold.web.protocol import RulesInfo, TileSlide


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


# ---- the path of each tile in a move, for the animation


def slides(board: Board, move: Move) -> list[TileSlide]:
    """The start and end cell of each tile in a move, by start cell; an illegal move changes none.

    >>> from twofold import Board, Move
    >>> for slide in slides(Board.parse("1x4:1012"), Move.LEFT):
    ...     print(slide.start, slide.end, slide.merged)
    0 0 True
    2 0 True
    3 1 False
    """
    found: list[TileSlide] = []
    for line in _lines(board.rows, board.cols, move):
        found += _line_slides(line, board.exponents)
    return sorted(found, key=lambda slide: slide.start)


@lru_cache(maxsize=4 * 64)
def _lines(rows: int, cols: int, move: Move) -> tuple[tuple[int, ...], ...]:
    """The cells of each line, starting at the side that the tiles slide to."""
    return tuple(map(tuple, reference.lines(rows, cols, move)))


def _line_slides(line: Sequence[int], exponents: Sequence[int]) -> list[TileSlide]:
    found: list[TileSlide] = []
    last, free = 0, 0  # exponent of the last tile if it can merge; next free place
    for cell in line:
        exponent = exponents[cell]
        if not exponent:
            continue
        if exponent == last:
            found[-1] = TileSlide(found[-1].start, found[-1].end, True)
            found.append(TileSlide(cell, line[free - 1], True))
            last = 0
        else:
            found.append(TileSlide(cell, line[free], False))
            last, free = exponent, free + 1
    return found
