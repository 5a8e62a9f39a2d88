"""The weight files of TDL2048+, the program of H. Guei: read and written, a table at a time.

    file     00, number of tables u32, tables        (or 77 00 ..., where its name ends otherwise)
    table    04, name of 8 bytes, values, maybe sums or what else there is, 00 00
    values   bytes a value u16, number of values u64, the values

A table has 16 values for each cell of its pattern, multiplied. The cell that its name lists first
is the lowest nibble of the index and varies fastest; in a `Network` the cells ascend and the last
one does. All numbers are little-endian. `docs/reference/tdl-files.md` has the whole layout.

Source: what the program's revision a99f620 writes and reads; no line of it is used here.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from struct import pack
from typing import IO, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.evaluators.memory import check_memory, large_zeros
from twofold.evaluators.network import Network, Weights, check_stages
from twofold.evaluators.patterns import Pattern
from twofold.files import atomic_write, open_regular
from twofold.limits import MAX_PATTERN_CELLS, MAX_PATTERNS, MAX_STAGES
from twofold.notation import shown

Sums = NDArray[np.float32]
ValueBytes = Literal[2, 4, 8]

_KIND: Final = 0
"""First byte of a list of tables."""

_MARK: Final = ord("w")
"""Stands before it in files whose name does not end in .w."""

_TABLE_KIND: Final = 4
"""First byte of a table; 0 to 3 were written until 2016."""

_TYPES: Final[dict[int, str]] = {2: "<f2", 4: "<f4", 8: "<f8"}
"""Numbers by their bytes."""

_DIGITS: Final = frozenset("0123456789abcdef")

_UNTOUCHED: Final = np.finfo(np.float32).tiny
"""Both sums of a weight without updates, so that one divided by the other is 1."""

_MAX_BLOCKS: Final = 16
"""Most blocks of a table beside its values; the program writes one at most."""

_SLAB_CELLS: Final = 5
"""Values are read and written as so many cells have, 4 MB of float32."""


@dataclass(frozen=True, slots=True, eq=False)
class TdlFile:
    """What a weight file of TDL2048+ holds.

    Attributes:
        network: its patterns and weights, for 4x4.
        sums: for each weight, in its order, the sum of its updates before they were scaled and
            the sum of their sizes, float32 (weights, 2); None for a file without.
        names: its tables as the program calls them.
        bytes_a_value: 2, 4 or 8.
    """

    network: Network
    sums: Sums | None
    names: tuple[str, ...]
    bytes_a_value: int


@dataclass(frozen=True, slots=True)
class _Table:
    """Where a table stands in the file."""

    at: int
    name: str
    cells: tuple[int, ...]  # in the order of the name: the first is the lowest nibble
    stage: int  # what its name has beyond the cells
    bytes_a_value: int
    values_at: int
    sums_at: int | None

    @property
    def count(self) -> int:
        return 1 << 4 * len(self.cells)

    @property
    def pattern(self) -> Pattern:
        return Pattern(tuple(sorted(self.cells)))


class _Source:
    """A file that is read from its beginning to its end, and where it is."""

    def __init__(self, file: IO[bytes], path: str | os.PathLike[str]) -> None:
        self.file = file
        self.name = shown(os.fspath(path))
        self.size = os.fstat(file.fileno()).st_size
        self.at = 0

    def fault(self, expected: str, got: object, at: int | None = None) -> InvalidNetwork:
        """The error for what is found at a byte, or else at the one that is read next."""
        place = self.at if at is None else at
        return InvalidNetwork(f"expected {expected} at byte {place} of {self.name}, got {got}")

    def take(self, count: int, what: str) -> bytes:
        """The next bytes."""
        data = self.file.read(count)
        if len(data) < count:
            raise self.fault(f"{what} in {count} bytes", f"the end after {len(data)}")
        self.at += count
        return data

    def number(self, count: int, what: str) -> int:
        """A number of so many bytes."""
        return int.from_bytes(self.take(count, what), "little")

    def skip(self, count: int, what: str) -> None:
        """Leave bytes out that are there."""
        left = self.size - self.at
        if count > left:
            raise self.fault(f"{what} in {count} bytes", f"the end after {left}")
        self.at = self.file.seek(self.at + count)

    def fill(self, slab: NDArray[Any]) -> None:
        """Read the next values."""
        view = slab.data.cast("B")
        done = 0
        while done < len(view):
            count = self.file.readinto(view[done:])  # type: ignore[attr-defined]
            if not count:
                raise self.fault(f"values in {len(view)} bytes", f"the end after {done}")
            done += count
        self.at += done


# ---- reading


def read_tdl(path: str | os.PathLike[str], *, stages: Sequence[int] = ()) -> TdlFile:
    """Read a weight file of TDL2048+.

    The file is checked as a whole before anything is allocated, and then read by parts: beside
    the weights and the sums a few megabytes are in memory.

    Args:
        path: a file that the program, or `write_tdl`, has written.
        stages: where its stages split, without the 0 that the program's `-@` begins with, as
            the file does not say.

    Raises:
        InvalidNetwork: no such file, or a torn one; tables that are no n-tuple patterns; values
            that are not finite; more or fewer stages than `stages` makes. It names the byte.
        LimitExceeded: too many stages.
        ResourceError: the weights and their sums would take more than 80 % of the free memory.
    """
    thresholds = check_stages(stages)
    with open_regular(path, InvalidNetwork) as file:
        source = _Source(file, path)
        tables = _scan(source)
        patterns = _patterns_of(source, tables, len(thresholds) + 1)
        coherent = tables[0].sums_at is not None
        count = sum(table.count for table in tables)
        check_memory(4 * count * (3 if coherent else 1), f"what {source.name} holds")
        network = Network(patterns, stages=thresholds)
        sums: Sums | None = large_zeros(2 * count, np.float32).reshape(-1, 2) if coherent else None
        start, weights = 0, network.weights.reshape(-1)
        for table in tables:
            part = slice(start, start + table.count)
            _read_values(source, table, table.values_at, weights[part])
            if sums is not None:
                _read_sums(source, table, sums[part])
            start += table.count
    names = tuple(table.name for table in tables)
    return TdlFile(network, sums, names, tables[0].bytes_a_value)


def _scan(source: _Source) -> list[_Table]:
    """Where the tables stand; every byte but the values is checked, and that those are there."""
    kind = source.number(1, "the kind of file")
    if kind == _MARK:
        kind = source.number(1, "the kind of file")
    if kind != _KIND:
        raise source.fault("0 for a list of weight tables", kind, source.at - 1)
    most = MAX_PATTERNS * MAX_STAGES
    count = source.number(4, "the number of tables")
    if not 1 <= count <= most:
        raise source.fault(f"1 to {most} tables", count, source.at - 4)
    tables: list[_Table] = []
    for _ in range(count):
        table = _scan_table(source)
        _check_alike(source, table, tables[:1])
        tables.append(table)
    if source.at < source.size:
        raise source.fault(f"the end after {count} tables", f"{source.size - source.at} bytes")
    return tables


def _scan_table(source: _Source) -> _Table:
    at = source.at
    kind = source.number(1, "the kind of table")
    if kind != _TABLE_KIND:
        raise source.fault(f"{_TABLE_KIND} for a table", kind, at)
    name = source.take(8, "the name of a table")
    size = source.number(2, "the bytes a value")
    if size not in _TYPES:
        raise source.fault("2, 4 or 8 bytes a value", size, source.at - 2)
    count = source.number(8, "the number of values")
    lengths = {16**cells: cells for cells in range(1, MAX_PATTERN_CELLS + 1)}
    if count not in lengths:
        raise source.fault(
            f"16 values for each of 1 to {MAX_PATTERN_CELLS} cells, multiplied,",
            count,
            source.at - 8,
        )
    text, cells, stage = _parse_name(source, name, lengths[count], at + 1)
    values_at = source.at
    source.skip(size * count, f"the values of {text}")
    sums_at = _scan_blocks(source, size, count)
    return _Table(at, text, cells, stage, size, values_at, sums_at)


def _scan_blocks(source: _Source, size: int, count: int) -> int | None:
    """Leave out what follows the values; where the sums are, which come first if at all."""
    sums_at = None
    for number in range(_MAX_BLOCKS + 1):
        block = source.number(2, "the end of a table, or the bytes of a value,")
        if not block:
            return sums_at
        length = source.number(8, "the number of values")
        if (number, block, length) == (0, size, 2 * count):
            sums_at = source.at
        source.skip(block * length, "what follows the values")
    raise source.fault(f"at most {_MAX_BLOCKS} blocks after the values of a table", "more")


def _parse_name(
    source: _Source, name: bytes, count: int, at: int
) -> tuple[str, tuple[int, ...], int]:
    """The name of a table as text, its cells as listed, and what stands before them."""
    if name[6:] == b"\0\0":  # a pattern as a number; before 2019 without its number of digits
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


def _check_alike(source: _Source, table: _Table, before: Sequence[_Table]) -> None:
    """All tables have values of one size, and either all have sums or none."""
    for first in before:
        if table.bytes_a_value != first.bytes_a_value:
            raise source.fault(
                f"{first.bytes_a_value} bytes a value as before", table.bytes_a_value, table.at + 9
            )
        if (table.sums_at is None) != (first.sums_at is None):
            raise source.fault("sums in all tables or in none", f"others in {table.name}", table.at)


def _patterns_of(source: _Source, tables: list[_Table], stages: int) -> tuple[Pattern, ...]:
    """The patterns, which all stages have in the same order."""
    groups = [list(group) for _, group in groupby(tables, key=lambda table: table.stage)]
    if len(groups) != stages:
        expected = f"{len(groups) - 1} numbers in stages= for the {len(groups)} stages"
        raise source.fault(expected, stages - 1, 1)
    patterns = [table.pattern for table in groups[0]]
    for number, table in enumerate(groups[0]):
        if table.pattern in patterns[:number] or number >= MAX_PATTERNS:
            expected = f"up to {MAX_PATTERNS} different patterns"
            raise source.fault(expected, f"{table.pattern} beside them", table.at)
    for group in groups[1:]:
        if [table.pattern for table in group] != patterns:
            expected = f"the patterns of the first stage in stage {group[0].name}"
            raise source.fault(expected, "others", group[0].at)
    return tuple(patterns)


def _read_values(source: _Source, table: _Table, at: int, target: Weights) -> None:
    """Fill `target`, one value for each of a table's, in our order, which may be strided."""
    ours = target.reshape((16,) * len(table.cells))
    theirs = ours.transpose([table.pattern.cells.index(cell) for cell in reversed(table.cells)])
    slab = np.empty(min(table.count, 16**_SLAB_CELLS), _TYPES[table.bytes_a_value])
    source.at = source.file.seek(at)
    for index in _slabs(theirs):
        began = source.at
        source.fill(slab)
        with np.errstate(over="ignore"):
            values = slab.astype(np.float32, copy=False)
        finite = np.isfinite(values)
        if not finite.all():
            wrong = int(finite.argmin())
            place = began + wrong * table.bytes_a_value
            raise source.fault("a finite value of float32", slab[wrong], place)
        theirs[index] = values.reshape(theirs[index].shape)


