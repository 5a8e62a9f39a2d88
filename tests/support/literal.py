"""Slow, literal transcriptions of published decision rules: oracles for the fast kernels.

Boards are lists of rows of tile values (0, 2, 4, ...). Nothing here imports the package, so an
error in the package cannot hide behind the same error here. Every `*_choose` and every search
returns `(letter, values)`: the first best move in the order of its source, None on a dead board,
and the value of each candidate move.

Cost, in milliseconds a board of `boards(most_empty=3)` on one core of a shared server: baeldung
3 rounds 220, 2 rounds 12; alphabeta depth 7 150, 5 16; it3105 literal depth 8
2,000, 6 120, 4 8; alternating 8 520, 6 30, 4 2. Many boards at a small depth and a few at the
published one fit a test run.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise

Grid = Sequence[Sequence[int]]
Position = tuple[tuple[int, ...], ...]
Choice = tuple[str | None, dict[str, float]]

# ---- the rules, for any shape


def position(grid: Grid) -> Position:
    """The grid as nested tuples, which can be a key of a dict."""
    return tuple(tuple(row) for row in grid)


@cache
def slide(row: tuple[int, ...], letter: str) -> tuple[tuple[int, ...], int]:
    """Slide one row to the left or right: (2, 2, 2, 2) -> (4, 4, 0, 0) and the reward 8."""
    if letter == "r":
        after, reward = slide(row[::-1], "l")
        return after[::-1], reward
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


def transposed(board: Position) -> Position:
    """Rows as columns."""
    return tuple(zip(*board, strict=True))


def move(board: Position, letter: str) -> tuple[Position, int]:
    """(afterstate, reward) of the move u, r, d or l; an illegal one returns the board."""
    if letter in "ud":
        after, reward = move(transposed(board), "l" if letter == "u" else "r")
        return transposed(after), reward
    rows, rewards = zip(*(slide(row, letter) for row in board), strict=True)
    return rows, sum(rewards)


@lru_cache(maxsize=1 << 15)
def legal(board: Position, order: str) -> list[tuple[str, Position, int]]:
    """(letter, afterstate, reward) of each move that changes the board, in this order."""
    tried = [(letter, *move(board, letter)) for letter in order]
    return [(letter, after, reward) for letter, after, reward in tried if after != board]


def empty_cells(board: Grid) -> list[tuple[int, int]]:
    """(row, column) of the empty cells in row-major order."""
    return [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if tile == 0]


def place(board: Position, cell: tuple[int, int], tile: int) -> Position:
    """The board with this tile in this cell."""
    r, c = cell
    row = board[r]
    return (*board[:r], (*row[:c], tile, *row[c + 1 :]), *board[r + 1 :])


def first_best(values: dict[str, float]) -> Choice:
    """The first letter, in the order of insertion, with the largest value."""
    return max(values, key=values.__getitem__, default=None), values


# ---- nneonneo/2048-ai: its tuned constants, for exponents

LOST_PENALTY = 200000.0
MONOTONICITY_POWER = 4.0
MONOTONICITY_WEIGHT = 47.0
SUM_POWER = 3.5
SUM_WEIGHT = 11.0
MERGES_WEIGHT = 700.0
EMPTY_WEIGHT = 270.0


@cache
def row_heuristic_line(line: tuple[int, ...]) -> float:
    """The heuristic for one row or column of tile values.

    A run of n equal tiles, blanks between them passed over, counts n merges (n of at least 2).
    """
    exponents = [tile.bit_length() - 1 if tile else 0 for tile in line]
    weight = sum(math.pow(e, SUM_POWER) for e in exponents)
    runs = [len(list(run)) for _, run in groupby(filter(None, exponents))]
    powers = [math.pow(e, MONOTONICITY_POWER) for e in exponents]
    falls = sum(a - b for a, b in pairwise(powers) if a > b)
    rises = sum(b - a for a, b in pairwise(powers) if a < b)
    return (
        LOST_PENALTY
        + EMPTY_WEIGHT * exponents.count(0)
        + MERGES_WEIGHT * sum(run for run in runs if run >= 2)
        - MONOTONICITY_WEIGHT * min(falls, rises)
        - SUM_WEIGHT * weight
    )


def row_heuristic(grid: Grid) -> float:
    """The heuristic of a board: rows from the top, then columns from the left."""
    board = position(grid)
    total = 0.0
    for line in [*board, *transposed(board)]:
        total += row_heuristic_line(line)
    return total


# ---- the Baeldung article "Implementing a 2048 Solver in Java"


@cache
def baeldung_line(line: tuple[int, ...]) -> int:
    """The value of one row or column."""
    tiles = [tile for tile in line if tile != 0]
    merges = sum(first == second for first, second in pairwise(tiles))
    down = sum(max(0, first - second) for first, second in pairwise(tiles))
    up = sum(max(0, second - first) for first, second in pairwise(tiles))
    empty = len(line) - len(tiles)
    return 1000 + 250 * empty + 750 * merges - 10 * sum(line) - 50 * min(down, up)


def baeldung_value(grid: Grid) -> int:
    """The value of a board: the sum over its rows and its columns."""
    board = position(grid)
    return sum(baeldung_line(line) for line in [*board, *transposed(board)])


def baeldung_choose(grid: Grid, prune: bool = True, rounds: int = 3) -> Choice:
    """The article's move and the value of each candidate.

    After the first move: rounds of (spawn, move), then the board value. A spawn layer is a sum,
    not a mean; each of its terms is truncated towards zero after a product in double.

    Args:
        grid: a state.
        prune: whether moves that change nothing are left out inside the search (at the root
            they always are).
        rounds: rounds of (spawn, move) after the first move; the article has 3.
    """
    order = "udlr"

    @cache
    def spawns(after: Position, depth: int) -> int:
        if depth >= rounds:
            return baeldung_value(after)
        return sum(
            int(moves(place(after, cell, tile), depth + 1) * weight)
            for cell in empty_cells(after)
            for tile, weight in ((2, 0.9), (4, 0.1))
        )

    def moves(state: Position, depth: int) -> int:
        """The largest value over the moves, 0 when there is none."""
        afters = [move(state, letter)[0] for letter in order]
        return max((spawns(a, depth) for a in afters if not (prune and a == state)), default=0)

    return first_best(
        {letter: spawns(after, 0) for letter, after, _ in legal(position(grid), order)}
    )


# ---- "Using Artificial Intelligence to solve the 2048 Game" (Datumbox)

LARGEST = 2**31 - 1
SMALLEST = -(2**31)


def java_int(number: float) -> int:
    """`(int) number` as Java has it: NaN is 0, too large or too small saturates."""
    if math.isnan(number):
        return 0
    return math.trunc(min(max(number, SMALLEST), LARGEST))


def clustering(grid: Grid) -> int:
    """The sum over the tiles of their mean distance to the tiles around them.

    The mean is over the non-empty cells of the 3x3 neighbourhood, the tile itself included, and
    is cut to an integer for each tile.
    """
    total = 0
    for r, c in [(r, c) for r, row in enumerate(grid) for c, tile in enumerate(row) if tile]:
        lines = [line[max(0, c - 1) : c + 2] for line in grid[max(0, r - 1) : r + 2]]
        near = [tile for line in lines for tile in line if tile]
        total += sum(abs(grid[r][c] - tile) for tile in near) // len(near)
    return total


def datumbox_value(grid: Grid, score: int) -> int:
    """int(score + ln(score) x empty cells - clustering), at least min(score, 1)."""
    logarithm = math.log(score) if score > 0 else -math.inf
    value = java_int(score + logarithm * len(empty_cells(grid)) - clustering(grid))
    return max(value, min(score, 1))


def _ending(board: Position, score: int, depth: int, goal: int) -> int | None:
    """The value of a board that is won or lost or at the end of the search, else None."""
    if any(tile >= goal for row in board for tile in row):
        return LARGEST
    if not empty_cells(board) and not legal(board, "urdl"):
        return min(score, 1)
    return datumbox_value(board, score) if depth == 0 else None


def datumbox_alphabeta(grid: Grid, score: int, depth: int, goal: int = 2048) -> Choice:
    """The move of the two-player search with pruning, and the value of each legal move.

    A search in half-moves: the player moves, the computer places a 2 or a 4 where it hurts most.
    The score is part of the board value, so rewards are added to it on the way.

    Args:
        grid: a state; the search starts with a move here, even when the goal is already made.
        score: points so far.
        depth: half-moves, the first move included.
        goal: a board that holds a tile of at least this is won.
    """

    def computer(board: Position, score: int, depth: int, alpha: int, beta: int) -> int:
        ending = _ending(board, score, depth, goal)
        if ending is not None:
            return ending
        for cell in empty_cells(board):
            for tile in (2, 4):
                state = place(board, cell, tile)
                beta = min(beta, player(state, score, depth - 1, alpha, beta))
                if beta <= alpha:
                    return beta
        return beta

    def player(board: Position, score: int, depth: int, alpha: int, beta: int) -> int:
        ending = _ending(board, score, depth, goal)
        if ending is not None:
            return ending
        for _, after, reward in legal(board, "urdl"):
            alpha = max(alpha, computer(after, score + reward, depth - 1, alpha, beta))
            if beta <= alpha:
                break
        return alpha

    moves = legal(position(grid), "urdl")
    bounds = SMALLEST, LARGEST
    return first_best(
        {letter: computer(a, score + gain, depth - 1, *bounds) for letter, a, gain in moves}
    )


# ---- an IT3105 course report: expectimax on a weight matrix

SNAKE = ((0, 1, 2, 3), (6, 5, 5, 4), (7, 9, 12, 15), (55, 35, 25, 20))
GRADIENT = ((15, 13, 11, 9), (13, 9, 7, 4), (11, 7, 3, 1), (9, 4, 1, 0))


@cache
def it3105_row(tiles: tuple[int, ...], weights: tuple[int, ...]) -> int:
    """The sum of tile x weight of a row."""
    return sum(tile * weight for tile, weight in zip(tiles, weights, strict=True))


def it3105_value(grid: Grid, weights: Grid) -> float:
    """Twice the sum of tile x weight."""
    return float(2 * sum(map(it3105_row, map(tuple, grid), map(tuple, weights))))


def it3105_depth(grid: Grid) -> int:
    """The number of layers: 6, or 8 when fewer than 4 cells are empty."""
    return 8 if len(empty_cells(grid)) < 4 else 6


def it3105_choose(
    grid: Grid, weights: Grid, layers: str = "literal", depth: int | None = None
) -> Choice:
    """The report's move and the value of each legal move.

    Layers are counted downwards from the depth; the even ones are moves, the odd ones spawns.

    Args:
        grid: a state.
        weights: SNAKE, GRADIENT or any matrix of the same shape.
        layers: "literal": the first move stands before all the layers, so that a second move
            comes before the first spawn; "alternating": the first move is the first layer.
        depth: number of layers, even; None for the report's own rule.
    """
    depth = it3105_depth(grid) if depth is None else depth
    assert depth % 2 == 0, depth
    assert layers in ("literal", "alternating"), layers

    @cache
    def layer(board: Position, depth: int) -> float:
        if depth == 0:
            return it3105_value(board, weights)
        if depth % 2 == 0:
            afters = [after for _, after, _ in legal(board, "urdl")]
            return max((layer(after, depth - 1) for after in afters), default=0.0)
        cells, total = empty_cells(board), 0.0
        for cell in cells:
            two, four = (layer(place(board, cell, tile), depth - 1) for tile in (2, 4))
            total += 0.9 * two + 0.1 * four
        return total / len(cells)

    first = depth if layers == "literal" else depth - 1
    moves = legal(position(grid), "urdl")
    return first_best({letter: layer(after, first) for letter, after, _ in moves})
