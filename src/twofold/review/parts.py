"""Parts of a review: by phase of the game, and by who made the moves.

A phase ends with the move that makes a new largest tile; only a game's last such tiles count.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from twofold.game import Game
from twofold.records.record import Record
from twofold.review.judge import MoveJudgement
from twofold.review.review import Review, positions, review

MOST_TILES: Final = 3
"""Maximum tiles that separate phases: the largest ones made."""

LEAST_TILE: Final = 64
"""Smallest tile that separates phases; earlier moves decide little."""


@dataclass(frozen=True, slots=True)
class GamePhase:
    """A phase: the positions with move numbers from `start` to `end` - 1.

    It begins after the tile `after` is made (0: at the start) and ends when the tile `before` is
    made (0: at the end of the game).
    """

    after: int
    before: int
    start: int
    end: int


def phases(game: Game | Record) -> list[GamePhase]:
    """The phases of a game, at least one."""
    first, last, largest, made = 0, 0, 0, dict[int, int]()
    for one in positions(game):
        if not made:
            first = one.move_number
        largest = max(largest, one.board.max_tile)
        made.setdefault(largest, one.move_number)
        last = one.move_number + 1
    board = game.board if isinstance(game, Game) else game.ending()[0]
    made.setdefault(max(largest, board.max_tile), last)
    cuts = [(tile, at) for tile, at in made.items() if tile >= LEAST_TILE and at > first]
    return _between(first, last, cuts[-MOST_TILES:])


def _between(first: int, last: int, cuts: Sequence[tuple[int, int]]) -> list[GamePhase]:
    """The phases that the given (tile, move number) pairs separate."""
    ends = [*cuts, (0, last)]
    starts = [(0, first), *cuts]
    return [
        GamePhase(after, before, start, end)
        for (after, start), (before, end) in zip(starts, ends, strict=True)
        if start < end
    ]


def by_phase(
    found: Iterable[GamePhase], judgements: Sequence[MoveJudgement]
) -> list[tuple[GamePhase, Review]]:
    """The phases with graded moves, each with its review."""
    parts = [
        (phase, [one for one in judgements if phase.start <= one.move_number < phase.end])
        for phase in found
    ]
    return [(phase, review(part)) for phase, part in parts if part]


def by_maker(
    judgements: Iterable[MoveJudgement], autoplay: Container[int]
) -> tuple[Review | None, Review | None]:
    """Separate reviews of the person's moves and of the helping player's; None without moves.

    `autoplay` holds the numbers of the player's moves, counted from 1.
    """
    own: list[MoveJudgement] = []
    helped: list[MoveJudgement] = []
    for one in judgements:
        (helped if one.move_number + 1 in autoplay else own).append(one)
    return review(own) if own else None, review(helped) if helped else None
