"""Board values that are not tied to one of the players, as plain functions."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

from tests.support.literal.rules import Grid, empty_cells, position

# The tuned constants of nneonneo/2048-ai, for exponents.
LOST_PENALTY = 200000.0
MONOTONICITY_POWER = 4.0
MONOTONICITY_WEIGHT = 47.0
SUM_POWER = 3.5
SUM_WEIGHT = 11.0
MERGES_WEIGHT = 700.0
EMPTY_WEIGHT = 270.0


def clustering(grid: Grid) -> int:
    """Return the sum over the tiles of their mean distance to the tiles around them.

    The mean is over the non-empty cells of the 3x3 neighbourhood, the tile itself included, and
    is cut to an integer for each tile.
    """
    total = 0
    rows, cols = len(grid), len(grid[0])
    for r in range(rows):
        for c in range(cols):
            if grid[r][c] == 0:
                continue
            near = [
                grid[y][x]
                for y in range(max(0, r - 1), min(rows, r + 2))
                for x in range(max(0, c - 1), min(cols, c + 2))
                if grid[y][x] != 0
            ]
            total += sum(abs(grid[r][c] - tile) for tile in near) // len(near)
    return total


@cache
def row_heuristic_line(line: tuple[int, ...]) -> float:
    """Return the heuristic of nneonneo/2048-ai for one row or column of tile values.

    A run of n equal tiles, blanks between them passed over, counts n merges (n of at least 2).
    """
    exponents = [tile.bit_length() - 1 if tile else 0 for tile in line]
    weight = sum(math.pow(e, SUM_POWER) for e in exponents)
    empty = exponents.count(0)
    merges = sum(run for run in _runs(exponents) if run >= 2)
    powers = [math.pow(e, MONOTONICITY_POWER) for e in exponents]
    falls = sum(a - b for a, b in pairwise(powers) if a > b)
    rises = sum(b - a for a, b in pairwise(powers) if a < b)
    return (
        LOST_PENALTY
        + EMPTY_WEIGHT * empty
        + MERGES_WEIGHT * merges
        - MONOTONICITY_WEIGHT * min(falls, rises)
        - SUM_WEIGHT * weight
    )


def _runs(exponents: list[int]) -> list[int]:
    """Return the lengths of the runs of equal tiles: [1, 1, 0, 1, 2] -> [3, 1]."""
    lengths: list[int] = []
    previous = 0
    for exponent in exponents:
        if exponent == 0:
            continue
        if exponent == previous:
            lengths[-1] += 1
        else:
            lengths.append(1)
        previous = exponent
    return lengths


def row_heuristic(grid: Grid) -> float:
    """Return the heuristic of nneonneo/2048-ai: rows from the top, then columns from the left."""
    board = position(grid)
    total = 0.0
    for line in [*board, *zip(*board, strict=True)]:
        total += row_heuristic_line(line)
    return total


def count_empty(grid: Grid) -> int:
    """Return the number of empty cells."""
    return len(empty_cells(position(grid)))
