"""Files of named arrays in the safetensors format; checks of arrays that kernels read by address.

    8 bytes    length of the header, little-endian
    header     JSON: dtype, shape and place of each tensor; "__metadata__": texts by name
    data       the tensors one after the other, without gaps, little-endian

The safetensors library checks the header, its shapes and places, before any tensor is read.

Source: https://github.com/huggingface/safetensors, where the format is described.
"""

import contextlib
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final, TypeVar

import msgspec
import numpy as np
import safetensors
from numpy.typing import DTypeLike, NDArray

from twofold.errors import InvalidNetwork
from twofold.figures import shortened
from twofold.limits import MAX_HEADER_BYTES
from twofold.storage.files import atomic_write, file_name, open_regular

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
"""The supported types of numbers, by their names in files."""

ALIGNMENT: Final = 64
"""The data begins at a multiple of this many bytes: a line of the processor's cache."""

CHUNK: Final = 16 * 2**20
"""Bytes read from a file at a time."""

_METADATA: Final = "__metadata__"
_NAMES: Final = {dtype: name for name, dtype in DTYPES.items()}
LENGTH_BYTES: Final = 8
"""Bytes of the length of the header."""

_MOST_SAID: Final = 200

Document = TypeVar("Document", bound=msgspec.Struct)
Tensor = TypeVar("Tensor", "Place", NDArray[Any])


class _Entry(msgspec.Struct):
    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tensors:
    """The arrays of a file by name, read-only and memory-mapped, and its texts by name."""

    tensors: dict[str, NDArray[Any]]
    metadata: dict[str, str]


class Stacked:
    """Arrays of one dimension and one type, at least one, written as one tensor."""

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
    """Write arrays and texts to a safetensors file with `twofold.storage.files.atomic_write`.

    Contiguous arrays are not copied. Arrays of large elements come first, so that each begins at a
    multiple of its element size; the first begins at a multiple of 64. Raises `InvalidNetwork` if a
    type is not in `DTYPES`, or names and texts take more than 2 MiB.
    """
    arrays = {name: _plain(name, array) for name, array in tensors.items()}
    ordered = dict(sorted(arrays.items(), key=lambda item: -item[1].itemsize))
    header = format_header(ordered, metadata)
    parts: list[NDArray[Any]] = []
    for array in ordered.values():
        parts += array.parts if isinstance(array, Stacked) else [array]
    # A view of an empty array cannot be cast to bytes.
    atomic_write(path, [header, *(part.reshape(-1).data for part in parts if part.size)])


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


def format_header(
    tensors: Mapping[str, NDArray[Any] | Stacked], metadata: Mapping[str, str]
) -> bytes:
    """Length and header of a file, padded with spaces so that the data is aligned.

    Only types and shapes of `tensors` are used. Raises `InvalidNetwork` above 2 MiB.
    """
    document: dict[str, object] = {_METADATA: dict(metadata)}
    end = 0
    for name, array in tensors.items():
        begin, end = end, end + array.nbytes
        document[name] = _Entry(_NAMES[array.dtype], list(array.shape), (begin, end))
    header = msgspec.json.encode(document)
    header += b" " * (-(LENGTH_BYTES + len(header)) % ALIGNMENT)
    if len(header) > MAX_HEADER_BYTES:
        raise InvalidNetwork(
            f"expected names and metadata of at most {MAX_HEADER_BYTES} bytes, got {len(header)}"
        )
    return len(header).to_bytes(LENGTH_BYTES, "little") + header


def map_tensors(path: str | os.PathLike[str]) -> Tensors:
    """Memory-map a safetensors file; raises `InvalidNetwork` as `open_tensors` does.

    Only for twofold's own files, and briefly: reading a mapped file that was truncated kills the
    process. Everything else uses `open_tensors`.
    """
    with open_tensors(path) as file:
        return Tensors({name: file.view(name) for name in file.tensors}, file.metadata)


@contextlib.contextmanager
def open_tensors(path: str | os.PathLike[str]) -> Iterator["TensorFile"]:
    """Open a safetensors file and check its header; no tensor is read yet.

    Raises `InvalidNetwork` if the file is missing, truncated, in another format or has types that
    are not in `DTYPES`.
    """
    name = ascii(file_name(path, InvalidNetwork))
    with open_regular(path, InvalidNetwork) as file:
        size = os.fstat(file.fileno()).st_size
        header = _read_header(file, size, name)
        _check_with_library(path, name)
        try:
            parts = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
            metadata = msgspec.json.decode(parts.pop(_METADATA, b"{}"), type=dict[str, str])
            entries = {key: msgspec.json.decode(part, type=_Entry) for key, part in parts.items()}
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise InvalidNetwork(
                f"expected the header of a safetensors file, got {_said(error)} in {name}"
            ) from None
        start = LENGTH_BYTES + len(header)
        places = {key: _place(key, entry, start, name) for key, entry in entries.items()}
        yield TensorFile(file, size, name, places, metadata)


