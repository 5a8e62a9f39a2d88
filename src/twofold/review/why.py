"""Why a move is bad: what boards look like a few moves after it, and after the best move.

Nothing here is a value of a player. Both moves are made and the game goes on from each a number of
times, with the same dice for both and with the same player's moves, and the boards that follow are
compared: is the largest tile in a corner, how many cells are empty, and so on, as the terms of the
heuristics count it (`twofold analyse --explain`).

    >>> from twofold import Board, make_player
    >>> board = Board.parse("0000/0000/1001/89ab")
    >>> with make_player("ntuple:ply=1") as player:
    ...     found = why_worse(board, Rules(), Move.UP, Move.LEFT, player)
    >>> [reason.kind for reason in found][:1]
    ['corner']
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from twofold.board import Board
from twofold.game import Game
from twofold.players import Player
from twofold.rules import Move, Rules
from twofold.search.stop import Stop

Kind = Literal["over", "corner", "empty", "order", "points", "pairs"]

MOVES: Final = 6
"""Moves that follow the one that is looked at."""

GAMES: Final = 24
"""How often the game goes on from each move, with the dice of seeds 0, 1, ..."""

MOST_REASONS: Final = 2

_LEAST: Final[dict[Kind, float]] = {
    "over": 0.1,
    "corner": 0.5,
    "empty": 0.75,
    "order": 0.75,
    "points": 32.0,
    "pairs": 0.75,
}
"""Differences from which on a fact is worth saying, the weightiest first: our choice."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A difference between what follows the move that was made and what follows the best one.

    Attributes:
        kind: what differs. `over`: share of the games that are over. `corner`: share that has
            the largest tile in a corner. `empty`: empty cells. `order`: rows and columns whose
            tiles ascend or descend. `points`: points made. `pairs`: neighbours that can merge.
        played: after the move that was made, a mean.
        best: after the best move.
    """

    kind: Kind
    played: float
    best: float


def why_worse(
    board: Board,
    rules: Rules,
    played: Move,
    best: Move,
    player: Player,
    stop: Stop | None = None,
) -> list[Reason]:
    """What a move gives up, the weightiest first; nothing where the boards show no difference.

    Args:
        board: the position.
        rules: its rules.
        played: the move that was made.
        best: the best move.
        player: who makes the moves that follow.
        stop: a flag that another thread may raise: then nothing is said.

    Raises:
        IllegalMove: a move changes nothing there.
    """
    flag = stop or Stop()
    made, other = (_facts_after(board, rules, move, player, flag) for move in (played, best))
    if flag.is_raised:
        return []
    found = [
        Reason(kind, made[kind], other[kind]) for kind in _LEAST if _is_worse(kind, made, other)
    ]
    return found[:MOST_REASONS]


def _is_worse(kind: Kind, made: dict[Kind, float], other: dict[Kind, float]) -> bool:
    """True if the difference is large, and to be seen in the numbers that are shown."""
    lost = made[kind] - other[kind] if kind == "over" else other[kind] - made[kind]
    shown = kind in ("over", "corner") or round(made[kind]) != round(other[kind])
    return lost >= _LEAST[kind] and shown


def _facts_after(
    board: Board, rules: Rules, move: Move, player: Player, stop: Stop
) -> dict[Kind, float]:
    """The means of what the boards after a move show."""
    seen = [
        _played_on(board, rules, move, player, seed) for seed in range(GAMES) if not stop.is_raised
    ]
    return _means(seen)


def _means(seen: Sequence[dict[Kind, float]]) -> dict[Kind, float]:
    return {kind: statistics.fmean(one[kind] for one in seen) if seen else 0.0 for kind in _LEAST}


def _played_on(
    board: Board, rules: Rules, move: Move, player: Player, seed: int
) -> dict[Kind, float]:
    """What the board shows some moves after a move."""
    game = Game.from_board(board, rules, seed)
    player.start(rules, seed)
    game.play(move)
    while game.move_number <= MOVES and not game.is_finished:
        game.play(player.choose(game.board, score=game.score, move_number=game.move_number))
    return _facts(game.board, game.score, is_over=game.is_finished)


def _facts(board: Board, points: int, *, is_over: bool) -> dict[Kind, float]:
    rows = [board.exponents[row * board.cols : (row + 1) * board.cols] for row in range(board.rows)]
    lines = [*rows, *zip(*rows, strict=True)]
    return {
        "over": float(is_over),
        "corner": float(_has_largest_in_corner(rows)),
        "empty": float(len(board.empty_cells)),
        "order": float(sum(map(_is_in_order, lines))),
        "points": float(points),
        "pairs": float(sum(map(_pairs, lines))),
    }


def _has_largest_in_corner(rows: Sequence[Sequence[int]]) -> bool:
    largest = max(max(row) for row in rows)
    return largest in (rows[0][0], rows[0][-1], rows[-1][0], rows[-1][-1])


def _is_in_order(line: Iterable[int]) -> bool:
    steps = list(pairwise(line))
    return all(one <= other for one, other in steps) or all(one >= other for one, other in steps)


def _pairs(line: Iterable[int]) -> int:
    """Equal tiles with nothing between them."""
    tiles = [tile for tile in line if tile]
    return sum(one == other for one, other in pairwise(tiles))
