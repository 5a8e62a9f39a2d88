"""The games in play, shared by all sessions: two tabs with the same game see one game.

After its last follower has left, a saved game stays in memory for a while, with its redo moves.
Games without moves are not saved.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Final

import msgspec
from msgspec.structs import replace

from twofold.errors import TwofoldError
from twofold.game.game import Game
from twofold.game.notation import shown
from twofold.game.record import Record
from twofold.games import daily
from twofold.games.kept import GameInfo, unindexed, when_played
from twofold.games.live_game import LOOK_SECONDS, now_text, opened
from twofold.games.store import GameStore, NotFound, goes_on
from twofold.games.threads import Seats, join, start_thread
from twofold.web.page_game import Asker, PageGame, Viewer
from twofold.web.protocol import refused

MAX_PLAYERS: Final = 32
"""Maximum number of simultaneous players over all games."""

IDLE_GAMES: Final = 16
"""Maximum number of games in memory without followers."""

MAX_LISTED: Final = 1_000
"""Maximum length of a list of games; the rest can be opened by id."""

CLOSE_SECONDS: Final = 10.0
"""Seconds for players to end and games to be saved on closing."""

RETRY_SECONDS: Final = 10.0
"""Seconds until the next try after a failed save."""

_LOG: Final = logging.getLogger("twofold.play")


class Added(msgspec.Struct, frozen=True):
    """The id of the saved game, and whether it is new; false if it was saved before."""

    game: str
    is_new: bool


class PageTable:
    """The games in play that pages follow. A thread saves them, and looks for other programs'."""

    def __init__(self, store: GameStore) -> None:
        self.store: Final = store
        self._lock = threading.Lock()  # acquire it before the lock of a game
        self._live: list[PageGame] = []  # least recently used first
        self.seats: Final = Seats(MAX_PLAYERS, "twofold-autoplay")  # for players
        self._woken, self._closing = threading.Event(), False
        self._keeper = start_thread(self._keep, "twofold-keeper")

    # ---- for games

    def save_at_once(self, live: PageGame) -> None:
        """Have a game saved in the next moment; never blocks."""
        live.save_due = 0.0
        self._woken.set()

    def games(self) -> list[PageGame]:
        """The games in play."""
        return list(self._live)

    # ---- games

    def begin(self, history: Game, known: Record | None = None, *, keep: bool = True) -> PageGame:
        """Create a game; call `join` to put it in play. Raises LimitExceeded.

        Args:
            history: the game, with the moves so far if it is a fork.
            known: its players and hints so far.
            keep: True to save it.
        """
        game = self.store.new_id() if keep else f"race-{secrets.token_hex(6)}"
        live = PageGame(self, history, game, known, keep=keep, begun=now_text())
        if history.can_undo:
            live.changed()
        return live

    def take_opened(self, record: Record) -> Added:
        """Save a game to look at, which somebody else may have played, unless it is saved.

        It is neither a try of its day nor counted as the person's own. Raises as `take_in`.
        """
        if known := self.store.find(record) or self.store.find(daily.without_day(record)):
            return Added(known, False)
        return self.take_in(opened(record), time.time())

    def take_in(self, record: Record, played: float | None = None) -> Added:
        """Save a game of the person's from a record, unless it is saved already.

        A daily game becomes the day's try if it may and there is none; otherwise it is an ordinary
        game. `played` is in seconds since 1970; None for the time in the record. Raises
        InvalidInput or ResourceError if it cannot be written.
        """
        when = when_played(record, time.time()) if played is None else played
        own = unindexed(record)
        if day := daily.day_of_record(own):
            game = daily.PREFIX + day
            if daily.can_be_try(own):
                if self.store.take_in(game, own, when):
                    return Added(game, True)
                if goes_on(self.store.record(game), own):
                    return Added(game, False)
            own = daily.without_day(own)
        if known := self.store.find(own):
            return Added(known, False)
        game = self.store.id_for(own)
        while not self.store.take_in(game, own, when):
            if self.store.read(game).record == own:
                return Added(game, False)  # another program has just saved it
            game = self.store.new_id()
        return Added(game, True)

    def begin_daily(self, day: date) -> str:
        """The id of the try of a day, created if missing; raises LimitExceeded or ResourceError."""
        game = daily.id_of(day)
        if game not in self.store:
            self.store.check_room()
            # This does not overwrite a try that another program has just created.
            self.store.save(game, daily.new_record(day, now_text()), time.time())
        return game

    def join(
        self, live: PageGame, asker: Asker, note: Callable[[PageGame], None] | None = None
    ) -> PageGame:
        """Follow a game, or its instance in play if there is one; returns that.

        `asker` gets its state; `note` is called with the game before anything is sent.
        """
        with self._lock:
            live = self._in_play(live.name) or live
            if live in self._live:
                self._live.remove(live)
            self._live.append(live)
            if note is not None:
                note(live)
            live.join(asker)
            return live

    def _in_play(self, game: str) -> PageGame | None:
        return next((live for live in self.games() if live.name == game), None)

    def find(self, game: str) -> PageGame:
        """A game, in play or saved; raises NotFound, or InvalidRecord if it is damaged."""
        live = self._in_play(game)
        if live is not None:
            if live.refresh():
                return live
            self._forget(live)
            raise NotFound(f"another program has deleted the game {shown(game)}")
        found, kept = self.store.read(game), self.store.kept(game)
        resumed = found.record.resume()
        live = PageGame(self, resumed, game, found.record, mark=found.mark, is_saved=True)
        if kept is not None:
            live.played = kept.played
        return live

    def _forget(self, live: PageGame) -> None:
        with self._lock, suppress(ValueError):
            self._live.remove(live)

    def find_last(self) -> PageGame | None:
        """The game of `last`; None if there is none. Raises InvalidRecord if it is damaged."""
        while game := self.last():
            with suppress(NotFound):  # deleted since; try the next one
                return self.find(game)
        return None

    def last(self) -> str:
        """The id of the saved game played here last; empty if there is none.

        An imported game is not played here until somebody plays on.
        """
        found = {one.info.game: one.played for one in self.store.games("NOT imported", most=1)}
        for live in [live for live in self.games() if live.store is not None]:
            kept = self.store.kept(live.name)
            if not (live.is_untouched and kept is not None and kept.imported):
                found[live.name] = live.played
        return max(found, key=found.__getitem__, default="")

    def leave(self, live: PageGame, follower: Viewer, *, unplayed: bool = False) -> None:
        """Stop following a game; with `unplayed`, drop it if it is unchanged and not followed."""
        with self._lock:
            live.leave(follower)
            if live.is_followed:
                return
            dropped = live.store is None or (unplayed and live.is_untouched)
            if dropped and live in self._live:
                self._live.remove(live)
            if not live.is_saved:
                self.save_at_once(live)
            idle = [one for one in self._live if one.is_saved and not one.is_followed]
            for one in idle[: max(0, len(idle) - IDLE_GAMES)]:  # the least recently used
                self._live.remove(one)

    def delete(self, game: str) -> None:
        """Delete a saved game; its followers may continue it unsaved.

        Raises DailyRule for today's daily game, otherwise as `GameStore.delete`.
        """
        if game == daily.id_of(daily.today()):
            raise daily.DailyRule("the daily game of today cannot be deleted: there is one try")
        live = self._in_play(game)
        if live is None:
            self.store.delete(game)
            return
        with live.saving:
            if live.store is None:
                raise NotFound(f"there is no saved game {shown(game)}")
            if game in self.store:
                self.store.delete(game)
            live.disown()
        self._forget(live)

    # ---- lists

    def saved(self) -> GameStore:
        """The store, with all games in play as they stand, as far as they can be saved."""
        for live in self.games():
            with suppress(TwofoldError):  # the thread that saves says so
                live.save()
        return self.store

    def infos(self) -> list[GameInfo]:
        """The entries of the games played last, in that order."""
        return [one.info for one in self.saved().games(most=MAX_LISTED)]

    def record(self, game: str) -> Record:
        """The record of a game, in play or saved; raises NotFound or InvalidRecord."""
        live = self._in_play(game)
        return self.store.read(game).record if live is None else self.find(game).record()

    # ---- the end

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """End all players and save all games; a player that does not end in time is abandoned."""
        until = time.monotonic() + seconds
        for live in self.games():
            live.give_way()
        self.seats.close(seconds / 2)
        self._closing = True
        self._woken.set()
        join([self._keeper], max(1.0, until - time.monotonic()))

    def unsaved(self) -> list[str]:
        """The names of the games whose last moves could not be saved."""
        return [live.name for live in self.games() if live.store is not None and not live.is_saved]

    # ---- the thread

    def _keep(self) -> None:
        while not self._closing:
            self._woken.wait(LOOK_SECONDS / 2)
            self._woken.clear()
            for live in self.games():
                self._save(live)

    def _save(self, live: PageGame) -> None:
        """Save a game if that is due, or look what another program saved."""
        try:
            if self._closing:
                live.save()
            else:
                live.save_now_and_then()
            if live.is_saved:
                live.told = False
                live.unsaved = 0
        except Exception as error:  # the other games must still be saved
            live.save_due = time.monotonic() + RETRY_SECONDS
            if not live.told:
                live.told = True
                _LOG.warning("cannot save the game %s: %s", live.name, error)
                message = f"the game can continue, but it cannot be saved: {error}"
                live.tell(replace(refused(error), message=message))
