"""Hostile network files, one row each: what they are, how they are made, what must come of them.

The files are made here from the description of the format, not by the code that is attacked.
"""

import json
import os
import struct
from collections.abc import Callable
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import zstandard

PATTERNS: Final = ("01", "23")
SIZE: Final = 256
"""Weights of each of the patterns."""

CARD: Final = {"patterns": "01 23", "rules": "2x2", "symmetries": 8, "twofold": "1"}
RELEASED: Final = CARD | {"release": {"unit": 1.0}}
WEIGHTS: Final = np.arange(2 * SIZE, dtype="<f4")
CELLS: Final = "0123456789abcdef"

Data = bytes | np.ndarray[Any, Any]


class Attack(NamedTuple):
    """One hostile file and the error that it must meet."""

    name: str
    make: Callable[[], bytes] | None
    error: str  # a regular expression
    place: Callable[[Path], object] | None = None  # puts there what is not made of bytes

    def put(self, path: Path) -> None:
        """Put the file at a path."""
        if self.place is not None:
            self.place(path)
        if self.make is not None:
            path.write_bytes(self.make())


# ---- safetensors files, well made and otherwise


def framed(header: bytes | str | dict[str, Any], data: bytes = b"", length: int = -1) -> bytes:
    """A file of a header and data."""
    if isinstance(header, dict):
        header = json.dumps(header)
    if isinstance(header, str):
        header = header.encode()
    return struct.pack("<Q", len(header) if length < 0 else length) + header + data


def entry(dtype: str, shape: Any, begin: Any, end: Any) -> dict[str, Any]:
    """What a header says of a tensor."""
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def network(
    tensors: dict[str, Data], card: Any = CARD, form: str | None = "twofold-network 1"
) -> bytes:
    """A network file of these tensors, bytes as U8, with a card: text, or what becomes JSON."""
    metadata = {"format": form, "twofold": card if isinstance(card, str) else json.dumps(card)}
    header: dict[str, Any] = {"__metadata__": {k: v for k, v in metadata.items() if v is not None}}
    names = {"f2": "F16", "f4": "F32", "f8": "F64", "i4": "I32"}
    arrays = {
        name: np.frombuffer(part, dtype="u1") if isinstance(part, bytes) else part
        for name, part in tensors.items()
    }
    data = b""
    for name, array in sorted(arrays.items(), key=lambda item: -item[1].itemsize):
        dtype = names.get(array.dtype.str[1:], "U8")
        header[name] = entry(dtype, array.shape, len(data), len(data) + array.nbytes)
        data += array.tobytes()
    text = json.dumps(header)
    return framed(text + " " * (-len(text) % 8), data)


def weights(change: Callable[[Any], Any], card: Any = CARD) -> Callable[[], bytes]:
    """A file of float32 weights, (1, 512), after a change."""

    def make() -> bytes:
        plain = WEIGHTS.reshape(1, -1).copy()
        changed = change(plain)
        return network({"weights": plain if changed is None else changed}, card)

    return make


def card(**change: Any) -> Callable[[], bytes]:
    """A good file but for its card."""
    return weights(lambda _: None, CARD | change)


def header_of(**tensors: Any) -> Callable[[], bytes]:
    """A file of 64 bytes of data and these entries."""
    return lambda: framed({"__metadata__": {}, **tensors}, bytes(64))


# ---- releases


def compressed(data: bytes, **more: Any) -> bytes:
    """A Zstandard frame."""
    return zstandard.ZstdCompressor(**{"write_checksum": True, **more}).compress(data)


