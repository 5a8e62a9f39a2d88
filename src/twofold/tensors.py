"""Files of named arrays in the safetensors format, written in one step and read without a copy.

    8 bytes    length of the header, little-endian
    header     JSON: dtype, shape and place of each tensor; "__metadata__": texts by name
    data       the tensors one after the other, without gaps, little-endian

A file is only ever data. What it says of itself is checked before anything is done with it, by
the safetensors library and then by us; nothing is allocated that is larger than its header.

Source: https://github.com/huggingface/safetensors, where the format is described.
"""

import mmap
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final

import msgspec
import numpy as np
import safetensors
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_HEADER_BYTES

DTYPES: Final[dict[str, np.dtype[Any]]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "U8": np.dtype("u1"),
    "I16": np.dtype("<i2"),
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "U64": np.dtype("<u8"),
}
"""The types of numbers that tensors may have, by the names that files use."""

ALIGNMENT: Final = 64
"""The data begins at a multiple of so many bytes: a line of the processor's cache."""

_METADATA: Final = "__metadata__"
_NAMES: Final = {dtype: name for name, dtype in DTYPES.items()}
_LENGTH_BYTES: Final = 8
_MOST_SAID: Final = 200


class _Entry(msgspec.Struct):
    """What a header says of a tensor."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a file holds.

    Attributes:
        tensors: the arrays by name, read-only and mapped: a part of one is read from the disk
            when it is first looked at, and all who map the file share the same memory.
        metadata: texts by name.
    """

    tensors: dict[str, NDArray[Any]]
    metadata: dict[str, str]


class Stacked:
    """Arrays of one dimension and one type that are written one after the other as one tensor.

    Args:
        parts: the arrays, at least one.
    """

    def __init__(self, parts: Sequence[NDArray[Any]]) -> None:
        self.dtype = parts[0].dtype.newbyteorder("<")
        self.parts = [np.ascontiguousarray(part, dtype=self.dtype) for part in parts]
        self.shape = (sum(len(part) for part in parts),)
        self.itemsize = self.dtype.itemsize
        self.nbytes = self.shape[0] * self.itemsize


def write_tensors(
    path: str | os.PathLike[str],
    tensors: Mapping[str, NDArray[Any] | Stacked],
    metadata: Mapping[str, str],
) -> None:
    """Write arrays and texts to a safetensors file, see `twofold.files.atomic_write`.

    Contiguous arrays are written from where they are, without a copy. Those of large elements
    come first, so that each begins at a multiple of its element size; the first at one of 64.

    Args:
        path: the file to write; its folder must exist.
        tensors: arrays of the types in `DTYPES`, by name.
        metadata: texts by name.

    Raises:
        InvalidInput: `path` cannot be a file.
        InvalidNetwork: an array has another type, or names and texts take more than 2 MiB.
        ResourceError: the disk is full or another system call failed.
    """
    arrays = {name: _plain(name, array) for name, array in tensors.items()}
    ordered = dict(sorted(arrays.items(), key=lambda item: -item[1].itemsize))
    header = _format_header(ordered, metadata)
    length = len(header).to_bytes(_LENGTH_BYTES, "little")
    parts = [part for array in ordered.values() for part in _parts(array)]
    atomic_write(path, [length, header, *(part.reshape(-1).data for part in parts)])


def _parts(array: NDArray[Any] | Stacked) -> Sequence[NDArray[Any]]:
    """The arrays to write; a view of an empty one could not be cast to bytes."""
    return [part for part in array.parts if len(part)] if isinstance(array, Stacked) else [array]


def _plain(name: str, array: NDArray[Any] | Stacked) -> NDArray[Any] | Stacked:
    """The array, contiguous and little-endian."""
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _NAMES or name == _METADATA:
        raise InvalidNetwork(
            f"expected tensors of {', '.join(DTYPES)}, got {array.dtype} in {name!a}"
        )
    if isinstance(array, Stacked):
        return array
    return np.ascontiguousarray(array, dtype=dtype).reshape(array.shape)


