"""The file format of endgame tables: contents and checks.

A safetensors file of these tensors, see `twofold.tensors`:

    layers    U64 (layers, 2)   number of boards and CRC-32 of their levels, for each sum of tiles
                                from 0 on, in units of 2
    levels    U8 or U16 (n,)    the chances after moves as `twofold.endgame.scale` levels, layer by
                                layer; boards in the order of `kernels.endgame.layers`

and these texts: `twofold_endgame`, the version of the format; `shape`, `target`, `caps` and
`highest`, the pattern; `spawn`, the spawn probabilities.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.arrays import checksum
from twofold.endgame.cells import layer_sizes
from twofold.endgame.pattern import EndgamePattern
from twofold.endgame.scale import BITS
from twofold.errors import InvalidNetwork, InvalidTable
from twofold.limits import MAX_ENDGAME_CODES
from twofold.notation import shown
from twofold.tensors import TensorFile, format_header, open_tensors

VERSION: Final = "1"
"""Version of the format; it rises when the format or the scale changes."""

COUNT, CRC = range(2)
"""Columns of `layers`."""

SPAWN: Final = "2:0.9,4:0.1"
"""The spawn probabilities of all tables."""

_VERSION_KEY: Final = "twofold_endgame"

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class TableHead:
    """The header of a table's file: its pattern, bits per level and layers, uint64 (layers, 2)."""

    pattern: EndgamePattern
    bits: int
    layers: Words

    @property
    def states(self) -> int:
        """Number of boards."""
        return sum(self.layers[:, COUNT].tolist())

    @property
    def hash(self) -> str:
        """Hash of the texts and all checksums, 16 hexadecimal digits."""
        texts = "\n".join(f"{key}={text}" for key, text in texts_of(self.pattern).items())
        digest = hashlib.sha256(f"{texts}\nbits={self.bits}\n".encode())
        digest.update(self.layers.astype("<u8").tobytes())
        return digest.hexdigest()[:16]


def texts_of(pattern: EndgamePattern) -> dict[str, str]:
    """The metadata texts of a pattern's file."""
    return {
        _VERSION_KEY: VERSION,
        "shape": pattern.shape,
        "target": str(1 << pattern.target),
        "caps": ",".join(str(1 << cap) for cap in pattern.caps),
        "highest": str(2 * pattern.highest),
        "spawn": SPAWN,
    }


def head_bytes(pattern: EndgamePattern, bits: int) -> bytes:
    """The first bytes of a file, up to `layers`; `levels` follow that tensor."""
    sizes = layer_sizes(pattern)
    dtype = np.dtype(np.uint8 if bits == 8 else np.uint16)
    tensors = {
        "layers": np.zeros((len(sizes), 2), dtype=np.uint64),
        "levels": np.broadcast_to(np.zeros((), dtype=dtype), (sum(sizes),)),
    }
    return format_header(tensors, texts_of(pattern))


def read_head(path: str | os.PathLike[str]) -> TableHead:
    """Read the header of a file in milliseconds; raises `InvalidTable`, which names the file."""
    with opened(path) as (_, head):
        return head


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[tuple[TensorFile, TableHead]]:
    """Open a file and check everything but the levels; raises `InvalidTable`."""
    try:
        with open_tensors(path) as file:
            yield file, _head(file)
    except InvalidNetwork as error:
        raise InvalidTable(str(error)) from None


def _head(file: TensorFile) -> TableHead:
    pattern = _read_pattern(file.metadata, file.name)
    if pattern.codes > MAX_ENDGAME_CODES:
        raise InvalidTable(
            f"expected a pattern of at most {MAX_ENDGAME_CODES:,} contents of its upper free "
            f"cells, got {pattern.name} in {file.name}"
        )
    sizes = layer_sizes(pattern)
    found = {key: (place.dtype, place.shape) for key, place in file.tensors.items()}
    for bits in BITS:
        levels = np.dtype(f"<u{bits // 8}")
        if found == {
            "layers": (np.dtype("<u8"), (len(sizes), 2)),
            "levels": (levels, (sum(sizes),)),
        }:
            break
    else:
        got = ", ".join(f"{key} {dtype} {shape}" for key, (dtype, shape) in found.items())
        raise InvalidTable(
            f"expected layers of shape ({len(sizes)}, 2) and {sum(sizes)} levels of 8 or 16 bits "
            f"for {pattern.name}, got {shown(got or 'none')} in {file.name}"
        )
    layers = file.read("layers")
    if layers[:, COUNT].tolist() != sizes:
        raise InvalidTable(
            f"expected the number of boards of each layer of {pattern.name}, got others "
            f"in {file.name}"
        )
    return TableHead(pattern, bits, layers)


def _read_pattern(metadata: dict[str, str], name: str) -> EndgamePattern:
    version = metadata.get(_VERSION_KEY)
    if version != VERSION:
        raise InvalidTable(
            f"expected an endgame table of version {VERSION}, "
            f"got {shown(version or 'another kind of file')} in {name}"
        )
    texts = [metadata.get(key, "") for key in ("shape", "target", "caps")]
    caps = texts[2].rpartition(",")[0]
    try:
        pattern = EndgamePattern.parse(f"{texts[0]}-{texts[1]}/{caps}")
    except InvalidTable as error:
        raise InvalidTable(f"{error} in {name}") from None
    if metadata != texts_of(pattern):
        raise InvalidTable(
            f"expected the texts of {pattern.name}, got {shown(str(metadata))} in {name}"
        )
    return pattern


def damage(head: TableHead, levels: NDArray[Any]) -> str:
    """Describe the first layer whose levels fail their checksum; an empty text if all match."""
    begin = 0
    for layer, (count, crc) in enumerate(head.layers.tolist()):
        if checksum(levels[begin : begin + count]) != crc:
            return f"wrong chances of the boards with {2 * layer} in free cells"
        begin += count
    return ""
