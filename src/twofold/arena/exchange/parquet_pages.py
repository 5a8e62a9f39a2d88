"""Checks the size of a Parquet file by its footer and page headers, before any page is decoded.

A few bytes of a page can stand for any number of values, and a compressed page for gigabytes.
The headers, in Thrift's compact form, give the uncompressed size, the number of values and the
encoding of each page; a decoder obeys them. The footer is read here too: PyArrow ends the process
where it asks a damaged one for a column.

Source: https://github.com/apache/parquet-format (FileMetaData, PageHeader), and the compact
protocol of https://github.com/apache/thrift.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, Final

MAX_FOOTER: Final = 4 * 2**20
"""Largest footer, in bytes: 10 million games take half a megabyte."""

MAX_PAGES: Final = 32 * 2**20
"""Limit for the largest pages of all columns together; usual pages have about a megabyte."""

_MAX_HEADER: Final = 64 * 2**10
_MAX_DEPTH: Final = 12
_TYPES: Final = (
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
)  # fmt: skip
_KINDS: Final = ("INT32", "INT64", "BOOLEAN", "BYTE_ARRAY", "FLOAT", "DOUBLE")
_DICTIONARY_PAGE: Final = 2
_NOT_THRIFT: Final = "expected a footer and headers of pages, got other bytes"
_PREFIXES: Final = 7
"""The encoding DELTA_BYTE_ARRAY, in which a byte can stand for the whole text before."""

# Fields of the FileMetaData, of a RowGroup, a ColumnChunk and a ColumnMetaData.
_GROUPS, _COLUMNS, _ROWS, _META = 4, 1, 3, 3
_KIND, _PATH, _CHUNK_SIZE, _DATA_AT, _DICTIONARY_AT = 1, 3, 7, 9, 11

# Fields of a PageHeader, and of the headers in it.
_TYPE, _SIZE, _COMPRESSED_SIZE, _DATA, _DICTIONARY, _DATA_V2 = 1, 2, 3, 5, 7, 8
_VALUES, _ENCODING, _ENCODING_V2 = 1, 2, 4

Struct = dict[int, Any]


@dataclass(slots=True)
class Pages:
    """The pages of a column in one row group.

    Attributes:
        values: number of values.
        size: bytes of the largest page and of the dictionary, decompressed.
        words: entries of the dictionary.
        prefixes: True if texts share prefixes with the text before.
    """

    values: int = 0
    size: int = 0
    words: int = 0
    prefixes: bool = False


def read_footer(file: IO[bytes], size: int) -> Struct:
    """The fields of the footer; ValueError for a file without one, or with too large a one."""
    file.seek(max(size - 8, 0))
    length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
    if magic != b"PAR1" or length > min(MAX_FOOTER, size - 8):
        raise ValueError(f"expected a footer of at most {MAX_FOOTER} bytes at the end")
    file.seek(size - 8 - length)
    fields, _ = _Reader(file.read(length)).struct()
    return fields


def check_pages(file: IO[bytes], footer: Struct, columns: Iterable[str], lists: str) -> None:
    """Refuse files that need much more memory than their games, by ValueError.

    Each of `columns` has one value a row, except `lists` with up to 36.
    """
    wanted = set(columns)
    for group in _list(footer, _GROUPS):
        total, rows = 0, _whole(group, _ROWS)
        for chunk in _list(group, _COLUMNS):
            meta = _inner(chunk, _META)
            column = b".".join(_list(meta, _PATH, bytes)).decode(errors="replace").partition(".")[0]
            if column in wanted:
                total += _check_column(
                    file, meta, column, rows, rows * (36 if column == lists else 1)
                )
        if total > MAX_PAGES:
            raise ValueError(f"expected pages of at most {MAX_PAGES} bytes in all, got {total}")


def _check_column(file: IO[bytes], chunk: Struct, column: str, rows: int, values: int) -> int:
    kind = _TYPES[min(_whole(chunk, _KIND), len(_TYPES) - 1)]
    if kind not in _KINDS:
        raise ValueError(f"{column} as {kind}, which is none of {', '.join(_KINDS)}")
    pages = _pages(file, chunk, column)
    if pages.prefixes:
        raise ValueError(f"{column} in the encoding DELTA_BYTE_ARRAY")
    if max(pages.values, pages.words) > values:
        raise ValueError(f"{max(pages.values, pages.words)} values in {column} of {rows} rows")
    return pages.size


def _pages(file: IO[bytes], chunk: Struct, column: str) -> Pages:
    begin, words = _whole(chunk, _DATA_AT), _whole(chunk, _DICTIONARY_AT)
    if 0 < words < begin:
        begin = words
    end, found, largest = begin + _whole(chunk, _CHUNK_SIZE), Pages(), 0
    while begin < end:
        file.seek(begin)
        header, length = _Reader(file.read(min(_MAX_HEADER, end - begin))).struct()
        size, taken = _whole(header, _SIZE, -1), _whole(header, _COMPRESSED_SIZE, -1)
        if min(size, taken) < 0:
            raise ValueError(f"a page of {column} without a size")
        if _whole(header, _TYPE) == _DICTIONARY_PAGE:
            found.words += _whole(_inner(header, _DICTIONARY), _VALUES)
            found.size += size
        else:
            one, two = _inner(header, _DATA), _inner(header, _DATA_V2)
            found.values += _whole(one, _VALUES) + _whole(two, _VALUES)
            found.prefixes |= _PREFIXES in (one.get(_ENCODING), two.get(_ENCODING_V2))
            largest = max(largest, size)
        begin += length + taken
    found.size += largest
    return found


def _whole(fields: Struct, number: int, default: int = 0) -> int:
    value = fields.get(number, default)
    if not isinstance(value, int) or value < min(default, 0):
        raise ValueError(_NOT_THRIFT)
    return value


def _inner(fields: Struct, number: int) -> Struct:
    value = fields.get(number, {})
    if not isinstance(value, dict):
        raise ValueError(_NOT_THRIFT)
    return value


def _list(fields: Struct, number: int, kind: type = dict) -> list[Any]:
    found = fields.get(number)
    if not isinstance(found, list) or any(type(one) is not kind for one in found):
        raise ValueError(_NOT_THRIFT)
    return found


class _Reader:
    """Reads Thrift's compact form; `data` begins with a struct."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self) -> tuple[Struct, int]:
        """The struct and its length in bytes; ValueError for other bytes."""
        try:
            return self._struct(_MAX_DEPTH), self._at
        except (IndexError, KeyError) as error:
            raise ValueError(_NOT_THRIFT) from error

    def _struct(self, depth: int) -> Struct:
        """The fields by number, nested up to `depth`."""
        found, field = {}, 0
        while byte := self._byte():
            kind, step = byte & 15, byte >> 4
            field = field + step if step else self._signed()
            found[field] = self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):  # a bool, whose value is its type
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:  # a float64, which is skipped
            self._at += 8
            return None
        if kind == 8:
            return self._bytes(self._unsigned())
        if kind == 9 and depth:
            return self._items(depth - 1)
        if kind == 12 and depth:
            return self._struct(depth - 1)
        raise KeyError(kind)  # maps do not occur

    def _items(self, depth: int) -> list[Any]:
        head = self._byte()
        kind, count = head & 15, head >> 4
        if count == 15:
            count = self._unsigned()
        if count > len(self._data) - self._at:  # each item has a byte or more
            raise KeyError(count)
        if kind in (1, 2):
            return [self._byte() == 1 for _ in range(count)]
        return [self._value(kind, depth) for _ in range(count)]

    def _bytes(self, length: int) -> bytes:
        begin, self._at = self._at, self._at + length
        if self._at > len(self._data):
            raise IndexError(length)
        return self._data[begin : self._at]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 64, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise KeyError(value)

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)
