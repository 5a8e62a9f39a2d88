"""The file of a study: opens and closes it, reads it in chunks, writes it in transactions."""

import contextlib
import operator
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from twofold.arena.studies.schema import SCHEMA, check_schema, in_memory, migrate, new_file
from twofold.arena.studies.sqlite import (
    LOCK_SECONDS,
    QUERY_SECONDS,
    Connection,
    Deadline,
    is_sqlite,
    open_sqlite,
    room_beside,
)
from twofold.errors import InvalidInput, ResourceError
from twofold.files import atomic_write, file_name, free_path
from twofold.limits import MAX_RECORD_BYTES
from twofold.locks import alone, in_use
from twofold.notation import shown

CLOSING_SECONDS: Final = 2.0
"""How long a closing study waits for readers, such as the web app."""

FEW: Final = 100
"""Number of rows with long texts read at a time."""

_CHUNK: Final = 50_000
"""Number of other rows read at a time."""


class StudyFile:
    """The base of `Study`, which documents arguments, attributes and errors."""

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        patience: float = LOCK_SECONDS,
        seconds: float = QUERY_SECONDS,
    ) -> None:
        name = None if path is None else file_name(path)
        self.name = "a study in memory" if name is None else shown(name)
        self.file_name = "study.db" if name is None else os.path.basename(name)
        self._path = None if name is None else Path(os.path.realpath(name))
        self._pending: list[tuple[Any, ...]] = []  # games not yet written
        self._stack = contextlib.ExitStack()
        self._writes = not read_only
        self._patience = patience
        self._deadline = Deadline(seconds)
        self._schema = SCHEMA
        self._made: os.stat_result | None = None  # of a new file
        self._written: os.stat_result | None = None  # of the file that this process writes
        self._is_refused = False
        with self._errors(), contextlib.ExitStack() as stack:
            if self._path is None:
                connection: sqlite3.Connection = in_memory()
                self._connection = stack.enter_context(contextlib.closing(connection))
            else:
                self._connection = stack.enter_context(self._opened(self._path))
            self._stack = stack.pop_all()

    @contextlib.contextmanager
    def _opened(self, path: Path) -> Iterator[Connection]:
        with contextlib.ExitStack() as stack:
            if (not self._writes or path.exists()) and not is_sqlite(path):
                raise InvalidInput(f"expected a study, got {self.name}")
            if self._writes:
                stack.enter_context(alone(path, "run"))
                stack.callback(self._remove_refused, path)
                if not path.exists():
                    atomic_write(path, new_file())
                    self._made = os.stat(path)
            mode = "rw" if self._writes else "ro"
            if self._writes:
                self._written = os.stat(path)
            connection = open_sqlite(path, mode, self._deadline, self._patience)
            stack.enter_context(contextlib.closing(connection))
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_RECORD_BYTES)
            schema = check_schema(connection, self.name)
            if self._writes:
                stack.callback(self._leave_wal, connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                migrate(connection, schema)
            else:
                self._schema = schema
            yield connection

    def _remove_refused(self, path: Path) -> None:
        """Remove a new file without runs, while no other program uses it."""
        if self._is_refused:
            with contextlib.suppress(OSError):
                if self._made is not None and os.path.samestat(os.lstat(path), self._made):
                    path.unlink()

    def _leave_wal(self, connection: Connection) -> None:
        """Merge the write-ahead log; it stays if another process reads the study."""
        self._deadline.renew()
        connection.patience = CLOSING_SECONDS
        with contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA journal_mode = DELETE")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in one transaction, rolled back on an error."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
                self._check_place()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _is_gone(self) -> bool:
        """Whether the file that this process writes is no longer at its path."""
        if self._written is None or self._path is None:
            return False
        try:
            return not os.path.samestat(os.stat(self._path), self._written)
        except FileNotFoundError:
            return True

    def _check_place(self) -> None:
        """If the file was removed or replaced, save the games under another name, and say so."""
        if not self._is_gone() or self._path is None:
            return
        self._written = None  # once
        if self._one("SELECT 1 FROM game LIMIT 1"):
            saved = free_path(self._path.with_stem(f"{self._path.stem}-2"))
            atomic_write(saved, self._connection.serialize())
            raise ResourceError(
                f"{self.name} was removed or replaced while games were written to it; all of them "
                f"are in {file_name(saved)}"
            )

    def _renewing(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """Renew the deadline with each row."""
        for row in rows:
            self._deadline.renew()
            yield row

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(query, values).fetchone()

    def _rows(
        self, query: str, values: Sequence[Any] = (), *, key: int = 0, most: int = _CHUNK
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query in chunks, in ascending order of the column `key`.

        A damaged tree can lead in a circle; a row that is out of order raises InvalidInput.
        """
        cursor = self._connection.execute(query, values)
        last: list[Any] = []
        while rows := cursor.fetchmany(most):
            keys = last + [row[key] for row in rows]
            one_kind = len(set(map(type, keys))) == 1  # a key of another type is refused later
            if one_kind and not all(map(operator.lt, keys, keys[1:])):
                raise self._damaged()
            last = keys[-1:]
            self._deadline.renew()
            yield rows

    def _damaged(self) -> InvalidInput:
        return InvalidInput(f"expected a valid study, got {self.name} with a damaged tree")

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate errors of SQLite; the deadline starts anew."""
        self._deadline.renew()
        try:
            yield
        except sqlite3.Error as error:
            self._raise(error)
        except (ValueError, TypeError, OverflowError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(f"expected a valid study, got {self.name}: {error}") from error

    def _raise(self, error: sqlite3.Error) -> NoReturn:
        text = str(error)
        if text == "interrupted":
            self._deadline.explain(self.name)
        if "locked" in text:
            raise in_use(self.name) from None
        if any(word in text for word in ("full", "I/O", "readonly", "unable to open")):
            if not self._writes:
                raise ResourceError(
                    f"cannot read {self.name}: {text}. Copy it, with the files beside it, to a "
                    "writable folder"
                ) from error
            room = f" ({room_beside(self._path)})" if self._path else ""
            if self._is_gone():
                room = " (it was removed or replaced)"
            raise ResourceError(f"cannot write {self.name}{room}: {text}") from error
        raise InvalidInput(f"expected a valid study, got {self.name}: {text}") from error