def _slabs(table: NDArray[Any]) -> Iterator[tuple[int, ...]]:
    """The indices of the parts that a table is read and written by."""
    return np.ndindex(table.shape[:-_SLAB_CELLS])


def _read_sums(source: _Source, table: _Table, sums: Sums) -> None:
    """Fill the sums of a table, with 0 where there were no updates."""
    assert table.sums_at is not None
    half = table.count * table.bytes_a_value
    _read_values(source, table, table.sums_at, sums[:, 0])
    _read_values(source, table, table.sums_at + half, sums[:, 1])
    for part in _parts(sums):
        updates, sizes = part[:, 0], part[:, 1]
        if sizes.min() < 0:
            at = table.sums_at + half
            raise source.fault("sums of sizes from 0 on", f"{sizes.min():g} among them", at)
        part[(updates == _UNTOUCHED) & (sizes == _UNTOUCHED)] = 0


def _parts(values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Views of an array, one after the other."""
    step = 16**_SLAB_CELLS
    return (values[start : start + step] for start in range(0, len(values), step))


# ---- writing


def write_tdl(
    path: str | os.PathLike[str],
    network: Network,
    *,
    sums: Sums | None = None,
    bytes_a_value: ValueBytes = 4,
) -> None:
    """Write a network as a weight file that TDL2048+ reads.

    Its tables have the names that the program gives to the same patterns, so that `4x6` is its
    `4x6patt`, and three stages of it its `4x6patt@3`. Weights of later stages that are untouched
    yet are written as those of the stage before, which they stand for.

    Args:
        path: the file to write; while that goes on, the old one stays.
        network: for 4x4; with several stages, of patterns of up to 7 cells.
        sums: as in `TdlFile`; a file with sums can be learnt on with temporal coherence.
        bytes_a_value: 2 (half precision, up to 65504), 4 or 8; all are read, 4 is what the
            program writes.

    Raises:
        InvalidNetwork: what such a file cannot hold.
        InvalidInput: `path` cannot be written to.
        ResourceError: the disk is full; an old file is as it was.
    """
    _check_writable(network, sums, bytes_a_value)
    atomic_write(path, b"".join(_file_parts(network, sums, bytes_a_value)))


def _check_writable(network: Network, sums: Sums | None, bytes_a_value: int) -> None:
    """Everything that could fail, so that nothing does once the file is begun."""
    if network.shape != (4, 4):
        rows, cols = network.shape
        raise InvalidNetwork(f"expected a network for 4x4, as TDL2048+ has, got {rows}x{cols}")
    if bytes_a_value not in _TYPES:
        raise InvalidNetwork(f"expected 2, 4 or 8 bytes a value, got {bytes_a_value}")
    largest = max(len(pattern.cells) for pattern in network.patterns)
    if network.stages and largest >= MAX_PATTERN_CELLS:
        raise InvalidNetwork(
            f"expected patterns of up to {MAX_PATTERN_CELLS - 1} cells, as the name of a table "
            f"has its stage as well, got {largest}"
        )
    most = float(np.finfo(_TYPES[min(bytes_a_value, 4)]).max)
    for stage, weights in enumerate(network.weights):
        _check_values(weights, most, "weights", untouched=stage > 0)
    if sums is not None:
        if sums.shape != (network.weights.size, 2) or sums.dtype != np.float32:
            raise InvalidNetwork(
                f"expected float32 sums of shape ({network.weights.size}, 2), "
                f"got {sums.dtype} of {sums.shape}"
            )
        _check_values(sums[:, 0], most, "sums")
        _check_values(sums[:, 1], most, "sums of sizes", least=0)


def _check_values(
    values: Weights, most: float, what: str, *, least: float | None = None, untouched: bool = False
) -> None:
    low = -most if least is None else least
    for part in _parts(values):
        fits = (part >= low) & (part <= most)
        if untouched:
            fits |= np.isnan(part)
        if not fits.all():
            raise InvalidNetwork(
                f"expected {what} from {low:g} to {most:g}, got {part[fits.argmin()]}"
            )


def _file_parts(
    network: Network, sums: Sums | None, bytes_a_value: int
) -> Iterator[bytes | memoryview]:
    """The bytes of a file, one part after the other."""
    yield pack("<BI", _KIND, network.stage_count * len(network.patterns))
    for stage in range(network.stage_count):
        for number, pattern in enumerate(network.patterns):
            yield pack("<B", _TABLE_KIND) + _name(network, pattern, stage)
            yield pack("<HQ", bytes_a_value, pattern.size)
            yield from _weight_parts(network, number, stage, bytes_a_value)
            if sums is not None:
                start = stage * network.stage_size + network.offsets[number]
                yield pack("<HQ", bytes_a_value, 2 * pattern.size)
                yield from _sum_parts(sums[start : start + pattern.size], bytes_a_value)
            yield pack("<H", 0)


def _name(network: Network, pattern: Pattern, stage: int) -> bytes:
    """A pattern as a hexadecimal number; with stages, their number is the first of 8 digits."""
    digits = 8 if network.stages else len(pattern.cells)
    return pack("<IHH", stage << 28 | int(str(pattern), 16), digits, 0)


def _weight_parts(
    network: Network, number: int, stage: int, bytes_a_value: int
) -> Iterator[memoryview]:
    tables = [_in_their_order(network.table(number, before)) for before in range(stage + 1)]
    for index in _slabs(tables[0]):
        values = np.array(tables[stage][index], order="C")
        for before in reversed(tables[:stage]):
            np.copyto(values, before[index], where=np.isnan(values))
        yield _bytes_of(values, bytes_a_value)


def _sum_parts(sums: Sums, bytes_a_value: int) -> Iterator[memoryview]:
    sizes = _in_their_order(sums[:, 1])
    for column in range(2):
        values = _in_their_order(sums[:, column])
        for index in _slabs(values):
            part = np.where(sizes[index] == 0, _UNTOUCHED, values[index])
            yield _bytes_of(part, bytes_a_value)


def _in_their_order(table: Weights) -> Weights:
    """A view of a table in which its first cell varies fastest."""
    cells = (table.size.bit_length() - 1) // 4
    return table.reshape((16,) * cells).T


def _bytes_of(values: Weights, bytes_a_value: int) -> memoryview:
    """Values as a file has them."""
    with np.errstate(under="ignore"):
        written = np.ascontiguousarray(values, dtype=_TYPES[bytes_a_value])
    return written.reshape(-1).data.cast("B")
