"""The rules of the game on rows of tile values, for any shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

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


@cache
def slide_right(row: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Slide one row to the right: (2, 2, 2, 0) -> (0, 0, 2, 4) and the reward 4."""
    after, reward = slide_left(row[::-1])
    return after[::-1], reward


def _rows(
    board: Position, slide: Callable[[tuple[int, ...]], tuple[tuple[int, ...], int]]
) -> tuple[Position, int]:
    rows, rewards = zip(*map(slide, board), strict=True)
    return rows, sum(rewards)


def _transpose(board: Position) -> Position:
    return tuple(zip(*board, strict=True))


def move(board: Position, letter: str) -> tuple[Position, int]:
    """Return (afterstate, reward) of the move u, r, d or l; an illegal one returns the board."""
    if letter in "lr":
        return _rows(board, slide_left if letter == "l" else slide_right)
    after, reward = _rows(_transpose(board), slide_left if letter == "u" else slide_right)
    return _transpose(after), reward


@lru_cache(maxsize=1 << 15)
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
