"""The files of the laboratory: found in a folder, named so that no name leads out of it."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput
from twofold.files import open_regular
from twofold.limits import MAX_TEXT
from twofold.notation import shown

MAX_DEPTH: Final = 2
"""Folders are looked at so deep below the first one."""

MAX_ENTRIES: Final = 5_000
"""Most names that are looked at: a laboratory started in a home folder must not read all of it."""

MAX_FILES: Final = 200
"""Most files of a kind in a list: those changed last."""

_LAST_SECOND: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
"""The latest day that has a date; a file may say that it was changed later."""


class NotThere(InvalidInput):
    """A name is not that of a file in the folder."""


@dataclass(frozen=True, slots=True)
class LabFile:
    """A file of the laboratory.

    Attributes:
        name: its path from the folder on, with `/` between the parts.
        path: where it is.
        stamp: differs once the file has changed.
        changed: when that was, seconds since 1970.
    """

    name: str
    path: Path
    stamp: tuple[int, ...]
    changed: float

    @property
    def date(self) -> str:
        """When it changed, ISO 8601, UTC, to the millisecond."""
        seconds = min(max(self.changed, 0.0), _LAST_SECOND)
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def find(folder: Path, suffix: str) -> list[LabFile]:
    """The files with a suffix in a folder and those below it, changed last first.

    Hidden files and folders, folders that are links, and links that lead out of the folder are
    left out, and so is what cannot be read.
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
    """Names of files, those further up first."""
    left, level = MAX_ENTRIES, [""]
    for _ in range(MAX_DEPTH + 1):
        below: list[str] = []
        for prefix in level:
            for entry in _entries(folder / prefix, left):
                left -= 1
                name = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    below.append(f"{name}/")
                else:
                    yield name
        level = below


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    """What is in a folder, in order, but for what is hidden or cannot be named."""
    try:
        with os.scandir(folder) as entries:
            seen = [entry for entry, _ in zip(entries, range(most), strict=False)]
    except OSError:
        return []
    return sorted(filter(_is_plain, seen), key=lambda entry: entry.name)


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name.isprintable()


def named(folder: Path, name: str, suffix: str) -> LabFile:
    """The file of a name, as `find` gives it.

    Raises:
        NotThere: there is none, or the name is not one that `find` would give.
    """
    parts = name.split("/")
    plain = all(part.isprintable() and not part.startswith(".") and part for part in parts)
    if (
        plain
        and len(name) <= MAX_TEXT
        and len(parts) <= MAX_DEPTH + 1
        and name.endswith(suffix)
        and not set(name) & {"\\", ":", "\0"}
    ):
        path = folder.joinpath(*parts)
        try:
            if _is_inside(path, folder) and path.is_file():
                return _found(name, path)
        except (OSError, RuntimeError):  # the latter for links that go in a circle
            pass
    raise NotThere(f"expected the name of a file in the folder, got {shown(name)}")


def _is_inside(path: Path, folder: Path) -> bool:
    """Whether the file, wherever links lead, and the folder it is named in are below `folder`."""
    top = folder.resolve()
    return path.resolve().is_relative_to(top) and path.parent.resolve().is_relative_to(top)


def _found(name: str, path: Path) -> LabFile:
    """What is known of a file; of one of SQLite, its write-ahead log is a part of it."""
    states = [path.stat()]
    with contextlib.suppress(OSError):
        states += [one for one in [Path(f"{path.resolve()}-wal").stat()] if one.st_size]
    stamp = tuple(number for one in states for number in (one.st_ino, one.st_size, one.st_mtime_ns))
    return LabFile(name, path, stamp, max(one.st_mtime for one in states))


def read_start(found: LabFile, most: int) -> bytes:
    """The first bytes of a file.

    Raises:
        InvalidInput: it cannot be read.
    """
    with open_regular(found.path) as file:
        return file.read(most)
