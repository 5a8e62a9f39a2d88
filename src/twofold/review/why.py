"""Why a move is bad: compares boards a few moves after it with boards after the best move.

A player continues from both, several times and with the same dice. The facts compared (corner,
empty cells, order, ...) do not depend on its values.

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
"""Moves played after the move in question."""

GAMES: Final = 24
"""Games per move, with seeds 0, 1, ..."""

MOST_REASONS: Final = 2

_LEAST: Final[dict[Kind, float]] = {
    "over": 0.1,
    "corner": 0.5,
    "empty": 0.75,
    "order": 0.75,
    "points": 32.0,
    "pairs": 0.75,
}
"""Smallest differences worth mentioning, in order of importance. Our choice."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A difference between the mean boards after the move made and after the best move.

    `over` is the share of finished games, `corner` the share with the largest tile in a corner,
    `empty` the empty cells, `order` the monotone rows and columns, `points` the points made and
    `pairs` the neighbours that can merge.
    """

    kind: Kind
    played: float
    best: float


def why_worse(
    board: Board, rules: Rules, played: Move, best: Move, player: Player, stop: Stop | None = None
) -> list[Reason]:
    """Reasons why a move is worse, the most important first; empty without clear differences.

    `player` plays the moves that follow. `stop` ends this with an empty result.

    Raises:
        IllegalMove: one of the moves changes nothing.
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
    """True if the difference is large enough and visible in the rounded numbers."""
    lost = made[kind] - other[kind] if kind == "over" else other[kind] - made[kind]
    shown = kind in ("over", "corner") or round(made[kind]) != round(other[kind])
    return lost >= _LEAST[kind] and shown


def _facts_after(
    board: Board, rules: Rules, move: Move, player: Player, stop: Stop
) -> dict[Kind, float]:
    seen = [
        _played_on(board, rules, move, player, seed) for seed in range(GAMES) if not stop.is_raised
    ]
    return {kind: statistics.fmean(one[kind] for one in seen) if seen else 0.0 for kind in _LEAST}


def _played_on(
    board: Board, rules: Rules, move: Move, player: Player, seed: int
) -> dict[Kind, float]:
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
    """Number of equal neighbours, ignoring empty cells."""
    tiles = [tile for tile in line if tile]
    return sum(one == other for one, other in pairwise(tiles))
