"""Finds and opens endgame tables by name or by file, for users and for player specs."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final

from twofold.endgame.folder import AUTO, NONE, SETS, SUFFIX, files_in, is_path
from twofold.endgame.folder import tables_folder as tables_folder  # for callers of this module
from twofold.endgame.format import TableHead, read_head
from twofold.endgame.pattern import EndgamePattern, suits
from twofold.endgame.table import EndgameTable, EndgameTables
from twofold.errors import InvalidTable, UnsupportedRules
from twofold.files import open_regular
from twofold.limits import MAX_ENDGAME_TABLES, check_limit
from twofold.notation import shown
from twofold.rules import Rules

LEAST_TARGET: Final = 8
"""Exponent of the smallest target of the tables that `auto` uses.

Smaller targets make players weaker: the table makes its tile and leaves a worse board than the
search would. `ntuple:ply=1` from 300 boards of `benchmarks/boards/14000.txt` makes 155,934 points
without tables, 152,300 with `442-256` and 124,323 with `442-64`.
"""

JOINT: Final = "+"
"""Separator between the names of tables."""


def file_name(pattern: EndgamePattern) -> str:
    """The name of a pattern's file: `442-512.twofold-table`, `443-512_32-64.twofold-table`."""
    return pattern.name.replace("/", "_") + SUFFIX


def path_of(pattern: EndgamePattern, folder: Path) -> Path:
    """The path of a pattern's file in a folder, whether or not it exists."""
    return folder / file_name(pattern)


def find(name: str) -> Path:
    """The file of a table, by the name of a built pattern such as `442-512`, or by its path.

    Raises `InvalidTable` if it is neither, or the table is not built.
    """
    if is_path(name):
        return Path(name)
    try:
        pattern = EndgamePattern.parse(name)
    except InvalidTable as error:
        raise InvalidTable(f"{error}. The name of a file ends in {SUFFIX}") from None
    path = path_of(pattern, tables_folder())
    if not path.is_file():
        known = ", ".join(head.pattern.name for _, head in built()) or "none"
        raise InvalidTable(
            f"the table {shown(name)} is not built (built: {known}). "
            f"Build it with: twofold tables build {pattern.name}"
        )
    return path


def place_of(name: str, folder: Path | None = None) -> Path:
    """The path of a table in a folder (None: `tables_folder`), even if it is not built yet."""
    if name.endswith(SUFFIX):
        return Path(name)
    return path_of(EndgamePattern.parse(name), folder or tables_folder())


def head_of(path: Path) -> TableHead:
    """The header of a table's file, cached until the file changes; raises `InvalidTable`."""
    return _head(*_identity(path))


@lru_cache(maxsize=256)
def _head(path: Path, _changed: int, _size: int, _inode: int) -> TableHead:
    return read_head(path)


def built(folder: Path | None = None) -> list[tuple[Path, TableHead]]:
    """The tables in a folder (None: `tables_folder`) with valid headers, in order of precedence."""
    found = [(path, head) for path, head in _checked(folder) if isinstance(head, TableHead)]
    return sorted(found, key=lambda each: each[1].pattern.rank)


def strong(walls: bool = False) -> list[tuple[Path, TableHead]]:
    """The tables that `auto` uses: those in `tables_folder` that make players stronger.

    Tables with `walls` of any tiles suit only a search for order from one corner.
    """
    return [(path, head) for path, head in built() if is_strong(head.pattern, walls)]


def is_strong(pattern: EndgamePattern, walls: bool = False) -> bool:
    """True for the tables that `auto` uses, also if the player has a use for `walls`."""
    if pattern.walls is not None:  # whose goal is half of the last merge
        return walls and pattern.target >= LEAST_TARGET - 1
    return pattern.target >= LEAST_TARGET


def unsound(folder: Path | None = None) -> list[tuple[Path, str]]:
    """The files in a folder that are named like tables but are not usable, with the reasons."""
    return [(path, reason) for path, reason in _checked(folder) if isinstance(reason, str)]