@dataclass(frozen=True, slots=True)
class Place:
    """The type, shape, first byte in the file and size in bytes of a tensor."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    nbytes: int


class TensorFile:
    """An open safetensors file: its name, quoted for errors, its tensors and metadata."""

    def __init__(
        self,
        file: IO[bytes],
        size: int,
        name: str,
        tensors: dict[str, Place],
        metadata: dict[str, str],
    ) -> None:
        self.name = name
        self.tensors = tensors
        self.metadata = metadata
        self._file = file
        self._size = size
        self._mapped: memoryview | None = None

    def read(self, tensor: str) -> NDArray[Any]:
        """A tensor, read into memory; raises `InvalidNetwork` if the file was truncated."""
        place = self.tensors[tensor]
        data = bytearray(place.nbytes)
        self.read_into(tensor, memoryview(data))
        return _array_of(data, place)

    def read_into(self, tensor: str, buffer: memoryview) -> None:
        """Fill a buffer with the bytes of a tensor; raises as `read` does."""
        place = self.tensors[tensor]
        self._file.seek(place.begin)
        for done in range(0, place.nbytes, CHUNK):
            part = buffer[done : done + CHUNK]
            if self._file.readinto(part) < len(part):  # type: ignore[attr-defined]
                raise InvalidNetwork(f"{self.name} became shorter while it was read. Try again")

    def view(self, tensor: str) -> NDArray[Any]:
        """A tensor, memory-mapped: see `map_tensors`. Raises `InvalidNetwork`."""
        if self._mapped is None:
            try:
                mapped = mmap.mmap(self._file.fileno(), self._size, access=mmap.ACCESS_READ)
            except (OSError, ValueError) as error:
                raise InvalidNetwork(f"cannot map {self.name}: {error}") from None
            self._mapped = memoryview(mapped)
        place = self.tensors[tensor]
        return _array_of(self._mapped[place.begin : place.begin + place.nbytes], place)


def _array_of(data: bytearray | memoryview, place: Place) -> NDArray[Any]:
    """The bytes as an array, writable if they are."""
    array: NDArray[Any] = np.frombuffer(data, place.dtype).reshape(place.shape)
    return array


def checked(
    tensors: Mapping[str, Tensor],
    name: str,
    dtypes: Sequence[DTypeLike],
    shape: Sequence[int | None] | None,
    where: str,
) -> Tensor:
    """A tensor of a file, which must have one of some types, and a shape.

    None in a shape stands for any length, in place of it for any shape. Raises `InvalidNetwork`,
    which names the file or run `where`.
    """
    found = tensors.get(name)
    if found is not None and found.dtype in dtypes:
        sides = found.shape if shape is None else tuple(shape)
        if len(sides) == len(found.shape) and all(
            side in (None, length) for side, length in zip(sides, found.shape, strict=True)
        ):
            return found
    got = "none" if found is None else f"{found.dtype} of {found.shape}"
    kinds = " or ".join(str(np.dtype(dtype)) for dtype in dtypes)
    form = "" if shape is None else f" of shape {tuple('n' if n is None else n for n in shape)}"
    raise InvalidNetwork(f"expected {kinds} {name}{form}, got {got} in {where}")


def parse_document(
    metadata: Mapping[str, str], key: str, kind: type[Document], what: str, where: str
) -> Document:
    """The JSON document among the texts of a file; raises `InvalidNetwork`, which names it."""
    if key not in metadata:
        raise InvalidNetwork(f"expected {what}, got none in {where}")
    try:
        return msgspec.json.decode(metadata[key], type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InvalidNetwork(f"expected {what}, got {_said(error)} in {where}") from None


def _read_header(file: IO[bytes], size: int, name: str) -> bytes:
    start = file.read(LENGTH_BYTES + 1)
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    if not start.endswith(b"{") or len(start) <= LENGTH_BYTES:
        found = "another kind of file" if size else "an empty file"
        raise InvalidNetwork(f"expected a safetensors file, got {found}: {name}")
    if length > MAX_HEADER_BYTES:
        raise InvalidNetwork(
            f"expected a safetensors file, with a header of at most {MAX_HEADER_BYTES} bytes, "
            f"got one of {length} in {name}"
        )
    file.seek(LENGTH_BYTES)
    return file.read(length)


def _check_with_library(path: str | os.PathLike[str], name: str) -> None:
    """Let the library check the header: shapes, gaps, overlaps, the end of the file."""
    try:
        with safetensors.safe_open(os.fsdecode(path), framework="numpy"):
            pass
    except (safetensors.SafetensorError, OSError, MemoryError) as error:
        raise InvalidNetwork(
            f"expected a safetensors file, got a damaged or incomplete one: {name} ({_said(error)})"
        ) from None


def _place(key: str, entry: _Entry, start: int, name: str) -> Place:
    """The place of a tensor, whose data begins at `start`; the library has checked its size."""
    begin, end = entry.data_offsets
    dtype = DTYPES.get(entry.dtype)
    if dtype is None:
        raise InvalidNetwork(
            f"expected tensors of {', '.join(DTYPES)}, got {_said(entry.dtype)} in {name}"
        )
    try:
        np.broadcast_to(dtype.type(0), entry.shape)
    except (ValueError, OverflowError):
        raise InvalidNetwork(
            f"expected a shape that NumPy can hold, got {_said(entry.shape)} in {name}"
        ) from None
    if (start + begin) % dtype.itemsize:
        raise InvalidNetwork(
            f"expected tensors at multiples of their element size, got {_said(key)} in {name}"
        )
    return Place(dtype, tuple(entry.shape), start + begin, end - begin)


def _said(what: object) -> str:
    """Text of a file or a library, escaped and shortened for an error."""
    return shortened(ascii(str(what))[1:-1], _MOST_SAID)


def lies_flat(array: object, dtype: Any, dimensions: int = 1) -> bool:
    """True for a contiguous, aligned array of this type and number of dimensions."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == dimensions
        and bool(array.flags.c_contiguous and array.flags.aligned)
    )


def checksum(array: NDArray[Any]) -> int:
    """The CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B")) if len(array) else 0
