"""Live game: a game in play, with the pages that follow it and the player that may play it.

Everything that happens in a game happens under its lock, replies included: so every page is told
in the order in which it happened. Replies are handed over and never wait.
"""

import threading
from dataclasses import replace
from typing import Final, Protocol

from msgspec.structs import replace as replace_now

from twofold.board import Board
from twofold.errors import GameOver, TwofoldError
from twofold.game import Game
from twofold.play.autoplay import Autoplay, MakePlayer, Reason, Wish, message_of
from twofold.play.best_scores import ME
from twofold.play.daily import without_day
from twofold.play.game_file import Conflict, GameFile, Version
from twofold.play.kept import Kept, kept_of
from twofold.play.saved_game import News, SavedGame
from twofold.play.store import GameStore
from twofold.play.threads import Seats
from twofold.records.record import Record
from twofold.rules import Move
from twofold.step import Step, result_text
from twofold.web.following import Asker, Followers, Viewer
from twofold.web.protocol import (
    AutoplayEnded,
    FrameReply,
    GameNow,
    GameState,
    Note,
    PositionReply,
    RefusedReply,
    Reply,
    StaleMove,
)
from twofold.web.views import now_of, position_of, rules_info, step_of

REPLAY_MOVES: Final = 256
"""Moves that are played again at a time; then others may have the game for a moment."""


class Keeper(Protocol):
    """What a game needs to know of the table it is played at."""

    @property
    def store(self) -> GameStore:
        """The games on disk."""

    def best(self, rules: str) -> int:
        """The best score under these rules so far."""

    def reached(self, rules: str, score: int) -> None:
        """A kept game has come to a score."""

    def changed(self, live: "LiveGame", at_once: bool) -> None:
        """The game has to be saved, soon or at once. Called under the lock of the game."""

    def move(self, live: "LiveGame", conflict: Conflict) -> None:
        """Give a game a file of its own; called under its `saving`."""

    def seats(self) -> Seats:
        """Where players play: only so many at a time."""

    def time(self) -> float:
        """Seconds since 1970."""


