"""The token file, which keeps pages signed in when the server is restarted.

A file that other users can read or own is refused, and so is a link.
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
"""Name of the file in the data folder."""

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
    """The token in an existing data folder; created if it is missing, replaced if `new`.

    Raises InvalidInput if others can read the file or it holds no token, or ResourceError.
    """
    path = folder / FILE
    if not new and (found := _read(path)):
        return found
    with alone(path, "server", patience=_LOCK_SECONDS):
        if new or not _read(path):
            _write(path, secrets.token_urlsafe(TOKEN_BYTES))
        return _read(path)


def _read(path: Path) -> str:
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
        raise InvalidInput(f"there is no valid token in {shown(str(path))}. {_ANEW}")
    return text.decode().strip()


def _check_owner(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInput(f"expected a regular file, got {shown(str(path))}")
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o077):
        raise InvalidInput(f"other users can read the token in {shown(str(path))}. {_ANEW}")


_ANEW: Final = "Start once with --new-token, or choose another folder with --data"


def _write(path: Path, token: str) -> None:
    """Write a token to a file that is private from the start."""
    if path.is_symlink():  # otherwise its target would be replaced
        path.unlink()
    atomic_write(path, f"{token}\n", mode=0o600)
