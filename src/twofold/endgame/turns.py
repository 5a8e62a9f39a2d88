"""The eight symmetries of a board as turns, and the words of cells that kernels read.

A turn is three bits, done in this order: 4 exchanges rows and columns, 2 top and bottom, 1 left
and right. See `twofold.kernels.endgame.cells.turned`.
"""

from collections.abc import Sequence
from typing import Final

from twofold.rules import Move

TURNS: Final = range(8)
"""All turns; 0 changes nothing."""


def turned_cell(cell: int, turn: int) -> int:
    """Where a cell, numbered row by row, is after a turn."""
    row, col = divmod(cell, 4)
    row, col = (col, row) if turn & 4 else (row, col)
    row = 3 - row if turn & 2 else row
    return 4 * row + (3 - col if turn & 1 else col)


def turned_move(move: Move, turn: int) -> int:
    """What a move is after a turn."""
    found = 3 - move if turn & 4 else int(move)
    if turn & 2 and found % 2 == 0:
        found = 2 - found
    return 4 - found if turn & 1 and found % 2 else found


def turn_word(turn: int) -> int:
    """A turn, and from bit 8 on, two bits each, what the moves are after it."""
    return turn | sum(turned_move(move, turn) << (8 + 2 * move) for move in Move)


def before_turn(cells: Sequence[int], turn: int) -> list[int]:
    """The cells that a turn puts into the cells given."""
    return [cell for cell in range(16) if turned_cell(cell, turn) in cells]


def nibbles_mask(cells: Sequence[int]) -> int:
    """The lowest bits of the nibbles of some cells."""
    return sum(1 << (60 - 4 * cell) for cell in cells)


def row_mask(cells: Sequence[int]) -> int:
    """A bit for each of some cells, the first cell the highest of 16."""
    return sum(1 << (15 - cell) for cell in cells)
