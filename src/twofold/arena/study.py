"""Studies: finished games in one SQLite file.

A process may end at any moment: written games stay, and missing games can be played later. The
tables are documented in `docs/reference/studies.md`. A study may come from a stranger: it is opened
only with exactly these tables, nothing in it is run, and each query has a deadline.
"""

import contextlib
import itertools
import json
import operator
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from twofold.arena.boards import StartBoards
from twofold.arena.games import FIGURES, GameColumns, gaps, ordered
from twofold.arena.study_rows import (
    BOARDS,
    FAILURE,
    PLAN,
    RUN,
    StoredRun,
    Wanted,
    failure,
    games_of,
    parse_machine,
    seeds_of,
    start_boards,
    stored_run,
    wanted,
)
from twofold.errors import InvalidInput, ResourceError, TwofoldError
from twofold.game.notation import ALL_SEEDS, SeedRange, shown
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.limits import MAX_RUNS
from twofold.storage.database import (
    Deadline,
    Schema,
    check_database,
    connect,
    room_beside,
    set_journal,
)
from twofold.storage.files import alone, atomic_write, file_name, free_path, in_use

__all__ = ["StoredRun", "Study", "Wanted"]

APPLICATION: Final = 0x32303438
"""`PRAGMA application_id` of a study: `2048` in ASCII."""

SCHEMA: Final = 3
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

_MIN_ROW: Final = 8
"""Smallest size of a row in bytes; a damaged tree can seem to hold more rows."""

_STUDY: Final = Schema("a study", APPLICATION, SCHEMA, TABLES)


