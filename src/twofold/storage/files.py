"""Files are old or new and never half; who can change a folder; one program at a time on a file."""

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from pathlib import Path
from typing import IO, Final, TypeVar

import platformdirs

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
    whole = data.encode() if isinstance(data, str) else data
    parts = [whole] if isinstance(whole, Buffer) else whole
    size = sum(memoryview(part).nbytes for part in parts) if isinstance(parts, Sequence) else 0
    temporary = _temporary(target)
    try:
        remove_abandoned(target.parent, target.name)
        mode = _mode_of(target, mode)
        try:
            with _create(temporary, mode) as file:
                for part in parts:
                    view = memoryview(part).cast("B")
                    size += 0 if isinstance(parts, Sequence) else view.nbytes
                    write_all(file, view)
                if mode is not None and hasattr(os, "fchmod"):  # the umask may have removed some
                    os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:  # also Ctrl-C, and exceptions of the parts
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)
    except OSError as error:
        raise ResourceError(
            f"cannot write {size} bytes to {str(target)!r}: {error.strerror or error}"
        ) from error


def writable(path: str | os.PathLike[str]) -> Path:
    """The path of a file to write, without links; raises `InvalidInput` as `atomic_write` does."""
    name = file_name(path)
    # By its name: the real path of a pipe, as of /dev/stdout, does not exist.
    if os.path.exists(name or os.curdir) and not os.path.isfile(name):
        raise InvalidInput(f"expected a regular file to write to, got {name!r}")
    target = Path(os.path.realpath(name))
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


Read = TypeVar("Read")


def kept_by_file(
    most: int, error: type[InvalidInput]
) -> Callable[[Callable[[Path], Read]], Callable[[Path], Read]]:
    """Decorator: keep what a function reads of a file until the file changes, `most` of them.

    A path that is no regular file that can be read raises `error`.
    """

    def decorate(read: Callable[[Path], Read]) -> Callable[[Path], Read]:
        @lru_cache(maxsize=most)
        def kept(path: Path, *_identity: int) -> Read:
            return read(path)

        @wraps(read)
        def call(path: Path) -> Read:
            with open_regular(path, error) as file:
                status = os.fstat(file.fileno())
            return kept(path.resolve(), status.st_mtime_ns, status.st_size, status.st_ino)

        return call

    return decorate


def open_regular(
    path: str | os.PathLike[str], error: type[InvalidInput] = InvalidInput
) -> IO[bytes]:
    """Open a regular file for reading; a device or a pipe could block, or never end.

    Raises `error` if the file is missing, not regular or unreadable.
    """
    name = file_name(path, error)
    try:
        if stat.S_ISREG(os.stat(name).st_mode):
            return open(name, "rb")
    except OSError as fault:
        raise error(f"cannot read {name!a}: {fault.strerror or fault}") from None
    raise error(f"expected a regular file, got {name!a}")


def read_start(
    path: str | os.PathLike[str], most: int, error: type[InvalidInput] = InvalidInput
) -> bytes:
    """Up to `most` bytes from the start of a regular file; raises as `open_regular`."""
    with open_regular(path, error) as file:
        try:
            return file.read(most)
        except OSError as fault:
            raise error(f"cannot read {os.fspath(path)!a}: {fault.strerror}") from None


def free_path(path: Path, beside: Callable[[Path], Sequence[Path]] = lambda _: ()) -> Path:
    """The path, or the first free one with a number: `game-2.json` beside `game.json`.

    Args:
        path: the path.
        beside: the other files of the same work, which are free, too.
    """
    found, number = path, 1
    while any(one.exists() for one in (found, *beside(found))):
        number += 1
        found = path.with_stem(f"{path.stem}-{number}")
    return found


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


