"""The eight symmetries of a board as turns, and cell masks for the kernels.

A turn is three bits, applied in this order: 4 swaps rows and columns, 2 top and bottom, 1 left
and right. See `twofold.kernels.endgame.cells.turned`.
"""

from collections.abc import Sequence
from typing import Final

from twofold.rules import Move

TURNS: Final = range(8)
"""All turns; 0 is the identity."""


def turned_cell(cell: int, turn: int) -> int:
    """The position of a cell after a turn, numbered row by row."""
    row, col = divmod(cell, 4)
    row, col = (col, row) if turn & 4 else (row, col)
    row = 3 - row if turn & 2 else row
    return 4 * row + (3 - col if turn & 1 else col)


def turned_move(move: Move, turn: int) -> int:
    """The direction of a move after a turn."""
    found = 3 - move if turn & 4 else int(move)
    if turn & 2 and found % 2 == 0:
        found = 2 - found
    return 4 - found if turn & 1 and found % 2 else found


def turn_word(turn: int) -> int:
    """A turn in bits 0 to 7, and from bit 8 on each move's direction after it, two bits each."""
    return turn | sum(turned_move(move, turn) << (8 + 2 * move) for move in Move)


def before_turn(cells: Sequence[int], turn: int) -> list[int]:
    """The cells that a turn moves to the given cells."""
    return [cell for cell in range(16) if turned_cell(cell, turn) in cells]


def nibbles_mask(cells: Sequence[int]) -> int:
    """A mask with the lowest bit of each cell's nibble."""
    return sum(1 << (60 - 4 * cell) for cell in cells)


def row_mask(cells: Sequence[int]) -> int:
    """A 16-bit mask with a bit per cell; the first cell is the highest bit."""
    return sum(1 << (15 - cell) for cell in cells)