class LiveGame(SavedGame):
    """A game in play. Every method may be called from any thread.

    Args:
        name: its id.
        game: its moves; nobody else changes them.
        keeper: the table.
        played: when it changed last, in seconds since 1970.
        file: where it is stored; None where it is not.
        resumed, player, date, is_saved: as for `SavedGame`.

    Attributes:
        name: its id.
        was: the id that it had before it moved to a file of its own; else empty.
        kept: whether it is stored.
        turn: its lock; notified when a player has to look up: another wish, or its end.
        saved_at: when it was written last, by the saver's clock.
        told: whether the followers know that it cannot be saved.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        keeper: Keeper,
        played: float,
        file: GameFile | None = None,
        resumed: Record | None = None,
        *,
        player: str = "",
        date: str | None = None,
        is_saved: bool = False,
    ) -> None:
        super().__init__(game, file, resumed, player=player, date=date, is_saved=is_saved)
        self.name = name
        self.was = ""
        self.kept = file is not None
        self.turn: Final = threading.Condition(self.lock)
        self.saved_at = float("-inf")
        self.told = False
        self._begun = self.version
        self._keeper = keeper
        self._played = played
        self._followers = Followers()
        self._playing: Autoplay | None = None
        self._preparing: Autoplay | None = None
        self._rules_text = str(game.rules)
        self._untold: Note = ""

    # ---- followers

    def join(self, asker: Asker) -> None:
        """Follow the game: the whole of it first, then everything that happens."""
        with self.lock:
            self._followers.add(asker.follower)
            asker.answer(self.state(note=self._untold))
            self._untold = ""

    def leave(self, follower: Viewer) -> None:
        """Follow it no longer. Without followers no player plays on."""
        with self.lock:
            self._followers.remove(follower)
            if not self._followers:
                self._end_players()

    @property
    def is_followed(self) -> bool:
        """Whether a page follows it."""
        return bool(self._followers)

    def tell(self, reply: Reply, asker: Asker | None = None) -> None:
        """Send a reply to all who follow; to the one who asked with the number of the request."""
        with self.lock:
            self._followers.tell(reply, asker)

    # ---- what a person does

    def move(self, letter: str, move_number: int, asker: Asker) -> None:
        """Make a move; a player that plays is ended first.

        Raises:
            StaleMove: the game has another move number.
            InvalidInput: the move is illegal here.
        """
        with self.lock:
            self.take_over()
            if move_number != self.game.move_number:
                raise StaleMove(
                    f"expected a move after {self.game.move_number} moves, got one meant for "
                    f"the board after {move_number}"
                )
            before = self.game.board
            step = self.game.play(Move.parse(letter))
            self.note_own_move()
            self._moved(before, step, "", asker)

    def undo(self, asker: Asker) -> None:
        """Take the last move back; a player that plays is ended first.

        Raises:
            NothingToUndo: there is none.
            DailyRule: it is a daily game.
        """
        with self.lock:
            self.refuse_in_daily("undo")
            self.take_over()
            step = self.game.undo()
            self.changed()
            self.tell(self.state(undone=step.move.letter), asker)

    def redo(self, asker: Asker) -> None:
        """Make the move undone last again; a player that plays is ended first.

        Raises:
            NothingToRedo: there is none.
        """
        with self.lock:
            self.take_over()
            before = self.game.board
            step = self.game.redo()
            self._moved(before, step, "", asker)

    def show_hints(self, board: Board) -> None:
        """Hints for a board are about to be shown to the person: count them.

        Raises:
            DailyRule: it is a daily game.
        """
        with self.lock:
            self.refuse_in_daily("hints")
            if self._playing is None and self.hint_shown(board) and not self.is_saved:
                self.changed()

    def _moved(self, before: Board, step: Step, by: str, asker: Asker | None) -> None:
        self.add_player(by or ME)
        self.changed(at_once=self.game.is_finished)
        rules = self.game.rules
        self.tell(step_of(self.name, rules, before, step, by, self.now()), asker)

    # ---- players

    def start_player(self, spec: str, make: MakePlayer, wish: Wish, asker: Asker) -> None:
        """Let a player play; the one that plays goes on until this one is ready.

        Raises:
            GameOver: no move can be made.
            LimitExceeded: too many players play at this table.
            DailyRule: it is a daily game.
        """
        with self.lock:
            self.refuse_in_daily("autoplay")
            if self.game.is_finished:
                result = result_text(self.game.board, self.game.rules)
                raise GameOver(f"expected a game in progress, got {result}")
            known = self._preparing or self._playing
            if known is not None and known.spec == spec:
                known.change(wish, asker)
                return
            if self._preparing is not None:
                self._preparing.end()
            self._preparing = Autoplay(self, spec, make, wish, asker)
            self._preparing.start(self._keeper.seats())

    def pause(self, asker: Asker) -> None:
        """End a player."""
        with self.lock:
            played = self._end_players()
            ended = AutoplayEnded(game=self.name, reason="paused", now=self.now())
            if played:
                self.tell(ended, asker)
            else:
                asker.answer(ended)

    def take_over(self) -> None:
        """End a player because a person acts."""
        if self._end_players():
            self.tell(AutoplayEnded(game=self.name, reason="paused", now=self.now()))

    def _end_players(self) -> bool:
        """End the player that plays and the one that gets ready; whether one played."""
        playing, preparing = self._playing, self._preparing
        self._playing = self._preparing = None
        for one in (playing, preparing):
            if one is not None:
                one.end()
        return playing is not None

    def seat(self, player: Autoplay) -> Game | None:
        """Let a player that got ready play from now on; see `Host`."""
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
        """A player ends by itself; whether it was the one that played or got ready."""
        with self.lock:
            known = player in (self._playing, self._preparing)
            if self._playing is player:
                self._playing = None
            if self._preparing is player:
                self._preparing = None
            return known

    def refused(self, player: Autoplay, error: Exception) -> None:
        """A player could not begin: tell the one who asked."""
        kind = type(error).__name__ if isinstance(error, TwofoldError) else "PlayerError"
        player.asker.answer(RefusedReply(message=message_of(error), kind=kind))

    def stepped(self, player: Autoplay, move: Move) -> None:
        """Make a move of a player, shown as a step."""
        before = self.game.board
        self._moved(before, self.game.play(move), player.spec, player.asker)

    def framed(self, player: Autoplay, moves_per_second: float) -> None:
        """A player has made moves, shown as a frame."""
        self.add_player(player.spec)
        self.changed(at_once=self.game.is_finished)
        frame = FrameReply(game=self.name, now=self.now(), moves_per_second=moves_per_second)
        self.tell(frame, player.asker)

    def ended(self, player: Autoplay, reason: Reason, message: str) -> None:
        """A player has come to its end."""
        end = AutoplayEnded(game=self.name, reason=reason, now=self.now(), message=message)
        self.tell(end, player.asker)

    # ---- what is said of it

    def state(self, undone: str = "", note: Note = "") -> GameState:
        """The whole game as it stands.

        Args:
            undone: the move just taken back.
            note: what another program has just done to its file.
        """
        with self.lock:
            return GameState(
                game=self.name,
                rules=rules_info(self.game.rules),
                seed=str(self.game.seed),
                kept=self.kept,
                player=self.player or ME,
                date=self._date,
                first=self.game.start_move_number,
                now=self.now(),
                undone=undone,
                note=note,
                was="" if note in ("", "newer") else self.was,
                daily=self.daily,
            )

    def now(self) -> GameNow:
        """Where it stands."""
        with self.lock:
            playing = "" if self._playing is None else self._playing.spec
            best = self._keeper.best(self._rules_text)
            now = now_of(self.game, best=best, autoplay=playing, hints=self.hints)
            return replace_now(now, can_undo=False) if self.daily else now

    def position(self, number: int) -> PositionReply:
        """An earlier position, or the present one.

        Raises:
            LimitExceeded: it is not a move number of this game.
        """
        self._replay(number)
        with self.lock:
            return position_of(self.name, self.game, number)

    def replay(self) -> None:
        """Get ready for undo and for looking back, where the game was read from a record."""
        self._replay(self.game.move_number)

    def _replay(self, number: int) -> None:
        """Play the moves up to a number again, a few at a time, so that nobody has to wait."""
        with self.lock:
            known = self.game.known_before(number)
        for passed in (*range(known, number, REPLAY_MOVES), max(known, number - 1)):
            with self.lock:
                if passed > self.game.move_number or not self.is_followed:
                    return
                self.game.at(passed)

    def record(self) -> Record:
        """The record of the game as it stands; it names the person."""
        return replace(super().record(), player=self.player or ME)

    def kept_entry(self) -> Kept:
        """What a list shows."""
        return kept_of(self.name, self.record(), self._played)

    def fork(self, number: int) -> tuple[Game, Record]:
        """A game of its own with the moves up to a number.

        Returns:
            The game, and a record with who made the moves and how many hints were shown.
        """
        self._replay(number)
        with self.lock:
            return self.game.fork(number), self.known_until(number)

    # ---- saving

    def changed(self, *, at_once: bool = False) -> None:
        """The game is another one now: it has to be saved."""
        with self.lock:
            self._played = self._keeper.time()
            if self.kept and self.counts_as_own:
                self._keeper.reached(self._rules_text, self.game.score)
            self._keeper.changed(self, at_once)

    @property
    def is_saved(self) -> bool:
        """Whether nothing has to be written, or it is not kept."""
        return not self.kept or super().is_saved

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has happened in it."""
        return self.version == self._begun

    @property
    def played(self) -> float:
        """When it changed last, in seconds since 1970."""
        return self._played

    def write(self, record: Record) -> Version | Conflict | None:
        """Write the file, and the index of the store."""
        return self._keeper.store.save(self.name, record, self._played, self.file)

    def move_away(self, conflict: Conflict) -> None:
        """Go on as another game."""
        self._keeper.move(self, conflict)

    def move_to(self, name: str, file: GameFile, news: News) -> None:
        """Go on in a file of its own; under `saving`."""
        with self.lock:
            self.name, self.was, self.file = name, self.name, file
            self._resumed = without_day(self._resumed)  # the one try is the game in the file
            self.tell_news(news)

    def give_way(self) -> None:
        """No player plays on in the game of another program."""
        self.take_over()

    def tell_news(self, news: News) -> None:
        """Tell what another program has done to the file; where nobody follows, later."""
        self._rules_text = str(self.game.rules)
        self.tell(self.state(note=news))
        self._untold = "" if self._followers else news

    def disown(self) -> None:
        """Keep it no longer: it was deleted. Those who follow may play on."""
        with self.lock:
            self.take_over()
            self.kept = False
            self.tell(self.state())

    def end(self) -> None:
        """End its players."""
        with self.lock:
            self._end_players()
