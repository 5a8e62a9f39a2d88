"""A game in play: the pages that follow it, the player that plays it, and the replies about it.

A player plays in its own thread, at a pace that can be changed. Slow moves are sent one by one as
steps, fast ones in frames of several moves. All changes and replies are made under the game's lock;
sending a reply never blocks.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

import msgspec

from twofold.errors import GameOver, InvalidInput, PlayerError, TwofoldError
from twofold.game.board import Board
from twofold.game.game import Game, Moment
from twofold.game.record import Record
from twofold.game.rules import MOVES_BY_LETTER, Move, Rules
from twofold.game.step import Status, Step, makes_goal, result_text, slides
from twofold.games.live_game import LiveGame, News
from twofold.games.makers import ME
from twofold.games.mover import Mover, SpeedWindow
from twofold.games.threads import stand_back
from twofold.players.base import Player, describe
from twofold.search.budget import Stop
from twofold.web import protocol

if TYPE_CHECKING:
    from twofold.web.table import PageTable

MakePlayer = Callable[[], Player]
"""Makes a player, in the thread that will use it."""

EndReason = Literal["over", "stopped", "tile", "moves", "paused", "failed"]

STEPS_PER_SECOND: Final = 30
"""Fastest pace at which every move is a step."""

FRAME_SECONDS: Final = 1 / 60
"""Minimum seconds between two frames of one game."""

REPLAY_MOVES: Final = 256
"""Moves replayed at a time; between two batches the lock is released."""

_NO_LIMIT: Final = 1 << 62
_LOG: Final = logging.getLogger("twofold.play")


class Viewer(Protocol):
    """A page that follows games; replies are structs of msgspec with a field `ref`."""

    def send(self, reply: Any) -> None:
        """Send a reply; called from any thread, never blocks."""


@dataclass(frozen=True, slots=True)
class Asker:
    """A page that sent a request, and the request's number."""

    follower: Viewer
    ref: int

    def answer(self, reply: Any) -> None:
        """Send a reply with that number."""
        self.follower.send(msgspec.structs.replace(reply, ref=self.ref))


class StaleMove(InvalidInput):
    """A move for another move number than the game's."""


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


