"""R23, R64: hostile files of all kinds are refused, each with its own error, and take little."""

import json
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import twofold
from tests.attacks.sizes import ALL, attempt, readers
from tests.attacks.tables import KEYS, VALUES, index, table
from tests.attacks.weights import WEIGHTS, release, weights
from twofold.errors import InvalidTable
from twofold.game.board import Board
from twofold.tables.exact import ExactTable
from twofold.values.network_file import read_network

pytestmark = [
    pytest.mark.promise("R23", "R64"),
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
]
SECONDS = 1.0  # of the processor
BYTES = 64 * 2**20


def test_each_is_refused_and_takes_little(tmp_path: Path, figure: Callable[[str], None]) -> None:
    """All in one process of their own."""
    paths = [Path(__file__).parents[2], Path(twofold.__file__).parents[1]]
    result = subprocess.run(
        [sys.executable, "-m", "tests.attacks.sizes", tmp_path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        check=True,
        capture_output=True,
        timeout=300,
    )
    found = json.loads(result.stdout)
    for attack, told in zip(ALL, found, strict=True):
        assert re.search(attack.error or "^$", told["said"]), attack.name
        assert told["said"].isprintable(), attack.name
        assert len(told["said"]) < 1_000, attack.name
        assert told["seconds"] < SECONDS, attack.name
        assert told["bytes"] < BYTES, attack.name
    assert len({attack.name for attack in ALL}) == len(ALL)
    most, longest = (max(one[key] for one in found) for key in ("bytes", "seconds"))
    figure(f"{len(ALL)} files: {longest:.1f} s and {most / 2**20:.0f} MB at most")


# ---- what the attacks are changes of


def test_a_sound_network_is_read(tmp_path: Path) -> None:
    path = tmp_path / "net"
    path.write_bytes(weights(lambda _: None)())
    assert np.array_equal(read_network(path)[0].weights[0], WEIGHTS)
    path.write_bytes(release()())
    found = read_network(path)[0].weights[0]
    assert np.flatnonzero(found).tolist() == [0, 1, 256, 257]
    assert found[found != 0].tolist() == [1, 2, 1, 2]


def sound(values: object = VALUES, keys: object = KEYS) -> bytes:
    """A table with right checksums, whatever it holds."""
    layers = index()
    layers[0, 2:] = zlib.crc32(np.asarray(keys)), zlib.crc32(np.asarray(values))  # type: ignore[arg-type]
    return table(layers, keys, values)


def test_a_sound_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(sound())
    found = ExactTable.open(path, check=True)
    assert found.value(Board.parse("2x2:00/11")) == 60
    assert found.value(Board.parse("2x2:10/01")) == 61


@pytest.mark.parametrize(("values", "keys"), [
    (np.array([np.nan, 1.0]), KEYS), (np.array([1.0, np.inf]), KEYS), (VALUES, KEYS[::-1].copy()),
    (VALUES, np.array([1, 1], dtype="<u4")),
])  # fmt: skip
def test_right_checksums_of_nonsense(tmp_path: Path, values: object, keys: object) -> None:
    path = tmp_path / "t"
    path.write_bytes(sound(values, keys))
    with pytest.raises(InvalidTable, match="out of order, or without a value in"):
        ExactTable.open(path, check=True)


def test_look_ups_in_nonsense_stay_inside(tmp_path: Path) -> None:
    """Unchecked, with any keys: an answer of no worth, but no harm."""
    path = tmp_path / "t"
    rng = np.random.default_rng(1)
    for _ in range(20):
        keys = rng.integers(0, 2**32, 2, dtype=np.uint32)
        path.write_bytes(table(index(), keys, rng.normal(size=2)))
        found = ExactTable.open(path).values(rng.integers(0, 2**63, 2_000, dtype=np.uint64))
        assert found.shape == (2_000,)


def test_a_file_named_by_an_attacker(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J\u202e"
    path.write_bytes(b"no file of ours")
    for name, reader in readers().items():
        for wrong in (path, tmp_path / "\x1b", Path("zero\0byte")):
            said = attempt(reader, wrong)
            assert said.isprintable(), name
