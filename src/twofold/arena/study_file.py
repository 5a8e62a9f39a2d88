"""The file of a study: its tables, opening and closing, reading in chunks, transactions.

A study may come from a stranger: it is opened only with exactly the tables below, nothing in it
is run, and each query has a deadline.
"""

import contextlib
import itertools
import operator
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from twofold.arena.games import FIGURES
from twofold.errors import InvalidInput, ResourceError
from twofold.game.notation import shown
from twofold.storage.database import Schema, check_database, connect, room_beside, set_journal
from twofold.storage.files import alone, atomic_write, file_name, free_path, in_use

APPLICATION: Final = 0x32303438
"""`PRAGMA application_id` of a study: `2048` in ASCII."""

SCHEMA: Final = 2
"""`PRAGMA user_version`: the version of the tables; raised when they change."""

TABLES: Final = f"""
    CREATE TABLE run (
        run INTEGER PRIMARY KEY,
        spec TEXT NOT NULL,
        player TEXT NOT NULL,
        rules TEXT NOT NULL,
        signature TEXT NOT NULL,
        twofold TEXT NOT NULL,
        machine TEXT NOT NULL,
        reproducible INTEGER NOT NULL,
        created TEXT NOT NULL,
        boards TEXT NOT NULL,
        UNIQUE (spec, rules, signature, boards)
    );
    CREATE TABLE plan (
        plan INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run,
        first_seed TEXT NOT NULL,
        games INTEGER NOT NULL,
        UNIQUE (run, first_seed)
    );
    CREATE TABLE boards (
        hash TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        boards TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE game (
        run INTEGER NOT NULL REFERENCES run,
        {", ".join(f"{one.column} {one.sql}" for one in FIGURES.values())},
        PRIMARY KEY (run, seed)
    ) WITHOUT ROWID;
    CREATE TABLE failure (
        run INTEGER NOT NULL REFERENCES run,
        seed TEXT NOT NULL,
        error TEXT NOT NULL,
        PRIMARY KEY (run, seed)
    ) WITHOUT ROWID;
"""
"""A file has these tables and no others, with the same SQL up to white space; `game` has a column
for each figure."""

LOCK_SECONDS: Final = 5.0
"""Default time to wait for a file that another program has locked."""

QUERY_SECONDS: Final = 120.0
"""Longest time of a statement without a row."""

CLOSING_SECONDS: Final = 2.0
"""How long a closing study waits for readers, such as the web app."""

FEW: Final = 100
"""Number of rows with long texts read at a time."""

_CHUNK: Final = 50_000
"""Number of other rows read at a time."""

_GROWTH: Final = 2**26
"""Bytes that another program may add to the file between two statements."""

_STEPS: Final = 20_000
"""Instructions of SQLite between two checks of clock and signals: about a millisecond."""

_STUDY: Final = Schema("a study", APPLICATION, SCHEMA, TABLES)


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
        self._patience, self._seconds = patience, seconds
        self._written: os.stat_result | None = None  # of the file that this process writes
        self._is_new = self._is_refused = False
        with self._errors(), contextlib.ExitStack() as stack:
            opened = (
                contextlib.closing(_STUDY.in_memory()) if self._path is None else self._opened()
            )
            self._connection = stack.enter_context(opened)
            self._stack = stack.pop_all()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        path = self._path
        assert path is not None
        with contextlib.ExitStack() as stack:
            if not self._writes or path.exists():
                check_database(path, _STUDY.what, self.name)
            if self._writes:
                stack.enter_context(alone(path, "run"))
                stack.callback(self._remove_refused, path)
                if not path.exists():
                    with contextlib.closing(_STUDY.in_memory()) as fresh:
                        atomic_write(path, fresh.serialize())
                    self._is_new = True
                self._written = os.stat(path)
            connection = connect(path, "mode=rw" if self._writes else "mode=ro", self._patience)
            stack.enter_context(contextlib.closing(connection))
            # Python handles signals only while this runs; one that raises ends the statement.
            connection.set_progress_handler(self._is_late, _STEPS)
            _STUDY.check(connection, self.name)
            if self._writes:
                stack.callback(self._leave_wal, connection)
                set_journal(connection, "WAL", self._patience)
                connection.execute("PRAGMA synchronous = NORMAL")
            yield connection

    def _remove_refused(self, path: Path) -> None:
        """Remove a new file without runs."""
        if self._is_refused:
            path.unlink(missing_ok=True)

    def _leave_wal(self, connection: sqlite3.Connection) -> None:
        """Merge the write-ahead log; it stays if another process reads the study."""
        self._renew()
        with contextlib.suppress(sqlite3.Error):
            set_journal(connection, "DELETE", CLOSING_SECONDS)

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

    # ---- queries

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(query, values).fetchone()

    def _rows(
        self, query: str, values: Sequence[Any] = (), *, key: int = 0, most: int = _CHUNK
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query in chunks, in ascending order of the column `key`.

        A damaged tree can lead in a circle, and rows can share one long text: a row that is out of
        order, or more text than the file is large, raises InvalidInput.
        """
        (pages,), (size,) = self._one("PRAGMA page_count"), self._one("PRAGMA page_size")
        left = pages * size + _GROWTH
        cursor = self._connection.execute(query, values)
        last: list[Any] = []
        while True:
            rows = []
            for row in itertools.islice(cursor, most):
                left -= sum([len(cell) for cell in row if type(cell) is str])
                if left < 0:
                    raise self._damaged()
                rows.append(row)
            if not rows:
                return
            keys = last + [row[key] for row in rows]
            one_kind = len(set(map(type, keys))) == 1  # a key of another type is refused later
            if one_kind and not all(map(operator.lt, keys, keys[1:])):
                raise self._damaged()
            last = keys[-1:]
            self._renew()
            yield rows

    def _damaged(self) -> InvalidInput:
        return InvalidInput(f"expected a valid study, got {self.name} with a damaged tree")

    def _renew(self) -> None:
        """Restart the time of the deadline."""
        self._end = time.monotonic() + self._seconds

    def _is_late(self) -> bool:
        return time.monotonic() > self._end

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate errors of SQLite; the deadline starts anew."""
        self._renew()
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
            if not self._is_late():
                raise KeyboardInterrupt
            raise InvalidInput(
                f"no answer from {self.name} within {self._seconds:g} s. The file is damaged or "
                "too large"
            )
        if "locked" in text:
            raise in_use(self.name) from None
        if any(word in text for word in ("full", "I/O", "readonly", "unable to open")):
            if not self._writes:
                raise ResourceError(
                    f"cannot read {self.name}: {text}. Copy it, with the files beside it, to a "
                    "writable folder"
                ) from error
            where = "" if self._path is None else f" ({room_beside(self._path)})"
            if self._is_gone():
                where = " (it was removed or replaced)"
            raise ResourceError(f"cannot write {self.name}{where}: {text}") from error
        raise InvalidInput(f"expected a valid study, got {self.name}: {text}") from error