def _format_header(
    tensors: Mapping[str, NDArray[Any] | Stacked], metadata: Mapping[str, str]
) -> bytes:
    """The header with spaces behind it, so that the data is aligned."""
    document: dict[str, object] = {_METADATA: dict(metadata)}
    end = 0
    for name, array in tensors.items():
        begin, end = end, end + array.nbytes
        document[name] = _Entry(_NAMES[array.dtype], list(array.shape), (begin, end))
    header = msgspec.json.encode(document)
    header += b" " * (-(_LENGTH_BYTES + len(header)) % ALIGNMENT)
    if len(header) > MAX_HEADER_BYTES:
        raise InvalidNetwork(
            f"expected names and metadata of at most {MAX_HEADER_BYTES} bytes, got {len(header)}"
        )
    return header


def map_tensors(path: str | os.PathLike[str]) -> Tensors:
    """Map a safetensors file into memory: at once, whatever its size.

    Raises:
        InvalidNetwork: there is no such file, or it is not in this format, is torn, or has
            types of numbers that are not in `DTYPES`; the text says which file.
    """
    name = ascii(os.fspath(path))
    with open_regular(path, InvalidNetwork) as file:
        size = os.fstat(file.fileno()).st_size
        header = _read_header(file, size, name)
        _check_with_library(path, name)
        entries, metadata = _parse_header(header, name)
        data = _map(file, size, name)[_LENGTH_BYTES + len(header) :]
    views = {key: _view(data, key, entry, name) for key, entry in entries.items()}
    return Tensors(views, metadata)


def _read_header(file: IO[bytes], size: int, name: str) -> bytes:
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    if size <= _LENGTH_BYTES or length > MAX_HEADER_BYTES:
        raise InvalidNetwork(
            f"expected a safetensors file, with a header of at most {MAX_HEADER_BYTES} bytes, "
            f"got {f'one of {length}' if size > _LENGTH_BYTES else f'{size} bytes'} in {name}"
        )
    if _LENGTH_BYTES + length > size:
        raise InvalidNetwork(
            f"expected a header of {length} bytes, got {size - _LENGTH_BYTES} in {name}"
        )
    return file.read(length)


def _check_with_library(path: str | os.PathLike[str], name: str) -> None:
    """Let the library look at the header: shapes, gaps, overlaps, the end of the file."""
    try:
        with safetensors.safe_open(os.fsdecode(path), framework="numpy"):
            pass
    except (safetensors.SafetensorError, OSError) as error:
        raise InvalidNetwork(f"expected a safetensors file, got {_said(error)} in {name}") from None


def _parse_header(header: bytes, name: str) -> tuple[dict[str, _Entry], dict[str, str]]:
    """What the header says of the tensors, and the metadata."""
    decode = msgspec.json.decode
    try:
        parts = decode(header, type=dict[str, msgspec.Raw])
        metadata = decode(parts.pop(_METADATA, b"{}"), type=dict[str, str])
        return {key: decode(part, type=_Entry) for key, part in parts.items()}, metadata
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InvalidNetwork(
            f"expected the header of a safetensors file, got {_said(error)} in {name}"
        ) from None


def _map(file: IO[bytes], size: int, name: str) -> memoryview:
    try:
        return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        raise InvalidNetwork(f"cannot map {name}: {error}") from None


def _view(data: memoryview, key: str, entry: _Entry, name: str) -> NDArray[Any]:
    """The array of an entry."""
    begin, end = entry.data_offsets
    dtype = DTYPES.get(entry.dtype)
    if dtype is None:
        raise InvalidNetwork(
            f"expected tensors of {', '.join(DTYPES)}, got {_said(entry.dtype)} in {name}"
        )
    try:
        if not 0 <= begin <= end <= len(data) or min(entry.shape, default=0) < 0:
            raise ValueError("no such place")
        view: NDArray[Any] = np.frombuffer(data[begin:end], dtype).reshape(entry.shape)
    except ValueError:
        raise InvalidNetwork(
            f"expected a tensor of shape {_said(entry.shape)} at {begin} to {end}, "
            f"got {len(data)} bytes of data in {name}"
        ) from None
    if not view.flags.aligned:
        raise InvalidNetwork(
            f"expected tensors at multiples of their element size, got {_said(key)} in {name}"
        )
    return view


def _said(what: object) -> str:
    """What a file or a library says, as it may stand in an error."""
    text = ascii(str(what))[1:-1]
    return text if len(text) <= _MOST_SAID else text[:_MOST_SAID] + "..."
