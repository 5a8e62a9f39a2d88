"""Writing files so that a reader finds the old content or the new, never anything between."""

import contextlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

from twofold.errors import InvalidInput, ResourceError

TEMPORARY: Final = ".twofold-tmp"
"""End of the name of a file that is being written."""

_ABANDONED_SECONDS: Final = 86_400.0

Buffer = bytes | memoryview
"""Bytes to be written, and only looked at."""


def atomic_write(path: str | os.PathLike[str], data: Buffer | str | Iterable[Buffer]) -> None:
    """Replace the content of `path` with `data` in one step.

    The data goes to a temporary file beside `path`, is flushed to the disk, and takes the
    place of `path` with one rename. If anything fails, `path` is as it was. A temporary file
    left by a process that died is removed by the next write to the same path. A link is
    followed.

    Args:
        path: the file to write; its folder must exist.
        data: the whole content, or its parts in turn, each of which is written before the next
            one is asked for and is not copied; text is written as UTF-8 with line ends as they
            are. What the parts raise is passed on, and `path` is as it was.

    Raises:
        InvalidInput: `path` is there and is not a regular file, or its folder is missing.
        ResourceError: the disk is full or another system call failed; names path and bytes
            (of parts that an iterator makes, those so far).
    """
    target = Path(os.path.realpath(path))
    content = _Content(data)
    _check_target(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}{TEMPORARY}")
    try:
        remove_abandoned(target.parent, f".{target.name}.")
        _write_and_sync(temporary, content, target)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        _remove_quietly(temporary)
        raise ResourceError(
            f"cannot write {content.size} bytes to {str(target)!r}: {error.strerror or error}"
        ) from error
    except BaseException:  # of the parts, or Ctrl-C
        _remove_quietly(temporary)
        raise


class _Content:
    """What is to be written, part by part.

    Attributes:
        size: its bytes; of parts that an iterator makes, of those so far.
    """

    def __init__(self, data: Buffer | str | Iterable[Buffer]) -> None:
        whole = data.encode() if isinstance(data, str) else data
        self._parts = [whole] if isinstance(whole, Buffer) else whole
        self._known = isinstance(self._parts, Sequence)
        self.size = sum(memoryview(part).nbytes for part in self._parts) if self._known else 0

    def __iter__(self) -> Iterator[memoryview]:
        for part in self._parts:
            view = memoryview(part).cast("B")
            self.size += 0 if self._known else view.nbytes
            yield view


def open_regular(
    path: str | os.PathLike[str], error: type[InvalidInput] = InvalidInput
) -> IO[bytes]:
    """Open a regular file for reading; a device or a pipe could block, or never end.

    Raises:
        InvalidInput: the given kind of it; there is no such file, it is not regular or cannot
            be read.
    """
    name = ascii(os.fspath(path))
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            return open(path, "rb")
    except OSError as fault:
        raise error(f"cannot read {name}: {fault.strerror or fault}") from None
    except ValueError:  # a zero byte
        raise error(f"expected the name of a file, got {name}") from None
    raise error(f"expected a regular file, got {name}")


def free_path(path: Path) -> Path:
    """The path, or one beside it with a number, at which there is no file."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found


def _check_target(target: Path) -> None:
    if not target.parent.is_dir():
        raise InvalidInput(f"expected an existing folder to write to, got {str(target.parent)!r}")
    if target.exists() and not target.is_file():
        raise InvalidInput(f"expected a regular file to write to, got {str(target)!r}")


def _write_and_sync(path: Path, content: Iterable[memoryview], like: Path) -> None:
    """Write a new file, which is for the same eyes as `like` before anything is in it."""
    with open(path, "xb", buffering=0) as file:  # x: a link that somebody laid is not followed
        if like.exists():
            shutil.copymode(like, path)
        for part in content:
            _write_all(file, part)
        os.fsync(file.fileno())


def _write_all(file: IO[bytes], view: memoryview) -> None:
    """A raw write may take only a part of what it is given."""
    while view:
        view = view[file.write(view) :]


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable; only POSIX systems can open a folder."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_abandoned(folder: Path, prefix: str = ".") -> None:
    """Remove what processes that died have left of their own writes in a folder.

    Args:
        folder: the folder.
        prefix: how the names of the leftovers begin: `.NAME.` for those of one file.

    Raises:
        OSError: the folder cannot be read.
    """
    for name in os.listdir(folder):
        if name.startswith(prefix) and name.endswith(TEMPORARY):
            leftover = folder / name
            writer = name[: -len(TEMPORARY)].rpartition(".")[2].partition("-")[0]
            if not _may_be_alive(writer, leftover):
                _remove_quietly(leftover)


def _may_be_alive(writer: str, leftover: Path) -> bool:
    """Whether the process that wrote `leftover` may still be at it."""
    if os.name != "posix" or not writer.isdecimal():
        with contextlib.suppress(OSError):  # gone meanwhile
            # A clock that was set wrong once may have given it a time to come.
            return abs(time.time() - leftover.lstat().st_mtime) < _ABANDONED_SECONDS
        return True
    try:
        os.kill(int(writer), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _remove_quietly(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
