"""Files of every kind that are cut off, changed, or written over while they are in use."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.attacks.tdl_files import ONES, block, numbered, table, tables, text
from tests.support.policies import make_policy
from tests.support.policies import write as write_policy_file
from tests.tables.made import write_solution
from twofold.errors import InvalidInput, InvalidNetwork, InvalidTable
from twofold.game.board import Board
from twofold.tables.exact import ExactTable
from twofold.tables.library import EndgameTable
from twofold.tables.pattern import EndgamePattern
from twofold.tables.work import build_table
from twofold.values.network import Network
from twofold.values.network_file import Card, read_card, read_network, write_network, write_release
from twofold.values.policy_network import read_policy
from twofold.values.tdl import read_tdl

BOARD = Board.parse("2x2:12/30")


class Kind(NamedTuple):
    """A kind of file.

    Attributes:
        put: writes a small one.
        open: reads it.
        error: what a damaged one raises.
        value: of what has been read; None where it is not kept in use.
        check: finds a changed byte; None where the format has no checksums.
    """

    put: Callable[[Path], object]
    open: Callable[[Path], Any]
    error: type[InvalidInput]
    value: Callable[[Any], object] | None = None
    check: Callable[[Any], object] | None = None


def network(unit: float | None) -> Callable[[Path], object]:
    """Writes a network as float32, or compressed with a unit."""

    def put(path: Path) -> None:
        made = Network("0 12", (2, 2), stages=(8,))
        made.weights[:, ::5] = np.arange(made.weights[:, ::5].size).reshape(2, -1) + 1
        card = Card(patterns="0 12", rules="2x2", symmetries=8, stages=(8,), twofold="1")
        if unit is None:
            write_network(path, made, card)
        else:
            write_release(path, made, card, unit=unit)

    return put


def tdl(path: Path) -> None:
    """Every part that such a file can have."""
    parts = [block(ONES), block(ONES + ONES), block(b"abcd", 2)]
    path.write_bytes(tables(table(numbered("0"), *parts), table(text("5"), *parts[:2])))


def endgame(name: str) -> Callable[[Path], object]:
    return lambda path: build_table(path, EndgamePattern.parse(name))


def read_both(path: Path) -> Network:
    read_card(path)
    return read_network(path)[0]


def worth(found: Any) -> object:
    return found.value(BOARD)


KINDS = {
    "network": Kind(network(None), read_both, InvalidNetwork, worth),
    "release": Kind(network(0.125), read_both, InvalidNetwork, worth),
    "policy": Kind(
        lambda path: write_policy_file(path, make_policy((2, 2), widths=(3,), exponents=9)),
        lambda path: read_policy(path)[0],
        InvalidNetwork,
        lambda found: found.think(BOARD),
    ),
    "weights of TDL2048+": Kind(
        tdl,
        lambda path: read_tdl(path).network,
        InvalidNetwork,
        lambda found: found.value(Board.empty()),
    ),
    "solution": Kind(write_solution, ExactTable.open, InvalidTable, worth, ExactTable.check),
    "endgame table": Kind(
        endgame("442-8"), EndgameTable.open, InvalidTable, check=EndgameTable.check
    ),
    "endgame table of walls": Kind(
        endgame("wall6-32"), EndgameTable.open, InvalidTable, check=EndgameTable.check
    ),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The content of a file of each kind."""
    folder, found = tmp_path_factory.mktemp("sound"), {}
    for name, kind in KINDS.items():
        kind.put(folder / name)
        found[name] = (folder / name).read_bytes()
    return found


@pytest.mark.promise("R16")
@pytest.mark.parametrize("name", KINDS)
def test_a_file_cut_off_anywhere_is_refused(
    name: str, sound: dict[str, bytes], tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """At every byte of a small file, and at some 400 places of a larger one."""
    path, whole, kind = tmp_path / "a", sound[name], KINDS[name]
    small = len(whole) < 20_000
    ends = {*range(0, 2_000, 7), *range(0, len(whole), 1 if small else len(whole) // 150)}
    ends = {end for end in ends if end < len(whole)} | {len(whole) - 1}
    for part in (*(whole[:end] for end in sorted(ends)), whole + b"x"):
        path.write_bytes(part)
        with pytest.raises(kind.error, match=r"expected .*, got|damaged") as caught:
            kind.open(path)
        assert str(caught.value).isprintable()
    figure(f"{len(ends):,} cuts of a {name}: refused")


@pytest.mark.promise("R16", "R71")
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.check])
def test_a_changed_byte_is_found(name: str, sound: dict[str, bytes], tmp_path: Path) -> None:
    path, whole, kind = tmp_path / "a", sound[name], KINDS[name]
    begin = 8 + int.from_bytes(whole[:8], "little")
    places = Random(1).sample(range(begin, len(whole)), 100)
    for place in (begin, *places, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(kind.error, match=r"expected |damaged table: "):
            kind.check(kind.open(path))  # type: ignore[misc]


@pytest.mark.promise("R66")
@pytest.mark.parametrize("change", [b"", b"text", bytes(4_000_000)], ids=["empty", "text", "0s"])
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.value])
def test_a_file_in_use_that_is_written_over(
    name: str, change: bytes, sound: dict[str, bytes], tmp_path: Path
) -> None:
    """In place, as `cp` does it: a missing page of a mapped file would end the process."""
    path, kind = tmp_path / "a", KINDS[name]
    path.write_bytes(sound[name])
    used = kind.open(path)
    before = kind.value(used)  # type: ignore[misc]
    path.write_bytes(change)
    assert kind.value(used) == before  # type: ignore[misc]
    assert kind.check is None or kind.check(used) is None
    assert list(tmp_path.iterdir()) == [path]
