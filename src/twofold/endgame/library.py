"""Endgame tables by name or by file: those that are built on this machine."""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from twofold.endgame.folder import AUTO, NONE, SUFFIX, files_in, is_path
from twofold.endgame.folder import tables_folder as tables_folder  # for callers of this module
from twofold.endgame.format import TableHead, read_head
from twofold.endgame.pattern import EndgamePattern
from twofold.endgame.table import EndgameTable, EndgameTables
from twofold.errors import InvalidTable
from twofold.files import open_regular
from twofold.limits import MAX_ENDGAME_TABLES, check_limit
from twofold.notation import shown

DEFAULT: Final = ("442-512/32-128", "443-512", "443-256/8-64")
"""The set that `twofold tables build default` makes.

The strongest of those tried within 3.5 GB: see "Endgame tables" in `docs/benchmarks.md`.
"""

LEAST_TARGET: Final = 8
"""Exponent of the smallest target of the tables that `auto` means.

With shorter targets players lose: the table makes its tile and leaves the board in a worse state
than the search would. `ntuple:ply=1` from 300 boards of `benchmarks/boards/14000.txt` makes
155,934 points without tables, 152,300 with `442-256` and 124,323 with `442-64`.
"""

JOINT: Final = "+"
"""Stands between the names of tables."""


def file_name(pattern: EndgamePattern) -> str:
    """The name of a pattern's file: `442-512.twofold-table`, `443-512_32-64.twofold-table`."""
    return pattern.name.replace("/", "_") + SUFFIX


def path_of(pattern: EndgamePattern, folder: Path) -> Path:
    """Where a pattern's file is in a folder, or would be."""
    return folder / file_name(pattern)


def find(name: str) -> Path:
    """The file of a table.

    Args:
        name: of a pattern that is built in `tables_folder`, such as `442-512`, or a path.

    Raises:
        InvalidTable: it is no name of a pattern and no file, or the table is not built.
    """
    if is_path(name):
        return Path(name)
    try:
        pattern = EndgamePattern.parse(name)
    except InvalidTable as error:
        raise InvalidTable(f"{error}. The name of a file ends in {SUFFIX}") from None
    path = path_of(pattern, tables_folder())
    if not path.is_file():
        known = ", ".join(head.pattern.name for _, head in built()) or "none is"
        raise InvalidTable(
            f"expected a table that is built ({known}) or a file, got {shown(name)}. "
            f"Build it with: twofold tables build {pattern.name}"
        )
    return path


def place_of(name: str, folder: Path | None = None) -> Path:
    """Where a table is, or would be: in a folder, or the path itself.

    Args:
        name: of a pattern, or a path.
        folder: None for `tables_folder`.

    Raises:
        InvalidTable: it is neither the name of a pattern nor that of a table's file.
    """
    if name.endswith(SUFFIX):
        return Path(name)
    return path_of(EndgamePattern.parse(name), folder or tables_folder())


def head_of(path: Path) -> TableHead:
    """What a table's file says of itself, read again only where the file has changed.

    Raises:
        InvalidTable: as `twofold.endgame.format.read_head`.
    """
    return _head(*_identity(path))


@lru_cache(maxsize=256)
def _head(path: Path, _changed: int, _size: int, _inode: int) -> TableHead:
    return read_head(path)


def built(folder: Path | None = None) -> list[tuple[Path, TableHead]]:
    """The tables in a folder whose headers are sound, in the order in which they are asked.

    Args:
        folder: None for `tables_folder`.
    """
    found = []
    for path in files_in(folder or tables_folder()):
        try:
            head = head_of(path)
        except InvalidTable:
            continue
        if path == path_of(head.pattern, path.parent):
            found.append((path, head))
    return sorted(found, key=lambda each: each[1].pattern.rank)


def strong() -> list[tuple[Path, TableHead]]:
    """The tables that `auto` means: those built in `tables_folder` that make players stronger."""
    return [(path, head) for path, head in built() if head.pattern.target >= LEAST_TARGET]


def unsound(folder: Path | None = None) -> list[tuple[Path, str]]:
    """The other files in a folder that are named like tables, and why they are none."""
    found = []
    for path in files_in(folder or tables_folder()):
        try:
            head = head_of(path)
        except InvalidTable as error:
            found.append((path, str(error)))
        else:
            if path != path_of(head.pattern, path.parent):
                found.append((path, f"expected the name {file_name(head.pattern)}"))
    return found


def open_table(name: str) -> EndgameTable:
    """The table of that name, or in that file; mapped once and shared by all who ask.

    Raises:
        InvalidTable: there is none, or the file cannot be used.
    """
    return _open(*_identity(find(name)))


@lru_cache(maxsize=MAX_ENDGAME_TABLES)
def _open(path: Path, _changed: int, _size: int, _inode: int) -> EndgameTable:
    return EndgameTable.open(path)


def open_tables(names: str | Iterable[str]) -> EndgameTables:
    """A set of tables.

    Args:
        names: names or paths, or a text with `+` between them: `442-512+443-512`; `auto` for
            those of `strong`, `none` for no table.

    Raises:
        InvalidTable: there is no such table, or a file cannot be used.
        LimitExceeded: there are too many.
    """
    parts = split(names) if isinstance(names, str) else list(names)
    check_limit("endgame tables", len(parts), 0, MAX_ENDGAME_TABLES)
    return EndgameTables([open_table(name) for name in parts])


def split(names: str) -> list[str]:
    """The names in a text with `+` between them; `auto` and `none` are resolved.

    Raises:
        InvalidTable: a name is empty.
    """
    if names == NONE:
        return []
    if names == AUTO:
        return [str(path) for path, _ in strong()]
    if JOINT in names and is_path(names) and Path(names).is_file():
        raise InvalidTable(
            f"expected a path without {JOINT}, which joins the names of tables, got "
            f"{shown(names)}. Give the file or its folder another name"
        )
    parts = names.split(JOINT)
    if not all(parts):
        raise InvalidTable(
            f"expected tables such as 442-512+443-512, {AUTO} or {NONE}, got {shown(names)}"
        )
    return parts


def table_hash(name: str) -> str:
    """The identity of a table, 16 hexadecimal digits, in milliseconds.

    Raises:
        InvalidTable: there is no such table, or its header is not sound.
    """
    return head_of(find(name)).hash


def _identity(path: Path) -> tuple[Path, int, int, int]:
    """The path, when its file was changed, its size and its number on the disk."""
    with open_regular(path, InvalidTable) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size, status.st_ino
