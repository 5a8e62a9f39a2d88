"""A walk through a game: the positions one after the other, and the mistakes."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.game import Game
from twofold.review.judge import MISTAKES
from twofold.rules import Move

if TYPE_CHECKING:
    from twofold.review.judge import MoveJudgement


class Walk:
    """A position in a game, and the judgements of its moves; redoable moves are left out.

    Attributes:
        place: number of moves from the start of the game to the position shown.
        judged: the judgements so far, in the order of the moves.
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

    # ---- position

    @property
    def last(self) -> int:
        """The place after the last move."""
        return len(self._steps)

    @property
    def board(self) -> Board:
        """The board at this place."""
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
        """The cell of the newest tile; None at the start."""
        return self._steps[self.place - 1].cell if self.place else None

    @property
    def move(self) -> Move | None:
        """The move made at this place; None at the end."""
        return self._steps[self.place].move if self.place < self.last else None

    @property
    def judgement(self) -> "MoveJudgement | None":
        """The judgement of that move; None if unknown."""
        return self.judged[self.place] if self.place < len(self.judged) else None

    # ---- movement

    def go(self, place: int) -> None:
        """Go to the nearest valid place."""
        self.place = min(max(place, 0), self.last)

    def next_mistake(self) -> bool:
        """Go to the next known mistake; False if there is none."""
        found = bisect_right(self._wrong, self.place)
        return self._go_wrong(found)

    def previous_mistake(self) -> bool:
        """Go to the previous mistake; False if there is none."""
        found = bisect_left(self._wrong, self.place) - 1
        return self._go_wrong(found)

    def _go_wrong(self, found: int) -> bool:
        if 0 <= found < len(self._wrong):
            self.place = self._wrong[found]
            return True
        return False

    def take(self, judgement: "MoveJudgement") -> None:
        """Add the judgement of the next move; called by the thread of the judge."""
        self.judged.append(judgement)
        if judgement.label in MISTAKES:
            self._wrong.append(len(self.judged) - 1)

    @property
    def is_judged(self) -> bool:
        """True if every move is judged."""
        return len(self.judged) == self.last

    @property
    def mistakes(self) -> Sequence[int]:
        """The places of the mistakes found so far, ascending."""
        return self._wrong