class Autoplay:
    """One player in one game. Call all methods under the game's lock."""

    def __init__(
        self, live: "PageGame", spec: str, make: MakePlayer, wish: Wish, asker: Asker
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

    def _set(self, wish: Wish, asker: Asker) -> None:
        self._wish, self._asker = wish, asker
        self._made = 0  # moves made under this wish
        self._since = time.monotonic()  # the pace counts from here
        self._paced = 0  # moves made since then

    def change(self, wish: Wish, asker: Asker) -> None:
        """Play under another wish from now on."""
        self._set(wish, asker)
        self._live.turn.notify_all()

    def end(self) -> None:
        """End it at once: stop the search and discard its move. No message is sent."""
        self._ended = True
        self._stop.raise_flag()
        self._live.turn.notify_all()

    # ---- the thread

    def run(self) -> None:
        """Make the player and play to the end; without the lock, in the player's thread."""
        live = self._live
        with ExitStack() as at_end:
            try:
                player = self._make()
                at_end.callback(player.close)
                stand_back()  # only now: others may wait for an import lock that this thread held
                player.start(live.game.rules, live.game.seed)
            except BaseException as error:  # a player may call sys.exit()
                with live.lock:
                    if live.unseat(self):
                        self._asker.answer(protocol.refused(_fault(error)))
                return
            try:
                self._play(player)
            except BaseException as error:
                fault = _fault(error)
                with live.lock:
                    if not self._ended:
                        self._finish("failed", str(fault))

    def _play(self, player: Player) -> None:
        with self._live.lock:
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
        live = self._live
        with live.lock:
            if self._ended:
                return
            before = live.game.board.max_tile
            if turn.wish.in_steps:
                self._stepped = time.monotonic()
                for letter in letters:
                    live.step(self.spec, MOVES_BY_LETTER[letter], self._asker, turn.wish.moves == 1)
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
        self._framed = time.monotonic()
        self._speeds.mark(history.move_number)
        self._live.note_autoplay(first)
        self._live.frame(self.spec, self._speeds.speed, self._asker)

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
        self._live.tell(self._live.end_reply(reason, message), self._asker)


class _Turn(NamedTuple):
    """The next batch: at most `most` moves, until `until` on the clock of `time.monotonic`."""

    wish: Wish
    most: int
    until: float


def _fault(error: BaseException) -> TwofoldError:
    """The error for a person; unexpected errors are also logged."""
    if isinstance(error, TwofoldError):
        return error
    _LOG.warning("a player failed", exc_info=error)
    return PlayerError(describe(error))


class PageGame(LiveGame):
    """A game that pages follow. Thread-safe.

    Args:
        table: holds the game.
        game, name, resumed, more: as for `LiveGame`.
        keep: True to save it in the table's store.

    Attributes:
        turn: notified of every change; its lock is that of the game.
        told: True if the followers know that it cannot be saved.
        unsaved: points of own moves that are not yet saved.
    """

    def __init__(
        self,
        table: "PageTable",
        game: Game,
        name: str,
        resumed: Record | None = None,
        *,
        keep: bool = True,
        **more: Any,
    ) -> None:
        super().__init__(game, table.store if keep else None, name, resumed, **more)
        self.turn: Final = threading.Condition(self.lock)
        self.played: float = time.time()
        self.told, self.unsaved = False, 0
        self._begun, self._table = self.version, table
        self._followers: list[Viewer] = []
        self._playing: Autoplay | None = None
        self._preparing: Autoplay | None = None
        self._largest = table.store.largest(str(game.rules), without=name)

    # ---- followers

    def join(self, asker: Asker) -> None:
        """Follow the game: send its state, then every change."""
        with self.lock:
            if asker.follower not in self._followers:
                self._followers.append(asker.follower)
            asker.answer(self.state(told=True))

    def leave(self, follower: Viewer) -> None:
        """Stop following. Without followers autoplay ends."""
        with self.lock:
            if follower in self._followers:
                self._followers.remove(follower)
            if not self._followers:
                self._end_players()

    @property
    def is_followed(self) -> bool:
        """True if a page follows it."""
        return bool(self._followers)

    def tell(self, reply: Any, asker: Asker | None = None) -> None:
        """Send a reply to all followers, and to `asker` with the number of its request."""
        with self.lock:
            for follower in self._followers:
                if asker is None or follower is not asker.follower:
                    follower.send(reply)
            if asker is not None:
                asker.answer(reply)

    # ---- requests by a person

    def move(self, letter: str, move_number: int, asker: Asker) -> None:
        """Make a move; ends autoplay.

        Raises StaleMove for another move number, or IllegalMove.
        """
        with self.lock:
            self.pause()
            if move_number != self.game.move_number:
                raise StaleMove(
                    f"expected a move after {self.game.move_number} moves, got one for the board "
                    f"after {move_number}"
                )
            before = self.game.board
            step = self.game.play(Move.parse(letter))
            self.note_move()
            self._moved(before, step, "", asker)

    def undo(self, asker: Asker) -> None:
        """Undo the last move; ends autoplay. Raises NothingToUndo, or DailyRule in a daily game."""
        with self.lock:
            self.refuse_in_daily("undo")
            self.give_way()
            step = self.game.undo()
            self.changed()
            self.tell(self.state(undone=step.move.letter), asker)

    def redo(self, asker: Asker) -> None:
        """Redo the last undone move; ends autoplay. Raises NothingToRedo."""
        with self.lock:
            self.give_way()
            before = self.game.board
            step = self.game.redo()
            self.add_player(ME)
            self._moved(before, step, "", asker)

    def take_back_help(self, asker: Asker) -> None:
        """Take back what keeps the game from counting as played by hand: see `take_back`."""
        with self.lock:
            self.refuse_in_daily("undo")
            self.give_way()
            self.take_back()
            self.changed()
            self.tell(self.state(), asker)

    def show_hints(self, board: Board) -> int:
        """Count hints that are about to be shown for a board; returns the number so far.

        Raises DailyRule in a daily game.
        """
        with self.lock:
            self.refuse_in_daily("hints")
            if self._playing is None and self.hint_shown(board) and not self.is_saved:
                self.changed()
            return self.hints

    def _moved(self, before: Board, step: Step, by: str, asker: Asker) -> None:
        """Send a move just made; `by` is a player's spec or empty."""
        self.changed(at_once=self.game.is_finished)
        reply = protocol.StepReply(
            game=self.name,
            move=step.move.letter,  # type: ignore[arg-type]
            reward=step.reward,
            slides=slides(before, step.move),
            cell=step.cell,
            tile=step.tile,
            by=by,
            goal_reached=makes_goal(before, step.board, self.game.rules),
            now=self.now(),
        )
        self.tell(reply, asker)

    # ---- players

    def start_player(self, spec: str, make: MakePlayer, wish: Wish, asker: Asker) -> None:
        """Start autoplay; a player that is playing continues until the new one is ready.

        Raises GameOver, DailyRule, or LimitExceeded if the maximum number of players is playing.
        """
        with self.lock:
            self.refuse_in_daily("autoplay")
            if self.game.is_finished:
                result = result_text(self.game.board, self.game.rules)
                raise GameOver(f"the game is finished: {result}")
            known = self._preparing or self._playing
            if known is not None and known.spec == spec:
                known.change(wish, asker)
                return
            player = Autoplay(self, spec, make, wish, asker)
            self._table.seats.start(player.run)  # it waits for the lock before it is seated
            if self._preparing is not None:
                self._preparing.end()
            self._preparing = player

    def pause(self, asker: Asker | None = None) -> None:
        """End autoplay, on request or because a person or another program acts."""
        with self.lock:
            if self._end_players():
                self.tell(self.end_reply("paused"), asker)
            elif asker is not None:
                asker.answer(self.end_reply("paused"))

    def give_way(self) -> None:
        """See `LiveGame`."""
        self.pause()

    def _end_players(self) -> bool:
        """End autoplay; True if a player was playing, not only getting ready."""
        playing, preparing = self._playing, self._preparing
        self._playing = self._preparing = None
        for one in filter(None, (playing, preparing)):
            one.end()
        return playing is not None

    def seat(self, player: Autoplay) -> Game | None:
        """Seat a player that is ready; its game from here, or None if it is not wanted any more."""
        with self.lock:
            if self._preparing is not player:
                return None
            if self._playing is not None:
                self._playing.end()
            self._playing, self._preparing = player, None
            now = self.game
            return Game.from_board(
                now.board, now.rules, now.seed, score=now.score, move_number=now.move_number
            )

    def unseat(self, player: Autoplay) -> bool:
        """Remove a player that ends by itself; True if it was playing or getting ready."""
        with self.lock:
            if self._playing is player:
                self._playing = None
            elif self._preparing is player:
                self._preparing = None
            else:
                return False
            return True

    def step(self, spec: str, move: Move, asker: Asker, as_hint: bool) -> None:
        """Make a move of a player and send it as a step; see `play_for`."""
        before = self.game.board
        self._moved(before, self.play_for(spec, move, as_hint=as_hint), spec, asker)

    def frame(self, spec: str, moves_per_second: float, asker: Asker) -> None:
        """Send the moves of a player as a frame."""
        self.add_player(spec)
        self.changed(at_once=self.game.is_finished)
        frame = protocol.FrameReply(
            game=self.name, now=self.now(), moves_per_second=moves_per_second
        )
        self.tell(frame, asker)

    # ---- the past

    def replay_to(self, number: int) -> None:
        """Replay the moves of a record up to a number, so that undo and these positions are quick.

        They come in batches; the lock is free between two of them.
        """
        with self.lock:
            number = min(number, self.game.move_number)
            known = self.game.known_before(number)
        for passed in chain(range(known, number, REPLAY_MOVES), [max(known, number - 1)]):
            with self.lock:
                if passed > self.game.move_number or not self.is_followed:
                    return
                self.game.at(passed)

    def fork(self, number: int) -> tuple[Game, Record]:
        """A new game with the moves up to a number, and a record as `known_until`."""
        self.replay_to(number)
        with self.lock:
            return self.game.fork(number), self.known_until(number)

    # ---- saving

    def changed(self, *, at_once: bool = False) -> None:
        """Note a change, which is saved soon, or at once."""
        with self.lock:
            self.played = time.time()
            if self.store is not None:
                self.unsaved = self.own_score or 0
            if at_once:
                self._table.save_at_once(self)

    @property
    def is_untouched(self) -> bool:
        """True if nothing has changed since the game was opened."""
        return self.version == self._begun

    def best(self) -> int:
        """See `LiveGame`; for a game that is not saved that of the others."""
        rules, store = self.game.rules, self._table.store
        others = [one.unsaved for one in self._table.games() if one.game.rules == rules]
        return max([super().best() or store.best(str(rules)), *others])

    def tell_news(self, news: News) -> None:
        """Report what another program did; the next follower gets it if there is none."""
        self.news = news
        if self._followers:
            self.tell(self.state(told=True))

    def disown(self) -> None:
        """The game was deleted; the followers may continue it unsaved."""
        with self.lock:
            self.give_way()
            self.store, self.unsaved = None, 0
            self.tell(self.state())

    # ---- replies

    def state(self, undone: str = "", *, told: bool = False) -> protocol.GameState:
        """The whole state; `undone` is a move just undone. With `told` it has the news, once."""
        with self.lock:
            news = self.news if told else None
            self.news = None if told else self.news
            return protocol.GameState(
                game=self.name,
                rules=rules_info(self.game.rules),
                seed=str(self.game.seed),
                kept=self.store is not None,
                player=self.player or ME,
                date=self.date,
                first=self.game.start_move_number,
                now=self.now(),
                undone=undone,
                note=news or "",
                was="" if news in (None, "newer") else self.was,
                daily=self.daily,
                largest=self._largest,
            )

    def now(self) -> protocol.GameNow:
        """The current position."""
        with self.lock:
            game = self.game
            return protocol.GameNow(
                board=str(game.board),
                tiles=tiles_of(game.board),
                score=game.score,
                move_number=game.move_number,
                status=game.status.value,
                legal="".join(move.letter for move in game.legal_moves()),
                can_undo=game.can_undo and not self.daily,
                can_redo=game.can_redo,
                undos=game.undos,
                best=self.best(),
                autoplay="" if self._playing is None else self._playing.spec,
                hints=self.hints,
                kind=self.kind,
            )

    def position(self, number: int) -> protocol.PositionReply:
        """The position at a move number; raises LimitExceeded if there is none."""
        self.replay_to(number)
        with self.lock:
            standing = self.game.at(number)
            return protocol.PositionReply(
                game=self.name,
                board=str(standing.board),
                tiles=tiles_of(standing.board),
                score=standing.score,
                move_number=number,
                next_move=self.game.letters_between(number, number + 1),
            )

    def end_reply(self, reason: EndReason, message: str = "") -> protocol.AutoplayEnded:
        """Autoplay has ended; `message` is the error, if it failed."""
        return protocol.AutoplayEnded(
            game=self.name, reason=reason, now=self.now(), message=message
        )


def rules_info(rules: Rules) -> protocol.RulesInfo:
    """Rules as fields."""
    about = {name: getattr(rules, name) for name in protocol.RulesInfo.__struct_fields__[1:]}
    return protocol.RulesInfo(str(rules), **about | {"spawn": list(rules.spawn)})


def tiles_of(board: Board) -> list[int]:
    """The tiles of a board, row by row; 0 for an empty cell."""
    return [1 << exponent if exponent else 0 for exponent in board.exponents]
