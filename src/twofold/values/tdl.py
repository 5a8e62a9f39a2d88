"""Reads and writes weight files of TDL2048+, the program of H. Guei.

    file     00, number of tables u32, tables        (77 00 ... if its name does not end in .w)
    table    04, name of 8 bytes, values, optional sums or other blocks, 00 00
    values   bytes per value u16, number of values u64, the values

All numbers are little-endian. A table has 16 values per cell, multiplied. In these files the cell
that a table's name lists first varies fastest; in a `Network` cells ascend and the last one does.
`docs/reference/tdl-files.md` has the whole layout.

Source: files that the program's revision a99f620 reads and writes; no line of it is used here.
"""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from struct import pack
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.game.notation import shown
from twofold.limits import MAX_PATTERN_CELLS, MAX_PATTERNS, MAX_STAGES
from twofold.storage.files import atomic_write, open_regular
from twofold.storage.memory import check_memory, large_zeros
from twofold.values.network import Network, Pattern, Weights, check_stages

KIND: Final = 0
"""First byte of a list of tables."""

MARK: Final = ord("w")
"""Precedes it in files whose name does not end in .w."""

TABLE_KIND: Final = 4
"""First byte of a table."""

TABLE_KINDS: Final = (TABLE_KIND, 128)
"""Kinds that are read; 128 is that of tables with sums until 2020. Kinds 0 to 2 differ more."""

TYPES: Final[dict[int, str]] = {2: "<f2", 4: "<f4", 8: "<f8"}
"""NumPy types of the values, by their size in bytes."""

MAX_BLOCKS: Final = 16
"""Maximum blocks of a table beside its values; the program writes one at most."""

_DIGITS: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class TdlTable:
    """A table of a file, and the positions of its parts, in bytes.

    Attributes:
        cells: in the order of the name; the first is the lowest nibble of the index.
        stage: digits of the name before the cells, as a number; equal for all tables of a stage.
        bytes_a_value: 2, 4 or 8.
        sums_at: start of the sums: of all updates, then of their absolute values; None without.
    """

    at: int
    name: str
    cells: tuple[int, ...]
    stage: int
    bytes_a_value: int
    values_at: int
    sums_at: int | None

    @property
    def count(self) -> int:
        """Number of values."""
        return 1 << 4 * len(self.cells)

    @property
    def pattern(self) -> Pattern:
        """The cells, ascending."""
        return Pattern(tuple(sorted(self.cells)))


class Source:
    """A regular file that is read front to back; errors name the file and the byte `at`."""

    def __init__(self, file: IO[bytes], path: str | os.PathLike[str]) -> None:
        self.file = file
        self.name = shown(os.fspath(path))
        self.size = os.fstat(file.fileno()).st_size
        self.at = 0

    def fault(self, expected: str, got: object, at: int | None = None) -> InvalidNetwork:
        """The error for wrong content at a byte, by default the next one."""
        place = self.at if at is None else at
        return InvalidNetwork(f"expected {expected} at byte {place} of {self.name}, got {got}")

    def take(self, count: int, what: str) -> bytes:
        """Read the next bytes."""
        data = self.file.read(count)
        if len(data) < count:
            raise self.fault(f"{what} in {count} bytes", f"the end after {len(data)}")
        self.at += count
        return data

    def number(self, count: int, what: str) -> int:
        """Read a number of `count` bytes."""
        return int.from_bytes(self.take(count, what), "little")

    def skip(self, count: int, what: str) -> None:
        """Skip bytes, which must exist."""
        left = self.size - self.at
        if count > left:
            raise self.fault(f"{what} in {count} bytes", f"the end after {left}")
        self.at = self.file.seek(self.at + count)


def scan_tables(source: Source) -> list[TdlTable]:
    """Find all tables; checks every byte except the values, and that these exist."""
    kind = source.number(1, "the kind of file")
    if kind == MARK:
        kind = source.number(1, "the kind of file")
    if kind != KIND:
        raise source.fault("0 for a list of weight tables", kind, source.at - 1)
    most = MAX_PATTERNS * MAX_STAGES
    count = source.number(4, "the number of tables")
    if not 1 <= count <= most:
        raise source.fault(f"1 to {most} tables", count, source.at - 4)
    tables: list[TdlTable] = []
    for _ in range(count):
        table = _scan_table(source)
        _check_beside(source, table, tables)
        tables.append(table)
    if source.at < source.size:
        raise source.fault(f"the end after {count} tables", f"{source.size - source.at} bytes")
    return tables


