"""Studies: finished games in one SQLite file, which anything that reads SQLite can read.

A study may be interrupted at any moment, even by the end of the process: what was written stays,
and what is missing can be played later. The tables are documented in
`docs/reference/studies.md`.
"""

import contextlib
import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.arena.games import GameRow, Games
from twofold.arena.sqlite import LOCK_SECONDS, alone, is_sqlite, open_sqlite
from twofold.arena.study_columns import columns_of, in_order
from twofold.errors import InvalidInput, ResourceError
from twofold.files import atomic_write
from twofold.limits import MAX_SEED
from twofold.notation import shown

APPLICATION: Final = 0x32303438
"""What says that a SQLite file is a study: `2048` in ASCII, as `PRAGMA application_id`."""

_MIGRATIONS: Final = (
    """
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
        UNIQUE (spec, rules, signature)
    );
    CREATE TABLE plan (
        plan INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES run,
        first_seed TEXT NOT NULL,
        games INTEGER NOT NULL,
        UNIQUE (run, first_seed)
    );
    CREATE TABLE game (
        run INTEGER NOT NULL REFERENCES run,
        seed TEXT NOT NULL,
        score INTEGER NOT NULL,
        moves INTEGER NOT NULL,
        max_tile INTEGER NOT NULL,
        reached TEXT NOT NULL,
        nanoseconds INTEGER NOT NULL,
        move_median INTEGER,
        move_99th INTEGER,
        record TEXT,
        PRIMARY KEY (run, seed)
    ) WITHOUT ROWID;
    CREATE TABLE failure (
        run INTEGER NOT NULL REFERENCES run,
        seed TEXT NOT NULL,
        error TEXT NOT NULL,
        PRIMARY KEY (run, seed)
    ) WITHOUT ROWID;
    """,
)
"""What makes version k + 1 of the schema from version k."""

SCHEMA: Final = len(_MIGRATIONS)

CLOSING_SECONDS: Final = 2.0
"""How long a closing study waits for those who look at it, such as the web app."""

_CHUNK: Final = 50_000
"""Rows that are read at a time."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One player under one set of rules, as a study keeps it.

    Attributes:
        run: its number in the study.
        spec: canonical spec, with the hashes of the files it needs.
        player: the player as it was first named.
        rules: the rules.
        signature: of the twofold that played, see `twofold selftest`.
        twofold: its version.
        machine: versions, processor, cores, system.
        reproducible: whether games depend on (player, rules, seed) alone.
        created: when the first game was asked for, UTC.
    """

    run: int
    spec: str
    player: str
    rules: str
    signature: str
    twofold: str
    machine: dict[str, Any]
    reproducible: bool
    created: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """Games that were asked for: `games` of them, from `first_seed` on."""

    run: int
    first_seed: int
    games: int


