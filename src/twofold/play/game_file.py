"""Game file: the record of a game in progress, which other programs may have open too.

A program writes over a file only what it has seen there: before each save it compares the file
with what it read or wrote last. Where another program has changed the file meanwhile, the save
writes only moves that go on from those in the file; every other case is left to the caller, and
both games stay.
"""

import hashlib
import os
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

from twofold.errors import InvalidRecord, ResourceError
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_RECORD_BYTES
from twofold.locks import alone
from twofold.notation import shown
from twofold.records.record import Record, format_record, parse_record
from twofold.records.text import located
from twofold.step import start_board

PATIENCE: Final = 5.0
"""Seconds to wait for another program that writes the same file, which takes it milliseconds."""

SUFFIX: Final = ".2048"
"""How the names of the files of kept games end."""

MOVES_TAG: Final = "Moves"
"""Tag that says how many moves the record has, so that a list needs not count them."""

PLAYED_TAG: Final = "Played"
"""Tag that says when the game changed last: seconds since 1970, with three decimals."""

INDEX_TAGS: Final = (MOVES_TAG, PLAYED_TAG)
"""Tags of a file that are no part of its game: the next save would make them false."""


@dataclass(frozen=True, slots=True)
class Version:
    """A game as another program has left it in the file.

    Attributes:
        record: the game.
        digest: tells this content of the file from any other.
    """

    record: Record
    digest: bytes


class Conflict(Enum):
    """Why a game cannot be saved in its file."""

    PARTED = "parted"
    """Another program has saved other moves there."""
    DELETED = "deleted"
    """Another program has deleted it."""
    DAMAGED = "damaged"
    """Another program has written something else than a game."""


class GameFile:
    """A game's file, as this program saw it last. Not for several threads at once.

    Args:
        path: the file; at first it is taken not to exist.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._known: set[bytes | None] = {None}  # digests; None where there is no file

    def read(self) -> Record:
        """The game in the file, which counts as seen from now on.

        Raises:
            InvalidRecord: the file cannot be opened, or holds no valid record.
            ResourceError: the disk failed.
        """
        with located(shown(os.fspath(self.path))):
            version = _parse(content_of(self.path))
        self.take(version)
        return version.record

    def take(self, version: Version) -> None:
        """A version counts as seen: the next save may write over it."""
        self._known = {version.digest}

    def other(self) -> Version | Conflict | None:
        """What another program has made of the file; None where it is as seen last.

        Raises:
            InvalidRecord: the file cannot be opened.
            ResourceError: the disk failed.
        """
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

    def save(self, record: Record) -> Version | Conflict | None:
        """Write the game, unless another program has changed the file in its own way.

        Returns:
            None once it is written. A version where another program went on from this game: it
            has every move of it. A conflict where the game needs another file.

        Raises:
            InvalidInput: the folder is missing or read-only, the file cannot be opened, or another
                program holds it for too long.
            ResourceError: the disk is full or failed; what was stored before is intact.
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
            self._write(format_record(record).encode())
        return None

    def _write(self, data: bytes) -> None:
        digest = _digest(data)
        self._known.add(digest)  # a write that fails at its very end has been done
        atomic_write(self.path, data)
        self._known = {digest}


def indexed(record: Record, played: float) -> Record:
    """The record with the tags that a list is made from.

    Args:
        record: the game.
        played: when it changed last, in seconds since 1970.
    """
    tags = {MOVES_TAG: str(len(record.moves)), PLAYED_TAG: f"{played:.3f}"}
    return replace(record, tags={**record.tags, **tags})


def unindexed(record: Record) -> Record:
    """The record without the tags that a list is made from."""
    own = {name: text for name, text in record.tags.items() if name not in INDEX_TAGS}
    return replace(record, tags=own)


def goes_on(later: Record, earlier: Record) -> bool:
    """True if one record has all moves of another, from the same start and with the same tiles."""
    count = len(earlier.moves)
    last = earlier.start_move + count
    spawns = {number: spawn for number, spawn in later.spawns.items() if number <= last}
    return (
        _start(later) == _start(earlier)
        and earlier.seed in (None, later.seed)  # without a seed all its tiles are given
        and later.moves[:count] == earlier.moves
        and spawns == earlier.spawns
    )


def _start(record: Record) -> tuple[object, ...]:
    board = record.board or start_board(record.rules, record.seed or 0)
    return record.rules, board, record.start_score, record.start_move


def content_of(path: Path) -> bytes:
    """The bytes of a file, up to one more than a record may have.

    Raises:
        InvalidRecord: it cannot be opened.
        ResourceError: the disk failed.
    """
    try:
        with open_regular(path, InvalidRecord) as file:
            return file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise ResourceError(f"cannot read {str(path)!a}: {error.strerror or error}") from error


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _parse(data: bytes) -> Version:
    return Version(unindexed(parse_record(data)), _digest(data))
