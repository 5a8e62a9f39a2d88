"""Making a table's file: layer by layer, so that it can go on after any end.

The work is in a folder beside the file, `FILE.work`: the file that is to be, whose layers are
filled in from the highest sum down, and now and then a note of what is done, with the two last
layers' chances before moves, which the next ones are made from. The finished file takes its
place in one step. It is the same for any number of threads and wherever it was interrupted.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.endgame import format as fmt
from twofold.endgame.build import Builder, Chances, Layer, Stopped
from twofold.endgame.cells import layer_sizes
from twofold.endgame.folder import work_folder
from twofold.endgame.pattern import EndgamePattern
from twofold.endgame.scale import check_bits, stored
from twofold.errors import InvalidInput, InvalidTable, ResourceError
from twofold.figures import bytes_words
from twofold.files import remove_abandoned
from twofold.locks import alone
from twofold.tensors import open_tensors, write_tensors

INTERVAL: Final = 20.0
"""Seconds of work that may be lost."""

MODE: Final = 0o444
"""Permissions of a table: nobody writes to it, so that no plain copy onto it cuts it short."""

MAX_LAYERS: Final = 2048
"""More layers than any pattern has."""

_PACE_SECONDS: Final = 10.0
_PART: Final = "part"
_NOTE: Final = "note"


@dataclass(frozen=True, slots=True)
class BuildProgress:
    """How far a table is.

    Attributes:
        layer: the layer that is done, by the sum of tiles in free cells.
        states: boards done.
        total: all boards.
        seconds: time of this run.
        rate: boards a second, of late.
    """

    layer: int
    states: int
    total: int
    seconds: float
    rate: float

    @property
    def remaining(self) -> float:
        """Seconds until the end, at this rate."""
        return (self.total - self.states) / max(self.rate, 1.0)


class _Pace:
    """How fast the work goes, over some seconds.

    Args:
        states: boards that are done.
    """

    def __init__(self, states: int) -> None:
        self._began = time.monotonic()
        self._marks = [(0.0, states)]

    def progress(self, layer: int, states: int, total: int) -> BuildProgress:
        """How far the work is."""
        now = time.monotonic() - self._began
        while len(self._marks) > 1 and now - self._marks[1][0] > _PACE_SECONDS:
            self._marks.pop(0)
        seconds, before = self._marks[0]
        self._marks.append((now, states))
        return BuildProgress(
            layer, states, total, now, (states - before) / max(now - seconds, 1e-9)
        )


class Work:
    """The making of one file; the caller holds `twofold.locks.alone` of it.

    Args:
        path: the file to make.
        pattern: its pattern.
        bits: of a level, 8 or 16.
        interval: seconds of work that may be lost.
    """

    def __init__(
        self, path: Path, pattern: EndgamePattern, bits: int, *, interval: float = INTERVAL
    ) -> None:
        self.path, self.pattern, self.bits = path, pattern, bits
        self.folder = work_folder(path)
        self.sizes = layer_sizes(pattern)
        self._interval = interval
        self._index = np.zeros((len(self.sizes), 2), dtype=np.uint64)
        self._index[:, fmt.COUNT] = self.sizes
        self._head = fmt.head_bytes(pattern, bits)
        self._firsts = np.concatenate([[0], np.cumsum(self.sizes)]).tolist()
        self._above: list[Chances] = []
        self.next_layer = pattern.highest

    @property
    def nbytes(self) -> int:
        """Bytes of the file."""
        return len(self._head) + self._index.nbytes + sum(self.sizes) * self.bits // 8

    @property
    def done(self) -> int:
        """Boards that are done."""
        return int(sum(self.sizes[self.next_layer + 1 :]))

    def resume(self) -> bool:
        """Take up what an earlier run has left; False if that is nothing, or not sound."""
        try:
            self._read_note()
        except (InvalidInput, OSError, ValueError):
            self._forget()
        return self.next_layer < self.pattern.highest

    def _forget(self) -> None:
        self._above, self.next_layer = [], self.pattern.highest
        self._index[:, fmt.CRC] = 0

    def run(
        self,
        threads: int = 1,
        on_progress: Callable[[BuildProgress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> bool:
        """Make the file, or go on with it; False if it was stopped. What was done is kept.

        Raises:
            ResourceError: the disk is full or another system call failed.
        """
        pace = _Pace(self.done)
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
                        done = sum(self.sizes[layer.number :])
                        on_progress(pace.progress(2 * layer.number, done, sum(self.sizes)))
            if pending is not None:
                pending.result()
            if self.next_layer >= 0:
                self._save(file)
                return False
            self._finish(file)
        self._publish()
        return True

    @contextlib.contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        """The file that is to be, of its full size: a disk that has no room is known at once."""
        self.folder.mkdir(exist_ok=True)
        remove_abandoned(self.folder)
        fresh = self.next_layer == self.pattern.highest
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
        if fresh:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.folder / _PART)
            flags |= os.O_EXCL
        with open(os.open(self.folder / _PART, flags, 0o600), "r+b", buffering=0) as file:
            if fresh:
                _reserve(file, self.nbytes)
            yield file

    def _store(self, file: IO[bytes], layer: Layer) -> None:
        """Write the levels of a layer."""
        levels = stored(layer.after, self.bits)
        place = self._firsts[layer.number] * levels.itemsize
        _write(file, len(self._head) + self._index.nbytes + place, levels)
        self._index[layer.number, fmt.CRC] = fmt.checksum(levels)
        self._above = [layer.before, *self._above[:1]]
        self.next_layer = layer.number - 1

    def _save(self, file: IO[bytes]) -> None:
        """Note what is done, after the levels have reached the disk."""
        if len(self._above) < 2:
            return
        os.fsync(file.fileno())
        tensors: dict[str, NDArray[Any]] = {
            "index": self._index,
            "lower": self._above[0],
            "upper": self._above[1],
        }
        texts = fmt.texts_of(self.pattern) | {"bits": str(self.bits), "next": str(self.next_layer)}
        write_tensors(self.folder / _NOTE, tensors, texts)

    def _read_note(self) -> None:
        """Take up the note of an earlier run, and compare the levels that it wrote."""
        with open_tensors(self.folder / _NOTE) as note:
            texts = dict(note.metadata)
            self.next_layer = number = int(texts.pop("next", ""))
            if texts != fmt.texts_of(self.pattern) | {"bits": str(self.bits)}:
                raise InvalidTable("expected the note of this table, got that of another one")
            if not -1 <= number <= self.pattern.highest - 2:
                raise InvalidTable(f"expected a layer of the pattern, got {number}")
            for tensor, size in (("lower", number + 1), ("upper", number + 2)):
                place = note.tensors.get(tensor)
                if place is None or place.shape != (self.sizes[size],) or place.dtype != np.float32:
                    raise InvalidTable("expected the chances of two layers, got others")
            if note.tensors["index"].shape != self._index.shape:
                raise InvalidTable("expected the index of the layers, got another one")
            self._index[:, fmt.CRC] = note.read("index")[:, fmt.CRC]
            self._above = [note.read("lower"), note.read("upper")]
        self._check_part(number + 1)

    def _check_part(self, first: int) -> None:
        """Compare the layers from one on with their checksums."""
        kind = np.uint8 if self.bits == 8 else np.uint16
        path = self.folder / _PART
        if os.lstat(path).st_size != self.nbytes or not stat.S_ISREG(os.lstat(path).st_mode):
            raise InvalidTable("expected a part of the table's size, got another one")
        with path.open("rb") as file:
            start = len(self._head) + self._index.nbytes
            file.seek(start + self._firsts[first] * np.dtype(kind).itemsize)
            for layer in range(first, len(self.sizes)):
                levels = np.fromfile(file, dtype=kind, count=self.sizes[layer])
                if fmt.checksum(levels) != self._index[layer, fmt.CRC]:
                    raise InvalidTable("expected the levels of the note, got others")

    def _finish(self, file: IO[bytes]) -> None:
        """Write what stands before the levels."""
        _write(file, 0, np.frombuffer(self._head, dtype=np.uint8))
        _write(file, len(self._head), self._index)
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), MODE)
        os.fsync(file.fileno())

    def _publish(self) -> None:
        """Put the file in its place, and remove the folder."""
        os.replace(self.folder / _PART, self.path)
        self.remove()

    def remove(self) -> None:
        """Remove what is left in the folder, and the folder if nothing else is in it."""
        remove_work(self.path)


def existing(path: Path, pattern: EndgamePattern, bits: int) -> fmt.TableHead | None:
    """The table that is there already; None for none.

    Raises:
        InvalidTable: something else is there, or the same with other bits.
    """
    if not os.path.lexists(path):
        return None
    head = fmt.read_head(path)
    if (head.pattern, head.bits) != (pattern, bits):
        raise InvalidTable(
            f"expected no other table in the place of {pattern.name} with {bits} bits, got "
            f"{head.pattern.name} with {head.bits} bits in {str(path)!a}. Remove it first"
        )
    return head


def share_done(path: Path) -> float | None:
    """The part of a table that an earlier run has done; None where none has begun."""
    try:
        with open_tensors(work_folder(path) / _NOTE) as note:
            place = note.tensors["index"]
            if len(place.shape) != 2 or place.shape[0] > MAX_LAYERS:
                return 0.0
            sizes: list[int] = note.read("index")[:, fmt.COUNT].tolist()
            return sum(sizes[int(note.metadata["next"]) + 1 :]) / sum(sizes)
    except (InvalidInput, OSError, ValueError, KeyError, IndexError, ZeroDivisionError):
        return 0.0 if work_folder(path).is_dir() else None


def bits_begun(path: Path) -> int | None:
    """Bits of a level of an unfinished table; None where no sound note says them."""
    try:
        with open_tensors(work_folder(path) / _NOTE) as note:
            return check_bits(int(note.metadata["bits"]))
    except (InvalidInput, OSError, ValueError, KeyError):
        return None


def held_bytes(path: Path) -> int:
    """Bytes of disk that an unfinished table already takes."""
    try:
        status = os.lstat(work_folder(path) / _PART)
    except OSError:
        return 0
    return int(getattr(status, "st_blocks", 0)) * 512


def remove_table(path: Path) -> int:
    """Remove a table, and what an unfinished one has left; the bytes of the table.

    Raises:
        InvalidInput: a link stands for it or for its folder of work, another program is building
            it, or it cannot be removed.
    """
    for place in (path, work_folder(path)):
        if place.is_symlink():
            raise InvalidInput(f"expected a table, got a link: {str(place)!a}")
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
    bits: int = 16,
    *,
    threads: int = 1,
    on_progress: Callable[[BuildProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> bool:
    """Build a table's file, or go on with one that an earlier run has begun.

    Args:
        path: the file to make; its folder must exist.
        pattern: its pattern.
        bits: of a level, 8 or 16.
        threads: how many work.
        on_progress: told after each layer.
        stop: asked often; True ends the work, and what was done is kept.

    Returns:
        True if the table is there, False if the work was stopped.

    Raises:
        InvalidInput: another program builds this table.
        InvalidTable: something else is in its place.
        ResourceError: the disk is full or another system call failed.
    """
    with alone(path, "builder of tables"):
        if existing(path, pattern, bits) is not None:
            return True
        work = Work(path, pattern, bits)
        work.resume()
        return work.run(threads, on_progress, stop)


def remove_work(path: Path) -> None:
    """Remove what an unfinished table has left, and its folder if nothing else is in it."""
    folder = work_folder(path)
    for name in (_PART, _NOTE):
        with contextlib.suppress(OSError):
            (folder / name).unlink()
    with contextlib.suppress(OSError):
        remove_abandoned(folder)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _reserve(file: IO[bytes], size: int) -> None:
    """Give a file its size, with the room for it where the system can."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
    else:
        file.truncate(size)


def _write(file: IO[bytes], place: int, array: NDArray[Any]) -> None:
    """Write an array at a place of a file; a raw write may take only a part of what it is given."""
    if not array.nbytes:
        return
    file.seek(place)
    view = array.reshape(-1).view(np.uint8).data
    while view:
        view = view[file.write(view) :]


@contextlib.contextmanager
def _telling(path: Path, size: int) -> Iterator[None]:
    """Say in an error of ours what the system could not do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENOTDIR, errno.EEXIST):
            raise InvalidInput(f"cannot write {str(path)!a}: {error.strerror}") from None
        raise ResourceError(
            f"cannot write {bytes_words(size)} to {str(path)!a}: {error.strerror or error}"
        ) from error
