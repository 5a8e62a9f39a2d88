"""Autoplay: a player plays a live game in a thread of its own, at a pace that may change.

Up to `STEPS_PER_SECOND` every move is a `Step`. Above that it makes as many moves as its pace
allows between two `Frame`s. Whatever ends or changes it takes effect at once: what the player is
still thinking about is thrown away, and its search is told to stop.
"""

import logging
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from twofold.errors import TwofoldError
from twofold.game import Moment
from twofold.notation import MOVE_LETTERS, printable
from twofold.players.base import Player
from twofold.players.faults import describe
from twofold.rules import Move
from twofold.search.stop import Stop
from twofold.step import Status
from twofold.web.following import Asker
from twofold.web.mover import Mover, Played
from twofold.web.protocol import (
    FRAMES_PER_SECOND,
    STEPS_PER_SECOND,
    AutoplayEnded,
    Frame,
    Refused,
)
from twofold.web.workers import Seats, stand_back

if TYPE_CHECKING:
    from twofold.web.live_game import LiveGame

MakePlayer = Callable[[], Player]
"""Makes a player, in the thread that will use it."""

Reason = Literal["over", "stopped", "tile", "moves", "failed"]

FRAME_SECONDS: Final = 1 / FRAMES_PER_SECOND

SPEED_SECONDS: Final = 1.0
"""The speed that a frame tells is that of so many seconds."""

MAX_ERROR: Final = 300
"""Most characters of what went wrong."""

_LOG: Final = logging.getLogger("twofold.web")


@dataclass(frozen=True, slots=True)
class Wish:
    """How a player is to play.

    Attributes:
        moves_per_second: at most so many; None for as many as it can.
        stop_tile: end once this tile is made; 0 for never.
        moves: end after so many moves; 0 for no limit.
    """

    moves_per_second: float | None = None
    stop_tile: int = 0
    moves: int = 0

    @property
    def in_steps(self) -> bool:
        """Whether every move is shown: a single one too, however fast."""
        pace = self.moves_per_second
        return self.moves == 1 or (pace is not None and pace <= STEPS_PER_SECOND)


