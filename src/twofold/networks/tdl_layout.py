"""The layout of weight files of TDL2048+, and a scanner that checks it.

    file     00, number of tables u32, tables        (77 00 ... if its name does not end in .w)
    table    04, name of 8 bytes, values, optional sums or other blocks, 00 00
    values   bytes per value u16, number of values u64, the values

All numbers are little-endian. `docs/reference/tdl-files.md` has the whole layout.

Source: files that the program's revision a99f620 reads and writes; no line of it is used here.
"""

import os
from dataclasses import dataclass
from typing import IO, Any, Final

from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.limits import MAX_PATTERN_CELLS, MAX_PATTERNS, MAX_STAGES
from twofold.networks.patterns import Pattern
from twofold.notation import shown

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

    def fill(self, slab: NDArray[Any]) -> None:
        """Fill an array with the next values."""
        view = slab.data.cast("B")
        done = 0
        while done < len(view):
            count = self.file.readinto(view[done:])  # type: ignore[attr-defined]
            if not count:
                raise self.fault(f"values in {len(view)} bytes", f"the end after {done}")
            done += count
        self.at += done


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
