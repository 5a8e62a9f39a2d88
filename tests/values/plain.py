"""Values of boards as plain functions of their tiles: any shape, any tiles."""

import math
from collections.abc import Sequence
from itertools import pairwise

from tests.support import literal

Grid = Sequence[Sequence[int]]
Rows = list[list[int]]

SNAKE_RATIO = 0.25

# The constants of ov3y/2048-AI.
SMOOTH_WEIGHT = 0.1
MONO_WEIGHT = 1.0
EMPTY_WEIGHT = 2.7
MAX_WEIGHT = 1.0


def turned(grid: Grid) -> list[Rows]:
    """The grid in all eight symmetries."""
    found = []
    rows = [list(row) for row in grid]
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        found += [rows, rows[::-1]]
    return found


def snake(grid: Grid) -> float:
    """Tiles weighted along a snake from a corner.

    4x4 boards, and boards beyond it, in the symmetry of their shape that fits best.
    """

    def along(rows: Rows) -> float:
        path = [tile for r, row in enumerate(rows) for tile in (row if r % 2 == 0 else row[::-1])]
        return math.fsum(tile * SNAKE_RATIO**place for place, tile in enumerate(path))

    rows = [list(row) for row in grid]
    shape = len(rows), len(rows[0])
    if max(shape) <= 4 and shape != (4, 4):
        return along(rows)
    return max(along(each) for each in turned(rows) if (len(each), len(each[0])) == shape)


def datumbox(grid: Grid, score: int) -> float:
    """Datumbox's value, for scores of any size."""
    if score == 0:
        return 0
    empty = sum(tile == 0 for row in grid for tile in row)
    value = math.trunc(score + math.log(score) * empty - literal.clustering(grid))
    return max(value, min(score, 1))


def ordered(grid: Grid) -> float:
    """The value of macroxue/2048-ai: k 2^k for a tile 2^k, in falling order from the corner."""

    def line(tiles: Sequence[int]) -> float:
        worth = [tile * (tile.bit_length() - 1) if tile else 0 for tile in tiles]
        total = worth[0]
        for one, next_one in pairwise(worth):
            total += one + next_one if one >= next_one else -12 * (next_one - one)
            total += one if one == next_one else 0
        return total

    return sum(map(line, grid)) + sum(map(line, zip(*grid, strict=True)))


def smooth(grid: Grid) -> float:
    """The value of ov3y's 2048-AI; a full board counts as one with a single empty cell."""
    exponents = [[tile.bit_length() - 1 if tile else 0 for tile in row] for row in grid]
    columns = [list(column) for column in zip(*exponents, strict=True)]
    empty = sum(row.count(0) for row in exponents)
    return (
        SMOOTH_WEIGHT * _smoothness(exponents)
        + MONO_WEIGHT * (_monotonicity(columns) + _monotonicity(exponents))
        + EMPTY_WEIGHT * math.log(max(empty, 1))
        + MAX_WEIGHT * max(map(max, exponents))
    )


def _smoothness(grid: Rows) -> int:
    """Minus the differences of each tile to the nearest tile to the right and below."""
    total = 0
    for r, row in enumerate(grid):
        for c, tile in enumerate(row):
            if tile == 0:
                continue
            right = [other for other in row[c + 1 :] if other]
            below = [grid[y][c] for y in range(r + 1, len(grid)) if grid[y][c]]
            total -= sum(abs(tile - near[0]) for near in (right, below) if near)
    return total


def _monotonicity(lines: Rows) -> int:
    """The smaller loss, as a number of 0 or less, of falling and of rising lines."""
    falls = rises = 0
    for line in lines:
        current, following = 0, 1
        while following < len(line):
            while following < len(line) and line[following] == 0:
                following += 1
            if following >= len(line):
                following -= 1
            a, b = line[current], line[following]
            if a > b:
                falls += b - a
            elif b > a:
                rises += a - b
            current = following
            following += 1
    return max(falls, rises)


def tile_sum(cells: tuple[int, ...]) -> int:
    return sum({1 << exponent for exponent in cells if exponent})


def downgraded(cells: tuple[int, ...], threshold: int) -> tuple[int, ...]:
    """Halve all tiles above the largest missing one while the different tiles reach a sum."""
    while tile_sum(cells) >= threshold:
        holes = [exponent for exponent in range(1, max(cells)) if exponent not in cells]
        if not holes:
            return cells
        cells = tuple(exponent - (exponent > holes[-1]) for exponent in cells)
    return cells
