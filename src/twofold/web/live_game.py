"""Live game: a game in play, with the pages that follow it and the player that may play it.

Everything that happens in a game happens under its lock, replies included: so every page is told
in the order in which it happened. Replies are handed over and never wait.
"""

import threading
from dataclasses import replace
from typing import Final, Protocol

from twofold.board import Board
from twofold.errors import GameOver, TwofoldError
from twofold.game import Game
from twofold.play.autoplay import Autoplay, MakePlayer, Reason, Wish, message_of
from twofold.play.best_scores import ME, add_player, counts_as_own
from twofold.play.game_file import GameFile, Version
from twofold.play.kept import GameInfo, Kept
from twofold.play.threads import Seats
from twofold.records.record import Record
from twofold.rules import Move
from twofold.step import Step, result_text
from twofold.web.about import About
from twofold.web.following import Asker, Follower, Followers
from twofold.web.protocol import (
    AutoplayEnded,
    Frame,
    GameState,
    Note,
    Now,
    Position,
    Refused,
    Reply,
    StaleMove,
)
from twofold.web.views import now_of, position_of, rules_info, step_of

REPLAY_MOVES: Final = 256
"""Moves that are played again at a time; then others may have the game for a moment."""


class Keeper(Protocol):
    """What a game needs to know of the table it is played at."""

    def best(self, rules: str) -> int:
        """The best score under these rules so far."""

    def reached(self, rules: str, score: int) -> None:
        """A kept game has come to a score."""

    def changed(self, live: "LiveGame", at_once: bool) -> None:
        """The game has to be saved, soon or at once. Called under the lock of the game."""

    def seats(self) -> Seats:
        """Where players play: only so many at a time."""

    def time(self) -> float:
        """Seconds since 1970."""


