"""The file format of endgame tables: contents and checks.

A safetensors file, `NAME.twofold-table` (`/` in a name becomes `_`), of these tensors::

    layers    U64 (layers, 2)   number of boards and CRC-32 of their levels, for each sum of tiles
                                from 0 on, in units of 2
    levels    U16 (n,)          the chances after moves as levels, layer by layer; boards in the
                                order of `kernels.table_layers`

A table of walls stores only the levels above 0, from the highest layer down, and one more tensor
before them, which says of which boards they are::

    marks     U64 (lines, 8)    for every 448 boards of a layer a line: the number of levels that
                                precede them, then a bit for each board, the lowest first

and these texts: `twofold_endgame`, the version of the format; `shape` and `target`, such as `442`
and `512`; `caps`, the largest tiles of the fourth, third and second row; `highest`, the largest sum
of the free cells; `spawn`, the spawn probabilities.

A level is a chance stored as a whole number. Chances are near 1 for most of a game and near 0 at
its end, so levels are finest there: the level of a chance p up to 1/2, with n = 65,535, is
n sqrt(p / 2), rounded; above 1/2 it is n less the level of 1 - p. Level 0 is a chance of exactly 0
and level n exactly 1: a chance above 0 is never stored as 0.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidTable
from twofold.game.notation import shell_line, shown
from twofold.kernels import table_layers as endgame
from twofold.limits import MAX_ENDGAME_CODES
from twofold.storage.arrays import LENGTH_BYTES, TensorFile, checked, checksum, format_header
from twofold.tables.folder import SUFFIX, tables_folder
from twofold.tables.layers import LINE_WORDS, layer_sizes, lines_of, unpacked
from twofold.tables.parts import opened_table
from twofold.tables.pattern import EndgamePattern

Floats = NDArray[np.float64]
Levels = NDArray[np.uint16]


@cache
def level_chances() -> Floats:
    """The chance of each level; float64, read-only.

    Level k of n, up to the middle, means 2 (k / n)^2, and level n - k means 1 minus that.
    """
    levels = np.arange(endgame.STEPS + 1)
    small = 2 * (np.minimum(levels, endgame.STEPS - levels) / endgame.STEPS) ** 2
    chances = np.where(levels > endgame.STEPS // 2, 1 - small, small)
    chances.flags.writeable = False
    return chances


def least_level(chance: float) -> int:
    """The first level of a chance of at least this, and above 0."""
    return max(int(np.searchsorted(level_chances(), chance)), 1)


def stored(chances: NDArray[np.float32]) -> Levels:
    """Chances as levels."""
    levels = np.empty(len(chances), dtype=np.uint16)
    endgame.to_levels(chances, levels)
    return levels


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
    """The header of a table's file: its pattern, and its layers, uint64 (layers, 2)."""

    pattern: EndgamePattern
    layers: Words

    @property
    def sizes(self) -> list[int]:
        """Number of boards of each layer."""
        found: list[int] = self.layers[:, COUNT].tolist()
        return found

    @property
    def states(self) -> int:
        """Number of boards."""
        return sum(self.layers[:, COUNT].tolist())

    @property
    def hash(self) -> str:
        """Hash of the texts and all checksums, 16 hexadecimal digits."""
        texts = "\n".join(f"{key}={text}" for key, text in texts_of(self.pattern).items())
        digest = hashlib.sha256(f"{texts}\nbits=16\n".encode())
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


def head_bytes(pattern: EndgamePattern, stored: int | None = None) -> bytes:
    """The first bytes of a file, up to `layers`; the other tensors follow that one.

    `stored` is the number of levels of a table of walls; the length does not depend on it.
    """
    header = format_header(_tensors(pattern), texts_of(pattern))
    if stored is None:
        return header
    shorter = format_header(_tensors(pattern, stored), texts_of(pattern))
    length = len(header) - LENGTH_BYTES
    return (
        length.to_bytes(LENGTH_BYTES, "little") + shorter[LENGTH_BYTES:].ljust(length)
    )  # fmt: skip


