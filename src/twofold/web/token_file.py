"""The file with the token of a server, so that pages stay signed in when it is started again.

The file is refused if other users can read it, if it belongs to another user, or if it is a link.
"""

import os
import re
import secrets
import stat
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput
from twofold.files import atomic_write
from twofold.locks import alone
from twofold.notation import shown
from twofold.web.security import TOKEN_BYTES

FILE: Final = "token"
"""Name of the file, in the folder of all data."""

_TEXT: Final = re.compile(rb"[A-Za-z0-9_-]{43}\n?")
_MOST_BYTES: Final = 64
_LOCK_SECONDS: Final = 10.0
_READ: Final = (  # no link; a pipe would block
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def kept_token(folder: Path, *, new: bool = False) -> str:
    """The token in a folder of data; made where there is none.

    Args:
        folder: the folder; it must exist.
        new: whether another token takes its place.

    Raises:
        InvalidInput: others can read the file, or it holds something else.
        ResourceError: the disk is full or failed.
    """
    path = folder / FILE
    if not new and (found := _read(path)):
        return found
    with alone(path, "server", patience=_LOCK_SECONDS):
        if new or not _read(path):
            _write(path, secrets.token_urlsafe(TOKEN_BYTES))
        return _read(path)


def _read(path: Path) -> str:
    """The token in a file; empty where there is no file."""
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise InvalidInput(f"cannot read {shown(str(path))}: {error.strerror}") from None
    with open(descriptor, "rb") as file:
        _check_owner(path, os.fstat(descriptor))
        text = file.read(_MOST_BYTES)
    if not _TEXT.fullmatch(text):
        raise InvalidInput(f"expected a token in {shown(str(path))}, got something else. {_ANEW}")
    return text.decode().strip()


def _check_owner(path: Path, status: os.stat_result) -> None:
    """Refuse what is no file, or what another user can read or has put there."""
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"expected a regular file, got {shown(str(path))}")
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o077):
        raise InvalidInput(f"other users can read the token in {shown(str(path))}. {_ANEW}")


_ANEW: Final = "Start once with --new-token, or choose another folder with --data"


def _write(path: Path, token: str) -> None:
    """Write a token to a file that nobody else can read at any time."""
    if path.is_symlink():  # else the file that it leads to would be replaced
        path.unlink()
    atomic_write(path, f"{token}\n", mode=0o600)