def good_planes() -> dict[str, Data]:
    """Planes of weights of 1, 2, 3 ... units: two codes in each pattern."""
    planes: dict[str, Data] = {}
    for number in range(len(PATTERNS)):
        planes[f"map.0.{number}"] = compressed(b"\x03" + bytes(SIZE // 8 - 1))
        planes[f"low.0.{number}"] = compressed(b"\x02\x04")
        planes[f"high.0.{number}"] = compressed(b"\x00\x00")
    return planes


def release(**change: Data | Callable[[], bytes] | None) -> Callable[[], bytes]:
    """A good release but for some planes: `map_1=...` is that of the second pattern."""

    def make() -> bytes:
        planes = good_planes()
        for key, plane in change.items():
            kind, _, number = key.partition("_")
            del planes[f"{kind}.0.{number}"]
            if plane is not None:
                planes[f"{kind}.0.{number}"] = plane() if callable(plane) else plane
        return network(planes, RELEASED)

    return make


def unit(value: Any) -> Callable[[], bytes]:
    """A release with a unit of its own."""
    return lambda: network(good_planes(), CARD | {"release": {"unit": value}})


@cache
def bomb() -> bytes:
    """A frame of 10^8 zeros; made by the tests that use it, since that takes a while."""
    return compressed(bytes(10**8))


def lying(size: int, said: int) -> bytes:
    """A frame of so many zeros whose header says another number of bytes (4 bytes of it)."""
    frame = bytearray(bomb() if size == 10**8 else compressed(bytes(size)))
    assert frame[4] >> 6 == 2, "the size is not in 4 bytes"
    at = frame.index(struct.pack("<I", size))
    frame[at : at + 4] = struct.pack("<I", said)
    return bytes(frame)


# ---- what is no network file at all


PICKLE: Final = b"\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94."


def hole(path: Path) -> None:
    """A file of 1 TB that takes no room, with a good header."""
    path.write_bytes(network({"weights": WEIGHTS.reshape(1, -1)}))
    os.truncate(path, 2**40)


FILES: Final = [
    # headers
    Attack("header of 2^64 - 1 bytes", lambda: framed("{}", length=2**64 - 1), "a header of at mo"),
    Attack("header that is no JSON", lambda: framed("{weights}"), "a safetensors file, got .*JSON"),
    Attack("deeply nested header", lambda: framed('{"a":' * 10**5), "recursion limit|invalid"),
    Attack("shape that overflows", header_of(a=entry("F32", [2**62, 4], 0, 64)), "overflow"),
    Attack(
        "numbers of another type", header_of(a=entry("BF16", [32], 0, 64)), "of F16, .*got BF16"
    ),
    Attack("tensor at an odd place",
           lambda: framed('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} ', bytes(4)),
           "tensors at multiples of their element size, got a in"),
    # weights
    Attack(
        "weights in another shape", weights(lambda w: w.T.copy()), r"\(1, 512\), got .*\(512, 1"
    ),
    Attack("NaN", weights(lambda w: w.__setitem__((0, 7), np.nan)), "finite weights in stage 0"),
    # cards
    Attack("no card", lambda: network({}, card=None), "the card of a network, got .*null"),
    Attack(
        "no metadata", header_of(weights=entry("F32", [1, 16], 0, 64)), "format .*, got None in"
    ),
    Attack("deeply nested card", lambda: network({}, '{"patterns":' * 10**5),
           "the card of a network"),
    Attack("1,000,000 patterns", card(patterns="0 " * 10**6), "patterns of at most 1000 character"),
    Attack("stages that the weights lack", card(stages=[8]), r"shape \(2, 512\), got .*\(1, 512\)"),
    Attack(
        "card of 2^41 weights",
        card(
            patterns=" ".join("".join(cells) for cells in islice(combinations(CELLS, 8), 32)),
            rules="4x4",
            stages=list(range(2, 32, 2)),
        ),
        "weights of a network from 1 to 1099511627776",
    ),
    # releases
    Attack("unit of nothing", unit(0.0), "a unit from 1e-06 to 1e.06, got 0, in the card"),
    Attack("a plane missing", release(high_1=None), "uint8 high.0.1 of shape .*, got none"),
    Attack(
        "a frame cut off", release(low_0=compressed(b"\2\4")[:-1]), "whole Zstandard frame, got"
    ),
    Attack("a frame without a checksum", release(low_0=compressed(b"\2\4", write_checksum=False)),
           "a Zstandard frame with a checksum"),
    Attack("a bomb", release(map_0=bomb), "planes of 32, n .*got 100000000, 2"),
    Attack("a bomb that says it is small", release(map_0=lambda: lying(10**8, 32)),
           "a whole Zstandard frame"),
    # other files
    Attack("no bytes", lambda: b"", "a safetensors file, got an empty file"),
    Attack("a pickle", lambda: PICKLE, "got another kind of file"),
    Attack("a hole of 1 TB", None, "a safetensors file, got", hole),
]  # fmt: skip
