"""Endgame tables by name or by file: those in the user's data folder, and files elsewhere."""

import os
from functools import lru_cache
from pathlib import Path

import platformdirs

from twofold.endgame.format import SUFFIX
from twofold.endgame.pattern import Pattern
from twofold.endgame.table import EndgameTable, EndgameTables
from twofold.errors import InvalidTable
from twofold.files import open_regular


def folder() -> Path:
    """Where tables are built."""
    return Path(platformdirs.user_data_dir("twofold", appauthor=False)) / "tables"


def find(name: str) -> Path:
    """The file of a table that is built here or, if it is no name of a table, the path itself.

    Raises:
        InvalidTable: it is a name, and the table is not built.
    """
    if name.endswith(SUFFIX):
        return Path(name)
    pattern = Pattern.parse(name)
    path = folder() / f"{pattern.name.replace('/', '_').replace(',', '_')}{SUFFIX}"
    if not path.exists():
        raise InvalidTable(
            f"there is no endgame table {pattern.name} here; "
            f"make it: twofold tables build {pattern.name}"
        )
    return path


def built() -> tuple[str, ...]:
    """The names of the tables that are built here, in the order in which they are asked."""
    paths = sorted(folder().glob(f"*{SUFFIX}"))
    return EndgameTables([_open(*_identity(path)) for path in paths]).names


def open_tables(names: str) -> EndgameTables:
    """The tables of names and paths that are joined by `+`; mapped once, shared by all who ask.

    Raises:
        InvalidTable: one is not built, or its file cannot be used.
    """
    return _join(tuple(_identity(find(name)) for name in names.split("+")))


@lru_cache(maxsize=8)
def _join(files: tuple[tuple[Path, int, int], ...]) -> EndgameTables:
    return EndgameTables([_open(*file) for file in files])


@lru_cache(maxsize=32)
def _open(path: Path, _changed: int, _size: int) -> EndgameTable:
    return EndgameTable.open(path)


def _identity(path: Path) -> tuple[Path, int, int]:
    """The path, when its file was changed, and its size."""
    with open_regular(path, InvalidTable) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size
