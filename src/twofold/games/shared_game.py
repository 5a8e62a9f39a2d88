"""A game shared by a person and a player: moves of both, and the player's analyses.

The player is made and runs in its own thread, so drawing and keys never wait for it. It searches
when its analysis is wanted or it is its turn. An action of the person takes effect at once: the
search of an old position is stopped and its result dropped.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.game.step import Status, Step
from twofold.games.live_game import LiveGame
from twofold.games.mover import (
    AskedPlayer,
    MoveQuestion,
    SpeedWindow,
    analyse,
    next_due,
    question_of,
)
from twofold.players.base import Player
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
    analysis: Analysis | None
    milestones: tuple[Milestone, ...]

    @property
    def moves_per_second(self) -> float:
        """Moves a second since the start."""
        return self.move_number / self.seconds if self.seconds > 0 else 0.0


class Chronicle:
    """Makes the frames of a running game: its milestones, and the time without pauses."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._milestones: tuple[Milestone, ...] = ()
        self._known = game.board.max_tile
        self._spent = 0.0
        self._since: float | None = None  # None while paused

    def run(self, on: bool) -> None:
        """Start or stop the clock."""
        self._spent = self._seconds()
        self._since = time.monotonic() if on else None

    def _seconds(self) -> float:
        return self._spent + (0.0 if self._since is None else time.monotonic() - self._since)

    def note(self) -> None:
        """Add a milestone if the last move made a new largest tile."""
        largest = self._game.board.max_tile
        if largest > self._known:
            self._known = largest
            mark = Milestone(largest, self._game.move_number, self._seconds())
            self._milestones += (mark,)

    def frame(self, analysis: Analysis | None = None) -> GameFrame:
        """The present frame."""
        game = self._game
        return GameFrame(
            game.board, game.score, game.move_number, self._seconds(), analysis, self._milestones
        )


QUICK: Final = 0.1
"""If a player searches for less, a position is shown only with its analysis."""

BREATH_EVERY: Final = 0.001
BREATH: Final = 0.001
"""A player at full speed sleeps BREATH seconds after each BREATH_EVERY seconds, since Python runs
one thread at a time and drawing would have to wait. Longer searches run in kernels, which release
the interpreter's lock."""


@dataclass(frozen=True, slots=True)
class SharedNow:
    """The state of a shared game.

    Attributes:
        frame: the position, with the player's analysis if it is known and wanted.
        new: cell of the newest tile.
        version: changes with every change of the state.
        auto: True if the player plays on.
        is_loading: True if the player is wanted and not ready.
        moves_per_second: over the last second.
    """

    frame: GameFrame
    new: int | None
    version: int
    status: Status
    auto: bool
    is_loading: bool
    moves_per_second: float

    @property
    def is_finished(self) -> bool:
        """True if no move can be made."""
        return self.status in (Status.OVER, Status.STOPPED)