class Autoplay:
    """One player in one game. All but the thread itself is called under the game's lock.

    Args:
        live: the game.
        spec: the player, as it was asked for.
        make: makes it.
        wish: how it is to play.
        asker: who asked.

    Attributes:
        spec: the player, as it was asked for.
    """

    def __init__(
        self, live: "LiveGame", spec: str, make: MakePlayer, wish: Wish, asker: Asker
    ) -> None:
        self.spec: Final = spec
        self._live = live
        self._make = make
        self._stop = Stop()
        self._ended = False
        self._framed = -math.inf  # when the last frame was sent
        self._stepped = -math.inf  # when the last move was made that was a step
        self._speeds: deque[tuple[float, int]] = deque()
        self._set(wish, asker)

    def _set(self, wish: Wish, asker: Asker) -> None:
        self._wish, self._asker = wish, asker
        self._made = 0  # moves made under this wish
        self._since = time.monotonic()  # the pace counts from here
        self._paced = 0  # moves made since then

    def start(self, seats: Seats) -> None:
        """Begin, in a thread.

        Raises:
            LimitExceeded: as many players play as may.
        """
        seats.start(self._run)

    def change(self, wish: Wish, asker: Asker) -> None:
        """Play in another way from now on."""
        self._set(wish, asker)
        self._live.turn.notify_all()

    def end(self) -> None:
        """End it now, without a word."""
        self._ended = True
        self._stop.raise_flag()
        self._live.turn.notify_all()

    # ---- the thread

    def _run(self) -> None:
        try:
            player = self._make()
        except Exception as error:
            self._refuse(error)
            return
        stand_back()  # not before: while it imports, others may wait for it
        try:
            self._play(player)
        except Exception as error:
            self._fail(error)
        finally:
            player.close()

    def _play(self, player: Player) -> None:
        standing = self._take_seat(player)
        if standing is None:
            return
        history = self._live.history
        mover = Mover(player, history.rules, history.seed, standing, self._first_number, self._stop)
        while (turn := self._next_turn()) is not None:
            self._take(turn, mover.play(turn.most, turn.until))

    def _take_seat(self, player: Player) -> Moment | None:
        """Get ready, which may take long, and begin; None where that was refused or ended."""
        try:
            player.start(self._live.history.rules, self._live.history.seed)
        except Exception as error:
            self._refuse(error)
            return None
        with self._live.lock:
            self._first_number = self._live.history.move_number
            self._since = time.monotonic()
            return self._live.seat(self)

    def _refuse(self, error: Exception) -> None:
        """It could not begin: tell the one who asked."""
        message = _message(error)
        with self._live.lock:
            if self._live.unseat(self):
                kind = type(error).__name__ if isinstance(error, TwofoldError) else "PlayerError"
                self._asker.answer(Refused(message=message, kind=kind))

    def _fail(self, error: Exception) -> None:
        """It cannot go on: tell all."""
        message = _message(error)
        with self._live.lock:
            if not self._ended:
                self._finish("failed", message)

    # ---- pace

    def _next_turn(self) -> "_Turn | None":
        """Wait until the next moves are due; None once it has ended."""
        with self._live.lock:
            while not self._ended:
                due = self._due()
                wait = due - time.monotonic()
                if wait <= 0:
                    return self._turn()
                self._live.turn.wait(wait)
        return None

    def _due(self) -> float:
        """When the next moves are to be made."""
        pace = self._wish.moves_per_second
        if pace is None or self._wish.moves == 1:
            return -math.inf
        if self._wish.in_steps:
            return self._stepped + 1 / pace
        return max(self._since + (self._paced + 1) / pace, self._framed + FRAME_SECONDS)

    def _turn(self) -> "_Turn":
        """How many moves to make now."""
        wish, now = self._wish, time.monotonic()
        if wish.in_steps:
            return _Turn(wish, 1, now)
        left = wish.moves - self._made if wish.moves else _NO_LIMIT
        if wish.moves_per_second is None:
            return _Turn(wish, left, self._framed + FRAME_SECONDS)
        owed = int((now - self._since) * wish.moves_per_second) - self._paced
        if owed > wish.moves_per_second:  # a second behind: it is slower, or the machine slept
            self._since, self._paced, owed = now, -1, 1
        return _Turn(wish, max(min(owed, left), 1), now + FRAME_SECONDS)

    # ---- moves

    def _take(self, turn: "_Turn", played: Played) -> None:
        """Make the moves that the player has decided on, unless it was ended meanwhile."""
        with self._live.lock:
            if self._ended:
                return
            before = self._live.history.board.max_tile
            if turn.wish.in_steps:
                self._step(played)
            else:
                self._extend(played, before)
            if turn.wish is self._wish:  # else they do not count: it was changed meanwhile
                self._made += len(played.letters)
                self._paced += len(played.letters)
            reason = self._reason(before)
            if reason is not None:
                self._finish(reason)

    def _step(self, played: Played) -> None:
        self._stepped = time.monotonic()
        for letter in played.letters:
            self._live.step_by(Move(MOVE_LETTERS.index(letter)), self.spec, self._asker)

    def _extend(self, played: Played, before: int) -> None:
        history = self._live.history
        first = history.move_number
        history.extend(played.letters, played.reached)
        if before < self._wish.stop_tile <= history.board.max_tile:
            history.cut(self._first_with(self._wish.stop_tile, first))
        self._live.add_player(self.spec)
        self._live.changed(at_once=history.is_finished)
        self._frame()

    def _first_with(self, tile: int, number: int) -> int:
        """The first move number after a given one at which a tile is there."""
        history = self._live.history
        while history.at(number).board.max_tile < tile:
            number += 1
        return number

    def _frame(self) -> None:
        now, number = time.monotonic(), self._live.history.move_number
        self._framed = now
        self._speeds.append((now, number))
        while len(self._speeds) > 2 and self._speeds[1][0] <= now - SPEED_SECONDS:
            self._speeds.popleft()
        began, first = self._speeds[0]
        speed = (number - first) / (now - began) if now > began else 0.0
        frame = Frame(game=self._live.game, now=self._live.now(), moves_per_second=speed)
        self._live.tell(frame, self._asker)

    def _reason(self, before: int) -> Reason | None:
        """Why it ends here; None where it goes on."""
        history, wish = self._live.history, self._wish
        if history.status is Status.OVER:
            return "over"
        if history.status is Status.STOPPED:
            return "stopped"
        if before < wish.stop_tile <= history.board.max_tile:
            return "tile"
        return "moves" if wish.moves and self._made >= wish.moves else None

    def _finish(self, reason: Reason, message: str = "") -> None:
        self._live.unseat(self)
        self.end()
        live = self._live
        ended = AutoplayEnded(game=live.game, reason=reason, now=live.now(), message=message)
        live.tell(ended, self._asker)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What a player may do next: at most so many moves, until a time of `time.monotonic`."""

    wish: Wish
    most: int
    until: float


_NO_LIMIT: Final = 1 << 62


def _message(error: Exception) -> str:
    """What went wrong, for a person; what nobody expected goes to the log too."""
    if isinstance(error, TwofoldError):
        return str(error)
    _LOG.warning("a player failed", exc_info=error)
    return printable(describe(error))[:MAX_ERROR]
