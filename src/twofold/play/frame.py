"""Frames: the state of a game at one moment, for display."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twofold.board import Board
from twofold.game import Game

if TYPE_CHECKING:
    from twofold.search.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Milestone:
    """Move number and time at which the largest tile first was `tile`."""

    tile: int
    move_number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class GameFrame:
    """A position and the player's analysis of it.

    Attributes:
        score: points so far.
        seconds: time since the start.
        analysis: None before it is known and at the end of the game.
        milestones: the tiles reached so far, ascending.
    """

    board: Board
    score: int
    move_number: int
    seconds: float
    analysis: "Analysis | None"
    milestones: tuple[Milestone, ...]

    @property
    def moves_per_second(self) -> float:
        """Moves a second since the start."""
        return self.move_number / self.seconds if self.seconds > 0 else 0.0


def first_frame(game: Game) -> GameFrame:
    """The position without an analysis."""
    return GameFrame(game.board, game.score, game.move_number, 0.0, None, ())


class Chronicle:
    """Makes the frames of a running game, with milestones; `clock` gives its time in seconds."""

    def __init__(self, game: Game, clock: Callable[[], float]) -> None:
        self._game = game
        self._clock = clock
        self._milestones: tuple[Milestone, ...] = ()
        self._known = game.board.max_tile

    def note(self) -> None:
        """Add a milestone if the last move made a new largest tile."""
        largest = self._game.board.max_tile
        if largest > self._known:
            self._known = largest
            mark = Milestone(largest, self._game.move_number, self._clock())
            self._milestones += (mark,)

    def frame(self, analysis: "Analysis | None") -> GameFrame:
        """The present frame."""
        game = self._game
        return GameFrame(
            game.board, game.score, game.move_number, self._clock(), analysis, self._milestones
        )


def since(clock: Callable[[], float] = time.perf_counter) -> Callable[[], float]:
    """A clock that starts at 0 now."""
    began = clock()
    return lambda: clock() - began