def write_all(file: IO[bytes], view: memoryview) -> None:
    """Write all bytes; one raw write may take only a part."""
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
    """Remove temporary files that dead processes left in a folder.

    `target` limits this to writes of that file name. Raises `OSError` if the folder is unreadable.
    """
    for name in os.listdir(folder):
        found = _LEFTOVER.fullmatch(name) if name.endswith(TEMPORARY) else None
        if found and target in ("", found[1]) and _is_abandoned(folder / name, int(found[2])):
            with contextlib.suppress(OSError):
                (folder / name).unlink()


def _is_abandoned(leftover: Path, writer: int) -> bool:
    """True if the process that wrote the file has ended; on Windows, if the file is a day old."""
    try:
        if os.name != "posix":
            return time.time() - os.lstat(leftover).st_mtime >= _ABANDONED_SECONDS
        os.kill(writer, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    return False


WORK: Final = ".work"
"""Suffix of the folder of an unfinished table, after the name of its file."""


def data_folder() -> Path:
    """The folder of this user's data: games, tables, the web app's token; `TWOFOLD_STATE_DIR`."""
    chosen = os.environ.get("TWOFOLD_STATE_DIR")
    return Path(chosen or platformdirs.user_data_dir("twofold", appauthor=False))


def work_folder(path: str | os.PathLike[str]) -> Path:
    """The folder of an unfinished table, beside its file."""
    target = Path(path)
    return target.with_name(target.name + WORK)


def make_work_folder(folder: Path) -> None:
    """Make the folder of an unfinished table, if it is missing.

    One that others have made is data: a link in it would lead to another file, and change that.

    Raises:
        InvalidInput: the folder is a link, or holds one.
        ResourceError: it cannot be made.
    """
    try:
        folder.mkdir(exist_ok=True)
        links = [one for one in (folder, *folder.iterdir()) if one.is_symlink()]
    except OSError as error:
        raise ResourceError(f"cannot make {str(folder)!r}: {error.strerror}") from error
    if links:
        raise InvalidInput(
            f"expected the files of an unfinished table, got a link, {str(links[0])!a}. Remove it"
        )


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents for this user alone; raises `OSError`."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def shared_place(folder: Path) -> Path | None:
    """The place through which another user could change files of a folder; None if there is none.

    That is the folder itself if it is a link, has another owner or is open to others; or a folder
    above it, see `shared_on_the_way`. Always None without POSIX owners. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return None
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
        return folder
    return shared_on_the_way(folder)


def shared_on_the_way(folder: Path) -> Path | None:
    """The first of a folder and its parents that others own or can write to; None if there is none.

    Links are followed. A sticky folder such as `/tmp` is safe. Raises `OSError`.
    """
    if not hasattr(os, "geteuid"):
        return None
    trusted = {0, os.geteuid(), os.lstat("/").st_uid}  # the last: root, in a user namespace
    for place in (folder.absolute(), *folder.absolute().parents):
        status = os.lstat(place)
        if status.st_uid not in trusted:
            return place
        if stat.S_ISLNK(status.st_mode):
            shared = shared_on_the_way(place.parent / os.readlink(place))
            if shared is not None:
                return shared
        elif status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            return place
    return None


SUFFIX: Final = ".lock"
"""Suffix of lock files. They are empty, beside the file, and exist only while held."""

_WRITE_SECONDS: Final = 10.0
"""How long another program may take to write the same file."""

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
    file = target.with_name(f".{target.name}{SUFFIX}")
    lock = filelock.FileLock(file, timeout=patience, thread_local=False)
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


def writing(path: str | os.PathLike[str]) -> contextlib.AbstractContextManager[None]:
    """Hold a file from the check that it is new until it is written; see `alone`."""
    return alone(writable(path), "program", patience=_WRITE_SECONDS)


def remove_file(path: str | os.PathLike[str]) -> None:
    """Remove a file that another one replaces, if there is one; raises as `alone` if it is held."""
    with alone(path, "program"):
        Path(path).unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """True if a program holds a file, see `alone`."""
    if not os.path.lexists(path.with_name(f".{path.name}{SUFFIX}")):
        return False
    try:
        with alone(path, "program"):
            return False
    except (InvalidInput, ResourceError):
        return True
