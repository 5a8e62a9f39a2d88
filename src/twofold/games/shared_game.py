"""A game shared by a person and a player: moves of both, and the player's analyses.

The player is made and runs in its own thread, so drawing and keys never wait for it. It searches
when its analysis is wanted or it is its turn. An action of the person takes effect at once: the
search of an old position is stopped and its result dropped.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import Move, Rules
from twofold.game.step import Status, Step
from twofold.games.live_game import LiveGame
from twofold.games.mover import MoveQuestion, SpeedWindow, analyse, next_due, question_of
from twofold.games.threads import IMPORTING, start_thread
from twofold.players.base import Player, as_fault
from twofold.search.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Milestone:
    """Move number and time at which the largest tile first was `tile`."""

    tile: int
    move_number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class GameFrame:
    """A position and the player's analysis of it, and the state of the game that has it.

    Attributes:
        score: points so far.
        seconds: time since the start.
        status: of the game.
        milestones: the tiles reached so far, ascending.
        analysis: None before it is known and at the end of the game.
        new: cell of the newest tile.
        version: changes with every change of the state.
        auto: True if the player plays on.
        is_loading: True if the player is wanted and not ready.
        speed: moves a second over the last second, while the player plays on.
    """

    board: Board
    score: int
    move_number: int
    seconds: float
    status: Status
    milestones: tuple[Milestone, ...]
    analysis: Analysis | None = None
    new: int | None = None
    version: int = 0
    auto: bool = False
    is_loading: bool = False
    speed: float = 0.0

    @property
    def is_finished(self) -> bool:
        """True if no move can be made."""
        return self.status in (Status.OVER, Status.STOPPED)

    @property
    def mean_speed(self) -> float:
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
            self._milestones += (Milestone(largest, self._game.move_number, self._seconds()),)

    def frame(self, analysis: Analysis | None = None, new: int | None = None) -> GameFrame:
        """The present frame."""
        game, seconds = self._game, self._seconds()
        marks = self._milestones
        return GameFrame(
            game.board, game.score, game.move_number, seconds, game.status, marks, analysis, new
        )


QUICK: Final = 0.1
"""If a player searches for less, a position is shown only with its analysis."""

BREATH_EVERY: Final = 0.001
BREATH: Final = 0.001
"""A player at full speed sleeps BREATH seconds after each BREATH_EVERY seconds, since Python runs
one thread at a time and drawing would have to wait. Longer searches run in kernels, which release
the interpreter's lock."""

CLOSE_SECONDS: Final = 1.0
"""Timeout for the player's last search when it is closed."""


