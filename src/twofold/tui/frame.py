"""Frames: a game at a moment, as it is shown."""

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
    """When the largest tile first was `tile`: the move number, and the time since the start."""

    tile: int
    move_number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class GameFrame:
    """A position of the game and what the player thinks of it.

    Attributes:
        board: the position.
        score: points so far.
        move_number: moves made.
        seconds: time since the start.
        analysis: the player's analysis of this position; None before it is known and at
            the end of the game.
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
    """The position before anything is known of it."""
    return GameFrame(game.board, game.score, game.move_number, 0.0, None, ())


class Chronicle:
    """Makes the frames of a game that goes on: it knows when each tile was reached.

    Args:
        game: the game.
        clock: the time of the game so far, in seconds.
    """

    def __init__(self, game: Game, clock: Callable[[], float]) -> None:
        self._game = game
        self._clock = clock
        self._milestones: tuple[Milestone, ...] = ()
        self._known = game.board.max_tile

    def note(self) -> None:
        """Look whether the last move made a tile that is the largest so far."""
        largest = self._game.board.max_tile
        if largest > self._known:
            self._known = largest
            mark = Milestone(largest, self._game.move_number, self._clock())
            self._milestones += (mark,)

    def frame(self, analysis: "Analysis | None") -> GameFrame:
        """The position now."""
        game = self._game
        return GameFrame(
            game.board, game.score, game.move_number, self._clock(), analysis, self._milestones
        )


def since(clock: Callable[[], float] = time.perf_counter) -> Callable[[], float]:
    """A clock that begins at 0 now."""
    began = clock()
    return lambda: clock() - began
