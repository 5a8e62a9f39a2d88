"""Saved game: a game in play, who plays it, and the file it is kept in.

Several programs may have the same game open. Where another one has gone on with it, its moves are
taken over; where it has made other moves, this game goes on in a file of its own.
"""

import threading
from abc import ABC, abstractmethod
from itertools import takewhile
from typing import Final, Literal

from twofold.board import Board
from twofold.game import Game
from twofold.limits import MAX_MOVE_NUMBER
from twofold.play.autoplay_moves import AutoplayMoves, autoplay_of, autoplay_tags
from twofold.play.best_scores import Kind, add_player, counts_as_own, kind_of
from twofold.play.daily import DailyRule, day_of_record
from twofold.play.game_file import Conflict, GameFile, Version
from twofold.records.record import Record

News = Literal["newer", "parted", "deleted", "damaged"]
"""What another program has done to the file."""


class SavedGame(ABC):
    """A game and its file. Every method may be called from any thread.

    Args:
        game: the game.
        file: where it is kept; None where it is not.
        resumed: the record that it goes on from; what it says of the game is kept.
        player: who made the moves so far; empty for the person alone.
        date: when it began; None for that of the record.
        is_saved: whether the file has the game as it stands.
        autoplay: the moves so far that a player made; None for what the record says.

    Attributes:
        game: the game; after a save another one where another program went on with it.
        file: where it is kept; used under `saving`.
        player: who made the moves so far; empty for the person alone.
        hints: for how many positions hints were shown; see `hint_shown`.
        lock: held while anything happens in the game.
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
        self._hinted: Board | None = None  # the board that hints were shown for last
        self._autoplay = autoplay or autoplay_of(player, self._resumed.tags)
        self._saved = self.version if is_saved or not game.can_undo else None

    @property
    def version(self) -> tuple[int, int, int]:
        """Another value whenever the game is another one.

        Hints before the first move count with it: a game without a move is not written.
        """
        number, undos = self.game.move_number, self.game.undos
        has_begun = undos > 0 or number > self.game.start_move_number
        return number, undos, self.hints if has_begun else 0

    @property
    def daily(self) -> str:
        """The day whose daily game it is, such as `2026-11-23`; empty for any other game."""
        return day_of_record(self._resumed)

    @property
    def is_saved(self) -> bool:
        """Whether nothing has to be written."""
        return self._saved == self.version

    @property
    def kind(self) -> Kind:
        """How it was played so far."""
        return kind_of(self.player, self.hints, given_board=self.game.given_board is not None)

    @property
    def counts_as_own(self) -> bool:
        """Whether the score counts as a best score of the person."""
        return counts_as_own(self.kind)

    def add_player(self, name: str) -> None:
        """Count someone among those who played."""
        self.player = add_player(self.player, name)

    def hint_shown(self, board: Board) -> bool:
        """Count a hint, if it is for the board as it stands and was not counted just before.

        Args:
            board: what the hint is for.

        Returns:
            Whether it was counted.
        """
        with self.lock:
            if board != self.game.board or board == self._hinted:
                return False
            self._hinted = board
            self.hints = min(self.hints + 1, MAX_MOVE_NUMBER)
            return True

    def refuse_in_daily(self, what: str) -> None:
        """Refuse what the daily game is played without.

        Args:
            what: for the sentence, such as `undo`.

        Raises:
            DailyRule: it is a daily game.
        """
        if self.daily:
            raise DailyRule(f"the daily game is played without {what}: there is one try a day")

    @property
    def autoplay(self) -> AutoplayMoves | None:
        """The moves that a player made; None where that is not known."""
        return self._autoplay_until(self.game.move_number)

    def _autoplay_until(self, number: int) -> AutoplayMoves | None:
        return None if self._autoplay is None else self._autoplay.until(number)

    def known_until(self, number: int) -> Record:
        """A record without moves that says who made those up to a number, with how many hints."""
        tags = autoplay_tags({}, self._autoplay_until(number))
        rules, seed = self.game.rules, self.game.seed
        return Record(rules, seed, player=self.player, hints=self.hints, tags=tags)

    def note_autoplay(self, before: int) -> None:
        """The moves after number `before` were made by a player."""
        if self._autoplay is not None:
            self._autoplay = self._autoplay.plus(before, self.game.move_number)

    def note_own_move(self) -> None:
        """The last move was made by the person, and not as a redo."""
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
        """The comments of the record that was resumed, up to where play parted from it."""
        known = self._resumed
        if not known.comments:
            return {}
        pairs = zip(known.moves, self.game.moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return {n: text for n, text in known.comments.items() if n <= known.start_move + same}

    # ---- the file

    def save(self) -> None:
        """Write the game, if it has changed since it was written last.

        Raises:
            InvalidInput: the folder is gone or read-only, or another program holds the file for
                too long.
            LimitExceeded: it needs a file of its own, and there are as many games as are kept.
            ResourceError: the disk is full or failed.
        """
        with self.saving:
            while not self.is_saved:
                with self.lock:
                    version, record = self.version, self.record()
                other = self.write(record)
                if other is None:
                    self._saved = version
                elif isinstance(other, Version):
                    self._take(other, version)  # or once more: it has changed since
                else:
                    self.move_away(other)

    def refresh(self) -> bool:
        """Take over what another program has saved, if nothing here is unsaved.

        Returns:
            False where the game is saved and another program has deleted it.
        """
        with self.saving:
            version = self.version
            if not self.is_saved or self.file is None:
                return True
            other = self.file.other()
            if isinstance(other, Version):
                self._take(other, version)
            return other is not Conflict.DELETED or not self.is_saved

    def _take(self, version: Version, known: tuple[int, int, int]) -> None:
        """Go on from the moves of another program, unless this game has changed since `known`."""
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

    # ---- what each face does in its own way

    @abstractmethod
    def write(self, record: Record) -> Version | Conflict | None:
        """Write the file, as `GameFile.save`; under `saving`."""

    @abstractmethod
    def move_away(self, conflict: Conflict) -> None:
        """Go on in a file of its own, since another program has the one so far; under `saving`."""

    def give_way(self) -> None:  # noqa: B027 (only some have to do something)
        """The game is about to become that of another program."""

    @abstractmethod
    def tell_news(self, news: News) -> None:
        """Another program has done something to the file."""