def _checked(folder: Path | None) -> Iterator[tuple[Path, TableHead | str]]:
    """The files in a folder that are named like tables: their headers, or why they are unusable."""
    for path in files_in(folder or tables_folder()):
        try:
            head = head_of(path)
        except InvalidTable as error:
            yield path, str(error)
        else:
            right = path == path_of(head.pattern, path.parent)
            yield path, head if right else f"expected the name {file_name(head.pattern)}"


def open_table(name: str) -> EndgameTable:
    """The table of a name or in a file, memory-mapped once and shared; raises `InvalidTable`."""
    return _open(*_identity(find(name)))


@lru_cache(maxsize=MAX_ENDGAME_TABLES)
def _open(path: Path, _changed: int, _size: int, _inode: int) -> EndgameTable:
    return EndgameTable.open(path)


def open_tables(names: str | Iterable[str]) -> EndgameTables:
    """A set of tables: names or paths with `+` between them, or `auto` for `strong`, `none`.

    `default` and `large` among the names mean those `SETS`.
    """
    parts = split(names) if isinstance(names, str) else list(names)
    check_limit("endgame tables", len(parts), 0, MAX_ENDGAME_TABLES)
    return EndgameTables([open_table(name) for name in parts])


def split(names: str) -> list[str]:
    """The names in a text with `+` between them; resolves `auto`, `none` and sets.

    Raises `InvalidTable` for a set that is not built, and for a text of another form.
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
    return [name for part in parts for name in _named_by(part)]


def _named_by(part: str) -> tuple[str, ...]:
    """The names that a name stands for: those of a set, which must be built, or itself."""
    if part not in SETS:
        return (part,)
    here = {head.pattern.name for _, head in built()}
    missing = [name for name in SETS[part] if name not in here]
    if missing:
        raise InvalidTable(
            f"of the {len(SETS[part])} tables of {shown(part)} {len(missing)} are not built "
            f"({', '.join(missing)}). Build them with: twofold tables build {part}"
        )
    return SETS[part]


def _identity(path: Path) -> tuple[Path, int, int, int]:
    with open_regular(path, InvalidTable) as file:
        status = os.fstat(file.fileno())
    return path.resolve(), status.st_mtime_ns, status.st_size, status.st_ino


def find_tables(text: str) -> EndgameTables | None:
    """The tables of a spec, memory-mapped once and shared; None for no table.

    `text` is `none`, `auto`, or names and paths, such as `442-512+443-512`; see `split`.
    """
    named = settled_tables(text)
    return None if named == NONE else open_tables(named)


def settled_tables(text: str, rules: Rules | None = None, *, walls: bool = False) -> str:
    """The text with `auto` and `default` resolved, and names and paths in order of precedence.

    `auto` means also the tables with `walls` of any tiles if the player has a use for them.
    Under rules that tables do not cover, `auto` becomes `none` and names raise `UnsupportedRules`.
    """
    fits = rules is None or suits(rules)
    if text == NONE or (text == AUTO and not fits):
        return NONE
    if text == AUTO:
        return JOINT.join(head.pattern.name for _, head in strong(walls)) or NONE
    if not fits:
        raise UnsupportedRules(
            "expected boards of 4x4 and spawns of 2 (0.9) and 4 (0.1) "
            f"for tables={text}, got rules {rules}"
        )
    texts = {
        open_table(one).path: one if is_path(one) else EndgamePattern.parse(one).name
        for one in split(text)
    }
    return JOINT.join(texts[table.path] for table in open_tables(text).tables)


def tables_hash(text: str) -> str:
    """Hash of the content of tables, in order, 16 hexadecimal digits; empty for no table."""
    return hash_of(find_tables(text))


def hash_of(tables: EndgameTables | None) -> str:
    """The hash of open tables, as in `tables_hash`."""
    if tables is None:
        return ""
    return hashlib.sha256("\n".join(tables.hashes).encode()).hexdigest()[:16]