def _tensors(pattern: EndgamePattern, stored: int | None = None) -> dict[str, NDArray[Any]]:
    """Arrays of the types and shapes of a file's; the most levels, if `stored` is None."""
    sizes = layer_sizes(pattern)
    lines = sum(map(lines_of, sizes))
    marks = np.broadcast_to(np.uint64(0), (lines, LINE_WORDS))
    levels = np.broadcast_to(np.uint16(0), (sum(sizes) if stored is None else stored,))
    return {
        "layers": np.broadcast_to(np.uint64(0), (len(sizes), 2)),
        **({} if pattern.walls is None else {"marks": marks}),
        "levels": levels,
    }


def body_bytes(pattern: EndgamePattern) -> int:
    """Bytes of the tensors of a file; the most, for a table of walls."""
    return sum(tensor.nbytes for tensor in _tensors(pattern).values())


def read_head(path: str | os.PathLike[str]) -> TableHead:
    """Read the header of a file in milliseconds; raises `InvalidTable`, which names the file."""
    with opened(path) as (_, head):
        return head


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[tuple[TensorFile, TableHead]]:
    """Open a file and check everything but the levels; raises `InvalidTable`."""
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(opened_table(path))
            head = _head(file)
        except InvalidTable as error:
            raise InvalidTable(f"{error}{way_out(path)}") from None
        yield file, head


def way_out(path: str | os.PathLike[str]) -> str:
    """How to remove an unsound file, as a sentence; empty unless its name is that of a table."""
    try:
        place = Path(path)
        name = place.name.removesuffix(SUFFIX).replace("_", "/")
        EndgamePattern.parse(name)
    except (InvalidTable, TypeError):  # a path of another type names no file
        return ""
    where = [] if place.parent == tables_folder() else ["--out", str(place.parent)]
    command = shell_line("twofold", "tables", "remove", name, *where)
    return f". Remove it with: {command}" if place.is_file() else ""


def _head(file: TensorFile) -> TableHead:
    pattern = _read_pattern(file.metadata, file.name)
    if pattern.codes > MAX_ENDGAME_CODES:
        raise InvalidTable(
            f"expected a pattern of at most {MAX_ENDGAME_CODES:,} contents of its upper free "
            f"cells, got {pattern.name} in {file.name}"
        )
    sizes, is_walls = layer_sizes(pattern), pattern.walls is not None
    expected = _tensors(pattern)
    if file.tensors.keys() != expected.keys():
        raise InvalidTable(
            f"expected the tensors {', '.join(expected)} for {pattern.name}, "
            f"got {shown(', '.join(sorted(file.tensors)))} in {file.name}"
        )
    for key in expected.keys() - {"levels"}:
        checked(file.tensors, key, ("<u8",), expected[key].shape, file.name)
    most = None if is_walls else sum(sizes)
    levels = checked(file.tensors, "levels", ("<u2",), (most,), file.name)
    if levels.shape[0] > sum(sizes):
        raise InvalidTable(
            f"expected at most {sum(sizes)} levels for {pattern.name}, got {levels.shape[0]} "
            f"in {file.name}"
        )
    layers = file.read("layers")
    if layers[:, COUNT].tolist() != sizes:
        raise InvalidTable(
            f"expected the number of boards of each layer of {pattern.name}, got others "
            f"in {file.name}"
        )
    return TableHead(pattern, layers)


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


def damage(head: TableHead, levels: NDArray[Any], marks: Words | None = None) -> str:
    """Describe the first layer whose levels fail their checksum; an empty text if all match."""
    for layer, found in layers_of(head.sizes, levels, marks):
        if found is None or checksum(found) != head.layers[layer, CRC]:
            return f"wrong chances of the boards with {2 * layer} in free cells"
    return ""


def layers_of(
    sizes: list[int], levels: NDArray[Any], marks: Words | None = None
) -> Iterator[tuple[int, NDArray[Any] | None]]:
    """The number and the levels of each layer; None for marks that do not fit the levels."""
    begin = 0
    if marks is None:
        for layer, size in enumerate(sizes):
            yield layer, levels[begin : begin + size]
            begin += size
        return
    line = len(marks)
    for layer in range(len(sizes) - 1, -1, -1):
        line -= lines_of(sizes[layer])
        of_layer = marks[line : line + lines_of(sizes[layer])]
        found = unpacked(of_layer, levels[begin : begin + sizes[layer]], sizes[layer])
        fits = found is not None and (len(of_layer) == 0 or of_layer[0, 0] == begin)
        yield layer, found if fits else None
        begin += 0 if found is None else int(np.count_nonzero(found))
