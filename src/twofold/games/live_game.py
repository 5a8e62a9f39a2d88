"""LiveGame: a game in play, who plays it, and the row of the store where it is saved.

Several programs may have the same game open: a row knows which version this program saw last. Moves
that another program added are taken over; if it made other moves, the game is saved in a new row.
"""

import contextlib
import logging
import secrets
import threading
import time
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from typing import Final, Literal

from twofold.errors import TwofoldError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Move
from twofold.game.step import Step, begins_game
from twofold.games.daily import DailyRule, day_of_record, without_day
from twofold.games.kept import OPENED_TAG, unindexed
from twofold.games.makers import (
    ME,
    AutoplayMoves,
    Kind,
    add_player,
    autoplay_of,
    autoplay_tags,
    kind_of,
)
from twofold.games.store import Conflict, GameStore, Version
from twofold.limits import MAX_MOVE_NUMBER

News = Literal["newer", "parted", "deleted"]
"""What another program did: it added moves, made other ones, or deleted the game."""

SAVE_SECONDS: Final = 1.0
"""Minimum seconds between two saves of a game."""

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks at what other programs saved."""

_NOTICES: Final[dict[News, str]] = {
    "newer": "another program went on with this game; its moves are here now",
    "parted": "another program has saved other moves in {old}; this game is now saved as {new}",
    "deleted": "another program has deleted {old}; this game is now saved as {new}",
}
_LOG: Final = logging.getLogger("twofold.play")


def now_text() -> str:
    """The present local time as the date of a record."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def opened(record: Record) -> Record:
    """A game that somebody else may have played: no try of its day, and never the person's own."""
    own = without_day(unindexed(record))
    return replace(own, tags={**own.tags, OPENED_TAG: "yes"})


