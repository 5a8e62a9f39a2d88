"""Free memory as the system reports it, and arrays that fit or are refused."""

import ctypes
import itertools
import mmap
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from twofold.errors import ResourceError
from twofold.storage import memory
from twofold.storage.arrays import open_tensors, write_tensors

LINUX = "MemTotal: 16307664 kB\nMemAvailable:    8000000 kB\nBuffers: 5 kB\n"
MACOS = {"SC_PAGE_SIZE": 16384, "SC_PHYS_PAGES": 1_000_000}


@pytest.mark.parametrize(
    ("meminfo", "limit", "used", "sizes", "found"),
    [
        (LINUX, None, None, {}, 8_192_000_000),
        *((text, None, None, {}, None) for text in ("", "MemFree: 5 kB\n", "MemAvailable:\n")),
        ("MemAvailable: much kB\n", None, None, {}, None),
        (None, None, None, MACOS, 8_192_000_000),  # half of all
        (LINUX, "1000000\n", "400000\n", {}, 600_000),  # a container; the smaller counts
        (LINUX, "1000000\n", "1400000\n", {}, 0),
        (LINUX, "10000000000\n", "5\n", {}, 8_192_000_000),
        (None, "1000000\n", "400000\n", {}, 600_000),
        (None, "max\n", "400000\n", {}, None),
        (None, "much\n", "400000\n", {}, None),
        (None, "1000000\n", None, {}, None),
    ],
)
def test_free_memory_of_linux_macos_and_containers(
    meminfo: str | None,
    limit: str | None,
    used: str | None,
    sizes: dict[str, int],
    found: int | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def sysconf(name: str) -> int:
        if name not in sizes:
            raise ValueError(f"unrecognized configuration name: {name}")
        return sizes[name]

    for name, text in (("meminfo", meminfo), ("memory.max", limit), ("memory.current", used)):
        if text is not None:
            (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory, "Path", lambda path: tmp_path / Path(path).name)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "sysconf", sysconf, raising=False)
    assert memory.free_memory() == found
    if found is None:
        memory.check_memory(10**18, "anything")


@pytest.mark.parametrize("answers", [True, False])
def test_free_memory_on_windows(answers: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(pointer: Any) -> bool:
        status = pointer._obj
        assert status.length == ctypes.sizeof(status) >= 64
        status.total, status.free = 16 * 2**30, 7 * 2**30
        return answers

    kernel32 = SimpleNamespace(GlobalMemoryStatusEx=fill)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel32), raising=False)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "win32")
        found = memory._available()
    assert found == (7 * 2**30 if answers else None)


# Refusals


def test_four_fifths_of_the_free_memory_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 1_000_000_000)
    memory.check_memory(800_000_000, "tables")
    message = r"expected at most 80% of the free memory for tables \(800 MB\), got 801 MB"
    with pytest.raises(ResourceError, match=message) as found:
        memory.check_memory(801_000_000, "tables")
    assert found.value.exit_code == 3


# Arrays


@pytest.mark.parametrize("count", [0, 1, 2**20 - 1, 2**20, 2**21])
@pytest.mark.parametrize("kind", ["plain", "quick", "without large pages"])
def test_zeros(count: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "without large pages":
        monkeypatch.setattr(memory, "mmap", SimpleNamespace())
    array = memory.large_zeros(count, np.uint64, quick=kind == "quick")
    assert array.shape == (count,)
    assert array.dtype == np.uint64
    assert not array.any()
    assert all(array.flags[flag] for flag in ("WRITEABLE", "C_CONTIGUOUS", "ALIGNED"))
    array[:] = 3
    assert (array == 3).all()


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="large pages are of Linux")
@pytest.mark.parametrize(("page_seconds", "large"), [(0.0003, 8), (0.008, 2), (1.0, 0)])
def test_small_pages_where_large_ones_take_long(page_seconds: float, large: int) -> None:
    size = 16 * 2**20
    asked: list[tuple[int, ...]] = []
    ticks = itertools.count()

    class Memory(mmap.mmap):
        def madvise(self, *arguments: int) -> None:
            asked.append(arguments)

    area = Memory(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory._touch(area, size, clock=lambda: page_seconds * next(ticks))
    rest = (large * 2**21, size - large * 2**21)
    small = [(mmap.MADV_NOHUGEPAGE, *rest), (mmap.MADV_HUGEPAGE, *rest)]
    assert asked == (small if rest[1] else [])
    assert area[:] == bytes(size)


def test_too_large_an_allocation_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ResourceError, match=r"cannot allocate 140737 GB: ") as found:
        memory.large_zeros(2**45, np.float32)
    assert found.value.exit_code == 3

    def refuse(*arguments: object, **more: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    fake = SimpleNamespace(MADV_HUGEPAGE=14, MAP_PRIVATE=2, MAP_ANONYMOUS=32, mmap=refuse)
    monkeypatch.setattr(memory, "mmap", fake)
    with pytest.raises(ResourceError, match=r"cannot allocate 8\.4 MB: .*Cannot allocate memory"):
        memory.large_zeros(2**21, np.float32)


# Files


@pytest.fixture
def tensors(tmp_path: Path) -> Path:
    write_tensors(tmp_path / "t", {"x": np.arange(12.0).reshape(3, 4), "none": np.zeros(0)}, {})
    return tmp_path / "t"


@pytest.mark.parametrize("free", [None, 96 / memory.SHARE, 95 / memory.SHARE])
def test_a_tensor_is_read_only(
    tensors: Path, monkeypatch: pytest.MonkeyPatch, free: float | None
) -> None:
    """The last one does not fit into memory: it is mapped. The others do not depend on the file."""
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    with open_tensors(tensors) as file:
        x, none = memory.load(file, "x"), memory.load(file, "none")
    if free != 95 / memory.SHARE:
        tensors.write_bytes(b"")
    assert x.tolist() == np.arange(12.0).reshape(3, 4).tolist()
    assert (none.shape, x.flags.writeable, none.flags.writeable) == ((0,), False, False)
