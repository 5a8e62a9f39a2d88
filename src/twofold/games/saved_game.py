"""Saved game: a game in play, who plays it, and its file.

Moves that another program added are taken over; if it made other moves, the game gets a new file.
"""

import contextlib
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Final, Literal

from twofold.errors import InvalidInput, TwofoldError
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record, read_record, write_record
from twofold.game.rules import Rules
from twofold.games.scores import (
    BEST_FILE,
    ME,
    OPENED_TAG,
    SUFFIX,
    AutoplayMoves,
    Conflict,
    DailyRule,
    GameFile,
    Kind,
    Version,
    add_player,
    autoplay_of,
    autoplay_tags,
    day_of_record,
    games_folder,
    indexed,
    keep_best,
    kind_of,
    make_folder,
    read_best,
    top_score,
    unindexed,
    without_day,
)
from twofold.limits import MAX_MOVE_NUMBER
from twofold.storage.files import free_path, new_file

News = Literal["newer", "parted", "deleted", "damaged"]
"""What another program did to the file."""


SAVE_SECONDS: Final = 1.0
"""Minimum seconds between two saves."""

SAVE_SHARE: Final = 20
"""Saving takes at most one part in this many of the time."""

NEWER: Final = "another program went on with this game; its moves are here now"
_TAKEN: Final = {
    Conflict.PARTED: "another program has saved other moves in {old}",
    Conflict.DELETED: "another program has deleted {old}",
    Conflict.DAMAGED: "{old} can no longer be read",
}

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks at the files of games."""


def now_text() -> str:
    """The present local time as the date of a record."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def opened(record: Record) -> Record:
    """A game that somebody else may have played: no try of its day, and never the person's own."""
    own = without_day(unindexed(record))
    return replace(own, tags={**own.tags, OPENED_TAG: "yes"})