def _scan_table(source: Source) -> TdlTable:
    at = source.at
    kind = source.number(1, "the kind of table")
    if kind not in TABLE_KINDS:
        raise source.fault("4 or 128 for a table", kind, at)
    name = source.take(8, "the name of a table")
    size = source.number(2, "the bytes a value")
    if size not in TYPES:
        raise source.fault("2, 4 or 8 bytes a value", size, source.at - 2)
    count = source.number(8, "the number of values")
    lengths = {16**cells: cells for cells in range(1, MAX_PATTERN_CELLS + 1)}
    if count not in lengths:
        raise source.fault(f"16^1 to 16^{MAX_PATTERN_CELLS} values", count, source.at - 8)
    text, cells, stage = _parse_name(source, name, lengths[count], at + 1)
    values_at = source.at
    source.skip(size * count, f"the values of {text}")
    sums_at = _scan_blocks(source, size, count)
    return TdlTable(at, text, cells, stage, size, values_at, sums_at)


def _scan_blocks(source: Source, size: int, count: int) -> int | None:
    """Skip the blocks after the values. Returns the start of the sums, if they come first."""
    sums_at = None
    for number in range(MAX_BLOCKS + 1):
        block = source.number(2, "the end of a table, or the bytes of a value,")
        if not block:
            return sums_at
        length = source.number(8, "the number of values")
        if (number, block, length) == (0, size, 2 * count):
            sums_at = source.at
        source.skip(block * length, "what follows the values")
    raise source.fault(f"at most {MAX_BLOCKS} blocks after the values of a table", "more")


def _parse_name(
    source: Source, name: bytes, count: int, at: int
) -> tuple[str, tuple[int, ...], int]:
    """Parse a table's name: its text, the listed cells, and the number before them."""
    if name[6:] == b"\0\0":  # a pattern as a number; before 2019 without a count of digits
        width = int.from_bytes(name[4:6], "little") or count
        digits = f"{int.from_bytes(name[:4], 'little'):08x}"
    else:
        text = name.split(b" ")[0].decode("latin-1")
        width, digits = len(text), text.rjust(8, "0")
    before, listed = digits[:-count], digits[-count:]
    if width not in (count, 8) or set(digits) - _DIGITS or len(set(listed)) < count:
        got = f"{shown(digits)} of {width} digits"
        raise source.fault(f"a pattern of {count} different cells", got, at)
    stage = int(before or "0", 16) << 4 * count
    cells = tuple(int(digit, 16) for digit in listed)
    return digits if stage or width == 8 else listed, cells, stage


def _check_beside(source: Source, table: TdlTable, before: list[TdlTable]) -> None:
    """Check that tables agree in the size of values and in having sums, and that none repeats."""
    size, coherent = table.bytes_a_value, table.sums_at is not None
    for first in before[:1]:
        if size != first.bytes_a_value:
            expected = f"{first.bytes_a_value} bytes a value as before"
            raise source.fault(expected, size, table.at + 9)
        if coherent != (first.sums_at is not None):
            raise source.fault("sums in all tables or in none", f"others in {table.name}", table.at)
    if (table.stage, table.pattern) in [(other.stage, other.pattern) for other in before]:
        raise source.fault("each pattern once", f"{table.pattern} again", table.at)


Sums = NDArray[np.float32]

_UNTOUCHED: Final = np.finfo(np.float32).tiny
"""Both sums of a weight without updates, so that their quotient is 1."""

_SLAB_CELLS: Final = 5
"""Values are read and written in slabs of 16^5, 4 MB of float32."""


@dataclass(frozen=True, slots=True, eq=False)
class TdlFile:
    """The content of a weight file of TDL2048+: a network for 4x4, and the names of its tables.

    `sums` is each weight's sum of unscaled updates and of their absolute values, float32
    (weights, 2), or None. `bytes_a_value` is 2, 4 or 8.
    """

    network: Network
    sums: Sums | None
    names: tuple[str, ...]
    bytes_a_value: int


# ---- reading


