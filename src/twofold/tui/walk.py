"""A walk through a finished or unfinished game: one place after the other, and what was wrong."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.game import Game
from twofold.rules import Move

if TYPE_CHECKING:
    from twofold.review.review import MoveJudgement

MISTAKES: Final = ("mistake", "blunder", "terrible")
"""The labels of moves that a walk stops at."""


class Walk:
    """Where one stands in a game, and what is known of its moves.

    Args:
        game: the game; its redoable moves are left out.

    Attributes:
        place: moves made before the position that is looked at, counted from the first here.
        judged: the judgements so far, by place.
    """

    def __init__(self, game: Game) -> None:
        self.game: Final = game
        self.place = 0
        self.judged: Final[list[MoveJudgement]] = []
        self._steps = game.steps
        self._scores = [game.start_score]
        for step in self._steps:
            self._scores.append(self._scores[-1] + step.reward)
        self._wrong: list[int] = []

    # ---- where one stands

    @property
    def last(self) -> int:
        """The place after the last move."""
        return len(self._steps)

    @property
    def board(self) -> Board:
        """The position that is looked at."""
        return self._steps[self.place - 1].board if self.place else self.game.start_board

    @property
    def score(self) -> int:
        """Points at this place."""
        return self._scores[self.place]

    @property
    def move_number(self) -> int:
        """Moves of the whole game before this place."""
        return self.game.start_move_number + self.place

    @property
    def new(self) -> int | None:
        """The cell of the tile that has just appeared; None at the start."""
        return self._steps[self.place - 1].cell if self.place else None

    @property
    def move(self) -> Move | None:
        """The move that was made here; None at the end."""
        return self._steps[self.place].move if self.place < self.last else None

    @property
    def judgement(self) -> "MoveJudgement | None":
        """What the judge thinks of that move; None before it is known, and at the end."""
        return self.judged[self.place] if self.place < len(self.judged) else None

    # ---- going about

    def go(self, place: int) -> None:
        """Look at a place, the nearest one there is."""
        self.place = min(max(place, 0), self.last)

    def next_mistake(self) -> bool:
        """Go to the next mistake; False, and nowhere, where none is known."""
        found = bisect_right(self._wrong, self.place)
        return self._go_wrong(found)

    def previous_mistake(self) -> bool:
        """Go to the mistake before; False, and nowhere, where there is none."""
        found = bisect_left(self._wrong, self.place) - 1
        return self._go_wrong(found)

    def _go_wrong(self, found: int) -> bool:
        if 0 <= found < len(self._wrong):
            self.place = self._wrong[found]
            return True
        return False

    def take(self, judgement: "MoveJudgement") -> None:
        """Keep the judgement of the next move; called by the thread that judges."""
        self.judged.append(judgement)
        if judgement.label in MISTAKES:
            self._wrong.append(len(self.judged) - 1)

    @property
    def is_judged(self) -> bool:
        """Whether every move is judged."""
        return len(self.judged) == self.last

    @property
    def mistakes(self) -> Sequence[int]:
        """The places of the mistakes found so far."""
        return self._wrong
