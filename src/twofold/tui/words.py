"""Moves and boards in words, for screen readers and the plain terminal.

>>> from twofold import Board, Move
>>> after = Board.parse("1x4:2101")
>>> words_of_move(Board.parse("1x4:1101"), Move.LEFT, after)
'left: 2 and 2 make 4, plus 4, new 2 at row 1, column 4'
"""

from twofold import reference
from twofold.board import Board
from twofold.kernels import BUILT
from twofold.rules import Move


def getting_ready() -> str:
    """The note shown while a player is loading."""
    return "compiling kernels, the first time only ..." if BUILT else "getting ready ..."


def words_of_move(before: Board, move: Move, after: Board) -> str:
    """The merges, points and new tile of a legal move; `after` has the new tile."""
    slide = before.slide(move)
    made = [f"{tile // 2} and {tile // 2} make {tile}" for tile in merges(before, move)]
    parts = [*made, f"plus {slide.reward}"] if made else ["no merge"]
    pairs = zip(slide.board.exponents, after.exponents, strict=True)
    cell = next(cell for cell, (old, new) in enumerate(pairs) if old != new)
    parts.append(f"new {1 << after.exponents[cell]} at {words_of_cell(cell, after.cols)}")
    return f"{move.name.lower()}: {', '.join(parts)}"


def merges(board: Board, move: Move) -> list[int]:
    """The tiles made by a move's merges, line by line."""
    made = []
    for line in reference.lines(board.rows, board.cols, move):
        last = 0  # the tile that may still merge
        for exponent in (board.exponents[cell] for cell in line):
            if exponent and exponent == last:
                made.append(2 << exponent)
                last = 0
            elif exponent:
                last = exponent
    return made


def words_of_cell(cell: int, cols: int) -> str:
    """The position of a cell: `row 1, column 3`."""
    row, col = divmod(cell, cols)
    return f"row {row + 1}, column {col + 1}"


def words_of_board(board: Board) -> list[str]:
    """The board row by row: `row 1: 2, empty, 4, 8`."""
    return [
        f"row {number}: {', '.join(str(tile) if tile else 'empty' for tile in row)}"
        for number, row in enumerate(board.tiles, 1)
    ]
