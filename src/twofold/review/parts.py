"""Parts of a review: what the judgements say of each phase of a game, and of who made the moves.

A phase ends with the move that makes a larger tile than all before: the last tiles that were made
divide a game, and each phase is called after the tile that it led to.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from twofold.game import Game
from twofold.records.record import Record
from twofold.review.judge import MoveJudgement
from twofold.review.review import Review, positions, review

MOST_TILES: Final = 3
"""Most tiles that divide a game: the largest ones that were made."""

LEAST_TILE: Final = 64
"""Smallest tile that divides a game: before it nothing is decided."""


@dataclass(frozen=True, slots=True)
class GamePhase:
    """A stretch of a game.

    Attributes:
        after: the largest tile when it begins, if that divides the game; 0 at the start.
        before: the tile that its last move makes; 0 where the game ends first.
        start: move number of its first position.
        end: move number after its last move.
    """

    after: int
    before: int
    start: int
    end: int


def phases(game: Game | Record) -> list[GamePhase]:
    """The phases of a game; one for a game that no large tile divides."""
    first, last, largest, made = 0, 0, 0, dict[int, int]()
    for one in positions(game):
        if not made:
            first = one.move_number
        largest = max(largest, one.board.max_tile)
        made.setdefault(largest, one.move_number)
        last = one.move_number + 1
    end = game.board.max_tile if isinstance(game, Game) else _largest_at_end(game)
    made.setdefault(max(largest, end), last)
    cuts = [(tile, at) for tile, at in made.items() if tile >= LEAST_TILE and at > first]
    return _between(first, last, cuts[-MOST_TILES:])


def _largest_at_end(record: Record) -> int:
    return record.final.max_tile if record.final is not None else record.replay().board.max_tile


def _between(first: int, last: int, cuts: Sequence[tuple[int, int]]) -> list[GamePhase]:
    """The stretches before, between and after the moves that made some tiles."""
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
    """Each phase of which a move was judged, with its review."""
    parts = [
        (phase, [one for one in judgements if phase.start <= one.move_number < phase.end])
        for phase in found
    ]
    return [(phase, review(part)) for phase, part in parts if part]


def by_maker(
    judgements: Iterable[MoveJudgement], autoplay: Container[int]
) -> tuple[Review | None, Review | None]:
    """The moves of the person and those of the player that helped, reviewed apart.

    Args:
        judgements: in order.
        autoplay: the moves of the player, the first move of a game being 1.

    Returns:
        Both reviews; None where there is no such move.
    """
    own: list[MoveJudgement] = []
    helped: list[MoveJudgement] = []
    for one in judgements:
        (helped if one.move_number + 1 in autoplay else own).append(one)
    return review(own) if own else None, review(helped) if helped else None
