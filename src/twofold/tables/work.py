"""Makes a table's file layer by layer; a build can be interrupted and continued at any time.

The folder `FILE.work` holds the unfinished file, filled from the highest sum down, and a
checkpoint: the layers done, and the chances before moves of the last two. The finished file is
moved to its place in one step. Threads and interruptions do not change it.
"""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidTable, ResourceError
from twofold.figures import bytes_words
from twofold.storage.arrays import TensorFile, checked, checksum, open_tensors, write_tensors
from twofold.storage.files import alone, make_work_folder, remove_abandoned, work_folder, write_all
from twofold.tables import format as fmt
from twofold.tables.build import Builder, Chances, Layer
from twofold.tables.format import stored
from twofold.tables.layers import LINE_WORDS, layer_sizes, lines_of, packed
from twofold.tables.parts import LayerProgress, Stopped, remove_parts
from twofold.tables.pattern import EndgamePattern

INTERVAL: Final = 20.0
"""Seconds between checkpoints."""

MODE: Final = 0o444
"""Permissions of a table: read-only, so that a plain copy onto it cannot shorten it."""

MAX_LAYERS: Final = 2048
"""Upper bound on the number of layers of a pattern."""

_UNREADABLE: Final = (InvalidInput, OSError, ValueError, KeyError)
"""What a checkpoint that cannot be used raises."""

_PART: Final = "part"
_NOTE: Final = "note"


