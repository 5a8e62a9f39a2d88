"""Writing files so that a reader finds the old content or the new, never anything between.

Reading them, too: only regular files are opened, and what fails meanwhile is an error of ours.
"""

import contextlib
import io
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from twofold.errors import InvalidInput, ResourceError

TEMPORARY: Final = ".twofold-tmp"
"""End of the name of a file that is being written."""

_ABANDONED_SECONDS: Final = 86_400.0
_RANDOM_BYTES: Final = 8
_LEFTOVER: Final = re.compile(
    rf"\.(.+)\.([1-9][0-9]{{0,9}})-[0-9a-f]+{re.escape(TEMPORARY)}", re.ASCII | re.DOTALL
)
"""Name of a temporary file: that of its target, its process, a number that cannot be guessed."""

Buffer = bytes | memoryview
"""Bytes to be written, and only looked at."""


def atomic_write(
    path: str | os.PathLike[str], data: Buffer | str | Iterable[Buffer], *, mode: int | None = None
) -> None:
    """Replace the content of `path` with `data` in one step.

    The data goes to a temporary file beside `path`, is flushed to the disk, and takes the
    place of `path` with one rename. If anything fails, `path` is as it was. A temporary file
    left by a process that died is removed by the next write to the same path. If `path` is a
    link, the file that it leads to is replaced.

    Args:
        path: the file to write; its folder must exist.
        data: the whole content, or its parts in turn, each of which is written before the next
            one is asked for and is not copied; text is written as UTF-8 with line ends as they
            are. What the parts raise is passed on, and `path` is as it was.
        mode: permissions of the file; None for those of the file that it replaces, or the usual
            ones.

    Raises:
        InvalidInput: `path` is there and is not a regular file, or its folder is missing.
        ResourceError: the disk is full or another system call failed; names path and bytes
            (of parts that an iterator makes, those so far).
    """
    try:
        target = Path(os.path.realpath(path))
    except ValueError:  # a zero byte
        raise InvalidInput(f"expected the name of a file, got {os.fspath(path)!a}") from None
    content = _Content(data)
    _check_target(target)
    writer = f"{os.getpid()}-{secrets.token_hex(_RANDOM_BYTES)}"
    temporary = target.with_name(f".{target.name}.{writer}{TEMPORARY}")
    try:
        remove_abandoned(target.parent, target.name)
        mode = _mode_of(target, mode)
        file = _create(temporary, mode)
        try:
            with file:
                _write_and_sync(file, content, mode)
            os.replace(temporary, target)
        except BaseException:  # of the parts, or Ctrl-C, too
            _remove_quietly(temporary)
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise ResourceError(
            f"cannot write {content.size} bytes to {str(target)!r}: {error.strerror or error}"
        ) from error


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

    Args:
        path: the file.
        error: the kind of error that is raised here, and by the file where it cannot be read:
            a file of `/proc` may be regular, and its bytes out of reach.

    Raises:
        InvalidInput: the given kind of it; there is no such file, it is not regular or cannot
            be read.
    """
    name = ascii(os.fspath(path))
    try:
        if stat.S_ISREG(os.stat(path).st_mode):
            return io.BufferedReader(_Readable(path, error))
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


class _Readable(io.FileIO):
    """A file that cannot be read says so in an error of ours."""

    def __init__(self, path: str | os.PathLike[str], error: type[InvalidInput]) -> None:
        super().__init__(os.fspath(path))
        self._error = error

    def readinto(self, buffer: Any, /) -> int:
        with self._telling():
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with self._telling():
            return super().readall()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise self._error(f"cannot read {self.name!a}: {fault.strerror}") from None


def _check_target(target: Path) -> None:
    if not target.parent.is_dir():
        raise InvalidInput(f"expected an existing folder to write to, got {str(target.parent)!r}")
    if target.exists() and not target.is_file():
        raise InvalidInput(f"expected a regular file to write to, got {str(target)!r}")


def _mode_of(target: Path, wanted: int | None) -> int | None:
    """The permissions that a file is to have; None for the usual ones."""
    if wanted is not None:
        return wanted
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None


def _create(path: Path, mode: int | None) -> IO[bytes]:
    """A new file, with these permissions from the start where they are narrower than usual.

    What is there already, a link too, is neither opened nor followed: `x` is O_EXCL.
    """
    return open(
        path,
        "xb",
        buffering=0,
        opener=lambda name, flags: os.open(name, flags, 0o666 if mode is None else mode),
    )


def _write_and_sync(file: IO[bytes], content: Iterable[memoryview], mode: int | None) -> None:
    for part in content:
        _write_all(file, part)
    if mode is not None and hasattr(os, "fchmod"):  # what the umask has taken from it
        os.fchmod(file.fileno(), mode)
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


def remove_abandoned(folder: Path, target: str = "") -> None:
    """Remove what processes of this user that died have left of their own writes in a folder.

    Args:
        folder: the folder.
        target: name of the file that they were writing; empty for all files.

    Raises:
        OSError: the folder cannot be read.
    """
    for name in os.listdir(folder):
        found = _LEFTOVER.fullmatch(name) if name.endswith(TEMPORARY) else None
        if found and target in ("", found[1]) and _is_abandoned(folder / name, int(found[2])):
            _remove_quietly(folder / name)


def _is_abandoned(leftover: Path, writer: int) -> bool:
    """Whether this is a file, no link, of this user, and the process that wrote it has ended."""
    try:
        status = os.lstat(leftover)
    except FileNotFoundError:  # removed by another process meanwhile
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        # A clock that was set wrong once may have given it a time to come.
        return abs(time.time() - status.st_mtime) >= _ABANDONED_SECONDS
    return status.st_uid == os.geteuid() and not _is_alive(writer)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _remove_quietly(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
