"""Games in progress: where they are kept, when they are written, and the best score so far."""

import contextlib
import time
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from twofold.errors import InvalidInput, TwofoldError
from twofold.files import free_path
from twofold.game import Game
from twofold.play.best_scores import BEST_FILE, ME, add_player, counts_as_own, keep_best, read_best
from twofold.play.folder import games_folder, make_folder
from twofold.play.game_file import Conflict, GameFile, Version, indexed
from twofold.records.record import Record, read_record, write_record
from twofold.rules import Rules

SAVE_SECONDS: Final = 1.0
"""The game is saved after a move, but not more often than this."""

SAVE_SHARE: Final = 20
"""Nor does saving take more than one part in so many of the time."""

NEWER: Final = "another program went on with this game; its moves are here now"
_TAKEN: Final = {
    Conflict.PARTED: "another program has saved other moves in {old}",
    Conflict.DELETED: "another program has deleted {old}",
    Conflict.DAMAGED: "{old} can no longer be read",
}


class KeptGame:
    """A game and the file it is kept in.

    Args:
        game: the game.
        path: where it is saved; where it was read from, the file as it was then.
        resumed: the record that it goes on from; what it says of the game is kept.
        begun_by: spec of the player that made the moves so far, if one did.

    Attributes:
        game: the game; after a save another one where another program went on with it.
        player: who played, as the record will have it: empty for the person alone.
    """

    def __init__(
        self,
        game: Game,
        path: Path | GameFile,
        resumed: Record | None = None,
        *,
        begun_by: str = "",
    ) -> None:
        self.game = game
        self._file = GameFile(path) if isinstance(path, Path) else path
        self._notice = ""
        self.player = begun_by or ("" if resumed is None else resumed.player)
        self._is_mixed = bool(begun_by)
        self._resumed = resumed
        self._saved: tuple[int, int] | None = None
        self._next_save = time.monotonic() + SAVE_SECONDS
        self._given = game.given_board is not None

    @property
    def path(self) -> Path:
        """Where it is saved."""
        return self._file.path

    @property
    def is_saved(self) -> bool:
        """Whether it has been written at all."""
        return self._saved is not None

    def add_player(self, spec: str) -> None:
        """A player made a move: the record names it, and the score is no best score."""
        self._is_mixed = True
        self.player = add_player(self.player or ME, spec)

    def add_person(self) -> None:
        """The person made a move."""
        if self._is_mixed:
            self.player = add_player(self.player, ME)

    # ---- the file

    def record(self) -> Record:
        """The record of the game as it stands."""
        return Record.from_game(self.game, player=self.player, **self._known())

    def _known(self) -> dict[str, Any]:
        """What the resumed record says that still holds: its comments up to where play parted."""
        if self._resumed is None:
            return {}
        pairs = zip(self._resumed.moves, self.game.moves, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        last = self._resumed.start_move + same
        comments = {n: text for n, text in self._resumed.comments.items() if n <= last}
        return {"date": self._resumed.date, "tags": self._resumed.tags, "comments": comments}

    def save_now_and_then(self) -> None:
        """Save the game if it has changed, unless it was saved a moment ago."""
        if time.monotonic() >= self._next_save:
            self.save()

    def save(self) -> None:
        """Save the game where it is kept, if it has changed.

        Where another program has changed the file, the game takes over moves that go on from its
        own, and is kept in a file of its own otherwise; see `take_notice`.

        Raises:
            InvalidInput: the folder is read-only, or another program holds the file for too long.
            ResourceError: the disk is full or failed.
        """
        if self._state in (self._saved, (0, 0)):
            return
        began = time.monotonic()
        make_folder(self.path.parent)
        record = self.record()
        if self.path.absolute().parent == games_folder():
            record = indexed(record, time.time())
        other = self._file.save(record)
        if isinstance(other, Version):
            self._take(other)
        elif other is not None:
            self._move(other, record)
        self._keep_best()
        now = time.monotonic()
        self._next_save = now + max(SAVE_SECONDS, SAVE_SHARE * (now - began))
        self._saved = self._state

    @property
    def _state(self) -> tuple[int, int]:
        return self.game.move_number, self.game.undos

    def _take(self, version: Version) -> None:
        """Go on from the moves of another program, which has those made here."""
        self.game = version.record.replay()
        self.player = version.record.player
        self._resumed = version.record
        self._given = self.game.given_board is not None
        self._is_mixed = False
        self._file.take(version)
        self._notice = NEWER

    def _move(self, conflict: Conflict, record: Record) -> None:
        """Keep the game in another file."""
        old = self.path
        while True:
            file = GameFile(free_path(old))
            if file.save(record) is None:
                break
        self._file = file
        self._notice = f"{_TAKEN[conflict].format(old=old)}; this game is now in {file.path}"

    def take_notice(self) -> str:
        """What a save has to say of another program, once; empty for nothing."""
        notice, self._notice = self._notice, ""
        return notice

    def save_as(self, name: str) -> Path:
        """Write the game to a file; an existing file that is no record is left alone.

        Raises:
            InvalidInput: there is no name, or the file is something else.
        """
        if not name:
            raise InvalidInput("expected save FILE, got no file name")
        path = Path(name).expanduser()
        if path.exists():
            _check_is_record(path)
        write_record(path, self.record())
        return path

    # ---- the best score

    def best(self) -> int:
        """The best score under these rules, this game's included, in points."""
        known = best_score(self.game.rules)
        return max(known, self.game.score) if self.counts_as_own else known

    @property
    def counts_as_own(self) -> bool:
        """Whether the score counts as a best score of the person."""
        return counts_as_own(self.player, given_board=self._given)

    def _keep_best(self) -> None:
        score = self.game.score
        if self.counts_as_own and score > best_score(self.game.rules):
            path = _best_path()
            make_folder(path.parent)
            keep_best(path, {str(self.game.rules): score})


def _check_is_record(path: Path) -> None:
    try:
        read_record(path)
    except TwofoldError:
        raise InvalidInput(
            f"expected a new file or a saved game to replace, got {str(path)!r}"
        ) from None


def best_score(rules: Rules) -> int:
    """The best score of the games that a person played under these rules, in points."""
    with contextlib.suppress(InvalidInput):  # it is set aside at the next best score
        return read_best(_best_path()).get(str(rules), 0)
    return 0


def _best_path() -> Path:
    return games_folder() / BEST_FILE