class SharedGame:
    """A game, a person and a player. Every method may be called from any thread.

    Args:
        live: the game; from now on its moves are made only here.
        make: makes the player for rules, in the player's thread.
        pace: limit of the player's moves a second; None for no limit.
        spec: the player as the user would type it.

    Attributes:
        live: the game and where it is saved; replaced by `seat`.
        spec: names the player in the record.
        title: names it on the screen.
        pace: set by `set_pace`.
        hints: True if the player's analyses are wanted; set by `want_hints`.
        error: the exception that ended the player.
        on_player: called after each move of the player, in its thread, under the lock.
    """

    def __init__(
        self,
        live: LiveGame,
        make: Callable[[Rules], Player],
        pace: float | None = None,
        spec: str = "",
    ) -> None:
        self.spec = self.title = spec
        self.error: Exception | None = None
        self.on_player: Callable[[], object] = lambda: None
        self._player = AskedPlayer(make, self._next_question, self._answer, self._failed)
        self.pace = pace
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._is_ready = self._closed = False
        self._auto = self.hints = self._as_hint = False
        self._owed = 0  # moves to make at once, without the pace
        self._version = 0
        self._asked: MoveQuestion | None = None
        self._rested = 0.0  # when the player's thread slept last
        self._seat(live)

    def _seat(self, live: LiveGame) -> None:
        self.live = live
        self._game = game = live.game
        self._chronicle = Chronicle(game)
        self._speeds = SpeedWindow()
        self._due = 0.0
        self._answer_seconds = 0.0
        self._new: int | None = None
        self._analysis: Analysis | None = None
        self._shown: tuple[GameFrame, int | None] = self._chronicle.frame(), self._new

    # ---- state

    @property
    def now(self) -> SharedNow:
        """The present state."""
        with self._lock:
            frame, new = self._shown
            loading = self._player.is_started and not self._is_ready and self.error is None
            return SharedNow(
                frame,
                new,
                self._version,
                self._game.status,
                self._auto,
                loading,
                self._speeds.speed if self._auto else 0.0,
            )

    @contextmanager
    def held(self) -> Iterator[Game]:
        """The game, under the lock; then a version that another program saved is shown."""
        with self._lock:
            yield self._game
            if self.live.game is not self._game:
                self.seat(self.live)

    # ---- the person

    def play(self, move: Move) -> Step:
        """Make a move of the person, who takes over from the player."""
        with self._lock:
            self._stand_by()
            step = self._game.play(move)
            self.live.note_move()
            self._moved(step.cell)
            return step

    def undo(self) -> Step:
        """Undo the last move."""
        with self._lock:
            self.live.refuse_in_daily("undo")
            self._stand_by()
            step = self._game.undo()
            self._moved(None)
            return step

    def redo(self) -> Step:
        """Redo the last undone move."""
        with self._lock:
            self._stand_by()
            step = self._game.redo()
            self._moved(step.cell)
            return step

    def seat(self, live: LiveGame) -> None:
        """Continue with another game."""
        with self._lock:
            self._stand_by()
            self._drop_question()
            self._seat(live)
            self._show()

    # ---- the player

    def play_on(self, on: bool) -> None:
        """Start or stop the player."""
        with self._lock:
            if on and not self._game.is_finished:
                self._auto = True
                self._due = time.monotonic()
                self._speeds.clear()
                self._chronicle.run(self._is_ready)
                self._changed()
            elif not on:
                self._stand_by()

    def play_one(self, *, as_hint: bool = False) -> None:
        """Let the player make one move, which may be a hint for the person."""
        with self._lock:
            if not self._game.is_finished:
                self._stand_by()
                self._owed, self._as_hint = 1, as_hint
                self._changed()

    def want_hints(self, on: bool) -> None:
        """Switch the player's analyses on or off."""
        with self._lock:
            self.hints = on
            if not on and not self._auto:
                self._drop_question()
            self._show()

    def set_pace(self, pace: float | None) -> None:
        """Limit the player's moves a second; None for no limit."""
        with self._lock:
            self.pace = pace
            self._due = time.monotonic()
            self._changed()

    def close(self) -> None:
        """End the player; the game stays as it is."""
        with self._lock:
            self._closed = True
            self._stand_by()
            self._drop_question()
            self._turn.notify_all()
        self._player.close()

    # ---- under the lock

    def _stand_by(self) -> None:
        """Stop the player's moves, and show the present position."""
        self._auto = False
        self._owed = 0
        self._chronicle.run(False)
        self._show()

    def _show(self) -> None:
        analysis = self._analysis if self.hints or self._auto else None
        self._shown = self._chronicle.frame(analysis), self._new
        self._changed()

    def _moved(self, new: int | None) -> None:
        self._drop_question()
        self._new = new
        self._chronicle.note()
        if self._game.is_finished:
            self._stand_by()
        self._speeds.mark(self._game.move_number)
        # A quick player has its analysis soon: the position is drawn together with it.
        if not self._auto or self._answer_seconds > QUICK:
            self._show()

    def _drop_question(self) -> None:
        self._analysis = None
        if self._asked is not None:
            self._asked.stop.raise_flag()
            self._asked = None

    def _changed(self) -> None:
        self._version += 1
        self._turn.notify_all()
        if self._is_asking:
            self._player.start()

    # ---- the thread of the player

    def _next_question(self) -> MoveQuestion | None:
        """Wait for a position to search; moves that are due are made meanwhile."""
        with self._lock:
            while not self._closed and self.error is None:
                if self._is_asking:
                    self._asked = question_of(self._game)
                    return self._asked
                wait = self._make_due_move()
                if wait is None or wait > 0:
                    self._turn.wait(wait)
        return None

    @property
    def _is_asking(self) -> bool:
        wanted = self._auto or self._owed > 0 or self.hints
        return wanted and self._analysis is None and not (self._closed or self._game.is_finished)

    def _answer(self, player: Player, asked: MoveQuestion) -> None:
        with self._lock:
            if not self._is_ready:  # the clock of the game starts now
                self._is_ready = True
                self._due = time.monotonic()
                self._chronicle.run(self._auto)
                self._changed()
        began = time.monotonic()
        analysis = analyse(player, asked)
        seconds = time.monotonic() - began
        self._take(asked, analysis, seconds)
        if seconds >= BREATH / 2:
            self._rested = time.monotonic()
        elif time.monotonic() - self._rested >= BREATH_EVERY:
            time.sleep(BREATH)
            self._rested = time.monotonic()

    def _take(self, asked: MoveQuestion, analysis: Analysis, seconds: float) -> None:
        """Use an analysis, unless the position has changed."""
        with self._lock:
            if self._asked is asked:
                self._asked = None
                self._analysis = analysis
                self._answer_seconds = seconds
                self._show()

    def _failed(self, asked: MoveQuestion, error: Exception) -> None:
        with self._lock:
            self.error = error
            self._stand_by()

    def _make_due_move(self) -> float | None:
        """Make the player's move if it is due: 0. Else the seconds to wait, or None for no move."""
        if self._analysis is None or not (self._auto or self._owed):
            return None
        now = time.monotonic()
        if not self._owed and self.pace is not None and now < self._due:
            return self._due - now
        as_hint = self._owed > 0 and self._as_hint
        step = self.live.play_for(self.spec, self._analysis.best, as_hint=as_hint)
        self._owed = max(0, self._owed - 1)
        self.on_player()
        if self.pace is not None:
            self._due = next_due(self._due, self.pace, now)
        self._moved(step.cell)
        return 0.0