class SharedGame:
    """A game, a person and a player. Every method may be called from any thread.

    Args:
        live: the game; from now on its moves are made only here.
        make: makes the player for the rules of the game, in the player's thread.
        pace: limit of the player's moves a second; None for no limit.
        spec: the player as the user would type it.
        slow_moves: after this number of moves the limit ends, unless it is set anew; 0 for never.

    Attributes:
        live: the game and where it is saved; replaced by `seat`.
        spec: names the player in the record.
        title: names it on the screen.
        pace: set by `set_pace`.
        hints: True if the player's analyses are wanted; set by `want_hints`.
        error: the exception that ended the player.
    """

    def __init__(
        self,
        live: LiveGame,
        make: Callable[[Rules], Player],
        pace: float | None = None,
        spec: str = "",
        slow_moves: int = 0,
    ) -> None:
        self.spec = self.title = spec
        self.pace, self._slow_moves = pace, slow_moves
        self.error: Exception | None = None
        self._make = make
        self._thread: threading.Thread | None = None  # of the player, once it is wanted
        self._turn = threading.Condition(threading.RLock())  # held by all methods
        self._is_ready = self._closed = False
        self._auto = self.hints = self._as_hint = False
        self._owed = 0  # moves to make at once, without the pace
        self._version = 0
        self._asked: MoveQuestion | None = None
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
        self._shown = self._chronicle.frame()

    @property
    def now(self) -> GameFrame:
        """The present state, with the player's analysis if it is known and wanted."""
        with self._turn:
            return replace(
                self._shown,
                status=self._game.status,
                version=self._version,
                auto=self._auto,
                is_loading=bool(self._thread) and not (self._is_ready or self.error),
                speed=self._speeds.speed if self._auto else 0.0,
            )

    @contextmanager
    def held(self) -> Iterator[Game]:
        """The game, under the lock; then a version that another program saved is shown."""
        with self._turn:
            yield self._game
            if self.live.game is not self._game:
                self.seat(self.live)

    # ---- the person

    def play(self, move: Move) -> Step:
        """Make a move of the person, who takes over from the player."""
        with self._turn:
            self._stand_by()
            step = self._game.play(move)
            self.live.note_move()
            self._moved(step.cell)
            return step

    def undo(self) -> None:
        """Undo the last move."""
        with self._turn:
            self.live.refuse_in_daily("undo")
            self._stand_by()
            self._game.undo()
            self._moved(None)

    def redo(self) -> None:
        """Redo the last undone move."""
        with self._turn:
            self._stand_by()
            self._moved(self._game.redo().cell)

    def seat(self, live: LiveGame) -> None:
        """Continue with another game, under the same rules."""
        with self._turn:
            self._stand_by()
            self._drop_question()
            self._seat(live)
            self._show()

    # ---- the player

    def play_on(self, on: bool) -> None:
        """Start or stop the player."""
        with self._turn:
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
        with self._turn:
            if not self._game.is_finished:
                self._stand_by()
                self._owed, self._as_hint = 1, as_hint
                self._changed()

    def want_hints(self, on: bool) -> None:
        """Switch the player's analyses on or off."""
        with self._turn:
            self.hints = on
            if not on and not self._auto:
                self._drop_question()
            self._show()

    def set_pace(self, pace: float | None) -> None:
        """Limit the player's moves a second; None for no limit."""
        with self._turn:
            self.pace, self._slow_moves = pace, 0
            self._due = time.monotonic()
            self._changed()

    def close(self) -> None:
        """End the player, unless it is stuck; the game stays as it is."""
        with self._turn:
            self._closed = True
            self._stand_by()
            self._drop_question()
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    # ---- under the lock

    def _stand_by(self) -> None:
        """Stop the player's moves, and show the present position."""
        self._auto = False
        self._owed = 0
        self._chronicle.run(False)
        self._show()

    def _show(self) -> None:
        analysis = self._analysis if self.hints or self._auto else None
        self._shown = self._chronicle.frame(analysis, self._new)
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
        if self._is_asking and self._thread is None:
            self._thread = start_thread(self._run, "twofold-player")

    @property
    def _is_asking(self) -> bool:
        wanted = self._auto or self._owed > 0 or self.hints
        return wanted and self._analysis is None and not (self._closed or self._game.is_finished)

    # ---- the thread of the player

    def _run(self) -> None:
        seed: int | None = None  # of the game that the player was started for
        rested = 0.0  # when this thread slept last
        try:
            with IMPORTING:
                player = self._make(self.live.game.rules)
            with player:
                while (asked := self._next_question()) is not None:
                    if seed != asked.seed:
                        with IMPORTING:
                            player.start(asked.rules, asked.seed)
                        seed = asked.seed
                    is_quick = self._answer(player, asked) < BREATH / 2
                    if is_quick and time.monotonic() - rested < BREATH_EVERY:
                        continue
                    if is_quick:
                        time.sleep(BREATH)
                    rested = time.monotonic()
        except BaseException as error:  # a player may call sys.exit()
            with self._turn:
                if not self._closed:
                    self.error = as_fault(error)
                    self._stand_by()

    def _next_question(self) -> MoveQuestion | None:
        """Wait for a position to search; moves that are due are made meanwhile."""
        with self._turn:
            while not self._closed:
                if self._is_asking:
                    self._asked = question_of(self._game)
                    return self._asked
                wait = self._make_due_move()
                if wait is None or wait > 0:
                    self._turn.wait(wait)
        return None

    def _answer(self, player: Player, asked: MoveQuestion) -> float:
        """Analyse a position, and use it unless the position has changed; seconds it took."""
        with self._turn:
            if not self._is_ready:  # the clock of the game starts now
                self._is_ready = True
                self._due = time.monotonic()
                self._chronicle.run(self._auto)
                self._changed()
        began = time.monotonic()
        analysis = analyse(player, asked)
        seconds = time.monotonic() - began
        with self._turn:
            if self._asked is asked:
                self._asked, self._analysis = None, analysis
                self._answer_seconds = seconds
                self._show()
        return seconds

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
        if 0 < self._slow_moves <= self._game.move_number:
            self.set_pace(None)
        if self.pace is not None:
            self._due = next_due(self._due, self.pace, now)
        self._moved(step.cell)
        return 0.0