class Study:
    """A study, open for reading and, unless told otherwise, for writing by this process alone.

    Args:
        path: the file; None for a study in memory. A new one is made where there is none.
        read_only: whether only to look.
        patience: seconds it waits where another process holds the file.

    Raises:
        InvalidInput: no study of ours, one of a later schema, a torn one, one that another
            program writes to.
        ResourceError: it cannot be written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        read_only: bool = False,
        patience: float = LOCK_SECONDS,
    ) -> None:
        self.name = "a study in memory" if path is None else shown(os.fspath(path))
        self._stack = contextlib.ExitStack()
        self._pending: list[tuple[Any, ...]] = []
        self._writes = not read_only
        with self._errors(), contextlib.ExitStack() as stack:
            if path is None:
                self._connection = sqlite3.connect(":memory:", isolation_level=None)
                stack.callback(self._connection.close)
                _migrate(self._connection, 0)
            else:
                file = Path(path)
                if not read_only:
                    stack.enter_context(alone(file, "run"))
                    if not file.exists():
                        _create(file)
                if not is_sqlite(file):
                    raise InvalidInput(f"expected a study, got {self.name}")
                self._connection = open_sqlite(file, "ro" if read_only else "rw", patience)
                stack.callback(self._connection.close)
                self._check_schema(read_only)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is waiting, and close the file, which then is one file again."""
        try:
            self.flush()
        finally:
            if self._writes:
                self._leave_wal()
            self._stack.close()

    def _leave_wal(self) -> None:
        """Make one file of it, which no reader must have open; where one reads on it stays."""
        end = time.monotonic() + CLOSING_SECONDS
        while True:
            try:
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
                return
            except sqlite3.Error as error:
                if "locked" not in str(error) or time.monotonic() >= end:
                    return
            time.sleep(0.05)

    def _check_schema(self, read_only: bool) -> None:
        (application,) = self._one("PRAGMA application_id")
        (schema,) = self._one("PRAGMA user_version")
        if application != APPLICATION:
            raise InvalidInput(f"expected a study, got another SQLite file: {self.name}")
        if not 1 <= schema <= SCHEMA:
            raise InvalidInput(
                f"expected a study of schema 1 to {SCHEMA}, got {self.name} of schema {schema}, "
                "made by a later twofold"
            )
        if not read_only:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            _migrate(self._connection, schema)

    # ---- runs

    def runs(self) -> list[StoredRun]:
        """All runs, in the order in which they were first asked for."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT run, spec, player, rules, signature, twofold, machine, reproducible,"
                " created FROM run ORDER BY run"
            )
            return [_stored(*row) for row in rows]

    def add_run(
        self,
        spec: str,
        player: str,
        rules: str,
        *,
        signature: str,
        twofold: str,
        machine: dict[str, Any],
        reproducible: bool,
    ) -> int:
        """The number of a run, which is made where there is none.

        Raises:
            InvalidInput: the study has games of the same player with another file.
        """
        with self._errors():
            self._refuse_other_files(spec, rules)
            found = self._one(
                "SELECT run FROM run WHERE spec = ? AND rules = ? AND signature = ?",
                (spec, rules, signature),
            )
            if found:
                return int(found[0])
            made = self._connection.execute(
                "INSERT INTO run (spec, player, rules, signature, twofold, machine, reproducible,"
                " created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    spec,
                    player,
                    rules,
                    signature,
                    twofold,
                    json.dumps(machine),
                    reproducible,
                    datetime.now(UTC).isoformat(timespec="seconds"),
                ),
            )
            return int(made.lastrowid or 0)

    def _refuse_other_files(self, spec: str, rules: str) -> None:
        """A network or a file of code that has changed must not pass for the one before."""
        from twofold.notation import parse_spec

        ours = parse_spec(spec)
        plain, hashes = _without_hashes(ours.values)
        for known in self.runs():
            theirs = parse_spec(known.spec)
            if known.rules != rules or theirs.name != ours.name:
                continue
            other, other_hashes = _without_hashes(theirs.values)
            if other == plain and other_hashes != hashes:
                raise InvalidInput(
                    f"expected {shown(known.player)} with {_words(other_hashes)} as in "
                    f"{self.name}, got {_words(hashes)}: the file has changed; name another study"
                )

    # ---- plans

    def want(self, run: int, first_seed: int, games: int) -> None:
        """Note that games are asked for, so that a later call can go on with them."""
        with self._errors():
            self._connection.execute(
                "INSERT INTO plan (run, first_seed, games) VALUES (?, ?, ?) ON CONFLICT"
                " (run, first_seed) DO UPDATE SET games = max(games, excluded.games)",
                (run, str(first_seed), games),
            )

    def wanted(self) -> list[Wanted]:
        """Everything that was asked for, in order."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT run, first_seed, games FROM plan ORDER BY plan"
            ).fetchall()
        return [Wanted(run, int(seed), games) for run, seed, games in rows]

    # ---- games

    def add(self, run: int, row: GameRow) -> None:
        """Keep a finished game; it is in the file after the next `flush`."""
        median, most = row.move_seconds or (None, None)
        self._pending.append(
            (
                run,
                str(row.seed),
                row.score,
                row.moves,
                row.max_tile,
                str(list(row.reached)).replace(" ", ""),
                round(row.seconds * 1e9),
                None if median is None else round(median * 1e9),
                None if most is None else round(most * 1e9),
                row.record or None,
            )
        )

    def flush(self) -> None:
        """Write the games that wait, in one transaction.

        Raises:
            ResourceError: they cannot be written; they wait on.
        """
        if self._pending:
            with self.transaction():
                self.insert(self._pending)
            self._pending.clear()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is written meanwhile is there all at once at the end, or nothing of it."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def insert(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Write games as the table has them, from `run` to `record`; known ones are left."""
        with self._errors():
            self._connection.executemany(
                "INSERT OR IGNORE INTO game (run, seed, score, moves, max_tile, reached,"
                " nanoseconds, move_median, move_99th, record)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def fail(self, run: int, seed: int, error: str) -> None:
        """Note that a game failed; it is played again when it is asked for again."""
        with self._errors():
            self._connection.execute(
                "INSERT OR REPLACE INTO failure (run, seed, error) VALUES (?, ?, ?)",
                (run, str(seed), error),
            )

    def counts(self) -> dict[int, int]:
        """How many games of each run are finished; runs without any are left out."""
        with self._errors():
            return dict(self._connection.execute("SELECT run, count(*) FROM game GROUP BY run"))

    def failures(self, run: int) -> dict[int, str]:
        """What failed of a run and has not been played since, by seed."""
        with self._errors():
            rows = self._connection.execute(
                "SELECT seed, error FROM failure WHERE run = ? AND NOT EXISTS (SELECT 1 FROM game"
                " WHERE game.run = failure.run AND game.seed = failure.seed)",
                (run,),
            )
            return {int(seed): error for seed, error in rows}

    def missing(self, wanted: Wanted) -> list[int]:
        """The positions of the wanted games that are not there, from 0 on."""
        self.flush()
        there = np.zeros(wanted.games, dtype=np.bool_)
        positions = self._seeds(wanted.run) - np.uint64(wanted.first_seed)
        there[positions[positions < np.uint64(wanted.games)]] = True
        return np.flatnonzero(~there).tolist()

    def _seeds(self, run: int) -> NDArray[np.uint64]:
        with self._errors():
            seeds = self._connection.execute("SELECT seed FROM game WHERE run = ?", (run,))
            return np.fromiter((int(seed) for (seed,) in seeds), dtype=np.uint64)

    def all_games(self, run: int, *, reached: bool = True) -> Games:
        """Every finished game of a run, in the order of the seeds."""
        return self.games(Wanted(run, 0, MAX_SEED + 1), reached=reached)

    def games(self, wanted: Wanted, *, reached: bool = True) -> Games:
        """The finished ones of the wanted games, in the order of their positions.

        Args:
            wanted: which games.
            reached: whether the columns `reached` are wanted, which take most of the time.
        """
        self.flush()
        query = (
            "SELECT seed, score, moves, max_tile, nanoseconds, move_median, move_99th"
            f"{', reached' if reached else ''} FROM game WHERE run = ?"
        )
        parts: list[tuple[Any, ...]] = []
        with self._errors():
            cursor = self._connection.execute(query, (wanted.run,))
            while rows := cursor.fetchmany(_CHUNK):
                parts.append(columns_of(rows, wanted.first_seed, wanted.games))
        parts = parts or [columns_of([], wanted.first_seed, wanted.games)]
        whole = (np.concatenate(column) for column in zip(*parts, strict=True))
        return in_order(wanted.first_seed, *whole)

    def records(self) -> Iterator[str]:
        """The texts of all records that were kept, run by run."""
        self.flush()
        with self._errors():
            yield from (
                text
                for (text,) in self._connection.execute(
                    "SELECT record FROM game WHERE record IS NOT NULL ORDER BY run, seed"
                )
            )

    # ---- errors

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        return self._connection.execute(query, values).fetchone()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what SQLite raises into our own errors."""
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "locked" in text:
                raise InvalidInput(
                    f"expected {self.name} for this run alone, got another program at work on it"
                ) from None
            if any(word in text for word in ("full", "I/O", "readonly", "unable to open")):
                raise ResourceError(f"cannot write {self.name}: {text}") from error
            raise InvalidInput(f"expected a sound study, got {self.name}: {text}") from error
        except (ValueError, TypeError, OverflowError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(f"expected a sound study, got {self.name}: {error}") from error


def _stored(*row: Any) -> StoredRun:
    """A row of the table `run`."""
    *texts, machine, reproducible, created = row
    run, spec, player, rules, signature, twofold = texts
    return StoredRun(
        run=run,
        spec=spec,
        player=player,
        rules=rules,
        signature=signature,
        twofold=twofold,
        machine=json.loads(machine),
        reproducible=bool(reproducible),
        created=created,
    )


def _without_hashes(values: Any) -> tuple[dict[str, str], dict[str, str]]:
    """The keys of a spec that name things, and those that hold the hashes of files."""
    plain = {key: text for key, text in values.items() if not key.endswith("_sha256")}
    return plain, {key: text for key, text in values.items() if key not in plain}


def _words(hashes: dict[str, str]) -> str:
    return ", ".join(f"{key}={text}" for key, text in hashes.items())


# ---- files


def _create(path: Path) -> None:
    """The whole new file appears at once."""
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / "study.db"
        draft.touch()
        with contextlib.closing(open_sqlite(draft, "rw")) as connection:
            _migrate(connection, 0)
        content = draft.read_bytes()
    atomic_write(path, content)


def _migrate(connection: sqlite3.Connection, schema: int) -> None:
    """Bring a file to the newest schema, all steps in one transaction."""
    if schema == SCHEMA:
        return
    steps = "".join(_MIGRATIONS[schema:])
    connection.executescript(
        f"BEGIN IMMEDIATE; {steps} PRAGMA application_id = {APPLICATION};"
        f" PRAGMA user_version = {SCHEMA}; COMMIT;"
    )
