"""GamesFile: the file of a folder of games, `games.db`, as SQLite has it."""

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from twofold.errors import InvalidInput, ResourceError
from twofold.game.notation import printable, shown
from twofold.storage.database import (
    Schema,
    check_database,
    connect,
    is_busy,
    room_beside,
    set_journal,
)
from twofold.storage.files import in_use

PATIENCE: Final = 5.0
"""Seconds to wait for another program that is writing; a write takes milliseconds."""

OPENING_SECONDS: Final = 60.0
"""Seconds to wait for another program that is making the file."""

SQLITE_TEXT: Final = 10**9
"""Most bytes of a text in SQLite."""

FILE: Final = "games.db"
GAMES: Final = "games"
"""Name of the folder of games in the data folder."""

_SCHEMA: Final = Schema(
    "saved games of twofold",
    0x32303467,
    2,
    """
    CREATE TABLE game (
        game TEXT PRIMARY KEY,
        rules TEXT NOT NULL,
        board TEXT NOT NULL,
        score INTEGER NOT NULL,
        moves INTEGER NOT NULL,
        max_tile INTEGER NOT NULL,
        status TEXT NOT NULL,
        player TEXT NOT NULL,
        date TEXT NOT NULL,
        undos INTEGER NOT NULL,
        hints INTEGER NOT NULL,
        kind TEXT NOT NULL,
        daily TEXT NOT NULL,
        played REAL NOT NULL,
        imported INTEGER NOT NULL,
        version INTEGER NOT NULL,
        record TEXT NOT NULL
    );
    CREATE TABLE best (
        game TEXT PRIMARY KEY,
        rules TEXT NOT NULL,
        score INTEGER NOT NULL
    );
    CREATE INDEX best_score ON best (rules, score);
    CREATE TABLE accuracy (
        game TEXT PRIMARY KEY,
        moves INTEGER NOT NULL,
        percent REAL NOT NULL
    );
    CREATE TABLE practice (
        name TEXT PRIMARY KEY,
        content TEXT NOT NULL
    );
""",
)
"""`version` is a new random number at each save. `best` has the points that a person's own moves
reached and that stand, also of deleted games and of files elsewhere. `accuracy` has the games that
were judged, as `Accuracy`, and `practice` what a person has practised, as JSON.
"""

_Row = TypeVar("_Row", bound=tuple[Any, ...])


class GamesFile:
    """The file of the games in a folder. Thread-safe.

    It is made by the first write. Where it cannot be written, it can be read, and each write raises
    ResourceError. Raises InvalidInput if the file is another one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        # SQLite looks for a journal beside the file that a link leads to, and so do we
        self.path: Final = Path(os.path.realpath(folder / FILE))
        self._lock = threading.RLock()
        self._fault: Exception | None = None  # why the file cannot be written
        self._file: os.stat_result | None = None
        self._connection = _SCHEMA.in_memory()
        with self._errors("read"):
            self._open(create=False)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    # ---- the file

    def _open(self, *, create: bool) -> None:
        is_read = self._fault is not None
        self._fault = self._file = None
        # before SQLite opens it: to close a file ends all locks that this process has on it
        check_database(self.path, _SCHEMA.what, shown(str(self.path)), may_be_new=True)
        if create or self.path.exists():
            try:
                make_folder(self.folder)
            except (InvalidInput, ResourceError) as error:
                self._fault = error
            try:
                self._use(self._writable())
                self._file = self.path.stat()
                return
            except sqlite3.OperationalError as error:
                if is_busy(error):
                    raise
                self._fault = self._fault or error
        if not is_read:
            self._use(self._readable())

    def _use(self, connection: sqlite3.Connection) -> None:
        """Use a connection in place of the one until now."""
        self._connection.close()
        self._connection = connection

    def _connect(self, options: str, patience: float) -> sqlite3.Connection:
        connection = connect(self.path, options, patience, check_same_thread=False)
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        # one text that is too long is a fault of its row, found by the types of the rows
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, SQLITE_TEXT)
        return connection

    def _readable(self) -> sqlite3.Connection:
        """The games of a folder in which nothing can be written."""
        with contextlib.ExitStack() as stack:
            if self.path.exists():
                connection = self._connect("mode=ro&immutable=1", PATIENCE)
                stack.callback(connection.close)
                if not _is_new(connection):
                    _SCHEMA.check(connection, shown(str(self.path)))
                    stack.pop_all()
                    return connection
        return _SCHEMA.in_memory()

    def _writable(self) -> sqlite3.Connection:
        connection = self._connect("mode=rwc", OPENING_SECONDS)
        with contextlib.ExitStack() as stack:
            stack.callback(connection.close)
            set_journal(connection, "WAL", OPENING_SECONDS)
            with _transaction(connection):
                if _is_new(connection):
                    _SCHEMA.create(connection)
                _SCHEMA.check(connection, shown(str(self.path)))
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
            stack.pop_all()
        return connection

    def _rows(self, row: type[_Row], query: str, *values: object) -> list[_Row]:
        """The rows of a query, each of the type `row`."""
        with self._lock, self._errors("read"):
            cells = self._cells(query, *values).fetchall()
            return msgspec.convert(cells, list[row])  # type: ignore[valid-type]

    def _sound_rows(
        self, row: type[_Row], query: str, *values: object
    ) -> tuple[list[_Row], dict[str, str]]:
        """The rows of the type `row`, and what is wrong with each other one, by its first cell."""
        sound, wrong = [], {}
        with self._lock, self._errors("read"):
            for cells in (found := self._cells(query, *values)):
                try:
                    sound.append(msgspec.convert(cells, row))
                except msgspec.MsgspecError as error:
                    text, _, place = str(error).partition(" - at `$[")
                    column = found.description[int(place[:-2])][0]
                    wrong[printable(str(cells[0])[:80])] = f"{column}: {printable(text)}"
        return sound, wrong

    def _cells(self, query: str, *values: object) -> sqlite3.Cursor:
        if self._file is None and self._fault is None and self.path.exists():
            self._open(create=False)  # another program has made it
        return self._connection.execute(query, values)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors("write"):
            if self._is_gone():
                self._open(create=True)
            if self._fault is not None:
                raise self._fault
            with _transaction(self._connection):
                yield self._connection

    def _is_gone(self) -> bool:
        """True if there is no file yet, or somebody has removed or replaced it."""
        try:
            return self._file is None or not os.path.samestat(self._file, self.path.stat())
        except FileNotFoundError:
            return True

    @contextlib.contextmanager
    def _errors(self, task: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, msgspec.MsgspecError, RecursionError) as error:
            text, name = printable(str(error)), shown(str(self.path))
            if is_busy(error):
                raise in_use(name) from None
            if isinstance(error, sqlite3.OperationalError):
                room = f" ({room_beside(self.path)})" if self.folder.exists() else ""
                raise ResourceError(f"cannot {task} {name}{room}: {text}") from error
            raise InvalidInput(
                f"expected {_SCHEMA.what} in {name}, got a damaged file: {text}"
            ) from error


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_new(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None


def make_folder(folder: Path) -> None:
    """Create a folder for games; raises InvalidInput for another file, or ResourceError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InvalidInput(f"expected a folder for the games, got {str(folder)!r}") from None
    except OSError as error:
        reason = error.strerror or error
        raise ResourceError(f"cannot make the folder {str(folder)!r}: {reason}") from error
