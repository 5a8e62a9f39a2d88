"""The player of "Using Artificial Intelligence to solve the 2048 Game" (Datumbox).

A two-player search in half-moves: the player moves, the computer places a 2 or a 4 where it
hurts most. The score is part of the board value, so rewards are added to it on the way.
"""

from __future__ import annotations

import math

from tests.support.literal.heuristics import clustering, count_empty
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
TILES = (2, 4)
LARGEST = 2**31 - 1
SMALLEST = -(2**31)
Memo = dict[tuple[Position, int, int, bool], int]


def java_int(number: float) -> int:
    """Return `(int) number` as Java has it: NaN is 0, too large or too small saturates."""
    if math.isnan(number):
        return 0
    if number >= LARGEST:
        return LARGEST
    if number <= SMALLEST:
        return SMALLEST
    return math.trunc(number)


def datumbox_value(grid: Grid, score: int) -> int:
    """Return int(score + ln(score) x empty cells - clustering), at least min(score, 1)."""
    logarithm = math.log(score) if score > 0 else -math.inf
    value = java_int(score + logarithm * count_empty(grid) - clustering(grid))
    return max(value, min(score, 1))


def _ending(board: Position, score: int, goal: int) -> int | None:
    """Return the value of a board that is won or lost, None while the game goes on."""
    if any(tile >= goal for row in board for tile in row):
        return LARGEST
    if not empty_cells(board) and not legal(board, ORDER):
        return min(score, 1)
    return None


def datumbox_minimax(grid: Grid, score: int, depth: int, goal: int = 2048) -> Choice:
    """Return the move of the plain two-player search, and the value of each legal move.

    Args:
        grid: a state; the search starts with a move here, even when the goal is already made.
        score: points so far.
        depth: half-moves, the first move included.
        goal: a board that holds a tile of at least this is won.
    """
    memo: Memo = {}
    values: dict[str, float] = {
        letter: _minimax(after, score + reward, depth - 1, False, goal, memo)
        for letter, after, reward in legal(position(grid), ORDER)
    }
    return first_best(values)


def _minimax(board: Position, score: int, depth: int, to_move: bool, goal: int, memo: Memo) -> int:
    key = (board, score, depth, to_move)
    if key not in memo:
        memo[key] = _minimax_node(board, score, depth, to_move, goal, memo)
    return memo[key]


def _minimax_node(
    board: Position, score: int, depth: int, to_move: bool, goal: int, memo: Memo
) -> int:
    ending = _ending(board, score, goal)
    if ending is not None:
        return ending
    if depth == 0:
        return datumbox_value(board, score)
    if to_move:
        return max(
            _minimax(after, score + reward, depth - 1, False, goal, memo)
            for _, after, reward in legal(board, ORDER)
        )
    return min(
        _minimax(place(board, cell, tile), score, depth - 1, True, goal, memo)
        for cell in empty_cells(board)
        for tile in TILES
    )


def datumbox_alphabeta(grid: Grid, score: int, depth: int, goal: int = 2048) -> Choice:
    """Return the move of the search with pruning, and the value of each legal move.

    Args:
        grid: a state; the search starts with a move here, even when the goal is already made.
        score: points so far.
        depth: half-moves, the first move included.
        goal: a board that holds a tile of at least this is won.
    """
    values: dict[str, float] = {
        letter: _computer(after, score + reward, depth - 1, SMALLEST, LARGEST, goal)
        for letter, after, reward in legal(position(grid), ORDER)
    }
    return first_best(values)


def _player(board: Position, score: int, depth: int, alpha: int, beta: int, goal: int) -> int:
    ending = _ending(board, score, goal)
    if ending is not None:
        return ending
    if depth == 0:
        return datumbox_value(board, score)
    for _, after, reward in legal(board, ORDER):
        alpha = max(alpha, _computer(after, score + reward, depth - 1, alpha, beta, goal))
        if beta <= alpha:
            break
    return alpha


def _computer(board: Position, score: int, depth: int, alpha: int, beta: int, goal: int) -> int:
    ending = _ending(board, score, goal)
    if ending is not None:
        return ending
    if depth == 0:
        return datumbox_value(board, score)
    for cell in empty_cells(board):
        for tile in TILES:
            state = place(board, cell, tile)
            beta = min(beta, _player(state, score, depth - 1, alpha, beta, goal))
            if beta <= alpha:
                return beta
    return beta
