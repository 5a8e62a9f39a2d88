"""Hostile tables are refused, each with its own error, and take hardly any memory."""

import time
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.tables import CONTENT, FILES, KEYS, VALUES, index, table
from tests.attacks.weights import Attack
from twofold.board import Board
from twofold.errors import InvalidTable
from twofold.exact import ExactTable

pytestmark = pytest.mark.promise("R23")
SECONDS = 1.0  # of the processor
BYTES = 64 * 2**20


@pytest.mark.parametrize("attack", FILES + CONTENT, ids=lambda attack: attack.name)
def test_it_is_refused_at_once(attack: Attack, tmp_path: Path) -> None:
    path = tmp_path / "t"
    attack.put(path)
    tracemalloc.start()
    began = time.process_time()
    try:
        with pytest.raises(InvalidTable, match=attack.error) as caught:
            ExactTable.open(path, check=True)
        assert time.process_time() - began < SECONDS
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1_000


def sound(values: object = VALUES, keys: object = KEYS) -> bytes:
    """A table with right checksums, whatever it holds."""
    layers = index()
    layers[0, 2:] = zlib.crc32(np.asarray(keys)), zlib.crc32(np.asarray(values))  # type: ignore[arg-type]
    return table(layers, keys, values)


def test_what_the_attacks_are_changes_of_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(sound())
    found = ExactTable.open(path, check=True)
    assert found.value(Board.parse("2x2:00/11")) == 60
    assert found.value(Board.parse("2x2:10/01")) == 61


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (np.array([np.nan, 1.0]), KEYS),
        (np.array([1.0, np.inf]), KEYS),
        (VALUES, KEYS[::-1].copy()),
        (VALUES, np.array([1, 1], dtype="<u4")),
    ],
)
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


def test_the_table_is_of_distinct_attacks(figure: Callable[[str], None]) -> None:
    assert len({attack.name for attack in FILES + CONTENT}) == len(FILES + CONTENT) >= 25
    figure(f"{len(FILES + CONTENT)} tables refused")
