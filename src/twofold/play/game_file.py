"""Game file: the record of a game in progress, which several programs may have open.

Terminal and web app share one folder of them.

A save compares the file with the content that this program last read or wrote. If another program
has changed it, only moves that follow those in the file are saved; the caller handles other cases.
"""

import hashlib
import os
import time
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput, InvalidRecord, ResourceError
from twofold.files import atomic_write, free_path, read_start
from twofold.folders import data_folder
from twofold.limits import MAX_RECORD_BYTES
from twofold.locks import alone
from twofold.notation import shown
from twofold.records.record import Record, format_record, parse_record
from twofold.records.text import located
from twofold.step import start_board

PATIENCE: Final = 5.0
"""Seconds to wait for another program's lock on a file; a write takes milliseconds."""

SUFFIX: Final = ".2048"
"""Suffix of the files of saved games."""

MOVES_TAG: Final = "Moves"
"""Tag with the number of moves of the record, so that a list does not count them."""

PLAYED_TAG: Final = "Played"
"""Tag with the time of the last change: seconds since 1970, with three decimals."""

IMPORTED_TAG: Final = "Imported"
"""Tag of an imported game without a move made here; the first move removes it."""

OPENED_TAG: Final = "Opened"
"""Tag of a game that was opened from a file: somebody else may have played it."""

INDEX_TAGS: Final = (MOVES_TAG, PLAYED_TAG, IMPORTED_TAG)
"""Tags of a file that are not part of its game: each save updates them."""


@dataclass(frozen=True, slots=True)
class Version:
    """A game as another program saved it, and a hash of the file's content."""

    record: Record
    digest: bytes


class Conflict(Enum):
    """Why a game cannot be saved in its file."""

    PARTED = "parted"
    """Another program has saved other moves there."""
    DELETED = "deleted"
    """Another program has deleted it."""
    DAMAGED = "damaged"
    """The file no longer holds a valid record."""


class GameFile:
    """A game's file, as this program last saw it; at first as if missing. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._known: set[bytes | None] = {None}  # digests; None: there is no file
        self._stamp: tuple[int, int, int] | None = None

    def read(self) -> Record:
        """Read the game; raises InvalidRecord or ResourceError. The content then counts as seen."""
        with located(shown(os.fspath(self.path))):
            version = _parse(content_of(self.path))
        self.take(version)
        return version.record

    def take(self, version: Version) -> None:
        """Mark a version as seen: the next save may overwrite it."""
        self._known = {version.digest}

    def other(self) -> Version | Conflict | None:
        """The change that another program made; None if the file is as last seen."""
        try:
            data = content_of(self.path)
        except InvalidRecord:
            if self.path.exists():
                raise
            return None if None in self._known else Conflict.DELETED
        if _digest(data) in self._known:
            return None
        try:
            return _parse(data)
        except InvalidRecord:
            return Conflict.DAMAGED

    def seems_changed(self) -> bool:
        """True if its time, size or inode is another than at the last call; cheap.

        False for a file that this program has not seen yet, or that is gone.
        """
        try:
            found = os.stat(self.path)
        except OSError:
            return False
        before, self._stamp = self._stamp, (found.st_mtime_ns, found.st_size, found.st_ino)
        return None not in self._known and before != self._stamp

    def save(self, record: Record) -> Version | Conflict | None:
        """Write the game, unless another program has changed the file.

        Returns None if it was written; a version that continues `record`; or why it needs another
        file. Raises InvalidInput or ResourceError; the file is then unchanged.
        """
        with alone(os.path.realpath(self.path), "program", patience=PATIENCE):
            other = self.other()
            if isinstance(other, Version):
                if goes_on(other.record, record):
                    return other
                if not goes_on(record, other.record):
                    return Conflict.PARTED
            elif other is not None:
                return other
            data = format_record(record).encode()
            digest = _digest(data)
            self._known.add(digest)  # if the write fails late, the file may hold the new content
            atomic_write(self.path, data)
            self._known = {digest}
        return None


def indexed(record: Record, played: float, *, imported: bool = False) -> Record:
    """The record with the tags for a list; `played` is its last change in seconds since 1970."""
    tags = {MOVES_TAG: str(len(record.moves)), PLAYED_TAG: f"{played:.3f}"}
    if imported:
        tags[IMPORTED_TAG] = "yes"
    return replace(record, tags={**unindexed(record).tags, **tags})


def unindexed(record: Record) -> Record:
    """The record without the tags for a list."""
    own = {name: text for name, text in record.tags.items() if name not in INDEX_TAGS}
    return replace(record, tags=own)


def goes_on(later: Record, earlier: Record) -> bool:
    """True if `later` has all moves of `earlier`, from the same start and with the same tiles."""
    count = len(earlier.moves)
    last = earlier.start_move + count
    spawns = {number: spawn for number, spawn in later.spawns.items() if number <= last}
    return (
        _start(later) == _start(earlier)
        and earlier.seed in (None, later.seed)  # a record without a seed lists all its tiles
        and later.moves[:count] == earlier.moves
        and spawns == earlier.spawns
    )


def _start(record: Record) -> tuple[object, ...]:
    board = record.board or start_board(record.rules, record.seed or 0)
    return record.rules, board, record.start_score, record.start_move


def content_of(path: Path) -> bytes:
    """The first `MAX_RECORD_BYTES` + 1 bytes of a file; raises InvalidRecord or ResourceError."""
    try:
        return read_start(path, MAX_RECORD_BYTES + 1, InvalidRecord)
    except OSError as error:
        raise ResourceError(f"cannot read {str(path)!a}: {error.strerror or error}") from error


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _parse(data: bytes) -> Version:
    return Version(unindexed(parse_record(data)), _digest(data))


GAMES: Final = "games"
"""Name of the folder of games in the data folder."""


def games_folder() -> Path:
    """The folder of games."""
    return data_folder() / GAMES


def make_folder(folder: Path) -> None:
    """Create a folder for games; raises InvalidInput for another file, or ResourceError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(folder)!r}: {reason}") from error


def new_save_path() -> Path:
    """The path of a new file, named by the time."""
    name = time.strftime("%Y-%m-%d-%H%M%S")
    return free_path(games_folder() / f"{name}{SUFFIX}")
