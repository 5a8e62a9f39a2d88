"""Hostile files of all kinds: each is refused with its own error, within 64 MB and 1 s.

Run as a module it reads all of them in a process of its own and says what that took, as JSON:
`python -m tests.attacks.sizes FOLDER`.
"""

import json
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tests.attacks import tables, tdl_files, weights

RECORD: Final = '{"schema":1,"rules":"4x4","seed":"1"'


class Attack(NamedTuple):
    """One hostile file, who reads it, and the error that it must meet; "" where it is sound."""

    name: str
    reader: str
    put: Callable[[Path], object]
    error: str  # a regular expression


def drained(games: Iterator[object]) -> None:
    for _ in games:
        pass


def readers() -> dict[str, Callable[[Path], object]]:
    """Everything that reads a file, by name."""
    from twofold.game import formats
    from twofold.game.record import read_record
    from twofold.learn.checkpoint import load
    from twofold.storage.arrays import map_tensors
    from twofold.tables.exact import ExactTable
    from twofold.values.network_file import network_hash, read_card, read_learnt, read_network
    from twofold.values.tdl import read_tdl

    def start_value(path: Path) -> None:
        found = ExactTable.open(path, check=True)
        assert found.start_value is not None

    return {
        "card": read_card,
        "checkpoint": load,
        "games": lambda path: drained(formats.read_games(path)),
        "hash": lambda path: network_hash(str(path)),
        "learnt": read_learnt,
        "network": read_network,
        "one game": formats.read_any_record,
        "record": read_record,
        "records": lambda path: drained(formats.read_games(path, "jsonl")),
        "table": start_value,
        "tdl": read_tdl,
        "tensors": map_tensors,
    }


def content(make: Callable[[], bytes | str]) -> Callable[[Path], object]:
    """Puts what is made into the file."""

    def put(path: Path) -> None:
        data = make()
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    return put


def hole(beginning: bytes | str, size: int = 2**32) -> Callable[[Path], object]:
    """A beginning, and then zeros that take no room."""

    def put(path: Path) -> None:
        content(lambda: beginning)(path)
        os.truncate(path, size)

    return put


# ---- tables


def empty_layers(count: int, rules: str) -> Callable[[], bytes]:
    """A table of many layers, and two states in the last one."""

    def make() -> bytes:
        keys = np.array([1, 17], dtype="<u4" if "2x2" in rules else "<u8")
        layers = tables.index(2, [0] * (count - 1) + [2])
        return tables.table(layers, keys, metadata=tables.METADATA | {"rules": rules})

    return make


GOAL: Final = "4x4 spawn=2:0.9,4:0.1 start=2 goal=32768 stop=goal"
MANY: Final = "2x4 spawn=" + ",".join(f"{2**n}:1" for n in range(1, 9)) + " start=8"


# ---- checkpoints


def checkpoint(**changes: Any) -> Callable[[Path], object]:
    """A checkpoint of a small network with some of its state, or its tensors, replaced."""

    def put(path: Path) -> None:
        from twofold.game.rules import Rules
        from twofold.learn.checkpoint import STATE, save
        from twofold.learn.settings import TrainingSettings
        from twofold.learn.training import Training
        from twofold.storage.arrays import map_tensors, write_tensors

        save(Training(TrainingSettings(patterns="01 12", rules=Rules.parse("2x2"))), path)
        found = map_tensors(path)
        state, tensors = json.loads(found.metadata[STATE]), dict(found.tensors)
        for name, value in changes.items():
            parts = (state["curve"], state["settings"]) if name not in tensors or isinstance(
                value, int) else (tensors,)  # fmt: skip
            next(part for part in parts if name in part)[name] = value
        write_tensors(path, tensors, found.metadata | {STATE: json.dumps(state)})

    return put


# ---- all