class Work:
    """The build of one file; the caller holds its lock, `twofold.storage.files.alone`.

    `interval` is the time between checkpoints, in seconds.
    """

    def __init__(self, path: Path, pattern: EndgamePattern, *, interval: float = INTERVAL) -> None:
        self.path, self.pattern = path, pattern
        self.folder = work_folder(path)
        self.sizes = layer_sizes(pattern)
        self._interval = interval
        self._index = np.zeros((len(self.sizes), 2), dtype=np.uint64)
        self._index[:, fmt.COUNT] = self.sizes
        self._head = fmt.head_bytes(pattern)
        self._firsts = np.concatenate([[0], np.cumsum(self.sizes)]).tolist()
        self._lines = np.concatenate([[0], np.cumsum(list(map(lines_of, self.sizes)))]).tolist()
        self._stored = 0
        self._above: list[Chances] = []
        self.next_layer = pattern.highest

    @property
    def nbytes(self) -> int:
        """Bytes of the file; the most, for a table of walls."""
        return len(self._head) + fmt.body_bytes(self.pattern)

    @property
    def _begin(self) -> int:
        """Where the levels begin in the file."""
        return self.nbytes - 2 * sum(self.sizes)

    @property
    def _least_bytes(self) -> int:
        """Bytes of the unfinished file: all of it, or without the levels that are not known yet."""
        if self.pattern.walls is None:
            return self.nbytes
        return self._begin + 2 * self._stored

    @property
    def done(self) -> int:
        """Number of boards done."""
        return int(sum(self.sizes[self.next_layer + 1 :]))

    def resume(self) -> bool:
        """Continue an earlier run; False if there is none, or its checkpoint is invalid."""
        try:
            self._read_note()
        except _UNREADABLE:
            self._above, self.next_layer = [], self.pattern.highest
            self._index[:, fmt.CRC] = 0
            self._stored = 0
        return self.next_layer < self.pattern.highest

    def run(
        self,
        threads: int = 1,
        on_progress: Callable[[LayerProgress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> bool:
        """Make or continue the file; False if it was stopped, which keeps the finished layers."""
        began, total = time.monotonic(), sum(self.sizes)
        before = self.done
        with _telling(self.path, self.nbytes), self._opened() as file:
            saved = time.monotonic()
            builder = Builder(self.pattern, threads, stop)
            with ThreadPoolExecutor(1) as writer, contextlib.suppress(Stopped):
                pending: Future[None] | None = None
                for layer in builder.layers(self._above, self.next_layer):
                    if pending is not None:
                        pending.result()
                    pending = writer.submit(self._store, file, layer)
                    if time.monotonic() - saved >= self._interval:
                        pending.result()
                        self._save(file)
                        saved = time.monotonic()
                    if on_progress is not None:
                        done, seconds = sum(self.sizes[layer.number :]), time.monotonic() - began
                        rate = (done - before) / max(seconds, 1e-9)
                        now = LayerProgress(
                            "building", 2 * layer.number, done, total, seconds, rate
                        )
                        on_progress(now)
            if pending is not None:
                pending.result()
            if self.next_layer >= 0:
                self._save(file)
                return False
            if self.path.exists() and self.path.stat().st_size:
                self._save(file)
                raise InvalidInput(
                    f"expected no {str(self.path)!a}, which another program has written meanwhile. "
                    "Remove it, and give the same command again"
                )
            self._finish(file)
        os.replace(self.folder / _PART, self.path)
        remove_work(self.path)
        return True

    @contextlib.contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        """The unfinished file, at its full size, so that a lack of disk space shows at once.

        That of a table of walls grows: how many levels it stores is known at the end.
        """
        make_work_folder(self.folder)
        remove_abandoned(self.folder)
        fresh = self.next_layer == self.pattern.highest
        with open(self.folder / _PART, "w+b" if fresh else "r+b", buffering=0) as file:
            if fresh:
                _reserve(file, self._least_bytes)
            yield file

    def _store(self, file: IO[bytes], layer: Layer) -> None:
        levels = stored(layer.after)
        self._index[layer.number, fmt.CRC] = checksum(levels)
        if self.pattern.walls is None:
            _write(file, self._begin + self._firsts[layer.number] * levels.itemsize, levels)
        else:
            marks, some = packed(levels, self._stored)
            place = self._lines[layer.number] * marks.itemsize * LINE_WORDS
            _write(file, len(self._head) + self._index.nbytes + place, marks)
            _write(file, self._begin + self._stored * levels.itemsize, some)
            self._stored += len(some)
        self._above = [layer.before, *self._above[:1]]
        self.next_layer = layer.number - 1

    def _save(self, file: IO[bytes]) -> None:
        """Write a checkpoint, after the levels have reached the disk."""
        if len(self._above) < 2:
            return
        os.fsync(file.fileno())
        tensors: dict[str, NDArray[Any]] = {
            "index": self._index,
            "lower": self._above[0],
            "upper": self._above[1],
        }
        texts = fmt.texts_of(self.pattern) | {"next": str(self.next_layer)}
        texts |= {} if self.pattern.walls is None else {"stored": str(self._stored)}
        write_tensors(self.folder / _NOTE, tensors, texts)

    def _read_note(self) -> None:
        with _noted(self.path) as (note, found):
            texts = {key: note.metadata[key] for key in fmt.texts_of(self.pattern)}
            if texts != fmt.texts_of(self.pattern):
                raise InvalidTable("the checkpoint belongs to another table")
            if found.next > self.pattern.highest - 2:
                raise InvalidTable(f"expected a layer of the pattern, got {found.next}")
            wanted = {
                "index": (np.uint64, self._index.shape),
                "lower": (np.float32, (self.sizes[found.next + 1],)),
                "upper": (np.float32, (self.sizes[found.next + 2],)),
            }
            for name, (dtype, shape) in wanted.items():
                checked(note.tensors, name, (dtype,), shape, note.name)
            self.next_layer, self._stored = found.next, found.stored
            self._index[:, fmt.CRC] = note.read("index")[:, fmt.CRC]
            self._above = [note.read("lower"), note.read("upper")]
        self._check_part(found.next + 1)

    def _check_part(self, first: int) -> None:
        path = self.folder / _PART
        walls = self.pattern.walls is not None
        if path.stat().st_size < self._least_bytes:
            raise InvalidTable("the unfinished file does not have the size of the table")
        if not 0 <= self._stored <= (sum(self.sizes) if walls else 0):
            raise InvalidTable("expected a number of levels in the checkpoint")
        start, sizes = len(self._head) + self._index.nbytes, self.sizes[first:]
        marks, skipped, count = None, self._firsts[first], sum(sizes)
        if walls:
            line, skipped, count = self._lines[first], 0, self._stored
            words = np.memmap(path, np.uint64, "r", start, (self._lines[-1], LINE_WORDS))
            marks = words[line:]
        place, none = self._begin + 2 * skipped, np.zeros(0, dtype=np.uint16)
        levels = np.memmap(path, np.uint16, "r", place, (count,)) if count else none
        for layer, found in fmt.layers_of(sizes, levels, marks):
            if found is None or checksum(found) != self._index[first + layer, fmt.CRC]:
                raise InvalidTable("the unfinished file does not match its checkpoint")

    def _finish(self, file: IO[bytes]) -> None:
        if self.pattern.walls is not None:
            self._head = fmt.head_bytes(self.pattern, self._stored)
            os.ftruncate(file.fileno(), self._least_bytes)
        _write(file, 0, np.frombuffer(self._head, dtype=np.uint8))
        _write(file, len(self._head), self._index)
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), MODE)
        os.fsync(file.fileno())


def existing(path: Path, pattern: EndgamePattern) -> fmt.TableHead | None:
    """The header of a table that already exists at a path; None if there is no file.

    Raises `InvalidTable` if another file is there.
    """
    if not os.path.lexists(path):
        return None
    head = fmt.read_head(path)
    if head.pattern != pattern:
        raise InvalidTable(
            f"expected {pattern.name}, got {head.pattern.name} in {str(path)!a}. "
            "Remove that file first"
        )
    return head


class _Note(msgspec.Struct):
    """Texts of a checkpoint, beside those of the pattern: the next layer, the levels stored."""

    next: Annotated[int, msgspec.Meta(ge=-1)]
    stored: Annotated[int, msgspec.Meta(ge=0)] = 0


@contextlib.contextmanager
def _noted(path: Path) -> Iterator[tuple[TensorFile, _Note]]:
    """Open the checkpoint of a table; raises InvalidInput, OSError, ValueError or KeyError."""
    with open_tensors(work_folder(path) / _NOTE) as note:
        yield note, msgspec.convert(note.metadata, _Note, strict=False)


def share_done(path: Path) -> float | None:
    """The share of a table that earlier runs have done, 0 to 1; None if none has begun."""
    try:
        with _noted(path) as (note, found):
            checked(note.tensors, "index", (np.uint64,), (None, 2), note.name)
            if note.tensors["index"].shape[0] > MAX_LAYERS:
                return 0.0
            sizes: list[int] = note.read("index")[:, fmt.COUNT].tolist()
            return sum(sizes[found.next + 1 :]) / sum(sizes)
    except (*_UNREADABLE, ZeroDivisionError):
        return 0.0 if work_folder(path).is_dir() else None


def held_bytes(path: Path) -> int:
    """Bytes of disk that an unfinished table already uses."""
    try:
        status = os.lstat(work_folder(path) / _PART)
    except OSError:
        return 0
    return int(getattr(status, "st_blocks", 0)) * 512


def remove_table(path: Path) -> int:
    """Remove a table and its unfinished work; returns the bytes of the table.

    Raises `InvalidInput` during a build, and if the file cannot be removed.
    """
    with alone(path, "builder of tables"):
        remove_work(path)
        try:
            size = os.lstat(path).st_size
            if os.name == "nt":
                path.chmod(0o600)
            path.unlink()
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise InvalidInput(f"cannot remove {str(path)!a}: {error.strerror}") from None
        return size


def build_table(
    path: Path,
    pattern: EndgamePattern,
    *,
    threads: int = 1,
    on_progress: Callable[[LayerProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> bool:
    """Build a table's file or continue an earlier run; False if it was stopped.

    Args:
        path: the file to make; its folder must exist.
        pattern: its pattern.
        threads: number of threads.
        on_progress: called after each layer.
        stop: called often; True stops the build, which keeps the finished layers.
    """
    with alone(path, "builder of tables"):
        if existing(path, pattern) is not None:
            return True
        work = Work(path, pattern)
        work.resume()
        try:
            return work.run(threads, on_progress, stop)
        finally:
            if not (work.folder / _NOTE).exists():  # ended before its first checkpoint
                remove_work(path)


def remove_work(path: Path) -> None:
    """Remove the files of an unfinished table, and its work folder if it is then empty."""
    remove_parts(work_folder(path), (_PART, _NOTE).__contains__)


def _reserve(file: IO[bytes], size: int) -> None:
    """Set a file's size, and allocate its blocks where the system can."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


def _write(file: IO[bytes], place: int, array: NDArray[Any]) -> None:
    """Write an array at a position."""
    if array.nbytes:
        file.seek(place)
        write_all(file, array.reshape(-1).view(np.uint8).data)


@contextlib.contextmanager
def _telling(path: Path, size: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENOTDIR, errno.EEXIST):
            raise InvalidInput(f"cannot write {str(path)!a}: {error.strerror}") from None
        raise ResourceError(
            f"cannot write {bytes_words(size)} to {str(path)!a}: {error.strerror or error}"
        ) from error
