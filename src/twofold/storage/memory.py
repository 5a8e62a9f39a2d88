"""Free memory, and large arrays on pages that suit random reads."""

import mmap
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import ResourceError
from twofold.figures import bytes_words
from twofold.storage.arrays import TensorFile

SHARE: Final = 0.8
"""Share of the free memory that one allocation may take."""

_HUGE: Final = 4 * 2**20
"""Smallest size in bytes for which large pages are requested."""

_LARGE_PAGE: Final = 2 * 2**20
"""Size of a large page on most processors, in bytes."""

_LARGE_PAGE_SECONDS: Final = 1.5e-3
"""Processor time of the small pages that a large one replaces.

On two cores of an AMD EPYC, November 2026: a large page takes 0.3 ms where one is free, and 8 ms
where the system moves memory first; 512 small pages take 1.4 ms.
"""

_SPARE_SECONDS: Final = 0.02
"""Processor time that large pages may take beyond that."""


def free_memory() -> int | None:
    """Free memory for this process in bytes; None if the system does not tell."""
    found = [size for size in (_available(), _left_in_group()) if size is not None]
    return min(found) if found else None


def _available() -> int | None:
    if sys.platform == "win32":
        return _available_on_windows()
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:  # macOS: half of all memory, as it does not count what could be freed
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError):
        return None


def _available_on_windows() -> int | None:
    import ctypes

    class MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *(
                (name, ctypes.c_ulonglong)
                for name in ["total", "free", "page", "page_free", "all", "left", "more"]
            ),
        )

    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    windows: Any = ctypes
    if not windows.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.free)


def _left_in_group() -> int | None:
    """Bytes left below the limit of a container (Linux control groups, version 2)."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        return None if limit == "max" else max(int(limit) - used, 0)
    except (OSError, ValueError):
        return None


def check_memory(size: int, what: str) -> None:
    """Raise `ResourceError` if `size` bytes for `what` exceed 80 % of the free memory."""
    free = free_memory()
    if free is not None and size > SHARE * free:
        raise ResourceError(
            f"expected at most {SHARE:.0%} of the free memory for {what} "
            f"({bytes_words(SHARE * free)}), got {bytes_words(size)}"
        )


def large_zeros(count: int, dtype: Any, *, quick: bool = False) -> NDArray[Any]:
    """Zeros, on large pages if available: faster random reads. Raises `ResourceError`.

    `quick` takes small pages as soon as the system has to move memory for a large one; the system
    joins them later. For arrays that are filled at once.
    """
    size = count * np.dtype(dtype).itemsize
    try:
        if size < _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
            return np.zeros(count, dtype=dtype)
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (MemoryError, OSError, ValueError) as error:
        raise ResourceError(f"cannot allocate {bytes_words(size)}: {error}") from error
    memory.madvise(mmap.MADV_HUGEPAGE)
    if quick:
        _touch(memory, size)
    return np.frombuffer(memory, dtype=dtype)


def _touch(memory: mmap.mmap, size: int, clock: Callable[[], float] = time.thread_time) -> None:
    """Take large pages while they are cheap, and small ones for the rest."""
    began, content = clock(), np.frombuffer(memory, dtype=np.uint8)
    for done, start in enumerate(range(0, size, _LARGE_PAGE)):
        if clock() - began > _SPARE_SECONDS + done * _LARGE_PAGE_SECONDS:
            memory.madvise(mmap.MADV_NOHUGEPAGE, start, size - start)
            content[start :: mmap.PAGESIZE] = 0
            memory.madvise(mmap.MADV_HUGEPAGE, start, size - start)
            return
        content[start : start + _LARGE_PAGE : mmap.PAGESIZE] = 0  # without the GIL: 512 bytes


def load(file: TensorFile, tensor: str) -> NDArray[Any]:
    """A tensor of a file, read-only: in memory, or mapped if it exceeds 80 % of the free memory.

    Raises `InvalidNetwork` if the file was truncated, `ResourceError` without memory.
    """
    place = file.tensors[tensor]
    free = free_memory()
    if free is not None and place.nbytes > SHARE * free:
        return file.view(tensor)
    array = large_zeros(place.nbytes // place.dtype.itemsize, place.dtype)
    if place.nbytes:  # a view of an empty array cannot be cast to bytes
        file.read_into(tensor, array.data.cast("B"))
    array.flags.writeable = False
    return array.reshape(place.shape)
