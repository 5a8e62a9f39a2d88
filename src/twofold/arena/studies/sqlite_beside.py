"""Checks the files that SQLite keeps beside a database and obeys when it opens the database.

A rollback journal can end with the name of a *super-journal*, the list of the journals of one
transaction over several databases. SQLite deletes the named file after a rollback, whatever it
is. Twofold writes to one database at a time, so its own journals have no such name.

Source: sqlite.org/fileformat2.html, sections 3 and 4; sqlite.org/walformat.html, section 2.
"""

import os
import stat
import sys
from pathlib import Path
from typing import IO, Final

from twofold.errors import InvalidInput

_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""First eight bytes of a rollback journal, and the last eight of one with a super-journal."""

_WAL: Final = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"))
"""First four bytes of a write-ahead log."""

_INDEX: Final = (3_007_000).to_bytes(4, sys.byteorder)
"""First four bytes of the index of a write-ahead log: its version."""


def check_beside(path: Path) -> None:
    """Refuse a database with unsafe files beside it; `path` has no links in it.

    Raises:
        InvalidInput: one of them is a link, not a regular file, another program's file or a
            journal that names a super-journal.
    """
    for suffix, is_sound in (("-journal", _is_journal), ("-wal", _is_log), ("-shm", _is_index)):
        beside = path.with_name(path.name + suffix)
        try:
            state = os.lstat(beside)
        except OSError:  # there is none
            continue
        if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
            raise _refusal(beside, "a regular file without links")
        if not state.st_size:
            continue
        try:
            with open(beside, "rb") as file:
                sound = is_sound(file, state.st_size)
        except FileNotFoundError:  # its transaction has ended meanwhile
            continue
        except OSError as error:
            raise InvalidInput(f"cannot read {str(beside)!a}: {error.strerror or error}") from None
        if not sound:
            raise _refusal(beside, "a file made by SQLite for one database")


def _refusal(beside: Path, expected: str) -> InvalidInput:
    return InvalidInput(f"expected {expected}, got {str(beside)!a}. Move it to another folder")


def _is_journal(file: IO[bytes], size: int) -> bool:
    """True for a journal of one database, also an unfinished one, whose first bytes are 0."""
    start = file.read(len(_JOURNAL))
    if start != _JOURNAL and any(start):
        return False
    file.seek(max(0, size - len(_JOURNAL)))
    return size < 2 * len(_JOURNAL) or file.read() != _JOURNAL


def _is_log(file: IO[bytes], _size: int) -> bool:
    start = file.read(4)
    return start in _WAL or not any(start)


def _is_index(file: IO[bytes], _size: int) -> bool:
    start = file.read(4)
    return start == _INDEX or not any(start)
