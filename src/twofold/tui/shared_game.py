"""A game that a person and a player share: moves by hand, moves of the player, its opinion.

The player lives in a thread of its own, so drawing and keys never wait for it. It thinks when its
opinion is wanted or it is its turn, and at a pace that may change at any moment. What the person
does takes effect at once: a search of a position that is gone is ended and thrown away. The player
is made when it is first needed, in its thread.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.game import Game
from twofold.play.paces import SpeedWindow, next_due
from twofold.rules import Move
from twofold.step import Status, Step
from twofold.tui.background import IMPORTING
from twofold.tui.frame import Chronicle, GameFrame

if TYPE_CHECKING:
    from twofold.players import Player
    from twofold.search.analysis import Analysis
    from twofold.search.stop import Stop

MARK_SECONDS: Final = 0.05
"""Seconds between two moments that the speed is computed from."""

QUICK: Final = 0.1
"""While a player that thinks for less plays on, a position is shown with what it thinks of it."""

BREATH_EVERY: Final = 0.001
BREATH: Final = 0.001
"""A player at top speed gives way for so many seconds after so many: Python runs one thread at a
time, and the one that draws would have to wait. One that thinks for half of that or longer does so
in kernels, which let others run."""

STOP_SECONDS: Final = 1.0
"""How long to wait at the end for the player to finish its thought."""


@dataclass(frozen=True, slots=True)
class SharedNow:
    """Where a shared game stands.

    Attributes:
        frame: the position, and what the player thinks of it if that is known and wanted.
        new: cell of its newest tile; None where none has appeared.
        version: another number whenever anything here is another.
        status: whether the game goes on.
        auto: whether the player plays on.
        is_loading: whether the player is wanted and not there yet.
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
        """Whether no move can be made."""
        return self.status in (Status.OVER, Status.STOPPED)


@dataclass(frozen=True, slots=True)
class _Thought:
    """A position that the player is to think about."""

    game: Game
    board: Board
    score: int
    move_number: int
    stop: "Stop"