def read_tdl(path: str | os.PathLike[str], *, stages: Sequence[int] = ()) -> TdlFile:
    """Read a weight file of TDL2048+.

    The file is checked before anything large is allocated, then read in slabs of a few megabytes.
    It does not contain the boundaries of its stages: give `stages` as for the program's option
    `-@`, without the leading 0.

    Raises:
        InvalidNetwork: no such file, a damaged one, tables that are not n-tuple patterns, values
            that are not finite, or another number of stages. It names the byte.
        ResourceError: weights and sums would take more than 80 % of the free memory.
    """
    thresholds = check_stages(stages)
    with open_regular(path, InvalidNetwork) as file:
        source = Source(file, path)
        tables = scan_tables(source)
        patterns = _patterns_of(source, tables, len(thresholds) + 1)
        coherent = tables[0].sums_at is not None
        count = sum(table.count for table in tables)
        check_memory(4 * count * (3 if coherent else 1), f"what {source.name} holds")
        network = Network(patterns, stages=thresholds)
        sums: Sums | None = large_zeros(2 * count, np.float32).reshape(-1, 2) if coherent else None
        start, weights = 0, network.weights.reshape(-1)
        for table in tables:
            part = slice(start, start + table.count)
            theirs = _in_its_order(table, weights[part])
            for number, index in enumerate(_slabs(theirs)):
                shape = theirs[index].shape
                theirs[index] = _read_slab(source, table, table.values_at, number, shape)
            if sums is not None:
                _read_sums(source, table, sums[part])
            start += table.count
    names = tuple(table.name for table in tables)
    return TdlFile(network, sums, names, tables[0].bytes_a_value)


def _patterns_of(source: Source, tables: list[TdlTable], stages: int) -> tuple[Pattern, ...]:
    """The patterns; all stages must have the same in the same order."""
    groups = [list(group) for _, group in groupby(tables, key=lambda table: table.stage)]
    if len(groups) != stages:
        expected = f"stages= of read_tdl for {len(groups)} stages, which the file does not hold"
        raise source.fault(expected, f"{stages - 1} numbers", 1)
    patterns = [table.pattern for table in groups[0]]
    if len(patterns) > MAX_PATTERNS:
        raise source.fault(f"at most {MAX_PATTERNS} patterns", len(patterns), 1)
    for group in groups[1:]:
        if [table.pattern for table in group] != patterns:
            expected = f"the patterns of the first stage in stage {group[0].name}"
            raise source.fault(expected, "others", group[0].at)
    return tuple(patterns)


def _read_sums(source: Source, table: TdlTable, sums: Sums) -> None:
    """Fill the sums of a table; a weight without updates gets 0."""
    assert table.sums_at is not None
    sizes_at = table.sums_at + table.count * table.bytes_a_value
    pairs = sums.view(np.complex64)  # moves both sums of a weight as one number of 8 bytes
    theirs = _in_its_order(table, pairs)
    for number, index in enumerate(_slabs(theirs)):
        pair = np.empty(theirs[index].shape, np.complex64)
        pair.real = _read_slab(source, table, table.sums_at, number, pair.shape)
        pair.imag = _read_slab(source, table, sizes_at, number, pair.shape)
        least = int(pair.imag.argmin())
        if pair.imag.flat[least] < 0:
            place = source.at - (pair.size - least) * table.bytes_a_value
            raise source.fault("a sum of absolute values", pair.imag.flat[least], place)
        pair[(pair.real == _UNTOUCHED) & (pair.imag == _UNTOUCHED)] = 0
        theirs[index] = pair


def _in_its_order(table: TdlTable, values: NDArray[Any]) -> NDArray[Any]:
    """A view of values in our order with the axes of the table in the file."""
    ours = values.reshape((16,) * len(table.cells))
    return ours.transpose([table.pattern.cells.index(cell) for cell in reversed(table.cells)])


def _slabs(table: NDArray[Any]) -> Iterator[tuple[int, ...]]:
    return np.ndindex(table.shape[:-_SLAB_CELLS])


def _read_slab(
    source: Source, table: TdlTable, start: int, number: int, shape: tuple[int, ...]
) -> Weights:
    """Read the slab with this number from the array that begins at byte `start`."""
    kind, count = np.dtype(TYPES[table.bytes_a_value]), math.prod(shape)
    source.at = at = source.file.seek(start + number * count * kind.itemsize)
    found = np.fromfile(source.file, kind, count)
    if len(found) < count:  # another program cut the file
        raise source.fault(f"{count} values", f"the end after {len(found)}")
    slab = found.reshape(shape)
    source.at += slab.nbytes
    with np.errstate(over="ignore"):
        values = slab.astype(np.float32, copy=False)
    finite = np.isfinite(values)
    if not finite.all():
        wrong = int(finite.argmin())
        place = at + wrong * table.bytes_a_value
        raise source.fault("a finite value of float32", slab.reshape(-1)[wrong], place)
    return values


# ---- writing


