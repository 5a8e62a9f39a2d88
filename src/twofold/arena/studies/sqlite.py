"""Opens SQLite files safely: nothing in them is run, and no other file is changed.

Each statement has a deadline, and Ctrl-C ends it.
"""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn, Self, TypeVar
from urllib.parse import quote

from twofold.arena.studies.sqlite_beside import check_beside
from twofold.errors import InvalidInput
from twofold.files import read_start

LOCK_SECONDS: Final = 60.0
"""Default time to wait for a file that another process has locked."""

QUERY_SECONDS: Final = 120.0
"""Longest time of a statement without a row."""

_STEPS: Final = 20_000
"""Instructions of SQLite between two checks of clock and signals: about a millisecond."""

_PAUSE: Final = 0.01
"""Seconds between two attempts on a locked file."""

_PRAGMAS: Final = ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY")
"""Settings of each connection. Temporary tables in memory do not need a /tmp with free space."""

_MAGIC: Final = b"SQLite format 3\0"

Result = TypeVar("Result")


class Deadline:
    """Ends the statements of a connection on Ctrl-C and after `seconds` without `renew`.

    It is SQLite's progress handler. Python handles signals only while this runs, and a signal
    handler that raises here ends the statement.
    """

    def __init__(self, seconds: float = QUERY_SECONDS) -> None:
        self.seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Restart the time: a statement begins, or has made progress."""
        self._end = time.monotonic() + self.seconds

    def __call__(self) -> bool:
        """True if the time is over."""
        return time.monotonic() > self._end

    def explain(self, name: str) -> NoReturn:
        """Raise InvalidInput if the statement took too long, else KeyboardInterrupt."""
        if self():
            raise InvalidInput(
                f"no answer from {name} within {self.seconds:g} s. The file is damaged or too large"
            )
        raise KeyboardInterrupt


class Connection(sqlite3.Connection):
    """A connection that waits `patience` seconds for a locked file; Ctrl-C ends the wait.

    SQLite's own wait would not let Python handle signals.
    """

    patience = LOCK_SECONDS

    def cursor(self, factory: Any = None) -> Any:
        """A cursor that waits in the same way."""
        return super().cursor(factory or _Cursor)

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        """Execute one statement; see `sqlite3.Connection.execute`."""
        cursor: sqlite3.Cursor = self.cursor().execute(*statement)
        return cursor


class _Cursor(sqlite3.Cursor):
    connection: Connection

    def execute(self, *statement: Any) -> Self:
        return patiently(partial(super().execute, *statement), self.connection.patience)


def open_sqlite(
    path: str | os.PathLike[str], mode: str, deadline: Deadline, patience: float = LOCK_SECONDS
) -> Connection:
    """Open an existing file in mode `ro` or `rw`; each statement is a transaction by default."""
    real = Path(os.path.realpath(path))
    check_beside(real)
    uri = f"file:{quote(os.fsencode(real))}?mode={mode}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=0.0, isolation_level=None, factory=Connection
    )
    connection.patience = patience
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_progress_handler(deadline, _STEPS)
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    return connection


def patiently(act: Callable[[], Result], patience: float) -> Result:
    """The result of `act`, retried for `patience` seconds while the file is locked."""
    end = time.monotonic() + patience
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
        time.sleep(_PAUSE)


def is_sqlite(path: str | os.PathLike[str]) -> bool:
    """True if a file begins as SQLite files do."""
    return read_start(path, len(_MAGIC)) == _MAGIC


def schema_of(connection: sqlite3.Connection, most: int) -> list[tuple[Any, ...]]:
    """Kind, name, table and SQL of the first `most` entries of a file's schema."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT ?"
    return connection.execute(query, (most,)).fetchall()


def room_beside(path: str | os.PathLike[str]) -> str:
    """The size of a file and the free space of its disk, for an error."""
    try:
        size = os.path.getsize(path)
        free = shutil.disk_usage(os.path.dirname(os.path.realpath(path))).free
    except OSError:
        return "unknown size"
    return f"{size:,} bytes, {free:,} bytes free"
