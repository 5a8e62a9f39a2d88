"""SQLite files: told from others, and opened so that everything in them is only data.

Opening a file changes no other file, each statement has a deadline, and Ctrl-C ends it.
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
from twofold.files import open_regular

LOCK_SECONDS: Final = 60.0
"""How long a process waits for the others to have written."""

QUERY_SECONDS: Final = 120.0
"""Longest time that a statement may run without a row."""

_STEPS: Final = 20_000
"""Instructions of SQLite between two looks at the clock and at signals: about a millisecond."""

_PAUSE: Final = 0.01
"""Seconds between two tries for a file that another program holds."""

_PRAGMAS: Final = ("trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY")
"""Temporary tables in memory: a full /tmp ends nothing."""

_MAGIC: Final = b"SQLite format 3\0"

Result = TypeVar("Result")


class Deadline:
    """Ends the statements of a connection: at Ctrl-C, and when they take too long.

    It is SQLite's progress handler. Python handles signals only while this runs, and a signal
    handler that raises here ends the statement.

    Args:
        seconds: of a statement, or between two calls of `renew`.
    """

    def __init__(self, seconds: float = QUERY_SECONDS) -> None:
        self.seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Begin anew: a statement begins, or has made progress."""
        self._end = time.monotonic() + self.seconds

    def __call__(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._end

    def explain(self, name: str) -> NoReturn:
        """Raise what an interrupted statement means.

        Args:
            name: of the file, for the error.

        Raises:
            InvalidInput: it took too long.
            KeyboardInterrupt: the user interrupted it.
        """
        if self():
            raise InvalidInput(
                f"expected an answer of {name} within {self.seconds:g} s, got none: "
                "the file is damaged or too large"
            )
        raise KeyboardInterrupt


class Connection(sqlite3.Connection):
    """A connection that waits for other programs, where Ctrl-C ends the waiting.

    SQLite can wait, too, but Python handles no signal meanwhile.

    Attributes:
        patience: seconds that a statement waits where another process holds the file.
    """

    patience = LOCK_SECONDS

    def cursor(self, factory: Any = None) -> Any:
        """A cursor that waits, too."""
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
    path: str | os.PathLike[str],
    mode: str,
    deadline: Deadline,
    patience: float = LOCK_SECONDS,
) -> Connection:
    """A connection in which each statement is a transaction, unless one was begun.

    Args:
        path: the file, which exists.
        mode: `ro` or `rw`.
        deadline: of its statements.
        patience: seconds that a statement waits where another process holds the file.

    Raises:
        InvalidInput: a file beside it would lead SQLite to change other files.
    """
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
    """The result of `act`, which is tried again while another process holds the file.

    Raises:
        sqlite3.OperationalError: the file is still held after `patience` seconds, or another.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return act()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
        time.sleep(_PAUSE)


def is_sqlite(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of SQLite, by its first bytes.

    Raises:
        InvalidInput: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


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
