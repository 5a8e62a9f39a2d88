"""SQLite files: opened, told from others, and held by one process at a time."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from twofold.errors import InvalidInput
from twofold.files import open_regular
from twofold.notation import shown

LOCK_SECONDS: Final = 60.0
"""How long a process waits for the others to have written."""

_MAGIC: Final = b"SQLite format 3\0"


def open_sqlite(path: Path, mode: str, patience: float = LOCK_SECONDS) -> sqlite3.Connection:
    """A connection in which each statement is a transaction, unless one was begun.

    Args:
        path: the file.
        mode: `ro`, `rw`, or `rwc` to make it where there is none.
        patience: seconds it waits where another process holds the file.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None)


def is_sqlite(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of SQLite, by its first bytes.

    Raises:
        InvalidInput: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


@contextlib.contextmanager
def alone(path: Path, what: str) -> Iterator[None]:
    """Hold a file for this process until it ends, however it ends.

    Args:
        path: the file.
        what: what this process does with it, for the error: `tuning`.

    Raises:
        InvalidInput: another process holds it, or its folder cannot be written.
    """
    if not path.parent.is_dir():
        raise InvalidInput(
            f"expected an existing folder to write to, got {shown(str(path.parent))}"
        )
    lock = path.with_name(f".{path.name}.lock")
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(contextlib.closing(open_sqlite(lock, "rwc")))
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise InvalidInput(
                    f"expected {shown(str(path))} for this {what} alone, got another at work on it"
                ) from None
            raise InvalidInput(f"cannot write beside {shown(str(path))}: {error}") from None
        stack.callback(_remove_quietly, lock)  # while it is held
        yield


def _remove_quietly(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
