"""Atomic writes: a reader finds the old content or the new. Opening regular files to read."""

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, TypeVar

from twofold.errors import InvalidInput, ResourceError

TEMPORARY: Final = ".twofold-tmp"
"""Suffix of a file that is being written."""

_ABANDONED_SECONDS: Final = 86_400.0
_RANDOM_BYTES: Final = 8
_LEFTOVER: Final = re.compile(
    rf"\.(.+)\.([1-9][0-9]{{0,9}})-[0-9a-f]+{re.escape(TEMPORARY)}", re.ASCII | re.DOTALL
)
"""Name of a temporary file: target, process id, random number."""

_SHOWN: Final = 60
"""Most characters of a name in an error about the name itself."""

Buffer = bytes | memoryview
"""Bytes to write."""

_Read = TypeVar("_Read", int, bytes)


class _Batch(threading.local):
    """The new files of this thread's `synced_together`; None outside."""

    files: list[Path] | None = None


_BATCH: Final = _Batch()


@contextlib.contextmanager
def synced_together() -> Iterator[None]:
    """Flush the new files that this thread writes inside to the disk once, at the end.

    Much faster for many small files. After a power failure before the end, new files may be
    missing or empty; files that are replaced are flushed one by one, as always.

    Raises:
        ResourceError: a file could not be flushed.
    """
    if _BATCH.files is not None:
        yield
        return
    _BATCH.files = []
    try:
        yield
    finally:
        written, _BATCH.files = _BATCH.files, None
        _sync_all(written)


def atomic_write(
    path: str | os.PathLike[str], data: Buffer | str | Iterable[Buffer], *, mode: int | None = None
) -> None:
    """Replace the content of `path` with `data` in one step; on failure `path` stays as it was.

    The data is written to a temporary file beside `path`, flushed to the disk and renamed; links
    are followed. Temporary files of processes that died are removed first.

    Args:
        path: the file to write; its folder must exist.
        data: the whole content, or its parts, each written before the next is requested; text is
            written as UTF-8 with its line ends unchanged.
        mode: permissions; None for those of the replaced file, or the usual ones.

    Raises:
        InvalidInput: `path` is not a regular file, its name is too long, or its folder is missing.
        ResourceError: the disk is full or another system call failed; names path and bytes.
    """
    target = writable(path)
    content = _Content(data)
    temporary = _temporary(target)
    try:
        remove_abandoned(target.parent, target.name)
        mode = _mode_of(target, mode)
        batch = None if target.exists() else _BATCH.files
        file = _create(temporary, mode)
        try:
            with file:
                _write(file, content, mode)
                if batch is None:
                    os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:  # also Ctrl-C, and exceptions of the parts
            _remove_quietly(temporary)
            raise
        if batch is None:
            _sync_folder(target.parent)
        else:
            batch.append(target)
    except OSError as error:
        kind = InvalidInput if error.errno == errno.EISDIR else ResourceError
        raise kind(
            f"cannot write {content.size} bytes to {str(target)!r}: {error.strerror or error}"
        ) from error


def writable(path: str | os.PathLike[str]) -> Path:
    """The path of a file to write, without links; raises `InvalidInput` as `atomic_write` does."""
    name = file_name(path)
    # By its name: the real path of a pipe, as of /dev/stdout, does not exist.
    if os.path.exists(name or os.curdir) and not os.path.isfile(name):
        raise InvalidInput(f"expected a regular file to write to, got {name!r}")
    target = Path(os.path.realpath(name))
    if target.is_symlink():  # only a loop stays one
        raise InvalidInput(f"expected a regular file to write to, got a loop of links, {name!r}")
    if not target.parent.is_dir():
        raise InvalidInput(f"expected an existing folder to write to, got {str(target.parent)!r}")
    if _is_too_long(str(_temporary(target))):
        raise too_long(str(target))
    return target


def _not_continued(path: Path) -> None:
    raise InvalidInput(f"expected a new file to write, got {str(path)!r}")


def new_file(
    path: str | os.PathLike[str],
    *,
    inputs: Iterable[str | os.PathLike[str]] = (),
    force: bool = False,
    continued: Callable[[Path], object] = _not_continued,
    instead: str = "",
) -> bool:
    """Check that a command may write a file: it is new or empty, or the command continues it.

    Args:
        path: the file to write.
        inputs: files that the command reads; `-` is standard input. None is ever its output.
        force: a file that cannot be continued is replaced.
        continued: raises `InvalidInput` for a file that the command cannot continue.
        instead: another way out, for the message: `--resume continues the run in it`.

    Returns:
        True if a file is there that the command replaces.

    Raises:
        InvalidInput: the file cannot be written, is an input, or would be lost.
    """
    target = writable(path)
    if not target.exists():
        return False
    for one in inputs:
        name = "/dev/stdin" if one == "-" else os.fspath(one)
        if os.path.exists(name) and os.path.samefile(name, target):
            raise InvalidInput(f"expected another file to write than to read, got {str(path)!r}")
    try:
        continued(Path(path))
    except InvalidInput as error:
        if force or not target.stat().st_size:
            return True
        ways = f"{instead}, --force replaces it".removeprefix(", ")
        raise type(error)(f"{error}; {ways}") from error
    return False


