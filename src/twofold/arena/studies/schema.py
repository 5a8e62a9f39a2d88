"""The tables of a study: creates, migrates and checks them."""

import contextlib
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from twofold.arena.studies.sqlite import schema_of
from twofold.errors import InvalidInput
from twofold.notation import shown

APPLICATION: Final = 0x32303438
"""`PRAGMA application_id` of a study: `2048` in ASCII."""

MIGRATIONS: Final = (
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
    # Runs from given boards, and the tile sum at the end of a game. SQLite cannot alter UNIQUE,
    # so the table is created again.
    """
    CREATE TEMP TABLE before AS SELECT * FROM main.run;
    DROP TABLE main.run;
    CREATE TABLE main.run (
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
    INSERT INTO main.run SELECT *, '' FROM temp.before;
    DROP TABLE temp.before;
    CREATE TABLE boards (
        hash TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        boards TEXT NOT NULL
    ) WITHOUT ROWID;
    ALTER TABLE game ADD COLUMN tile_sum INTEGER;
    """,
)
"""Statement k makes version k + 1 of the schema from version k."""

SCHEMA: Final = len(MIGRATIONS)

_SINCE: Final = {"boards": (2, "''"), "tile_sum": (2, "NULL")}
"""Columns that older files lack: the first schema that has the column, and its default."""


def selected(columns: Iterable[str], schema: int) -> str:
    """Columns of `run` and `game` for a query of a file with this schema."""
    first = {column: _SINCE.get(column, (1, "")) for column in columns}
    return ", ".join(
        column if schema >= since else f"{default} AS {column}"
        for column, (since, default) in first.items()
    )


def in_memory() -> sqlite3.Connection:
    """A connection to a new study in memory; each statement is a transaction."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection, 0)
    return connection


def new_file() -> bytes:
    """The content of a new study file."""
    with contextlib.closing(in_memory()) as connection:
        return connection.serialize()


def migrate(connection: sqlite3.Connection, schema: int) -> None:
    """Bring a file to the newest schema in one transaction."""
    if schema < SCHEMA:
        _apply(connection, schema, SCHEMA)


def _apply(connection: sqlite3.Connection, first: int, last: int) -> None:
    steps = "".join(MIGRATIONS[first:last])
    connection.executescript(
        f"PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE; {steps}"
        f" PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {last}; COMMIT;"
    )


def check_schema(connection: sqlite3.Connection, name: str) -> int:
    """The version of a study's schema, after a check that the file has exactly its tables.

    A view in place of a table would run statements stored in the file.

    Raises:
        InvalidInput: it is not a study, is of a later version, or has other tables.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise InvalidInput(f"expected a study, got another SQLite file: {name}")
    if not 1 <= schema <= SCHEMA:
        raise InvalidInput(
            f"expected a study of schema 1 to {SCHEMA}, got {name} of schema {schema}, "
            "made by a later version of twofold"
        )
    expected = _tables(schema)
    found = {_squeezed(entry) for entry in schema_of(connection, len(expected) + 1)}
    for kind, entry, *_ in sorted(found - expected, key=str):
        raise InvalidInput(
            f"expected only the tables of a study, got the {_word(kind)} {shown(entry)} in {name}"
        )
    for kind, entry, *_ in sorted(expected - found, key=str):
        raise InvalidInput(f"expected the {kind} {entry} of a study, got none in {name}")
    return int(schema)


def _tables(schema: int) -> set[tuple[Any, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        _apply(fresh, 0, schema)
        return {_squeezed(entry) for entry in schema_of(fresh, 1_000)}


def _squeezed(entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """An entry of a schema with normal white space in its SQL."""
    *names, sql = entry
    return (*names, " ".join(sql.split()) if isinstance(sql, str) else sql)


def _word(kind: object) -> str:
    return str(kind) if kind in ("table", "index", "view", "trigger") else "entry"
