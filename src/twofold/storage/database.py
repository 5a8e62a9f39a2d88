"""SQLite files: their tables are exactly ours, and nothing in them is run.

A file may come from a stranger. A view in place of a table, or a trigger, would run statements that
are stored in it.
"""

import contextlib
import os
import shutil
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from twofold.errors import InvalidInput
from twofold.limits import MAX_RECORD_BYTES
from twofold.storage.files import open_regular, read_start

_STEPS: Final = 20_000
"""Instructions of SQLite between two checks of clock and signals: about a millisecond."""

_PRAGMAS: Final = ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY")
"""Settings of each connection. Temporary tables in memory do not need a /tmp with free space."""

_MAGIC: Final = b"SQLite format 3\0"

_SUPER: Final = bytes.fromhex("d9d505f920a163d7")
"""The end of a rollback journal that names another file: SQLite deletes it after a rollback."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of a kind of file, such as `a study`.

    Attributes:
        application: `PRAGMA application_id`.
        version: `PRAGMA user_version`; raised when the tables change.
        tables: SQL; a file has these tables and no others, with the same SQL up to white space.
    """

    what: str
    application: int
    version: int
    tables: str

    def create(self, connection: sqlite3.Connection) -> None:
        """Make the tables, in the transaction of the caller."""
        for statement in self.tables.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self.application}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def in_memory(self) -> sqlite3.Connection:
        """A connection to new tables in memory; each statement is a transaction."""
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.create(connection)
        return connection

    def check(self, connection: sqlite3.Connection, name: str) -> None:
        """Refuse a file of another kind or version, or with other tables; `name` is quoted."""
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if application != self.application:
            raise InvalidInput(f"expected {self.what}, got another SQLite file: {name}")
        if version != self.version:
            raise InvalidInput(
                f"expected {self.what} of schema {self.version}, got {name} of schema {version}. "
                "Read it with the version of twofold that made it"
            )
        with contextlib.closing(self.in_memory()) as fresh:
            expected = _tables(fresh)
        found = _tables(connection)
        repeated = found[len(expected) :]
        for kind, entry, *_ in sorted({*found} ^ {*expected}, key=str) or repeated:
            raise InvalidInput(
                f"expected exactly the tables of {self.what}, got {name} with another {kind} "
                f"{entry!a}"
            )


def _tables(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    """Kind, name, table and SQL of the first entries of a file's schema; they may repeat."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT 100"
    return [
        (*names, " ".join(str(sql).split())) for *names, sql in connection.execute(query).fetchall()
    ]


def check_database(path: Path, what: str, name: str, *, may_be_new: bool = False) -> None:
    """Refuse a file that is no SQLite file, and one beside which SQLite must not write.

    Links beside it, and a journal that names another file, would make SQLite change that one. One
    that may be new may also be empty or missing.
    """
    start = b"" if may_be_new and not path.exists() else read_start(path, len(_MAGIC))
    if start != _MAGIC and (start or not may_be_new):
        raise InvalidInput(f"expected {what}, got {name}")
    for beside in (path.with_name(path.name + end) for end in ("-journal", "-wal", "-shm")):
        end = b""
        if beside.exists() and not beside.is_symlink():
            with open_regular(beside) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - len(_SUPER)))
                end = file.read(len(_SUPER))
        if beside.is_symlink() or end == _SUPER:
            raise InvalidInput(
                f"expected a file made by SQLite for one database, got {str(beside)!a}. Move it to "
                "another folder"
            )


class Deadline:
    """Ends statements of a connection that take too long; a damaged tree may have no end.

    Python handles signals only while it looks at the clock, so Ctrl-C ends a statement, too.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Begin the time anew."""
        self._end = time.monotonic() + self._seconds

    def is_late(self) -> bool:
        """True once the time is over."""
        return time.monotonic() > self._end

    def check(self, error: sqlite3.Error, name: str) -> None:
        """Raise InvalidInput, or KeyboardInterrupt, if that is why a statement ended."""
        if str(error) != "interrupted":
            return
        if not self.is_late():
            raise KeyboardInterrupt
        raise InvalidInput(
            f"no answer from {name} within {self._seconds:g} s. The file is damaged or too large"
        ) from error


def connect(
    path: Path, options: str, patience: float, deadline: Deadline, *, check_same_thread: bool = True
) -> sqlite3.Connection:
    """A connection with our settings, whose statements end with the deadline, from the first one.

    `options` are those of SQLite's URI, such as `mode=ro`.
    """
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{options}",
        uri=True,
        timeout=patience,
        isolation_level=None,
        check_same_thread=check_same_thread,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD_BYTES)
    deadline.renew()
    connection.set_progress_handler(deadline.is_late, _STEPS)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def set_journal(connection: sqlite3.Connection, mode: str, patience: float) -> None:
    """Change the journal mode as soon as no other program reads; SQLite itself does not wait."""
    end = time.monotonic() + patience
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
            return
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= end:
                raise
        time.sleep(0.01)


def is_busy(error: Exception) -> bool:
    """True for an error of SQLite because another program uses the file."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the details
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def room_beside(path: Path) -> str:
    """The size of a file and the free space of its disk, for an error; empty without its folder."""
    if not path.parent.exists():
        return ""
    free = shutil.disk_usage(path.parent).free
    return f" ({path.stat().st_size if path.exists() else 0:,} bytes, {free:,} bytes free)"
