"""The games in play, shared by all sessions. A game that is open in two tabs is one game.

A kept game whose last follower has left stays in memory for a while, so that a page that is loaded
again finds it with its redo; one that is not kept is gone. Games without a move are not written.
"""

import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable
from datetime import date, datetime
from typing import Final, NamedTuple

from twofold.errors import InvalidRecord
from twofold.game import Game
from twofold.notation import shown
from twofold.play import daily
from twofold.play.best_scores import set_aside
from twofold.play.game_file import Conflict, indexed, unindexed
from twofold.play.importing import when_played
from twofold.play.kept import GameInfo, Kept
from twofold.play.store import GameStore, NotFound
from twofold.play.threads import Seats
from twofold.records.record import Record, parse_unplayed
from twofold.web.following import Asker, Viewer
from twofold.web.live_game import LiveGame
from twofold.web.saver import Saver

MAX_PLAYERS: Final = 32
"""Most players that play at a time, over all games."""

IDLE_GAMES: Final = 16
"""Most games in memory that nobody follows."""

MAX_LISTED: Final = 1_000
"""Most games in a list: those played last. The others can be opened by their id."""

INDEX_SECONDS: Final = 1.0
"""How long a page that asks for the game played last waits for the index of the store."""

CLOSE_SECONDS: Final = 10.0
"""How long closing may take, for players to end and games to be written."""

_LOG: Final = logging.getLogger("twofold.web")


class TakenIn(NamedTuple):
    """A game that came as a record: its id, and whether it is kept only now."""

    game: str
    is_new: bool


