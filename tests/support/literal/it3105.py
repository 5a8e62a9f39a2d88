"""The players of an IT3105 course report: expectimax on a weight matrix.

Layers are counted downwards from the depth; the even ones are moves, the odd ones spawns.
"""

from __future__ import annotations

from functools import cache

from tests.support.literal.rules import (
    Choice,
    Grid,
    Position,
    empty_cells,
    first_best,
    legal,
    place,
    position,
)

ORDER = "urdl"
SNAKE = ((0, 1, 2, 3), (6, 5, 5, 4), (7, 9, 12, 15), (55, 35, 25, 20))
GRADIENT = ((15, 13, 11, 9), (13, 9, 7, 4), (11, 7, 3, 1), (9, 4, 1, 0))
Memo = dict[tuple[Position, int], float]


def it3105_value(grid: Grid, weights: Grid) -> float:
    """Return twice the sum of tile x weight."""
    rows = zip(grid, weights, strict=True)
    return float(2 * sum(_row_value(tuple(tiles), tuple(row)) for tiles, row in rows))


@cache
def _row_value(tiles: tuple[int, ...], weights: tuple[int, ...]) -> int:
    return sum(tile * weight for tile, weight in zip(tiles, weights, strict=True))


def it3105_depth(grid: Grid) -> int:
    """Return the number of layers: 6, or 8 when fewer than 4 cells are empty."""
    return 8 if len(empty_cells(position(grid))) < 4 else 6


def it3105_choose(
    grid: Grid, weights: Grid, layers: str = "literal", depth: int | None = None
) -> Choice:
    """Return the report's move and the value of each legal move.

    Args:
        grid: a state.
        weights: SNAKE, GRADIENT or any matrix of the same shape.
        layers: "literal": the first move stands before all the layers, so that a second move
            comes before the first spawn; "alternating": the first move is the first layer.
        depth: number of layers, even; None for the report's own rule.
    """
    board = position(grid)
    layers_left = it3105_depth(board) if depth is None else depth
    assert layers_left % 2 == 0, layers_left
    assert layers in ("literal", "alternating"), layers
    if layers == "alternating":
        layers_left -= 1
    memo: Memo = {}
    return first_best(
        {
            letter: _layer(after, layers_left, weights, memo)
            for letter, after, _ in legal(board, ORDER)
        }
    )


def _layer(board: Position, depth: int, weights: Grid, memo: Memo) -> float:
    if depth == 0:
        return it3105_value(board, weights)
    if (board, depth) not in memo:
        search = _moves if depth % 2 == 0 else _spawns
        memo[board, depth] = search(board, depth, weights, memo)
    return memo[board, depth]


def _moves(board: Position, depth: int, weights: Grid, memo: Memo) -> float:
    afters = [after for _, after, _ in legal(board, ORDER)]
    return max((_layer(after, depth - 1, weights, memo) for after in afters), default=0.0)


def _spawns(board: Position, depth: int, weights: Grid, memo: Memo) -> float:
    cells = empty_cells(board)
    total = 0.0
    for cell in cells:
        two = _layer(place(board, cell, 2), depth - 1, weights, memo)
        four = _layer(place(board, cell, 4), depth - 1, weights, memo)
        total += 0.9 * two + 0.1 * four
    return total / len(cells)
