"""Checks the size of a Parquet file by its page headers, before any page is decoded.

A few bytes of a page can stand for any number of values, and a compressed page for gigabytes.
The headers, in Thrift's compact form, give the uncompressed size, the number of values and the
encoding of each page; a decoder obeys them.

Source: https://github.com/apache/parquet-format (PageHeader), and the compact protocol of
https://github.com/apache/thrift.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any, Final

MAX_FOOTER: Final = 4 * 2**20
"""Largest footer, in bytes: 10 million games take half a megabyte."""

MAX_PAGES: Final = 32 * 2**20
"""Limit for the largest pages of all columns together; usual pages have about a megabyte."""

_MAX_HEADER: Final = 64 * 2**10
_KINDS: Final = ("INT32", "INT64", "BOOLEAN", "BYTE_ARRAY", "FLOAT", "DOUBLE")
_DICTIONARY_PAGE: Final = 2
_PREFIXES: Final = 7
"""The encoding DELTA_BYTE_ARRAY, in which a byte can stand for the whole text before."""

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


def check_footer(file: IO[bytes], size: int) -> None:
    """Refuse a file without a footer, or with too large a footer, by ValueError."""
    file.seek(max(size - 8, 0))
    length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
    if magic != b"PAR1" or length > min(MAX_FOOTER, size - 8):
        raise ValueError(f"expected a footer of at most {MAX_FOOTER} bytes at the end")


def check_pages(file: IO[bytes], metadata: Any, columns: Iterable[str], lists: str) -> None:
    """Refuse files that need much more memory than their games, by ValueError.

    `metadata` is PyArrow's. Each of `columns` has one value a row, except `lists` with up to 36.
    """
    wanted = set(columns)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        total = 0
        for place in range(group.num_columns):
            chunk = group.column(place)
            column = chunk.path_in_schema.partition(".")[0]
            if column in wanted:
                wanted_values = group.num_rows * (36 if column == lists else 1)
                total += _check_column(file, chunk, column, group.num_rows, wanted_values)
        if total > MAX_PAGES:
            raise ValueError(f"expected pages of at most {MAX_PAGES} bytes in all, got {total}")


def _check_column(file: IO[bytes], chunk: Any, column: str, rows: int, values: int) -> int:
    if chunk.physical_type not in _KINDS:
        raise ValueError(f"{column} as {chunk.physical_type}, which is none of {', '.join(_KINDS)}")
    pages = _pages(file, chunk, column)
    if pages.prefixes:
        raise ValueError(f"{column} in the encoding DELTA_BYTE_ARRAY")
    if max(pages.values, pages.words) > values:
        raise ValueError(f"{max(pages.values, pages.words)} values in {column} of {rows} rows")
    return pages.size


def _pages(file: IO[bytes], chunk: Any, column: str) -> Pages:
    begin = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < begin:
        begin = chunk.dictionary_page_offset
    end, found, largest = begin + chunk.total_compressed_size, Pages(), 0
    while begin < end:
        file.seek(begin)
        header, length = _PageReader(file.read(min(_MAX_HEADER, end - begin))).header()
        size, taken = header.get(_SIZE, -1), header.get(_COMPRESSED_SIZE, -1)
        if min(size, taken) < 0:
            raise ValueError(f"a page of {column} without a size")
        if header.get(_TYPE) == _DICTIONARY_PAGE:
            found.words += header.get(_DICTIONARY, {}).get(_VALUES, 0)
            found.size += size
        else:
            one, two = header.get(_DATA, {}), header.get(_DATA_V2, {})
            found.values += one.get(_VALUES, 0) + two.get(_VALUES, 0)
            found.prefixes |= _PREFIXES in (one.get(_ENCODING), two.get(_ENCODING_V2))
            largest = max(largest, size)
        begin += length + taken
    found.size += largest
    return found


class _PageReader:
    """Reads Thrift's compact form; `data` begins with a header."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def header(self) -> tuple[Struct, int]:
        """The header of a page and its length in bytes."""
        try:
            return self._struct(4), self._at
        except (IndexError, KeyError) as error:
            raise ValueError("expected the header of a page, got other bytes") from error

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
        if kind in (7, 8):  # a float64, or bytes: skipped
            length = 8 if kind == 7 else self._unsigned()  # this also advances
            self._at += length
            return None
        if kind == 12 and depth:
            return self._struct(depth - 1)
        raise KeyError(kind)  # lists and maps do not occur in headers

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
