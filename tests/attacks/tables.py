"""Hostile tables, one row each: what they are, how they are made, what must come of them.

The files are made here from the description of the format, not by the code that is attacked.
"""

import json
from typing import Any, Final

import numpy as np

from tests.attacks.weights import Attack, entry, framed

RULES: Final = "2x2 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
METADATA: Final = {"twofold_table": "1", "rules": RULES, "objective": "score", "part": "table"}
KEYS: Final = np.array([0x001, 0x011], dtype="<u4")  # of 00/11 and 01/10
VALUES: Final = np.array([60.0, 61.0], dtype="<f8")


def index(first: int = 4, states: Any = (2,), step: int = 2) -> np.ndarray[Any, Any]:
    """The layers, without checksums."""
    rows = [[first + step * row, count, 0, 0] for row, count in enumerate(states)]
    return np.array(rows, dtype="<u8")


def table(
    layers: Any = None,
    keys: Any = KEYS,
    values: Any = VALUES,
    metadata: Any = METADATA,
    **more: Any,
) -> bytes:
    """A table of these tensors; None leaves one out."""
    tensors = {"layers": index() if layers is None else layers, "values": values, "keys": keys}
    names = {"<u8": "U64", "<f8": "F64", "<u4": "U32", "<f4": "F32", "<i8": "I64"}
    header: dict[str, Any] = {"__metadata__": metadata}
    data = b""
    for name, array in tensors.items():
        if isinstance(array, np.ndarray):
            end = len(data) + array.nbytes
            header[name] = entry(names[array.dtype.str], list(array.shape), len(data), end)
            data += array.tobytes()
    text = json.dumps(header | more)
    return framed(text + " " * (-len(text) % 8), data)  # so that the data is aligned


def said(**changes: str | None) -> bytes:
    """A table whose metadata say something else."""
    changed: dict[str, Any] = METADATA | changes
    return table(metadata={key: value for key, value in changed.items() if value is not None})


FILES: Final = [
    Attack("empty", lambda: b"", "expected a safetensors file"),
    Attack("another file of ours", lambda: framed({"__metadata__": {"twofold": "{}"}}),
           "expected a table of solved boards of version 1, got 'another kind of file'"),
    Attack("a later version", lambda: said(twofold_table="2"), "of version 1, got '2'"),
    Attack("a part", lambda: said(part="keys"), "expected a table, got 'keys'"),
    Attack("rules beyond 64 bits", lambda: said(rules="8x8"), "expected rules and objective"),
    Attack("no keys", lambda: table(keys=0), "expected the tensors keys, layers, values"),
    Attack("layers with a gap", lambda: table(layers=index(states=(1, 1), step=4)), "consecutive"),
    Attack("more states than there are", lambda: table(layers=index(states=(3,))), "3 keys of"),
    Attack("counts that wrap to the right sum",
           lambda: table(layers=index(states=(2**63, 2**63, 2))), "expected 1844"),
    Attack("keys of 64 bits", lambda: table(keys=KEYS.astype("<u8")), "2 keys of uint32"),
]  # fmt: skip
"""Refused before anything of their content is looked at."""

CONTENT: Final = [
    Attack("wrong checksums", lambda: table(), "wrong keys of the states with the tile sum 4")
]
"""Refused when their content is compared with its checksums."""
