"""Files of tensors: twofold and the safetensors library read them equally, without a copy."""

import errno
import mmap
import os
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.storage.arrays import (
    ALIGNMENT,
    DTYPES,
    lies_flat,
    map_tensors,
    open_tensors,
    write_tensors,
)

SHAPES: list[tuple[int, ...]] = [(), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (1,) * 8]


def numbers(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Different bytes everywhere; finite where they are floats."""
    count = int(np.prod(shape, dtype=np.int64))
    return (np.arange(count) * 3 + 1).astype(dtype).reshape(shape)


def owner(array: Any) -> Any:
    """The owner of an array's memory."""
    while True:
        below = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
        if below is None:
            return array
        array = below


def test_all_types_and_shapes_are_read_as_written(tmp_path: Path) -> None:
    written = {
        f"{name} {shape}": numbers(shape, dtype)
        for name, dtype in DTYPES.items()
        for shape in SHAPES
    }
    plain = numbers((4, 6), np.dtype("<i4"))
    written |= {"swapped": plain.astype(">i4"), "turned": plain.T, "part": plain[::2, 1:]}
    metadata = {"a": "", "é": 'a "quoted" line\n\u2028\x00', "card": '{"a": 1}'}
    write_tensors(tmp_path / "a", written, metadata)
    safetensors.numpy.save_file({"x": plain}, tmp_path / "theirs", {"x": "y"})
    theirs = map_tensors(tmp_path / "theirs")
    assert (theirs.tensors["x"].tolist(), theirs.metadata) == (plain.tolist(), {"x": "y"})
    read = map_tensors(tmp_path / "a")
    assert read.metadata == metadata
    for tensors in (read.tensors, safetensors.numpy.load_file(tmp_path / "a")):
        assert tensors.keys() == written.keys()
        for name, array in written.items():
            assert tensors[name].dtype == array.dtype.newbyteorder("<")
            assert (tensors[name].shape, tensors[name].tolist()) == (array.shape, array.tolist())


@pytest.mark.parametrize("length", range(0, 64, 5))
def test_data_is_aligned(tmp_path: Path, length: int) -> None:
    """For any length of the header and order of the tensors."""
    shapes = {"a": (3, "u1"), "b": (5, "f8"), "c": (1, "u2"), "d": (1, "f4")}
    given = {name: numbers((size,), np.dtype(kind)) for name, (size, kind) in shapes.items()}
    write_tensors(tmp_path / "a", given, {"x": "x" * length})
    data = (tmp_path / "a").read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    assert begin % ALIGNMENT == 0
    assert data[begin : begin + 40] == given["b"].tobytes()
    assert all(array.flags.aligned for array in map_tensors(tmp_path / "a").tensors.values())


def test_arrays_are_written_without_a_copy_mapped_and_cannot_be_changed(tmp_path: Path) -> None:
    written = numbers((4096, 1024), np.dtype("f4"))
    tracemalloc.start()
    try:
        write_tensors(tmp_path / "a", {"x": written}, {})
        array = map_tensors(tmp_path / "a").tensors["x"]
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert isinstance(owner(array), mmap.mmap)
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1
    if sys.platform != "win32":  # which keeps mapped files from changing
        write_tensors(tmp_path / "a", {"x": np.zeros(5)}, {})
        assert np.array_equal(array, written)


@pytest.mark.parametrize(
    ("given", "metadata", "said"),
    [
        ({"x": np.zeros(2, dtype=complex)}, {}, "expected tensors of F16, .*, got complex128"),
        ({"x": np.zeros(2, dtype=bool)}, {}, "expected tensors of F16, .*, got bool in 'x'"),
        ({"x": np.array(["a"])}, {}, "expected tensors of"),
        ({"__metadata__": np.zeros(2)}, {}, "got float64 in '__metadata__'"),
        ({}, {"x": "x" * 2**21}, "expected names and metadata of at most 2097152 bytes"),
    ],
)
def test_unsupported_types_are_refused(
    tmp_path: Path, given: dict[str, NDArray[Any]], metadata: dict[str, str], said: str
) -> None:
    with pytest.raises(InvalidNetwork, match=said):
        write_tensors(tmp_path / "a", given, metadata)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOMEM, "no room")

    write_tensors(tmp_path / "a", {"x": np.zeros(1)}, {})
    monkeypatch.setattr(mmap, "mmap", fail)
    with pytest.raises(InvalidNetwork, match=r"cannot map .*no room"):
        map_tensors(tmp_path / "a")


def test_a_file_that_is_cut_off_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_tensors(path, {"x": np.zeros(5000)}, {})
    with open_tensors(path) as file:
        os.truncate(path, 100)
        with pytest.raises(InvalidNetwork, match="became shorter while it was read"):
            file.read("x")


def test_only_contiguous_arrays_lie_flat() -> None:
    words = np.zeros(8, dtype=np.uint64)
    assert lies_flat(words, np.uint64)
    assert lies_flat(words.reshape(2, 4), np.uint64, 2)
    odd = np.zeros(65, dtype=np.uint8)[1:].view(np.uint64)
    wrong = [words[::2], words.astype(np.float64), words.reshape(2, 4), odd, [1, 2], None]
    assert not any(lies_flat(one, np.uint64) for one in wrong)
