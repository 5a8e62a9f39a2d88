"""Endgame tables by name or by file: those that are built on this machine."""

import os
from functools import lru_cache
from pathlib import Path

from twofold.endgame.folder import files_in, tables_folder
from twofold.endgame.format import SUFFIX, Head, read_head
from twofold.endgame.pattern import Pattern
from twofold.endgame.table import EndgameTable, EndgameTables
from twofold.errors import InvalidTable
from twofold.files import open_regular


def find(name: str) -> Path:
    """The file of a table that is built here or, if it is no name of a table, the path itself.

    Raises:
        InvalidTable: it is a name, and the table is not built.
    """
    if name.endswith(SUFFIX) or Path(name).is_file():
        return Path(name)
    pattern = Pattern.parse(name)
    path = tables_folder() / f"{pattern.name.replace('/', '_')}{SUFFIX}"
    if not path.is_file():
        known = ", ".join(head.pattern.name for _, head in built()) or "none is"
        raise InvalidTable(
            f"expected a table that is built ({known}) or a file, got {name!a}. "
            f"Build it with: twofold tables build {pattern.name}"
        )
    return path


def built() -> list[tuple[Path, Head]]:
    """The tables that are built here, in the order in which they are asked."""
    found = {path: read_head(path) for path in files_in(tables_folder())}
    tables = EndgameTables([_open(*_identity(path)) for path in found]).tables
    return [(Path(table.path), table.head) for table in tables]


def open_tables(names: str) -> EndgameTables:
    """The tables of names and paths that are joined by `+`; mapped once, shared by all who ask.

    Raises:
        InvalidTable: one is not built, or its file cannot be used.
    """
    return EndgameTables([_open(*_identity(find(name))) for name in names.split("+")])


@lru_cache(maxsize=32)
def _open(path: Path, _changed: int, _size: int) -> EndgameTable:
    return EndgameTable.open(path)


def _identity(path: Path) -> tuple[Path, int, int]:
    """The path, when its file was changed, and its size."""
    with open_regular(path, InvalidTable) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size
