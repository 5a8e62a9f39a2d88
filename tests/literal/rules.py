"""The rules of the game on rows of tile values, for any shape."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

Grid = Sequence[Sequence[int]]
Position = tuple[tuple[int, ...], ...]
Choice = tuple[str | None, dict[str, float]]


def position(grid: Grid) -> Position:
    """Return the grid as nested tuples, which can be a key of a dict."""
    return tuple(tuple(row) for row in grid)


@cache
def slide_left(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Slide one row to the left: (2, 2, 2, 2) -> (4, 4, 0, 0) and the reward 8."""
    waiting = [tile for tile in row if tile]
    done: list[int] = []
    reward = 0
    while waiting:
        tile = waiting.pop(0)
        if waiting and waiting[0] == tile:
            tile += waiting.pop(0)
            reward += tile
        done.append(tile)
    return tuple(done + [0] * (len(row) - len(done))), reward


def _left(board: Position) -> tuple[Position, int]:
    slid = [slide_left(row) for row in board]
    return tuple(row for row, _ in slid), sum(reward for _, reward in slid)


def _mirror(board: Position) -> Position:
    return tuple(row[::-1] for row in board)


def _transpose(board: Position) -> Position:
    return tuple(zip(*board, strict=True))


def move(board: Position, letter: str) -> tuple[Position, int]:
    """Return (afterstate, reward) of the move u, r, d or l; an illegal one returns the board."""
    if letter == "l":
        return _left(board)
    if letter == "r":
        after, reward = _left(_mirror(board))
        return _mirror(after), reward
    if letter == "u":
        after, reward = _left(_transpose(board))
        return _transpose(after), reward
    after, reward = _left(_mirror(_transpose(board)))
    return _transpose(_mirror(after)), reward


def legal(board: Position, order: str) -> list[tuple[str, Position, int]]:
    """Return (letter, afterstate, reward) of each move that changes the board, in this order."""
    tried = [(letter, *move(board, letter)) for letter in order]
    return [(letter, after, reward) for letter, after, reward in tried if after != board]


def is_dead(board: Position) -> bool:
    """Return whether no move changes the board."""
    return not legal(board, "urdl")


def empty_cells(board: Position) -> list[tuple[int, int]]:
    """Return (row, column) of the empty cells in row-major order."""
    return [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if tile == 0]


def place(board: Position, cell: tuple[int, int], tile: int) -> Position:
    """Return the board with this tile in this cell."""
    r, c = cell
    row = board[r]
    return (*board[:r], (*row[:c], tile, *row[c + 1 :]), *board[r + 1 :])


def first_best(values: dict[str, float]) -> Choice:
    """Return the first letter, in the order of insertion, with the largest value."""
    best: str | None = None
    for letter, value in values.items():
        if best is None or value > values[best]:
            best = letter
    return best, values