class Study:
    """A study, opened for reading and, by default, for writing by this process only.

    `name` is the path as errors show it, `file_name` its last part.

    Args:
        path: the file, made if missing; None for a study in memory.
        read_only: True to open it only for reading.
        patience: seconds to wait for a file that another process has locked.
        seconds: longest time of a query without a row.

    Raises:
        InvalidInput: it is not a study, has a later schema, is damaged, or another program
            writes to it.
        ResourceError: it cannot be written.
    """

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
        self._patience, self._deadline = patience, Deadline(seconds)
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
            mode = "mode=rw" if self._writes else "mode=ro"
            connection = connect(path, mode, self._patience, self._deadline)
            stack.enter_context(contextlib.closing(connection))
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
        self._deadline.renew()
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        """Close; a new study without runs is removed after an error."""
        if error is not None and self._is_new:
            with contextlib.suppress(TwofoldError):
                self._is_refused = not (self.runs() or self._is_gone())
        self.close()

    def close(self) -> None:
        """Write pending games and close the file."""
        with self._stack:
            self.flush()
            self._check_place()

    # ---- runs

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they were added."""
        with self._errors():
            rows = itertools.chain.from_iterable(
                self._rows(f"SELECT {RUN} FROM run ORDER BY run", most=FEW)
            )
            found = [stored_run(row, self.name) for row in itertools.islice(rows, MAX_RUNS + 1)]
            if len(found) > MAX_RUNS:
                raise self._too_many_runs()
            return found

    def _too_many_runs(self) -> InvalidInput:
        return InvalidInput(f"expected at most {MAX_RUNS:,} runs in {self.name}, got more")

    def add_run(
        self,
        spec: str,
        player: str,
        rules: str,
        *,
        signature: str,
        twofold: str,
        machine: Mapping[str, Any],
        reproducible: bool,
        boards: StartBoards | None = None,
    ) -> StoredRun:
        """The run of a player, added if missing.

        Raises:
            InvalidInput: the study has too many runs, or `machine` has other than plain values.
        """
        about = json.dumps(machine)
        parse_machine(about)
        home = (spec, rules, signature, boards.hash if boards else "")
        same = "spec = ? AND rules = ? AND signature = ? AND boards = ?"
        with self._errors():
            if known := self._one(f"SELECT {RUN} FROM run WHERE {same}", home):
                return stored_run(known, self.name)
            if self._one("SELECT 1 FROM run LIMIT 1 OFFSET ?", (MAX_RUNS - 1,)):
                raise self._too_many_runs()
            if boards:
                self._connection.execute(
                    f"INSERT OR IGNORE INTO boards ({BOARDS}) VALUES (?, ?, ?)",
                    (boards.hash, boards.name, boards.text),
                )
            now = datetime.now(UTC).isoformat(timespec="seconds")
            texts = (spec, player, rules, signature, twofold, about)
            self._connection.execute(
                f"INSERT INTO run ({RUN}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*texts, reproducible, now, home[-1]),
            )
            return stored_run(self._one(f"SELECT {RUN} FROM run WHERE {same}", home), self.name)

    def mark_not_reproducible(self, run: int) -> None:
        """Note that games of a run depend on more than player, rules and seed."""
        with self._errors():
            self._connection.execute("UPDATE run SET reproducible = 0 WHERE run = ?", (run,))

    def boards_of(self, run: StoredRun) -> StartBoards | None:
        """The start boards of a run; None for new games."""
        if not run.boards:
            return None
        with self._errors():
            row = self._one(f"SELECT {BOARDS} FROM boards WHERE hash = ?", (run.boards,))
            if row:
                return start_boards(row, Rules.parse(run.rules), self.name)
        raise InvalidInput(
            f"expected the boards {run.boards} of {self._run_name(run.run)}, got none"
        )

    # ---- plans

    def want(self, run: int, seeds: SeedRange) -> None:
        """Store a request for games, so that a later call can play them."""
        with self._errors():
            self._connection.execute(
                "INSERT INTO plan (run, first_seed, games) VALUES (?, ?, ?) ON CONFLICT"
                " (run, first_seed) DO UPDATE SET games = max(games, excluded.games)",
                (run, str(seeds.first), seeds.count),
            )

    def wanted(self) -> list[Wanted]:
        """All requests, in order."""
        with self._errors():
            rows = self._rows(f"SELECT {PLAN} FROM plan ORDER BY plan", most=FEW)
            return [wanted(row, self.name) for row in itertools.chain.from_iterable(rows)]

    # ---- games

    def add(self, run: int, games: GameColumns) -> None:
        """Add finished games; `flush` writes them."""
        cells = games.cells()
        cells["seed"] = list(map(str, cells["seed"]))
        cells["reached"] = [str(numbers).replace(" ", "") for numbers in cells["reached"]]
        self._pending += zip(itertools.repeat(run), *cells.values())

    def flush(self) -> None:
        """Write the added games in one transaction; after an error they stay pending."""
        if self._pending:
            names = ", ".join(one.column for one in FIGURES.values())
            with self.transaction():
                self._connection.executemany(
                    f"INSERT OR IGNORE INTO game (run, {names}) VALUES (?{', ?' * len(FIGURES)})",
                    self._pending,
                )
            self._pending.clear()

    def fail(self, run: int, seed: int, error: str) -> None:
        """Store the error of a game; the next run plays it again."""
        with self._errors():
            self._connection.execute(
                "INSERT OR REPLACE INTO failure (run, seed, error) VALUES (?, ?, ?)",
                (run, str(seed), error),
            )

    def counts(self) -> dict[int, int]:
        """Numbers of finished games by run; runs without games are left out."""
        query = "SELECT count(*) FROM (SELECT 1 FROM game WHERE run = ? LIMIT ?)"
        counts: dict[int, int] = {}
        with self._errors():
            (pages,), (size,) = self._one("PRAGMA page_count"), self._one("PRAGMA page_size")
            left = pages * size // _MIN_ROW
            for run in self.runs():
                (games,) = self._one(query, (run.run, left + 1))
                left -= games
                if left < 0:
                    raise self._damaged()
                counts[run.run] = games
        return {run: games for run, games in counts.items() if games}

    def failures(self, run: int) -> dict[int, str]:
        """Errors by seed of the games that failed and were not finished later."""
        query = (
            f"SELECT {FAILURE} FROM failure WHERE run = ? AND NOT EXISTS (SELECT 1 FROM game"
            " WHERE game.run = failure.run AND game.seed = failure.seed) ORDER BY seed"
        )
        with self._errors():
            rows = itertools.chain.from_iterable(self._rows(query, (run,), most=FEW))
            return dict(failure(row, self._run_name(run)) for row in rows)

    def _run_name(self, run: int) -> str:
        return f"run {run} of {self.name}"

    def missing(self, run: int, seeds: SeedRange) -> list[SeedRange]:
        """The seeds without a finished game, in order."""
        self.flush()
        return gaps(seeds, self._seeds(run))

    def _seeds(self, run: int) -> NDArray[np.uint64]:
        name = self._run_name(run)
        with self._errors():
            chunks = self._rows("SELECT seed FROM game WHERE run = ? ORDER BY seed", (run,))
            parts = [seeds_of(rows, name) for rows in chunks]
        return np.concatenate([seeds_of([], name), *parts])

    def games(self, run: int, seeds: SeedRange = ALL_SEEDS, *, reached: bool = True) -> GameColumns:
        """The finished games of a run, in the order of `seeds`.

        `reached=False` leaves out the column `reached`, which takes most of the time.
        """
        self.flush()
        left_out = {"record"} if reached else {"record", "reached"}
        columns = [one.column for one in FIGURES.values() if one.column not in left_out]
        query = f"SELECT {', '.join(columns)} FROM game WHERE run = ? ORDER BY seed"
        name = self._run_name(run)
        with self._errors():
            parts = [games_of(columns, rows, seeds, name) for rows in self._rows(query, (run,))]
        return ordered(GameColumns.joined(parts or [games_of(columns, [], seeds, name)]), seeds)

    def records(self) -> Iterator[Record]:
        """All stored records, run by run; an invalid one raises InvalidInput with run and seed."""
        self.flush()
        query = (
            "SELECT run, seed, record FROM game WHERE record IS NOT NULL AND run = ? ORDER BY seed"
        )
        for run in self.runs():
            with self._errors():
                chunks = self._rows(query, (run.run,), key=1, most=FEW)
                for _, seed, text in itertools.chain.from_iterable(chunks):
                    yield self._record(text, f"seed {shown(seed)} in {self._run_name(run.run)}")

    def _record(self, text: object, where: str) -> Record:
        if not isinstance(text, str):
            raise InvalidInput(f"expected a record, got {shown(text)} in the game of {where}")
        try:
            return Record.parse(text)
        except InvalidInput as error:
            raise type(error)(f"{error}, in the game of {where}") from None

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
        self._deadline.check(error, self.name)
        if "locked" in text:
            raise in_use(self.name) from None
        if any(word in text for word in ("full", "I/O", "readonly", "unable to open")):
            if not self._writes:
                raise ResourceError(
                    f"cannot read {self.name}: {text}. Copy it, with the files beside it, to a "
                    "writable folder"
                ) from error
            where = "" if self._path is None else room_beside(self._path)
            if self._is_gone():
                where = " (it was removed or replaced)"
            raise ResourceError(f"cannot write {self.name}{where}: {text}") from error
        raise InvalidInput(f"expected a valid study, got {self.name}: {text}") from error
