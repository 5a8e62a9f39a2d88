"""Where each tile goes in a move, for the page to animate.

>>> from twofold import Board, Move
>>> for slide in slides(Board.parse("1x4:1012"), Move.LEFT):
...     print(slide.start, slide.end, slide.merged)
0 0 True
2 0 True
3 1 False
"""

from collections.abc import Sequence
from functools import lru_cache

from twofold import reference
from twofold.board import Board
from twofold.rules import Move
from twofold.web.protocol import TileSlide


def slides(board: Board, move: Move) -> tuple[TileSlide, ...]:
    """The way of every tile of a board in a move, in the order of the cells they start from.

    Args:
        board: the board before the move.
        move: the move; an illegal one leaves every tile where it is.
    """
    found: list[TileSlide] = []
    for line in _lines(board.rows, board.cols, move):
        found += _line_slides(line, board.exponents)
    return tuple(sorted(found, key=lambda slide: slide.start))


@lru_cache(maxsize=4 * 64)
def _lines(rows: int, cols: int, move: Move) -> tuple[tuple[int, ...], ...]:
    """The cells of each line, from the side that the move slides towards."""
    return tuple(map(tuple, reference.lines(rows, cols, move)))


def _line_slides(line: Sequence[int], exponents: Sequence[int]) -> list[TileSlide]:
    """The slides of one line: each tile to the next free cell, or into the tile before it."""
    found: list[TileSlide] = []
    last, free = 0, 0  # the tile that may still merge, and the place after it
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