class LiveGame:
    """A game and where it is saved. Thread-safe.

    Args:
        store: None for a game that is not saved.
        name: id of the game in the store.
        resumed: the record that the game continues.
        mark: the version of its row that was read; 0 if there is none.
        begun: date of a new game; None for that of the record.
        is_saved: True if the row has the game as it is.

    Attributes:
        game: replaced after a save if another program added moves.
        was: the id before another program's save gave it a new one; empty if none did.
        played: time of the last change, in seconds since 1970; None for that of each save.
        lock: held during every change of the game.
        saving: held while the game is saved or deleted.
        news: what another program did, until somebody is told.
        save_due: time of `time.monotonic` from which `save_now_and_then` saves it.
    """

    played: float | None = None

    def __init__(
        self,
        game: Game,
        store: GameStore | None = None,
        name: str = "",
        resumed: Record | None = None,
        *,
        mark: int = 0,
        begun: str | None = None,
        is_saved: bool = False,
    ) -> None:
        self.game = game
        self.store = store
        self.name, self.was = name, ""
        self._mark = mark
        self.lock: Final = threading.RLock()
        self.saving: Final = threading.Lock()
        self.hints = 0
        self._continue(resumed or Record(game.rules, game.seed))
        self.date: str = self._resumed.date if begun is None else begun
        self._hinted: Board | None = None  # the board of the last hint
        self._hint_move = 0  # number of the last move, if it was made as a hint
        self._own = (-1, 0)  # the last of the first own moves, and the score after it
        self._saved = self.version if is_saved or not game.can_undo else None
        self.news: News | None = None
        self._previous: LiveGame | None = None
        self.save_due = time.monotonic() + SAVE_SECONDS
        self._next_look = 0.0

    def _continue(self, record: Record) -> None:
        self._resumed, self._players = record, record.player
        self._autoplay = autoplay_of(record.player, record.tags)
        self.hints = max(self.hints, record.hints)

    @property
    def version(self) -> tuple[int, int, int]:
        """Differs whenever the game differs; hints count from the first move on."""
        number, undos = self.game.move_number, self.game.undos
        has_begun = undos > 0 or number > self.game.start_move_number
        return number, undos, self.hints if has_begun else 0

    @property
    def previous(self) -> "LiveGame | None":
        """The game before this one, until something is played here."""
        return None if self.game.can_undo or self.game.can_redo else self._previous

    @property
    def daily(self) -> str:
        """The day whose daily game it is, such as `2026-11-23`; empty for any other game."""
        return day_of_record(self._resumed)

    @property
    def is_saved(self) -> bool:
        """True if there is nothing to write, or the game is not saved."""
        return self.store is None or self._saved == self.version

    @property
    def is_written(self) -> bool:
        """True if the store has it, in a version that was read or saved here."""
        return self._mark > 0

    @property
    def _set_up(self) -> bool:
        game = self.game
        first = game.start_board, game.rules, game.start_score, game.start_move_number
        return not begins_game(*first)

    @property
    def kind(self) -> Kind:
        """How it has been played so far."""
        return kind_of(
            self.player, self.hints, set_up=self._set_up, opened=OPENED_TAG in self._resumed.tags
        )

    @property
    def own_score(self) -> int | None:
        """The points before a player's first move, which count as the person's; None for none.

        None if the game began on a position that was set up, is somebody else's, or does not say
        who made which move.
        """
        made = self.autoplay
        if made is None or self._set_up or OPENED_TAG in self._resumed.tags:
            return None
        last = made.ranges[0][0] - 1 if made.ranges else self.game.move_number
        if last == self.game.move_number:
            self._own = last, self.game.score
        elif self._own[0] != last:
            self._own = last, self.game.at(last).score
        return self._own[1]

    @property
    def player(self) -> str:
        """The players so far, as in a record; empty before the first move.

        If every move of a player is undone, the person has played alone.
        """
        return self._players_until(self.game.move_number)

    def _players_until(self, number: int) -> str:
        made = self._autoplay_until(number)
        return self._players if made is None or made.ranges else self._players and ME

    def add_player(self, name: str) -> None:
        """Add a name to the list of players."""
        self._players = add_player(self._players, name)

    def note_move(self, by: str = "") -> None:
        """Note who made the last move, not by redo: a player, or the person if `by` is empty."""
        if by:
            self.note_autoplay(self.game.move_number - 1)
        elif self._autoplay is not None:
            self._autoplay = self._autoplay.until(self.game.move_number - 1)
            self._players = self._players_until(self.game.move_number)
        self.add_player(by or ME)
        self._hint_move = 0

    def play_for(self, player: str, move: Move, *, as_hint: bool) -> Step:
        """Make a move of a player; a single one that the person asked for counts as a hint."""
        if as_hint:
            self.hint_shown(self.game.board)
        step = self.game.play(move)
        self.note_move("" if as_hint else player)
        if as_hint:
            self._hint_move = self.game.move_number
        return step

    def take_back(self) -> None:
        """Undo all moves from the first one of a player on; else withdraw the last hint.

        That is a hint for this board, or a move made as a hint, which is undone.
        Then it counts as played by hand again, unless there were hints for earlier boards.
        """
        with self.lock:
            game = self.game
            if (made := self.autoplay) and made.ranges:
                while game.move_number >= made.ranges[0][0]:
                    game.undo()
            elif self.hints and self._hinted is not None:
                if game.move_number == self._hint_move:
                    game.undo()
                if game.board == self._hinted:
                    self.hints -= 1
                    self._hinted = None

    def hint_shown(self, board: Board) -> bool:
        """Count a hint for the current board, once for each board in a row; True if counted."""
        with self.lock:
            if board != self.game.board or board == self._hinted:
                return False
            self._hinted = board
            self.hints = min(self.hints + 1, MAX_MOVE_NUMBER)
            return True

    def refuse_in_daily(self, what: str) -> None:
        """Raise DailyRule in a daily game; `what` is a noun for the message, such as `undo`."""
        if self.daily:
            raise DailyRule(f"the daily game is played without {what}: there is one try a day")

    @property
    def autoplay(self) -> AutoplayMoves | None:
        """The moves that a player made; None if unknown."""
        return self._autoplay_until(self.game.move_number)

    def _autoplay_until(self, number: int) -> AutoplayMoves | None:
        return None if self._autoplay is None else self._autoplay.until(number)

    def known_until(self, number: int) -> Record:
        """A record without moves: what is known of the game's first moves, up to `number`."""
        opened = {name: text for name, text in self._resumed.tags.items() if name == OPENED_TAG}
        tags = autoplay_tags(opened, self._autoplay_until(number))
        rules, seed = self.game.rules, self.game.seed
        players = self._players_until(number)
        return Record(rules, seed, player=players, hints=self.hints, tags=tags)

    def note_autoplay(self, before: int) -> None:
        """The moves after number `before` were made by a player."""
        if self._autoplay is not None:
            self._autoplay = self._autoplay.plus(before, self.game.move_number)

    def record(self) -> Record:
        """The record of the game as it stands."""
        with self.lock:
            return Record.from_game(
                self.game,
                player=self.player or ME,
                date=self.date,
                hints=self.hints,
                comments=self._comments(),
                tags=autoplay_tags(self._resumed.tags, self.autoplay),
            )

    def _comments(self) -> dict[int, str]:
        """The comments of the resumed record, as far as the moves are the same."""
        known = self._resumed
        if not known.comments:
            return {}
        pairs = zip(known.moves, self.game.moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return {n: text for n, text in known.comments.items() if n <= known.start_move + same}

    # ---- the row

    def best(self) -> int:
        """The best score under these rules, in points, including this game's."""
        if self.store is None:
            return 0
        return max(self.store.best(str(self.game.rules), without=self.name), self.own_score or 0)

    def save(self) -> None:
        """Save the game if it has changed since the last save.

        Raises InvalidInput or ResourceError if it cannot be written, and LimitExceeded if it needs
        a new row and the maximum number of games is saved.
        """
        with self.saving:
            while not self.is_saved and self.store is not None:
                with self.lock:
                    version, record, own = self.version, self.record(), self.own_score
                played = self.played or time.time()
                done = self.store.save(self.name, record, played, self._mark, own=own)
                if isinstance(done, int):
                    self._mark, self._saved = done, version
                elif isinstance(done, Version):
                    self._take(done, version)  # if it has changed since, the loop tries again
                else:
                    self._move_away(self.store.new_id(), done)
        self.save_due = time.monotonic() + SAVE_SECONDS

    def save_now_and_then(self) -> None:
        """Save the game if it has changed and the last save is long enough ago.

        If it has not, look every LOOK_SECONDS whether another program has gone on with it.
        """
        now = time.monotonic()
        if not self.is_saved:
            if now >= self.save_due:
                self.save()
        elif now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            with contextlib.suppress(TwofoldError):
                self.refresh()

    def refresh(self) -> bool:
        """Take over another program's save if all is saved here; False if the game was deleted."""
        with self.saving:
            version = self.version
            if not self.is_saved or self.store is None:
                return True
            other = self.store.changed(self.name, self._mark)
            if isinstance(other, Version):
                self._take(other, version)
            return other != "deleted" or not self.is_saved

    def _take(self, version: Version, known: tuple[int, int, int]) -> None:
        """Continue from another program's moves, unless this game has changed since `known`."""
        with self.lock:
            if self.version != known or self.store is None:
                return
            self.give_way()
            self._continue(version.record)
            self.game, self.date = version.record.resume(), version.record.date
            self._mark, self._saved = version.mark, self.version
            self.tell_news("newer")

    def _move_away(self, name: str, conflict: Conflict) -> None:
        """Continue in a new row; called under `saving`."""
        with self.lock:
            self.name, self.was, self._mark = name, self.name, 0
            self._resumed = without_day(self._resumed)  # the game in the old row is the try
            _LOG.info("%s", self._words(conflict))  # a terminal prints it
            self.tell_news(conflict)

    def _words(self, news: News) -> str:
        return _NOTICES[news].format(old=self.was, new=self.name)

    def take_notice(self) -> str:
        """Return and clear the news as a sentence; empty if there is none."""
        news, self.news = self.news, None
        return self._words(news) if news else ""

    # ---- for games with followers

    def give_way(self) -> None:
        """Called before the game is replaced by another program's version."""

    def tell_news(self, news: News) -> None:
        """Called after another program's save has changed this game or its row."""
        self.news = news


def new_game(store: GameStore, game: Game) -> LiveGame:
    """A new game in the store."""
    return LiveGame(game, store, store.new_id(), begun=now_text())


def next_game(before: LiveGame) -> LiveGame:
    """Another game under the same rules, with dice of its own."""
    assert before.store is not None
    game = Game(before.game.rules, seed=secrets.randbelow(2**32))
    live = new_game(before.store, game)
    live._previous, before._previous = before, None
    return live
