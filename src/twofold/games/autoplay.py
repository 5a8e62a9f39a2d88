"""Autoplay: a player plays a live game in its own thread, at a pace that can be changed.

Slow moves are sent one by one as steps, fast ones in frames of several moves.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from twofold.errors import TwofoldError
from twofold.game.game import Game, Moment
from twofold.game.notation import printable
from twofold.game.rules import MOVES_BY_LETTER, Move
from twofold.game.step import Status
from twofold.games.mover import Mover, SpeedWindow
from twofold.games.threads import Seats, stand_back
from twofold.players.base import Player, as_fault, describe
from twofold.search.budget import Stop

MakePlayer = Callable[[], Player]
"""Makes a player, in the thread that will use it."""

EndReason = Literal["over", "stopped", "tile", "moves", "paused", "failed"]

STEPS_PER_SECOND: Final = 30
"""Fastest pace at which every move is a step."""

FRAMES_PER_SECOND: Final = 60
"""Maximum number of frames per second of one game."""

FRAME_SECONDS: Final = 1 / FRAMES_PER_SECOND

MAX_ERROR: Final = 300
"""Maximum length of an error message, in characters."""

_LOG: Final = logging.getLogger("twofold.play")


@dataclass(frozen=True, slots=True)
class Wish:
    """How a player is to play.

    Attributes:
        moves_per_second: None for no limit.
        stop_tile: end once this tile is made; 0 for never.
        moves: end after this number of moves; 0 for no limit.
    """

    moves_per_second: float | None = None
    stop_tile: int = 0
    moves: int = 0

    @property
    def in_steps(self) -> bool:
        """True if every move is shown: at a slow pace, and for a single move."""
        pace = self.moves_per_second
        return self.moves == 1 or (pace is not None and pace <= STEPS_PER_SECOND)


class Stage(Protocol):
    """The game that a player plays, and those who follow it; called under its lock."""

    game: Game

    @property
    def turn(self) -> threading.Condition:
        """Notified of every change; its lock is that of the game."""

    def seat(self, player: "Autoplay") -> Game | None:
        """Seat a player that is ready; its game from here, or None if it is not wanted."""

    def unseat(self, player: "Autoplay") -> bool:
        """Remove a player that ends by itself; True if it was there."""

    def refused(self, player: "Autoplay", error: Exception) -> None:
        """Report that a player could not start."""

    def stepped(self, player: "Autoplay", move: Move, *, as_hint: bool) -> None:
        """Make and show a move; the only one that a person asked for counts as a hint."""

    def framed(self, player: "Autoplay", moves_per_second: float) -> None:
        """Show the moves that were just made."""

    def note_autoplay(self, before: int) -> None:
        """The moves after number `before` were made by a player."""

    def ended(self, player: "Autoplay", reason: EndReason, message: str) -> None:
        """Show that a player has ended, and why."""


class Autoplay:
    """One player in one game. Call all methods under the game's lock.

    `asker` names who requested it, for the game.
    """

    def __init__(
        self, live: Stage, spec: str, make: MakePlayer, wish: Wish, asker: Any = None
    ) -> None:
        self.spec: Final = spec
        self._live = live
        self._make = make
        self._stop = Stop()
        self._ended = False
        self._framed = -math.inf  # when the last frame was sent
        self._stepped = -math.inf  # when the last step was made
        self._speeds = SpeedWindow()
        self._set(wish, asker)

    def _set(self, wish: Wish, asker: Any) -> None:
        self._wish, self.asker = wish, asker
        self._made = 0  # moves made under this wish
        self._since = time.monotonic()  # the pace counts from here
        self._paced = 0  # moves made since then

    def start(self, seats: Seats) -> None:
        """Start the thread; raises LimitExceeded if the maximum number of players is playing."""
        seats.start(self._run)

    def change(self, wish: Wish, asker: Any) -> None:
        """Play under another wish from now on."""
        self._set(wish, asker)
        self._live.turn.notify_all()

    def end(self) -> None:
        """End it at once: stop the search and discard its move. The game is not notified."""
        self._ended = True
        self._stop.raise_flag()
        self._live.turn.notify_all()

    # ---- the thread

    def _run(self) -> None:
        with ExitStack() as at_end:
            try:
                player = self._make()
                at_end.callback(player.close)
                stand_back()  # only now: others may wait for an import lock that this thread held
                player.start(self._live.game.rules, self._live.game.seed)
            except BaseException as error:  # a player may call sys.exit()
                with self._live.turn:
                    if self._live.unseat(self):
                        self._live.refused(self, as_fault(error))
                return
            try:
                self._play(player)
            except BaseException as error:
                message = message_of(as_fault(error))
                with self._live.turn:
                    if not self._ended:
                        self._finish("failed", message)

    def _play(self, player: Player) -> None:
        with self._live.turn:
            self._since = time.monotonic()
            game = self._live.seat(self)
        if game is None:
            return
        mover = Mover(player, game, self._stop)
        while (turn := self._next_turn()) is not None:
            self._take(turn, *mover.play(turn.most, turn.until))

    # ---- pace

    def _next_turn(self) -> "_Turn | None":
        """Wait until the next moves are due; None once it has ended."""
        with self._live.turn:
            while not self._ended:
                due = self._due()
                wait = due - time.monotonic()
                if wait <= 0:
                    return self._turn()
                self._live.turn.wait(wait)
        return None

    def _due(self) -> float:
        pace = self._wish.moves_per_second
        if pace is None or self._wish.moves == 1:
            return -math.inf
        if self._wish.in_steps:
            return self._stepped + 1 / pace
        return max(self._since + (self._paced + 1) / pace, self._framed + FRAME_SECONDS)

    def _turn(self) -> "_Turn":
        wish, now = self._wish, time.monotonic()
        if wish.in_steps:
            return _Turn(wish, 1, now)
        left = wish.moves - self._made if wish.moves else _NO_LIMIT
        if wish.moves_per_second is None:
            return _Turn(wish, left, self._framed + FRAME_SECONDS)
        owed = int((now - self._since) * wish.moves_per_second) - self._paced
        if owed > wish.moves_per_second:  # a second behind: a slow player, or the machine slept
            self._since, self._paced, owed = now, -1, 1
        return _Turn(wish, max(min(owed, left), 1), now + FRAME_SECONDS)

    # ---- moves

    def _take(self, turn: "_Turn", letters: str, reached: Moment) -> None:
        with self._live.turn:
            if self._ended:
                return
            before = self._live.game.board.max_tile
            if turn.wish.in_steps:
                self._stepped = time.monotonic()
                for letter in letters:
                    move = MOVES_BY_LETTER[letter]
                    self._live.stepped(self, move, as_hint=turn.wish.moves == 1)
            else:
                self._extend(letters, reached, before)
            if turn.wish is self._wish:  # moves made under an earlier wish do not count
                self._made += len(letters)
                self._paced += len(letters)
            reason = self._reason(before)
            if reason is not None:
                self._finish(reason)

    def _extend(self, letters: str, reached: Moment, before: int) -> None:
        history = self._live.game
        first = history.move_number
        history.extend(letters, reached)
        if before < self._wish.stop_tile <= history.board.max_tile:
            number = first
            while history.at(number).board.max_tile < self._wish.stop_tile:
                number += 1
            history.cut(number)
        self._live.note_autoplay(first)
        self._framed = time.monotonic()
        self._speeds.mark(history.move_number)
        self._live.framed(self, self._speeds.speed)

    def _reason(self, before: int) -> EndReason | None:
        history, wish = self._live.game, self._wish
        if history.status is Status.OVER:
            return "over"
        if history.status is Status.STOPPED:
            return "stopped"
        if before < wish.stop_tile <= history.board.max_tile:
            return "tile"
        return "moves" if wish.moves and self._made >= wish.moves else None

    def _finish(self, reason: EndReason, message: str = "") -> None:
        self._live.unseat(self)
        self.end()
        self._live.ended(self, reason, message)


@dataclass(frozen=True, slots=True)
class _Turn:
    """The next batch: at most `most` moves, until `until` on the clock of `time.monotonic`."""

    wish: Wish
    most: int
    until: float


_NO_LIMIT: Final = 1 << 62


def message_of(error: Exception) -> str:
    """The message of an error, for a person; unexpected errors are also logged."""
    if isinstance(error, TwofoldError):
        return str(error)
    _LOG.warning("a player failed", exc_info=error)
    return printable(describe(error))[:MAX_ERROR]
