"""Hostile weight files of TDL2048+: what they are, how they are made, what must come of them."""

import struct
from collections.abc import Callable
from typing import Final

from tests.attacks.weights import Attack

NAN, INFINITY = struct.pack("<f", float("nan")), struct.pack("<f", float("inf"))


def numbered(pattern: str, width: int | None = None) -> bytes:
    """The name of a table as the program writes it."""
    return struct.pack("<IHH", int(pattern, 16), len(pattern) if width is None else width, 0)


def text(name: str) -> bytes:
    """The name of a table that is no hexadecimal number."""
    return name.encode().ljust(8)


def block(values: bytes, size: int = 4, count: int | None = None) -> bytes:
    return struct.pack("<HQ", size, len(values) // size if count is None else count) + values


def table(name: bytes, *blocks: bytes, kind: int = 4, end: bytes = b"\0\0") -> bytes:
    return bytes([kind]) + name + b"".join(blocks) + end


def tables(*parts: bytes, count: int | None = None) -> bytes:
    return struct.pack("<BI", 0, len(parts) if count is None else count) + b"".join(parts)


ONES: Final = struct.pack("<16f", *[1.0] * 16)
ONE_CELL: Final = table(numbered("0"), block(ONES))
COHERENT: Final = table(numbered("5"), block(ONES), block(ONES + ONES))
GOOD: Final = tables(ONE_CELL, table(numbered("51"), block(ONES * 16)))


def one(*blocks: bytes, name: bytes = numbered("0"), kind: int = 4) -> Callable[[], bytes]:
    """A file of one table."""
    return lambda: tables(table(name, *blocks, kind=kind))


def patched(values: bytes, place: int, wrong: bytes) -> bytes:
    return values[:place] + wrong + values[place + len(wrong) :]


REFUSED: Final = [
    # not such a file
    Attack("another format", lambda: b"PK\x03\x04" + GOOD, "expected 0 for a list .* got 80"),
    Attack("one more byte", lambda: GOOD + b"\0", "expected the end after 2 tables .* got 1 bytes"),
    # counts
    Attack("4 billion tables", lambda: tables(ONE_CELL, count=2**32 - 1), "expected 1 to 512 tab"),
    Attack(
        "33 patterns",
        lambda: tables(
            *[
                table(numbered(f"{first:x}{second:x}"), block(ONES * 16))
                for first in range(3)
                for second in range(4, 15)
            ]
        ),
        "expected at most 32 patterns at byte 1 of .*, got 33",
    ),
    # lengths
    Attack("2^63 values", one(block(ONES, count=2**63)), "expected 16\\^1 to 16\\^8 values"),
    Attack("17 values", one(block(ONES + NAN)), "expected 16\\^1 to 16\\^8 values .* got 17"),
    Attack(
        "34 gigabytes",
        one(block(ONES, 8, count=16**8), name=numbered("01234567")),
        "expected the values of 01234567 in 34359738368 bytes at byte 24 of .*, got the end after",
    ),
    Attack("2^64 bytes to skip", one(block(ONES), block(b"", 1, 2**64 - 1)),
           "expected what follows"),
    # names
    Attack("a screen cleared", one(block(ONES), name=b"\x1b[2J\x1b[H "),
           "of 1 different cells .*x1b"),
    Attack("a cell twice", one(block(ONES * 16), name=numbered("11")),
           "2 different cells at byte 6"),
    # stages
    Attack(
        "a stage too much",
        lambda: tables(
            table(numbered("00000005"), block(ONES)), table(numbered("10000005"), block(ONES))
        ),
        "expected stages= of read_tdl for 2 stages, which .* at byte 1 of .*, got 0 numbers",
    ),
    # values
    Attack("not a number", one(block(patched(ONES, 8, NAN))),
           "a finite value .* byte 32 .* got nan"),
    Attack("too large for us", one(block(struct.pack("<16d", *[1.0] * 15, 1e39), 8)),
           r"a finite value of float32 at byte 144 of .*, got 1e\+39"),
    # sums
    Attack(
        "sums not a number",
        lambda: tables(
            COHERENT, table(numbered("6"), block(ONES), block(ONES + patched(ONES, 4, NAN)))
        ),
        "a finite value of float32 at byte 389 of .*, got nan",
    ),
    Attack("negative sizes",
           one(block(ONES), block(ONES + patched(ONES, 12, struct.pack("<f", -2)))),
           "expected a sum of absolute values at byte 174 of .*, got -2"),
    Attack("sums for one", lambda: tables(COHERENT, ONE_CELL), "expected sums in all tables or in"),
]  # fmt: skip
