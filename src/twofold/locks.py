"""Locks: one program at a time works on a file. A lock ends with its process."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput, ResourceError
from twofold.files import file_name, too_long

SUFFIX: Final = ".lock"
"""Suffix of lock files. They are empty, beside the file, and exist only while held."""

_NOT_OURS: Final = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.EISDIR)
"""No permission to write, or the lock file's name is a link or a folder."""


def in_use(name: str, what: str = "program") -> InvalidInput:
    """The error for a file in use: `name`, already quoted, and the kind of its holder."""
    return InvalidInput(
        f"another {what} is using {name}. Wait until it ends, or choose another file"
    )


@contextlib.contextmanager
def alone(path: str | os.PathLike[str], what: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold a file; no other program, and no other caller here, can hold it meanwhile.

    The file need not exist, its folder must. `what` is the caller's work, for the error: `tuning`;
    `patience` is the time in seconds to wait for another holder.

    Raises:
        InvalidInput: another caller holds the file, or its folder is missing or not writable.
        ResourceError: the disk is full, read-only or failed.
    """
    import filelock  # takes 60 ms, so only writers import it

    target = Path(file_name(path))
    if not target.name:
        raise InvalidInput(f"expected the name of a file, got {str(target)!a}")
    if not target.parent.is_dir():
        raise InvalidInput(f"expected an existing folder to write to, got {str(target.parent)!a}")
    lock = filelock.FileLock(target.with_name(f".{target.name}{SUFFIX}"), timeout=patience)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise in_use(ascii(str(target)), what) from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise too_long(str(target)) from None
        text = f"cannot use the lock file {lock.lock_file!a}: {error.strerror or error}"
        kind = InvalidInput if error.errno in _NOT_OURS else ResourceError
        raise kind(text) from None
    try:
        yield
    finally:
        # Removed while held, so it cannot be another holder's. Ours is empty.
        with contextlib.suppress(OSError):
            if os.lstat(lock.lock_file).st_size == 0:
                os.unlink(lock.lock_file)
        lock.release()


def is_held(path: Path) -> bool:
    """True if a program holds a file, see `alone`."""
    if not os.path.lexists(path.with_name(f".{path.name}{SUFFIX}")):
        return False
    try:
        with alone(path, "program"):
            return False
    except (InvalidInput, ResourceError):
        return True


def remove_abandoned(folder: Path, end: str) -> None:
    """Remove lock files of killed programs, for files in a folder whose names end with `end`."""
    for path in folder.glob(f".*{end}{SUFFIX}"):
        target = folder / path.name.removeprefix(".").removesuffix(SUFFIX)
        with contextlib.suppress(InvalidInput, ResourceError), alone(target, "program"):
            pass  # `alone` removes what it holds
