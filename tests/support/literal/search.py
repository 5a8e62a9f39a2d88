"""The two general searches, over any board value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
SPAWN = ((2, 0.9), (4, 0.1))
Value = Callable[[Position], float]
ScoredValue = Callable[[Position, int], float]
Ending = Callable[[Position, int], float | None]


def expectimax(
    grid: Grid,
    ply: int,
    value: Value,
    adds_reward: bool = False,
    dead_value: float = 0.0,
    at_state: bool = False,
    spawn: Sequence[tuple[int, float]] = SPAWN,
    order: str = ORDER,
) -> Choice:
    """Return the expectimax move and the value of each legal move.

    Args:
        grid: a state.
        ply: moves that the search looks at; 1 values the afterstates of this board.
        value: what a board is worth.
        adds_reward: whether the rewards of the moves are added to the values.
        dead_value: value of a state without a legal move, where a further move is due.
        at_state: whether `value` is taken of the states one spawn after the last move, dead ones
            included, and not of the last afterstates.
        spawn: (tile, probability) of each spawn.
        order: moves in the order tried; of equal values the first is chosen.
    """
    memo: dict[tuple[Position, int], float] = {}

    def chance(after: Position, d: int) -> float:
        if d == 0 and not at_state:
            return value(after)
        if (after, d) not in memo:
            cells = empty_cells(after)
            total = 0.0
            for cell in cells:
                total += mean(after, cell, d)
            memo[after, d] = total / len(cells)
        return memo[after, d]

    def mean(after: Position, cell: tuple[int, int], d: int) -> float:
        terms = [probability * best(place(after, cell, tile), d) for tile, probability in spawn]
        total = terms[0]
        for term in terms[1:]:
            total += term
        return total

    def best(state: Position, d: int) -> float:
        if d == 0:
            return value(state)
        return max(moves(state, d).values(), default=dead_value)

    def moves(state: Position, d: int) -> dict[str, float]:
        return {
            letter: (reward if adds_reward else 0) + chance(after, d - 1)
            for letter, after, reward in legal(state, order)
        }

    return first_best(moves(position(grid), ply))


def minimax(
    grid: Grid,
    score: int,
    depth: int,
    value: ScoredValue,
    adds_reward: bool = False,
    dead_value: float = 0.0,
    tiles: Sequence[int] = (2, 4),
    order: str = ORDER,
    ending: Ending | None = None,
) -> Choice:
    """Return the move of a two-player search and the value of each legal move.

    Args:
        grid: a state.
        score: points so far; `value` and `ending` are given it with the rewards on the way.
        depth: half-moves, the first move included; 1 values the afterstates of this board.
        value: what a board with this score is worth.
        adds_reward: whether the rewards of the moves are added to the values.
        dead_value: value of a state without a legal move, where a further move is due.
        tiles: what the computer may place in any empty cell.
        order: moves in the order tried; of equal values the first is chosen.
        ending: value of a board where the game ends, None elsewhere; asked before the depth,
            never for the board itself.
    """
    memo: dict[tuple[Position, int, int], float] = {}

    def node(board: Position, points: int, d: int, to_move: bool) -> float:
        over = ending(board, points) if ending else None
        if over is not None:
            return over
        if d == 0:
            return value(board, points)
        return best(board, points, d) if to_move else worst(board, points, d)

    def best(state: Position, points: int, d: int) -> float:
        return max(moves(state, points, d).values(), default=dead_value)

    def worst(after: Position, points: int, d: int) -> float:
        if (after, points, d) not in memo:
            memo[after, points, d] = min(
                node(place(after, cell, tile), points, d - 1, True)
                for cell in empty_cells(after)
                for tile in tiles
            )
        return memo[after, points, d]

    def moves(state: Position, points: int, d: int) -> dict[str, float]:
        return {
            letter: (reward if adds_reward else 0) + node(after, points + reward, d - 1, False)
            for letter, after, reward in legal(state, order)
        }

    return first_best(moves(position(grid), score, depth))