class _Content:
    """The parts to write; `size` is their bytes, for an iterator those so far."""

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


def file_name(path: str | os.PathLike[str], error: type[InvalidInput] = InvalidInput) -> str:
    """The name of a file as text; the file need not exist.

    Raises `error` for what cannot name a file here: another type, a zero byte, a name too long.
    """
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or "\0" in name:
        raise error(f"expected the name of a file, got {_shortened(path)}")
    if _is_too_long(name):
        raise too_long(name, error)
    return name


def _is_too_long(name: str) -> bool:
    try:
        os.lstat(name)
    except OSError as fault:
        return fault.errno == errno.ENAMETOOLONG
    return False


def too_long(name: str, error: type[InvalidInput] = InvalidInput) -> InvalidInput:
    """The error for the name of a file that no disk here can hold."""
    return error(f"expected a shorter file name, got {_shortened(name)}")


def _shortened(name: object) -> str:
    quoted = ascii(name)
    return quoted if len(quoted) <= _SHOWN else f"{quoted[: _SHOWN // 2]}...{quoted[-20:]}"


def open_regular(
    path: str | os.PathLike[str], error: type[InvalidInput] = InvalidInput
) -> IO[bytes]:
    """Open a regular file for reading; a device or a pipe could block, or never end.

    Raises `error` if the file is missing, not regular or unreadable, also while it is read: a file
    of `/proc` may be regular and still unreadable, or block.
    """
    name = file_name(path, error)
    try:
        if stat.S_ISREG(os.stat(name).st_mode):
            return io.BufferedReader(_Readable(name, error))
    except OSError as fault:
        raise error(f"cannot read {name!a}: {fault.strerror or fault}") from None
    raise error(f"expected a regular file, got {name!a}")


def read_start(
    path: str | os.PathLike[str], most: int, error: type[InvalidInput] = InvalidInput
) -> bytes:
    """Up to `most` bytes from the start of a regular file; raises as `open_regular`."""
    with open_regular(path, error) as file:
        return file.read(most)


def free_path(path: Path) -> Path:
    """The path, or the first free one with a number: `game-2.json` beside `game.json`."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found


class _Readable(io.FileIO):
    """A file that turns failures to read into `error`, and does not block."""

    def __init__(self, name: str, error: type[InvalidInput]) -> None:
        super().__init__(name, opener=_open_unblocked)
        self._error = error

    def readinto(self, buffer: Any, /) -> int:
        with self._telling():
            count: int | None = super().readinto(buffer)
            return self._ready(count)

    def readall(self) -> bytes:
        with self._telling():
            return self._ready(super().readall())

    def _ready(self, found: _Read | None) -> _Read:
        if found is None:
            raise self._error(f"expected a file with an end, got {self.name!a}")
        return found

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as fault:
            raise self._error(f"cannot read {self.name!a}: {fault.strerror}") from None


def _open_unblocked(name: str, flags: int) -> int:
    """Open a file whose reads return at once: `/proc/kmsg` is regular and waits for messages."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _temporary(target: Path) -> Path:
    writer = f"{os.getpid()}-{secrets.token_hex(_RANDOM_BYTES)}"
    return target.with_name(f".{target.name}.{writer}{TEMPORARY}")


def _mode_of(target: Path, wanted: int | None) -> int | None:
    if wanted is not None:
        return wanted
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return None


def _create(path: Path, mode: int | None) -> IO[bytes]:
    """A new file, with narrow permissions from the start; `x` is O_EXCL, so no link is followed."""
    return open(
        path,
        "xb",
        buffering=0,
        opener=lambda name, flags: os.open(name, flags, 0o666 if mode is None else mode),
    )


def _write(file: IO[bytes], content: Iterable[memoryview], mode: int | None) -> None:
    for part in content:
        write_all(file, part)
    if mode is not None and hasattr(os, "fchmod"):  # the umask may have removed some
        os.fchmod(file.fileno(), mode)


def write_all(file: IO[bytes], view: memoryview) -> None:
    """Write all bytes; one raw write may take only a part."""
    while view:
        view = view[file.write(view) :]


def _sync_all(written: list[Path]) -> None:
    """Flush files to the disk: with one call for the whole system where there is one."""
    if written and hasattr(os, "sync"):
        os.sync()
        return
    for path in written:
        try:
            with open(path, "r+b") as file:
                os.fsync(file.fileno())
        except FileNotFoundError:  # deleted since
            continue
        except OSError as error:
            raise ResourceError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


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
    """Remove temporary files that dead processes of this user left in a folder.

    `target` limits this to writes of that file name. Raises `OSError` if the folder is unreadable.
    """
    for name in os.listdir(folder):
        found = _LEFTOVER.fullmatch(name) if name.endswith(TEMPORARY) else None
        if found and target in ("", found[1]) and _is_abandoned(folder / name, int(found[2])):
            _remove_quietly(folder / name)


def _is_abandoned(leftover: Path, writer: int) -> bool:
    """Whether this is a regular file of this user whose writer has ended."""
    try:
        status = os.lstat(leftover)
    except FileNotFoundError:  # removed by another process meanwhile
        return False
    if not stat.S_ISREG(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        # A wrong clock may have given it a time in the future.
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
