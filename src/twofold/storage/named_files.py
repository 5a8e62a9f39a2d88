"""The files of a folder and its subfolders by their names, as a page lists them.

No name leads out of the folder, and only a part of a large folder is looked at.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput
from twofold.limits import MAX_TEXT

MAX_DEPTH: Final = 2
"""Depth of subfolders that are searched."""

MAX_ENTRIES: Final = 5_000
"""Number of directory entries that are looked at; the rest of a large folder is left out."""

MAX_FILES: Final = 200
"""Maximum number of files of a kind in a list, the most recently changed."""

_LAST_SECOND: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
"""The latest time that `datetime` can represent; a file may claim a later one."""


class NotThere(InvalidInput):
    """There is no file of that name in the folder."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of a folder; `name` is its path relative to the folder, with `/`.

    `stamp` differs after each change; `changed` is its time in seconds since 1970.
    """

    name: str
    path: Path
    stamp: tuple[int, ...]
    changed: float

    @property
    def date(self) -> str:
        """Time of the last change in ISO 8601, UTC, to the millisecond."""
        seconds = min(max(self.changed, 0.0), _LAST_SECOND)
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def find(folder: Path, suffix: str) -> list[NamedFile]:
    """The files with a suffix in a folder and its subfolders, last changed first.

    Hidden and unreadable files, linked folders, and links that lead out of the folder are skipped.
    """
    found = []
    for name in _names(folder):
        if name.endswith(suffix):
            try:
                found.append(named(folder, name, suffix))
            except InvalidInput:
                continue
    return sorted(found, key=lambda one: (-one.changed, one.name))[:MAX_FILES]


def _names(folder: Path) -> Iterator[str]:
    seen = 0
    for place, folders, files in os.walk(folder):
        prefix = Path(place).relative_to(folder)
        is_deepest = len(prefix.parts) == MAX_DEPTH
        folders[:] = [] if is_deepest else sorted(one for one in folders if one[0] != ".")
        seen += len(folders) + len(files)
        if seen > MAX_ENTRIES:
            return
        yield from ((prefix / name).as_posix() for name in sorted(files) if name[0] != ".")


def named(folder: Path, name: str, suffix: str) -> NamedFile:
    """The file of a name that `find` could return; raises NotThere."""
    path = folder / name
    hidden = any(part.startswith(".") or not part for part in name.split("/"))
    if name.endswith(suffix) and name.isprintable() and len(name) <= MAX_TEXT and not hidden:
        with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: circular links
            if path.resolve().is_relative_to(folder.resolve()) and path.is_file():
                return _found(name, path)
    raise NotThere(f"there is no such file in the folder: {name[:100]!a}")


def _found(name: str, path: Path) -> NamedFile:
    """The details of a file; for SQLite they include its write-ahead log."""
    states = [path.stat()]
    with contextlib.suppress(OSError):
        states += [one for one in [Path(f"{path.resolve()}-wal").stat()] if one.st_size]
    stamp = tuple(number for one in states for number in (one.st_ino, one.st_size, one.st_mtime_ns))
    return NamedFile(name, path, stamp, max(one.st_mtime for one in states))
