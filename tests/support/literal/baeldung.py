"""The player of the Baeldung article "Implementing a 2048 Solver in Java".

After the first move: three rounds of (spawn, move), then the board value. A spawn layer is a
sum, not a mean; each of its terms is truncated towards zero after a product in double.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from tests.support.literal.rules import (
    Choice,
    Grid,
    Position,
    empty_cells,
    first_best,
    legal,
    move,
    place,
    position,
)

ORDER = "udlr"
SPAWNS = ((2, 0.9), (4, 0.1))
Memo = dict[tuple[Position, int], int]


@cache
def baeldung_line(line: tuple[int, ...]) -> int:
    """Return the value of one row or column."""
    tiles = [tile for tile in line if tile != 0]
    merges = down = up = 0
    for first, second in pairwise(tiles):
        if first == second:
            merges += 1
        elif first > second:
            down += first - second
        else:
            up += second - first
    empty = len(line) - len(tiles)
    return 1000 + 250 * empty + 750 * merges - 10 * sum(line) - 50 * min(down, up)


def baeldung_value(grid: Grid) -> int:
    """Return the value of a board: the sum over its rows and its columns."""
    board = position(grid)
    lines = [*board, *zip(*board, strict=True)]
    return sum(baeldung_line(line) for line in lines)


def baeldung_choose(grid: Grid, prune: bool = True, rounds: int = 3) -> Choice:
    """Return the article's move and the value of each candidate.

    Args:
        grid: a state.
        prune: whether moves that change nothing are left out inside the search (at the root
            they always are).
        rounds: rounds of (spawn, move) after the first move; the article has 3.
    """
    board = position(grid)
    memo: Memo = {}
    values: dict[str, float] = {
        letter: _spawns(after, 0, rounds, prune, memo) for letter, after, _ in legal(board, ORDER)
    }
    return first_best(values)


def _spawns(after: Position, depth: int, rounds: int, prune: bool, memo: Memo) -> int:
    """Return the value of an afterstate: the sum over all spawns, or the board value."""
    if depth >= rounds:
        return baeldung_value(after)
    if (after, depth) not in memo:
        total = 0
        for cell in empty_cells(after):
            for tile, weight in SPAWNS:
                value = _moves(place(after, cell, tile), depth + 1, rounds, prune, memo)
                total += int(value * weight)
        memo[after, depth] = total
    return memo[after, depth]


def _moves(state: Position, depth: int, rounds: int, prune: bool, memo: Memo) -> int:
    """Return the largest value over the moves, 0 when there is none."""
    afters = [move(state, letter)[0] for letter in ORDER]
    if prune:
        afters = [after for after in afters if after != state]
    return max((_spawns(after, depth, rounds, prune, memo) for after in afters), default=0)