ATTACKS: Final = [
    # tables
    Attack("100,000 empty layers", "table", content(empty_layers(100_000, tables.RULES)),
           "expected layers up to the tile sum 60, got 100000 layers"),
    Attack("as many empty layers as there may be", "table", content(empty_layers(65_000, GOAL)),
           "wrong keys of the states with the tile sum 130000"),
    Attack("16,777,216 ways to begin", "table", content(empty_layers(2, MANY)),
           "at most 1,000,000 ways to place the start tiles to solve, got 16,777,216"),
    # checkpoints
    Attack("a tile of 2^(10^11)", "checkpoint", checkpoint(recent=[[1, 10**11]]), "state of a tr"),
    Attack("weights of one number", "checkpoint",
           checkpoint(weights=np.ones((1, 1), "f4")), r"expected float32 weights of shape"),
    Attack("2 GB of weights", "checkpoint",
           checkpoint(patterns="0123456", rules="4x4"), "expected float32 weights of shape"),
    Attack("1,024 threads", "checkpoint", checkpoint(threads=1024), "expected uint64 games"),
    # records and replays
    *(Attack(f"a hole as {reader}", reader, hole(""), "expected")
      for reader in ("record", "records", "games", "one game", "card",
                     "network", "checkpoint", "tdl", "table", "tensors")),
    Attack("a hole behind a record", "one game", hole('[Twofold "1"]\n\n'), "expected"),
    Attack("a hole behind a replay", "games", hole("4x4-_"), "expected"),
    Attack("two million tiles for no move", "records",
           content(lambda: RECORD + ',"spawns":[' + "[0,0,2]," * 2_000_000 + "[0,0,2]]}"),
           "expected one new tile for each move, got more"),
    Attack("a saved game of a million columns", "one game",
           content(lambda: '{"grid":{"cells":[' + "[]," * 10**6 + "[]]}}"), "of at most 100000 "),
    # weight files of TDL2048+
    Attack("512 tables", "tdl", content(lambda: b"\0" + struct.pack("<I", 512) + b"".join(
        tdl_files.table(struct.pack("<IHH", number, 8, 0), tdl_files.block(bytes(64)))
        for number in range(512))), "stages= of read_tdl for 32 stages"),
    Attack("a table that is not there", "tdl", content(lambda: b"\0" + struct.pack("<I", 1)
           + tdl_files.table(tdl_files.numbered("01234567"),
                             tdl_files.block(b"", count=16**8))), "the end after"),
    # safetensors
    Attack("30,000 tensors", "tensors", content(lambda: weights.framed(
        {f"{n}": weights.entry("U8", [0], 0, 0) for n in range(30_000)} | {
            "x": weights.entry("U8", [1], 0, 1)}, b"x")), ""),
    Attack("a million dimensions", "tensors", content(lambda: weights.framed(
        {"x": weights.entry("U8", [1] * 600_000, 0, 1)}, b"x")), "expected a shape that NumPy"),
    Attack("no numbers of 2^63 rows", "tensors", content(lambda: weights.framed(
        {"x": weights.entry("U8", [0, 2**63], 0, 0), "y": weights.entry("U8", [1], 0, 1)},
        b"x")), "expected"),
]  # fmt: skip

ALL: Final = ATTACKS + [
    Attack(f"{one.name}, {reader}", reader, one.put, one.error)
    for reader, rows in (
        ("network", weights.FILES),
        ("table", tables.FILES + tables.CONTENT),
        ("tdl", tdl_files.REFUSED),
    )
    for one in rows
]


def peak(anew: bool) -> int:
    """The most memory of this process, since it was last measured anew."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])


def attempt(reader: Callable[[Path], object], path: Path) -> str:
    """The error of ours that a file meets, or another one with its name; "" for none."""
    from twofold.errors import TwofoldError

    try:
        reader(path)
    except TwofoldError as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500]
    return ""


def read_all(folder: Path) -> Iterator[dict[str, Any]]:
    """What came of each attack, and what it took."""
    import resource

    known = readers()
    for number, attack in enumerate(ALL):
        attack.put(folder / str(number))
    resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
    for number, attack in enumerate(ALL):
        before, began = peak(True), time.process_time()
        said = attempt(known[attack.reader], folder / str(number))
        yield {"said": said, "seconds": time.process_time() - began, "bytes": peak(False) - before}


if __name__ == "__main__":
    print(json.dumps(list(read_all(Path(sys.argv[1])))))