class SharedGame:
    """One game, a person and a player. Every method may be called from any thread.

    Args:
        game: the game; changed only here from now on.
        make: makes the player, in the thread that will use it.
        pace: most moves a second of the player; None for as fast as it can.

    Attributes:
        error: what the player raised; it does nothing more then.
        on_player: called when the player has made a move, in its thread, under the lock.
    """

    def __init__(self, game: Game, make: Callable[[], "Player"], pace: float | None = None) -> None:
        self.error: Exception | None = None
        self.on_player: Callable[[], object] = lambda: None
        self._make = make
        self._pace = pace
        self._lock = threading.RLock()
        self._turn = threading.Condition(self._lock)
        self._thread: threading.Thread | None = None
        self._is_ready = self._closed = False
        self._auto = self._hints = False
        self._owed = 0  # moves to make however slow the pace
        self._version = 0
        self._thinking: _Thought | None = None
        self._seat(game)

    def _seat(self, game: Game) -> None:
        self._game = game
        self._clock = _PlayClock()
        self._chronicle = Chronicle(game, self._clock.seconds)
        self._speeds = SpeedWindow(MARK_SECONDS)
        self._due = 0.0
        self._thought_seconds = 0.0
        self._new: int | None = None
        self._analysis: Analysis | None = None
        self._shown: tuple[GameFrame, int | None] = self._chronicle.frame(None), self._new

    # ---- where it stands

    @property
    def now(self) -> SharedNow:
        """Where the game stands."""
        with self._lock:
            frame, new = self._shown
            loading = self._thread is not None and not self._is_ready and self.error is None
            return SharedNow(
                frame,
                new,
                self._version,
                self._game.status,
                self._auto,
                loading,
                self._speeds.speed if self._auto else 0.0,
            )

    @property
    def pace(self) -> float | None:
        """Most moves a second of the player; None for as fast as it can."""
        return self._pace

    @property
    def hints(self) -> bool:
        """Whether the player's opinion is wanted."""
        return self._hints

    @contextmanager
    def held(self) -> Iterator[Game]:
        """The game, which nobody else changes meanwhile."""
        with self._lock:
            yield self._game

    # ---- what a person does

    def play(self, move: Move) -> Step:
        """Make a move; a player that plays on is taken over.

        Raises:
            GameOver: no move can be made.
            IllegalMove: it changes nothing.
        """
        with self._lock:
            self._stand_by()
            step = self._game.play(move)
            self._moved(step.cell)
            return step

    def undo(self) -> Step:
        """Take the last move back.

        Raises:
            NothingToUndo: there is none.
        """
        with self._lock:
            self._stand_by()
            step = self._game.undo()
            self._moved(None)
            return step

    def redo(self) -> Step:
        """Make the last undone move again.

        Raises:
            NothingToRedo: there is none.
        """
        with self._lock:
            self._stand_by()
            step = self._game.redo()
            self._moved(step.cell)
            return step

    def replace(self, game: Game) -> None:
        """Go on with another game."""
        with self._lock:
            self._stand_by()
            self._drop_thought()
            self._seat(game)
            self._show()

    # ---- what the player does

    def play_on(self, on: bool) -> None:
        """Let the player play on, or stop it."""
        with self._lock:
            if on and not self._game.is_finished:
                self._auto = True
                self._due = time.monotonic()
                self._speeds.clear()
                self._clock.run(self._is_ready)
                self._begin()
                self._changed()
            elif not on:
                self._stand_by()

    def play_one(self) -> None:
        """Let the player make one move, as soon as it can."""
        with self._lock:
            if not self._game.is_finished:
                self._stand_by()
                self._owed = 1
                self._begin()

    def want_hints(self, on: bool) -> None:
        """Whether the player says what it thinks of each position."""
        with self._lock:
            self._hints = on
            if on:
                self._begin()
            elif not self._auto:
                self._drop_thought()
            self._show()

    def set_pace(self, pace: float | None) -> None:
        """Let the player make at most so many moves a second; None for as fast as it can."""
        with self._lock:
            self._pace = pace
            self._due = time.monotonic()
            self._changed()

    def close(self) -> None:
        """End the player; the game stays as it is."""
        with self._lock:
            self._closed = True
            self._stand_by()
            self._drop_thought()
            self._turn.notify_all()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    # ---- under the lock

    def _stand_by(self) -> None:
        """The player makes no move any more, and the present position is shown."""
        self._auto = False
        self._owed = 0
        self._clock.run(False)
        self._show()

    def _show(self) -> None:
        """Show the present position, with what is known of it and wanted."""
        analysis = self._analysis if self._hints or self._auto else None
        self._shown = self._chronicle.frame(analysis), self._new
        self._changed()

    def _begin(self) -> None:
        """Start the thread of the player, if it has not been."""
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name="twofold-player", daemon=True)
            self._thread.start()
        self._turn.notify_all()

    def _moved(self, new: int | None) -> None:
        """The position is another one."""
        self._drop_thought()
        self._new = new
        self._chronicle.note()
        if self._game.is_finished:
            self._stand_by()
        self._speeds.mark(self._game.move_number)
        # A quick player says in a moment what it thinks: no picture is drawn without it.
        if not self._auto or self._thought_seconds > QUICK:
            self._show()

    def _drop_thought(self) -> None:
        self._analysis = None
        if self._thinking is not None:
            self._thinking.stop.raise_flag()
            self._thinking = None

    def _changed(self) -> None:
        self._version += 1
        self._turn.notify_all()

    # ---- the thread of the player

    def _run(self) -> None:
        try:
            with IMPORTING:
                player = self._make()
            with player:
                self._serve(player)
        except Exception as error:
            with self._lock:
                self.error = error
                self._stand_by()

    def _serve(self, player: "Player") -> None:
        with IMPORTING:
            from twofold.search.stop import Stop
            from twofold.tui.playback import analyse_position

        seated: Game | None = None
        rested = time.monotonic()
        while (thought := self._next_thought(Stop)) is not None:
            if thought.game is not seated:
                seated = thought.game
                with IMPORTING:
                    player.start(seated.rules, seated.seed)
            began = time.monotonic()
            analysis = analyse_position(
                player, thought.board, thought.score, thought.move_number, thought.stop
            )
            seconds = time.monotonic() - began
            self._take(thought, analysis, seconds)
            if seconds >= BREATH / 2:
                rested = time.monotonic()
            elif time.monotonic() - rested >= BREATH_EVERY:
                time.sleep(BREATH)
                rested = time.monotonic()

    def _next_thought(self, flag: Callable[[], "Stop"]) -> _Thought | None:
        """Wait until there is something to think about; moves are made meanwhile when due."""
        with self._lock:
            self._get_ready()
            while not self._closed:
                if self._wants_thought:
                    game = self._game
                    self._thinking = _Thought(
                        game, game.board, game.score, game.move_number, flag()
                    )
                    return self._thinking
                wait = self._make_due_move()
                if wait is None or wait > 0:
                    self._turn.wait(wait)
        return None

    def _get_ready(self) -> None:
        """The player has been made: the time of the game runs from now on."""
        if not self._is_ready:
            self._is_ready = True
            self._due = time.monotonic()
            self._clock.run(self._auto)
            self._changed()

    @property
    def _wants_thought(self) -> bool:
        wanted = self._auto or self._owed > 0 or self._hints
        return wanted and self._analysis is None and not self._game.is_finished

    def _take(self, thought: _Thought, analysis: "Analysis", seconds: float) -> None:
        """The player has thought: its opinion counts unless the position is another one now."""
        with self._lock:
            if self._thinking is not thought:
                return
            self._thinking = None
            self._analysis = analysis
            self._thought_seconds = seconds
            self._show()

    def _make_due_move(self) -> float | None:
        """Make the player's move if it is due: 0. Else the seconds until then, None for never."""
        if self._analysis is None or not (self._auto or self._owed):
            return None
        now = time.monotonic()
        if not self._owed and self._pace is not None and now < self._due:
            return self._due - now
        self._make_move(self._analysis, now)
        return 0.0

    def _make_move(self, analysis: "Analysis", now: float) -> None:
        step = self._game.play(analysis.best)
        self._owed = max(0, self._owed - 1)
        self.on_player()
        if self._pace is not None:
            self._due = next_due(self._due, self._pace, now)
        self._moved(step.cell)


class _PlayClock:
    """Seconds that a player has played, without the pauses."""

    def __init__(self) -> None:
        self._spent = 0.0
        self._since: float | None = None

    def run(self, on: bool) -> None:
        """Let it run from now on, or stop it."""
        now = time.monotonic()
        if self._since is not None:
            self._spent += now - self._since
        self._since = now if on else None

    def seconds(self) -> float:
        """The seconds so far."""
        running = 0.0 if self._since is None else time.monotonic() - self._since
        return self._spent + running
