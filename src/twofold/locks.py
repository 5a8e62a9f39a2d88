"""Locks: one program at a time works on a file. A lock ends with its program, however that ends."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from twofold.errors import InvalidInput, ResourceError

SUFFIX: Final = ".lock"
"""End of the name of a lock file. It is empty, beside the file, and there only while it is held."""

_NOT_OURS: Final = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.EISDIR)
"""No right to write, or a link or a folder in the place of the lock file."""


def in_use(name: str, what: str = "program") -> InvalidInput:
    """The error of a file that another program holds.

    Args:
        name: the file, as it may stand in an error.
        what: what holds it.
    """
    return InvalidInput(
        f"another {what} is using {name}. Wait until it ends, or choose another file"
    )


@contextlib.contextmanager
def alone(path: str | os.PathLike[str], what: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold a file for this caller: another program, or another caller here, cannot hold it too.

    Args:
        path: the file; it need not exist, its folder must.
        what: the caller's work, for the error: `tuning`.
        patience: seconds to wait for another holder.

    Raises:
        InvalidInput: another caller holds the file, or its folder is missing or not this user's
            to write.
        ResourceError: the disk is full, read-only or failed.
    """
    import filelock  # 60 ms, for those who write

    target = Path(path)
    if not target.parent.is_dir():
        raise InvalidInput(f"expected an existing folder to write to, got {str(target.parent)!a}")
    lock = filelock.FileLock(target.with_name(f".{target.name}{SUFFIX}"), timeout=patience)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise in_use(ascii(str(target)), what) from None
    except OSError as error:
        text = f"cannot use the lock file {lock.lock_file!a}: {error.strerror or error}"
        kind = InvalidInput if error.errno in _NOT_OURS else ResourceError
        raise kind(text) from None
    try:
        yield
    finally:
        # While it is held: nobody else's can be removed. Ours is empty.
        with contextlib.suppress(OSError):
            if os.lstat(lock.lock_file).st_size == 0:
                os.unlink(lock.lock_file)
        lock.release()


def remove_abandoned(folder: Path, end: str) -> None:
    """Remove the lock files that killed programs have left in a folder.

    Args:
        folder: the folder.
        end: how the names of the files end that were held.

    Raises:
        OSError: the folder cannot be read.
    """
    for name in os.listdir(folder):
        target = folder / name.removeprefix(".").removesuffix(SUFFIX)
        is_lock = name == f".{target.name}{SUFFIX}" and target.name.endswith(end)
        if is_lock and target.stem and _is_empty_file(folder / name):
            with contextlib.suppress(InvalidInput, ResourceError), alone(target, "program"):
                pass  # `alone` removes what it holds


def _is_empty_file(path: Path) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and status.st_size == 0