class SavedGame(ABC):
    """A game and its file. Thread-safe.

    Args:
        resumed: the record that the game continues.
        autoplay: the moves that a player made so far; None to read them from the record.

    Attributes:
        game: replaced after a save if another program added moves.
        player: the players so far, as in a record; empty for the person alone.
        lock: held during every change of the game.
        saving: held while the file is written or deleted.
    """

    def __init__(
        self,
        game: Game,
        file: GameFile | None,
        resumed: Record | None = None,
        *,
        player: str = "",
        date: str | None = None,
        is_saved: bool = False,
        autoplay: AutoplayMoves | None = None,
    ) -> None:
        self.game = game
        self.file = file
        self.player = player
        self.lock: Final = threading.RLock()
        self.saving: Final = threading.Lock()
        self._resumed = resumed or Record(game.rules, game.seed)
        self._date = self._resumed.date if date is None else date
        self.hints = self._resumed.hints
        self._hinted: Board | None = None  # the board of the last hint
        self._autoplay = autoplay or autoplay_of(player, self._resumed.tags)
        self._own = (-1, 0)  # the last of the first own moves, and the score after it
        self._saved = self.version if is_saved or not game.can_undo else None

    @property
    def version(self) -> tuple[int, int, int]:
        """Differs whenever the game differs; hints count from the first move on."""
        number, undos = self.game.move_number, self.game.undos
        has_begun = undos > 0 or number > self.game.start_move_number
        return number, undos, self.hints if has_begun else 0

    @property
    def daily(self) -> str:
        """The day whose daily game it is, such as `2026-11-23`; empty for any other game."""
        return day_of_record(self._resumed)

    @property
    def is_saved(self) -> bool:
        """True if there is nothing to write."""
        return self._saved == self.version

    @property
    def kind(self) -> Kind:
        """How it has been played so far."""
        return kind_of(
            self.player,
            self.hints,
            given_board=self.game.given_board is not None,
            opened=OPENED_TAG in self._resumed.tags,
        )

    @property
    def own_score(self) -> int | None:
        """The points before a player's first move, which count as the person's; None for none.

        None if the game began on a given board, is somebody else's or does not say who made which
        move.
        """
        made = self.autoplay
        given = self.game.given_board is not None
        if made is None or given or OPENED_TAG in self._resumed.tags:
            return None
        last = made.ranges[0][0] - 1 if made.ranges else self.game.move_number
        if last == self.game.move_number:
            self._own = last, self.game.score
        elif self._own[0] != last:
            self._own = last, self.game.at(last).score
        return self._own[1]

    def add_player(self, name: str) -> None:
        """Add a name to the list of players."""
        self.player = add_player(self.player, name)

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
        return Record(rules, seed, player=self.player, hints=self.hints, tags=tags)

    def note_autoplay(self, before: int) -> None:
        """The moves after number `before` were made by a player."""
        if self._autoplay is not None:
            self._autoplay = self._autoplay.plus(before, self.game.move_number)

    def note_own_move(self) -> None:
        """The person made the last move, not by redo."""
        if self._autoplay is not None:
            self._autoplay = self._autoplay.until(self.game.move_number - 1)

    def record(self) -> Record:
        """The record of the game as it stands."""
        with self.lock:
            return Record.from_game(
                self.game,
                player=self.player,
                date=self._date,
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

    # ---- the file

    def save(self) -> None:
        """Write the game if it has changed since the last save.

        Raises InvalidInput or ResourceError if it cannot be written, and LimitExceeded if it needs
        a new file and the maximum number of games is saved.
        """
        with self.saving:
            while not self.is_saved:
                with self.lock:
                    version, record = self.version, self.record()
                other = self.write(record)
                if other is None:
                    self._saved = version
                elif isinstance(other, Version):
                    self._take(other, version)  # if it has changed since, the loop tries again
                else:
                    self.move_away(other)

    def refresh(self) -> bool:
        """Take over another program's save if all is saved here; False if the game was deleted."""
        with self.saving:
            version = self.version
            if not self.is_saved or self.file is None:
                return True
            other = self.file.other()
            if isinstance(other, Version):
                self._take(other, version)
            return other is not Conflict.DELETED or not self.is_saved

    def look(self) -> None:
        """Take over another program's save, if the file seems changed; never raises."""
        if self.is_saved and self.file is not None and self.file.seems_changed():
            with contextlib.suppress(TwofoldError):
                self.refresh()

    def _take(self, version: Version, known: tuple[int, int, int]) -> None:
        """Continue from another program's moves, unless this game has changed since `known`."""
        with self.lock:
            if self.version != known or self.file is None:
                return
            self.give_way()
            self._resumed = version.record
            self._date = version.record.date
            self.player = version.record.player
            self.hints = max(self.hints, version.record.hints)
            self._autoplay = autoplay_of(self.player, version.record.tags)
            self.game = version.record.resume()
            self._saved = self.version
            self.file.take(version)
            self.tell_news("newer")

    # ---- implemented by each face

    @abstractmethod
    def write(self, record: Record) -> Version | Conflict | None:
        """Write the file, as `GameFile.save`; called under `saving`."""

    @abstractmethod
    def move_away(self, conflict: Conflict) -> None:
        """Continue in a new file after a conflict; called under `saving`."""

    def give_way(self) -> None:  # noqa: B027 (optional)
        """Called before the game is replaced by another program's version."""

    @abstractmethod
    def tell_news(self, news: News) -> None:
        """Report what another program did to the file."""


# ---- games in the terminal


class KeptGame(SavedGame):
    """A game that a person plays in the terminal.

    Args:
        path: where it is saved; a `GameFile` if it was read from there.
        begun_by: spec of the player that made the moves so far; empty if the person did.
    """

    def __init__(
        self,
        game: Game,
        path: Path | GameFile,
        resumed: Record | None = None,
        *,
        begun_by: str = "",
    ) -> None:
        file = GameFile(path) if isinstance(path, Path) else path
        player = begun_by or ("" if resumed is None else resumed.player)
        made = AutoplayMoves().plus(game.start_move_number, game.move_number) if begun_by else None
        date = now_text() if resumed is None else None
        super().__init__(game, file, resumed, player=player, date=date, autoplay=made)
        self.path = file.path
        self.is_written = False
        self._notice = ""
        self._is_mixed = bool(begun_by)
        self._next_save = time.monotonic() + SAVE_SECONDS
        self._next_look = 0.0

    def add_player(self, name: str) -> None:
        """Note a move by a player: the score is then not the person's."""
        self._is_mixed = True
        self.player = self.player or ME
        self.note_autoplay(self.game.move_number - 1)
        super().add_player(name)

    def add_person(self) -> None:
        """Note a move by the person."""
        self.note_own_move()
        if self._is_mixed:
            super().add_player(ME)

    # ---- the file

    def save_now_and_then(self) -> None:
        """Save the game if it has changed and the last save is long enough ago.

        If it has not, look every LOOK_SECONDS whether another program has gone on with it.
        """
        now = time.monotonic()
        if not self.is_saved:
            if now >= self._next_save:
                self.save()
        elif now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self.look()

    def save(self) -> None:
        """Save the game if it has changed; see `take_notice`."""
        if self.is_saved:
            return
        began = time.monotonic()
        super().save()
        self._keep_best()
        now = time.monotonic()
        self._next_save = now + max(SAVE_SECONDS, SAVE_SHARE * (now - began))

    def write(self, record: Record) -> Version | Conflict | None:
        """Write the file; in the folder of games with the tags for a list."""
        assert self.file is not None
        make_folder(self.path.parent)
        if self.path.absolute().parent == games_folder():
            record = indexed(record, time.time())
        self.is_written = True
        return self.file.save(record)

    def move_away(self, conflict: Conflict) -> None:
        """Continue in a new file."""
        old, self.path = self.path, free_path(self.path)
        self.file = GameFile(self.path)
        self._notice = f"{_TAKEN[conflict].format(old=old)}; this game is now in {self.path}"

    def give_way(self) -> None:
        """Use the players that the other program's record names."""
        self._is_mixed = False

    def tell_news(self, news: News) -> None:
        """Set the notice that another program added moves."""
        self._notice = NEWER

    def take_notice(self) -> str:
        """Return and clear the notice about another program; empty if there is none."""
        notice, self._notice = self._notice, ""
        return notice

    def save_as(self, name: str) -> Path:
        """Write the game to a file, or InvalidInput; `--force FILE` replaces another."""
        path = name.removeprefix("--force ").strip()
        if not path:
            raise InvalidInput("expected save FILE, got no file name")
        place = Path(path).expanduser()
        new_file(place, force=path != name, continued=self._check_is_this_game)
        write_record(place, self.record())
        return place

    def _check_is_this_game(self, path: Path) -> None:
        ours = self.record()
        with contextlib.suppress(TwofoldError):
            known = read_record(path)
            if (known.rules, known.seed, known.board) == (ours.rules, ours.seed, ours.board):
                return
        raise InvalidInput(f"expected a new file or a save of this game, got {str(path)!r}")

    # ---- the best score

    @property
    def best_name(self) -> str:
        """The name of this game among the best scores, as in the list of games."""
        is_listed = self.path.absolute().parent == games_folder()
        return self.path.name.removesuffix(SUFFIX) if is_listed else str(self.path.absolute())

    def best(self) -> int:
        """The best score under these rules, in points, including this game's."""
        return max(best_score(self.game.rules, without=self.best_name), self.own_score or 0)

    def _keep_best(self) -> None:
        score, rules = self.own_score, str(self.game.rules)
        if score is None:
            return
        path = _best_path()
        with contextlib.suppress(InvalidInput):
            if read_best(path).get(rules, {}).get(self.best_name, 0) == score:
                return
        make_folder(path.parent)
        keep_best(path, {rules: {self.best_name: score}})


def best_score(rules: Rules, *, without: str | None = None) -> int:
    """The person's best score under these rules, in points; `without` leaves out a game."""
    with contextlib.suppress(InvalidInput):  # a damaged file is renamed at the next best score
        return top_score(read_best(_best_path()), str(rules), without=without)
    return 0


def _best_path() -> Path:
    return games_folder() / BEST_FILE