class LiveGame:
    """A game in play. Every method may be called from any thread.

    Args:
        about: what is known of it.
        history: its moves; nobody else changes them.
        keeper: the table.
        played: when it changed last, in seconds since 1970.
        file: where it is stored; None where it is not.

    Attributes:
        game: its id.
        was: the id that it had before it moved to a file of its own; else empty.
        file: where it is stored; used under `saving`.
        kept: whether it is stored.
        history: its moves; to be looked at under `lock`.
        lock: held while anything happens in it.
        turn: notified when a player has to look up: another wish, or its end.
        saving: held while it is written or deleted.
        saved_at: when it was written last, by the saver's clock.
        told: whether the followers know that it cannot be saved.
    """

    def __init__(
        self,
        about: About,
        history: Game,
        keeper: Keeper,
        played: float,
        file: GameFile | None = None,
    ) -> None:
        self.game = about.game
        self.was = ""
        self.file = file
        self.kept = about.kept
        self.history = history
        self.lock: Final = threading.RLock()
        self.turn: Final = threading.Condition(self.lock)
        self.saving: Final = threading.Lock()
        self.saved_at = float("-inf")
        self.told = False
        self._about = about
        self._player = about.player
        self._keeper = keeper
        self._played = played
        self._followers = Followers()
        self._playing: Autoplay | None = None
        self._preparing: Autoplay | None = None
        self._version = self._saved_version = 0
        self._rules_text = str(history.rules)
        self._untold: Note = ""

    # ---- followers

    def join(self, asker: Asker) -> None:
        """Follow the game: the whole of it first, then everything that happens."""
        with self.lock:
            self._followers.add(asker.follower)
            asker.answer(self.state(note=self._untold))
            self._untold = ""

    def leave(self, follower: Follower) -> None:
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
            if move_number != self.history.move_number:
                raise StaleMove(
                    f"expected a move after {self.history.move_number} moves, got one meant for "
                    f"the board after {move_number}"
                )
            before = self.history.board
            step = self.history.play(Move.parse(letter))
            self._moved(before, step, "", asker)

    def undo(self, asker: Asker) -> None:
        """Take the last move back; a player that plays is ended first.

        Raises:
            NothingToUndo: there is none.
        """
        with self.lock:
            self.take_over()
            step = self.history.undo()
            self.changed()
            self.tell(self.state(undone=step.move.letter), asker)

    def redo(self, asker: Asker) -> None:
        """Make the move undone last again; a player that plays is ended first.

        Raises:
            NothingToRedo: there is none.
        """
        with self.lock:
            self.take_over()
            before = self.history.board
            step = self.history.redo()
            self._moved(before, step, "", asker)

    def _moved(self, before: Board, step: Step, by: str, asker: Asker | None) -> None:
        self.add_player(by or ME)
        self.changed(at_once=self.history.is_finished)
        rules = self.history.rules
        self.tell(step_of(self.game, rules, before, step, by, self.now()), asker)

    # ---- players

    def start_player(self, spec: str, make: MakePlayer, wish: Wish, asker: Asker) -> None:
        """Let a player play; the one that plays goes on until this one is ready.

        Raises:
            GameOver: no move can be made.
            LimitExceeded: too many players play at this table.
        """
        with self.lock:
            if self.history.is_finished:
                result = result_text(self.history.board, self.history.rules)
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
            ended = AutoplayEnded(game=self.game, reason="paused", now=self.now())
            if played:
                self.tell(ended, asker)
            else:
                asker.answer(ended)

    def take_over(self) -> None:
        """End a player because a person acts."""
        if self._end_players():
            self.tell(AutoplayEnded(game=self.game, reason="paused", now=self.now()))

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
            now = self.history
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
        player.asker.answer(Refused(message=message_of(error), kind=kind))

    def stepped(self, player: Autoplay, move: Move) -> None:
        """Make a move of a player, shown as a step."""
        before = self.history.board
        self._moved(before, self.history.play(move), player.spec, player.asker)

    def framed(self, player: Autoplay, moves_per_second: float) -> None:
        """A player has made moves, shown as a frame."""
        self.add_player(player.spec)
        self.changed(at_once=self.history.is_finished)
        frame = Frame(game=self.game, now=self.now(), moves_per_second=moves_per_second)
        self.tell(frame, player.asker)

    def ended(self, player: Autoplay, reason: Reason, message: str) -> None:
        """A player has come to its end."""
        end = AutoplayEnded(game=self.game, reason=reason, now=self.now(), message=message)
        self.tell(end, player.asker)

    def add_player(self, name: str) -> None:
        """Count someone among those who played."""
        self._player = add_player(self._player, name)

    @property
    def _counts(self) -> bool:
        """Whether its score counts as a best score."""
        given = self.history.given_board is not None
        return self.kept and counts_as_own(self._player, given_board=given)

    # ---- what is said of it

    def state(self, undone: str = "", note: Note = "") -> GameState:
        """The whole game as it stands.

        Args:
            undone: the move just taken back.
            note: what another program has just done to its file.
        """
        with self.lock:
            return GameState(
                game=self.game,
                rules=rules_info(self.history.rules),
                seed=str(self.history.seed),
                kept=self.kept,
                player=self._player or ME,
                date=self._about.date,
                first=self.history.start_move_number,
                now=self.now(),
                undone=undone,
                note=note,
                was="" if note in ("", "newer") else self.was,
            )

    def now(self) -> Now:
        """Where it stands."""
        with self.lock:
            playing = "" if self._playing is None else self._playing.spec
            best = self._keeper.best(self._rules_text)
            return now_of(self.history, best=best, autoplay=playing)

    def position(self, number: int) -> Position:
        """An earlier position, or the present one.

        Raises:
            LimitExceeded: it is not a move number of this game.
        """
        self._replay(number)
        with self.lock:
            return position_of(self.game, self.history, number)

    def replay(self) -> None:
        """Get ready for undo and for looking back, where the game was read from a record."""
        self._replay(self.history.move_number)

    def _replay(self, number: int) -> None:
        """Play the moves up to a number again, a few at a time, so that nobody has to wait."""
        with self.lock:
            known = self.history.known_before(number)
        for passed in (*range(known, number, REPLAY_MOVES), max(known, number - 1)):
            with self.lock:
                if passed > self.history.move_number or not self.is_followed:
                    return
                self.history.at(passed)

    def record(self) -> Record:
        """The record of the game as it stands."""
        with self.lock:
            about, now = self._about, self.history.move_number
            return Record.from_game(
                self.history,
                player=self._player or ME,
                date=about.date,
                comments={n: text for n, text in about.comments.items() if n <= now},
                tags=about.tags,
            )

    def kept_entry(self) -> Kept:
        """What a list shows."""
        with self.lock:
            history = self.history
            info = GameInfo(
                game=self.game,
                rules=self._rules_text,
                board=str(history.board),
                score=history.score,
                moves=history.move_number - history.start_move_number,
                max_tile=history.board.max_tile,
                status=history.status.value,
                player=self._player or ME,
                date=self._about.date,
                undos=history.undos,
            )
            return Kept(info, self._played, self._counts)

    def fork(self, number: int) -> tuple[Game, str]:
        """A game of its own with the moves up to a number, and who made them."""
        self._replay(number)
        with self.lock:
            return self.history.fork(number), self._player

    # ---- saving

    def changed(self, *, at_once: bool = False) -> None:
        """The game is another one now: it has to be saved."""
        with self.lock:
            self._version += 1
            self._played = self._keeper.time()
            if self._counts:
                self._keeper.reached(self._rules_text, self.history.score)
            self._keeper.changed(self, at_once)

    @property
    def is_saved(self) -> bool:
        """Whether nothing has changed since it was written, or it is not kept."""
        return not self.kept or self._version == self._saved_version

    @property
    def version(self) -> int:
        """Counts its changes."""
        return self._version

    def was_saved(self, version: int, when: float) -> None:
        """The game as of a version was written."""
        with self.lock:
            self._saved_version, self.saved_at, self.told = version, when, False

    @property
    def played(self) -> float:
        """When it changed last, in seconds since 1970."""
        return self._played

    def take_version(self, version: Version, known: int) -> bool:
        """Go on from what another program has saved; under `saving`.

        Args:
            version: it has every move of this game as it was then.
            known: the version of this game then.

        Returns:
            False where this game has changed since, and nothing is done.
        """
        with self.lock:
            if self._version != known or self.file is None:
                return False
            self.take_over()
            record = version.record
            self.history = record.resume()
            self._about = replace(
                self._about, date=record.date, comments=record.comments, tags=record.tags
            )
            self._player = record.player
            self._rules_text = str(record.rules)
            self._version += 1
            self._saved_version = self._version
            self.file.take(version)
            self._note("newer")
            return True

    def move_to(self, game: str, file: GameFile, note: Note) -> None:
        """Go on in a file of its own, since another program has the one so far; under `saving`."""
        with self.lock:
            self.game, self.was, self.file = game, self.game, file
            self._note(note)

    def _note(self, note: Note) -> None:
        """Tell what another program has done to the file; where nobody follows, later."""
        self.tell(self.state(note=note))
        self._untold = "" if self._followers else note

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