class GameTable:
    """The games in play.

    Args:
        store: the games on disk.
        clock: time in seconds, for how often games are written.
    """

    def __init__(self, store: GameStore, clock: Callable[[], float] = time.monotonic) -> None:
        self.store: Final = store
        self._lock = threading.Lock()  # before the lock of a game, never inside one
        self._live: dict[str, LiveGame] = {}  # the ones used last at the end
        self._seats = Seats(MAX_PLAYERS, "twofold-autoplay")
        self._saver = Saver(clock)
        self._latest, self._asked = time.time(), time.monotonic()

    # ---- what games need: see `live_game.Keeper`

    def best(self, rules: str) -> int:
        """The best score under these rules so far."""
        return self.store.best(rules)

    def reached(self, rules: str, score: int) -> None:
        """A kept game has come to a score."""
        self.store.reached(rules, score)

    def changed(self, live: LiveGame, at_once: bool) -> None:
        """The game has to be saved, soon or at once."""
        if live.kept:
            self._saver.changed(live, at_once=at_once)

    def seats(self) -> Seats:
        """Where players play."""
        return self._seats

    def time(self) -> float:
        """Seconds since 1970; they go on where the clock is set back."""
        now = time.monotonic()
        self._latest = max(time.time(), self._latest + now - self._asked)
        self._asked = now
        return self._latest

    # ---- games

    def begin(self, history: Game, known: Record | None = None, *, keep: bool = True) -> LiveGame:
        """Begin a game; it is there once somebody joins it.

        Args:
            history: how it begins, with the moves made so far if it goes on from another one.
            known: what is known of it: who made the moves, how many hints were shown.
            keep: whether it is stored.

        Raises:
            LimitExceeded: there are as many games as are kept.
        """
        game = self.store.new_id() if keep else f"race-{secrets.token_hex(6)}"
        file = self.store.file(game) if keep else None
        player = "" if known is None else known.player
        live = LiveGame(
            game, history, self, self.time(), file, known, player=player, date=_now_text()
        )
        if history.can_undo:
            live.changed()
        return live

    def add(self, record: Record) -> str:
        """Keep a game that is given as a record; its id. It is kept once, however often it comes.

        Raises:
            InvalidInput, ResourceError: it cannot be written.
        """
        return self.take_in(record, self.time()).game

    def take_in(self, record: Record, played: float | None = None) -> TakenIn:
        """Keep a game that is given as a record, unless it is kept already.

        The daily game of a day is its one try, unless there is another one: then it is kept as a
        game like any other.

        Args:
            record: the game.
            played: when it was played last; None for what the record says.

        Raises:
            InvalidInput, ResourceError: it cannot be written.
        """
        when = when_played(record, self.time()) if played is None else played
        own = unindexed(record)
        if day := daily.day_of_record(own):
            if daily.can_be_try(own):
                game = daily.PREFIX + day
                self.store.check_room()
                other = self.store.save(game, own, when)
                if not isinstance(other, Conflict):
                    return TakenIn(game, other is None)
            own = daily.without_day(own)
        if known := self.store.find(own):
            return TakenIn(known, False)
        while True:
            game = self.store.new_id()
            if self.store.save(game, own, when) is None:
                return TakenIn(game, True)

    def begin_daily(self, day: date) -> str:
        """The id of the try of a day, which is begun where there is none.

        It is written at once, unless there is a file: so there is one try for all programs that
        use this folder.

        Raises:
            LimitExceeded: there are as many games as are kept.
            ResourceError: it cannot be written.
        """
        game = daily.id_of(day)
        path = self.store.path(game)
        if path.exists():
            try:
                self.store.read(game)
                return game
            except InvalidRecord:
                set_aside(path)
        self.store.check_room()
        self.store.save(game, daily.new_record(day, _now_text()), self.time())  # or finds another
        return game

    def join(
        self, live: LiveGame, asker: Asker, note: Callable[[LiveGame], None] | None = None
    ) -> LiveGame:
        """Follow a game that was just begun, or read; the one that is followed.

        Where the same game has come into play meanwhile, that one is followed instead.

        Args:
            live: the game.
            asker: who follows it, and is sent the whole of it.
            note: told which game is followed, before anything is sent.
        """
        with self._lock:
            live = self._live.pop(live.name, live)
            self._live[live.name] = live
            if note is not None:
                note(live)
            live.join(asker)
            return live

    def open(self, game: str, asker: Asker) -> LiveGame:
        """Follow a game, in play or stored; it may have to be read.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
        """
        return self.join(self.find(game), asker)

    def find(self, game: str) -> LiveGame:
        """A game, in play or stored, without following it.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
        """
        with self._lock:
            live = self._live.get(game)
        if live is None:
            return self._read(game)
        if not live.refresh():
            with self._lock:
                if self._live.get(game) is live:
                    del self._live[game]
            raise NotFound(f"another program has deleted the game {shown(game)}")
        return live

    def _read(self, game: str) -> LiveGame:
        file = self.store.file(game)
        record = self.store.read(game, file)
        kept = self.store.kept(game)
        played = self.time() if kept is None else kept.played
        return LiveGame(
            game,
            record.resume(),
            self,
            played,
            file,
            record,
            player=record.player,
            is_saved=True,
        )

    def find_last(self) -> LiveGame | None:
        """The game played last, as `find`; None where there is none.

        Raises:
            InvalidRecord: its file is damaged.
        """
        while game := self.last():
            with contextlib.suppress(NotFound):  # then it is no longer among them
                return self.find(game)
        return None

    def last(self) -> str:
        """The id of the kept game played last; empty where there is none."""
        with self._lock:
            found = {live.name: live.played for live in self._live.values() if live.kept}
        stored = self.store.last_played(INDEX_SECONDS)
        if stored is not None:
            found.setdefault(stored.info.game, stored.played)
        return max(found, key=found.__getitem__, default="")

    def leave(self, live: LiveGame, follower: Viewer, *, unplayed: bool = False) -> None:
        """Follow a game no longer.

        Args:
            live: the game.
            follower: the page that leaves.
            unplayed: forget the game, if nothing has happened in it and nobody else follows it.
        """
        with self._lock:
            live.leave(follower)
            if live.is_followed:
                return
            dropped = not live.kept or (unplayed and live.is_untouched)
            if dropped and self._live.get(live.name) is live:
                del self._live[live.name]
            if not live.is_saved:
                self.changed(live, at_once=True)
            self._forget_idle()

    def _forget_idle(self) -> None:
        """Keep only some of the games that nobody follows; those used last, and unsaved ones."""
        idle = [live for live in self._live.values() if live.is_saved and not live.is_followed]
        for live in idle[: max(0, len(idle) - IDLE_GAMES)]:
            del self._live[live.name]

    def move(self, live: LiveGame, conflict: Conflict) -> None:
        """Give a game a file of its own, as another program has its file."""
        game = self.store.new_id()
        _LOG.warning("another program changed the game %s: it goes on as %s", live.name, game)
        with self._lock:
            if self._live.get(live.name) is live:
                del self._live[live.name]
                self._live[game] = live
            live.move_to(game, self.store.file(game), conflict.value)

    def delete(self, game: str) -> None:
        """Delete a kept game; those who follow it may play on.

        Raises:
            NotFound: there is no such game.
            InvalidInput: another program has changed it since it was listed.
            DailyRule: it is the daily game of today.
            ResourceError: the disk failed; the game is still there.
        """
        if game == daily.id_of(daily.today()):
            raise daily.DailyRule("the daily game of today cannot be deleted: there is one try")
        with self._lock:
            live = self._live.get(game)
        if live is None:
            self.store.delete(game)
            return
        with live.saving:
            if not live.kept:
                raise NotFound(f"there is no saved game {shown(game)}")
            if self.store.path(game).exists():
                self.store.delete(game)
            live.disown()
        with self._lock:
            self._live.pop(game, None)

    # ---- what there is

    def infos(self) -> list[GameInfo]:
        """The games that were played last, the last one first, as they stand."""
        return [one.info for one in self.entries()[:MAX_LISTED]]

    def entries(self) -> list[Kept]:
        """All kept games, last played first, as they stand."""
        with self._lock:
            games = [live for live in self._live.values() if live.kept and not live.is_saved]
        unsaved = [(live, live.kept_entry()) for live in games]
        kept = {one.info.game: one for one in self.store.games()}
        for live, one in unsaved:  # which may be deleted by now, or saved with more moves
            known = kept.get(one.info.game)
            if live.kept and (known is None or known.played <= one.played):
                kept[one.info.game] = one
        return sorted(kept.values(), key=lambda one: one.played, reverse=True)

    def export(self, entry: Kept) -> Record:
        """The record of a kept game, with the tags that say when it was played; it is not checked.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
            ResourceError: the disk failed.
        """
        game = entry.info.game
        with self._lock:
            live = self._live.get(game)
        if live is None or live.is_saved:
            return parse_unplayed(self.store.content(game))
        return indexed(live.record(), entry.played)

    def record(self, game: str) -> Record:
        """The record of a game, in play or stored.

        Raises:
            NotFound: there is no such game.
            InvalidRecord: its file is damaged.
        """
        with self._lock:
            live = self._live.get(game)
        return self.store.read(game) if live is None else self.find(game).record()

    # ---- the end

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """End all players and write all games.

        Players whose thought cannot be ended are left behind after some time.
        """
        until = time.monotonic() + seconds
        with self._lock:
            games = list(self._live.values())
        for live in games:
            live.end()
        self._seats.close(seconds / 2)
        self._saver.close(max(1.0, until - time.monotonic()))


def _now_text() -> str:
    """Now, with the time zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