def write_tdl(
    path: str | os.PathLike[str],
    network: Network,
    *,
    sums: Sums | None = None,
    bytes_a_value: int = 4,
) -> None:
    """Write a network for 4x4 as a weight file for TDL2048+, in one step.

    Tables get the names that the program uses: `4x6` is its `4x6patt`, with three stages its
    `4x6patt@3`. Untouched weights of later stages are written as those of the stage before.

    Args:
        path: the file.
        network: with several stages its patterns have up to 7 cells.
        sums: as in `TdlFile`; with them training can continue with temporal coherence.
        bytes_a_value: 2 (half precision, up to 65504), 4 (as the program writes) or 8.

    Raises:
        InvalidNetwork: the file cannot hold this network.
        ResourceError: the disk is full; an old file remains.
    """
    _check_writable(network, sums, bytes_a_value)
    atomic_write(path, _file_parts(network, sums, bytes_a_value))


def _check_writable(network: Network, sums: Sums | None, bytes_a_value: int) -> None:
    """Check shapes and sizes; values are checked as they are written."""
    if network.shape != (4, 4):
        rows, cols = network.shape
        raise InvalidNetwork(f"expected a network for 4x4, as in TDL2048+, got {rows}x{cols}")
    if bytes_a_value not in TYPES:
        raise InvalidNetwork(f"expected 2, 4 or 8 bytes a value, got {bytes_a_value}")
    largest = max(len(pattern.cells) for pattern in network.patterns)
    if network.stages and largest >= MAX_PATTERN_CELLS:
        raise InvalidNetwork(
            f"expected patterns of up to {MAX_PATTERN_CELLS - 1} cells, since the name of a table "
            f"also contains its stage, got {largest}"
        )
    expected = (network.weights.size, 2)
    if sums is not None and (sums.shape != expected or sums.dtype != np.float32):
        raise InvalidNetwork(
            f"expected float32 sums of shape {expected}, got {sums.dtype} of {sums.shape}"
        )


def _file_parts(
    network: Network, sums: Sums | None, bytes_a_value: int
) -> Iterator[bytes | memoryview]:
    yield pack("<BI", KIND, network.stage_count * len(network.patterns))
    for stage in range(network.stage_count):
        for number, pattern in enumerate(network.patterns):
            # A hexadecimal number; with stages it has 8 digits, and the first is the stage.
            digits = 8 if network.stages else len(pattern.cells)
            name = pack("<IHH", stage << 28 | int(str(pattern), 16), digits, 0)
            yield pack("<B", TABLE_KIND) + name
            yield pack("<HQ", bytes_a_value, pattern.size)
            yield from _weight_parts(network, number, stage, bytes_a_value)
            if sums is not None:
                start = stage * network.stage_size + network.offsets[number]
                yield pack("<HQ", bytes_a_value, 2 * pattern.size)
                yield from _sum_parts(sums[start : start + pattern.size], bytes_a_value)
            yield pack("<H", 0)


def _weight_parts(
    network: Network, number: int, stage: int, bytes_a_value: int
) -> Iterator[memoryview]:
    tables = [_in_their_order(network.table(number, before)) for before in range(stage + 1)]
    for index in _slabs(tables[0]):
        values = np.array(tables[stage][index], order="C")
        for before in reversed(tables[:stage]):
            np.copyto(values, before[index], where=np.isnan(values))
        yield _bytes_of(values, bytes_a_value, "weights")


def _sum_parts(sums: Sums, bytes_a_value: int) -> Iterator[memoryview]:
    sizes = _in_their_order(sums[:, 1])
    for column, what in enumerate(("sums", "sums of absolute values")):
        values = _in_their_order(sums[:, column])
        for index in _slabs(values):
            part = np.where(sizes[index] == 0, _UNTOUCHED, values[index])
            yield _bytes_of(part, bytes_a_value, what, least=0.0 if column else -math.inf)


def _in_their_order(table: Weights) -> Weights:
    """A view of a table in which its first cell varies fastest."""
    cells = (table.size.bit_length() - 1) // 4
    return table.reshape((16,) * cells).T


def _bytes_of(
    values: Weights, bytes_a_value: int, what: str, least: float = -math.inf
) -> memoryview:
    most = float(np.finfo(TYPES[min(bytes_a_value, 4)]).max)
    low = max(-most, least)
    fits = (values >= low) & (values <= most)
    if not fits.all():
        wrong = values[~fits][0]
        raise InvalidNetwork(f"expected {what} from {low:g} to {most:g}, got {wrong}")
    with np.errstate(under="ignore"):
        written = np.ascontiguousarray(values, dtype=TYPES[bytes_a_value])
    return written.reshape(-1).data.cast("B")
