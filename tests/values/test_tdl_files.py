"""Weight files of TDL2048+: values of the program, round trips, refusals."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.attacks import tdl_files as attacks
from tests.attacks.tdl_files import block, numbered, table, tables, text
from twofold.errors import InvalidNetwork, ResourceError
from twofold.game.board import Board
from twofold.storage import memory
from twofold.values.network import Network
from twofold.values.tdl import TdlFile, read_tdl, write_tdl

GOLDEN = Path(__file__).parent.parent / "golden" / "tdl"
FILES = {
    "td": ("td.w", ("01", "26"), 4, ()),
    "tc": ("tc.w", ("01", "56"), 4, ()),
    "half": ("half.w", ("610",), 2, ()),
    "double": ("double.w", ("51",), 8, ()),
    "stages": ("stages.bin", ("00000001", "00000056", "10000001", "10000056"), 4, (128,)),
}
TYPES = {2: "<f2", 4: "<f4", 8: "<f8"}


def golden_values() -> tuple[list[Board], dict[str, NDArray[np.float64]]]:
    """Boards, and the program's results for them by column."""
    lines = (GOLDEN / "values.txt").read_text(encoding="utf-8").splitlines()
    head, *rows = [line.split() for line in lines if not line.startswith("#")]
    digits = [row[0] for row in rows]
    boards = [Board([int(digit, 16) for digit in text]) for text in digits]
    numbers = np.array([[float(word) for word in row[1:]] for row in rows])
    return boards, dict(zip(head[1:], numbers.T, strict=True))


def read_golden(name: str) -> TdlFile:
    file, _, _, stages = FILES[name]
    return read_tdl(GOLDEN / file, stages=stages)


def some_network(
    patterns: str, stages: Sequence[int] = (), seed: int = 1
) -> tuple[Network, NDArray[np.float32]]:
    """A network of random weights, and its sums; a third of the weights is untouched."""
    network = Network(patterns, stages=stages)
    dice = np.random.default_rng(seed)
    # whole numbers that all three sizes hold
    network.weights[:] = dice.integers(-2000, 2000, network.weights.shape)
    sums = np.zeros((network.weights.size, 2), dtype=np.float32)
    sums[:, 1] = dice.integers(1, 2000, len(sums))
    sums[:, 0] = -np.floor(sums[:, 1] * dice.random(len(sums)))
    sums[dice.random(len(sums)) < 1 / 3] = 0
    return network, sums


def packed(values: Sequence[float], size: int = 4) -> bytes:
    return np.array(values, dtype=TYPES[size]).tobytes()


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "net.w"
    path.write_bytes(data)
    return path


# ---- the program's own values


@pytest.mark.parametrize("name", FILES)
def test_the_values_are_those_of_the_program(name: str) -> None:
    boards, values = golden_values()
    found = read_golden(name)
    assert len(boards) >= 100
    assert (found.names, found.bytes_a_value) == FILES[name][1:3]
    assert found.network.values(boards) == pytest.approx(values[name], abs=1e-3)


@pytest.mark.parametrize("name", ["td", "tc", "stages"])
def test_what_the_program_wrote_is_written_again_byte_for_byte(name: str, tmp_path: Path) -> None:
    found = read_golden(name)
    write_tdl(tmp_path / "again.w", found.network, sums=found.sums)
    original = (GOLDEN / FILES[name][0]).read_bytes()
    assert (tmp_path / "again.w").read_bytes() == original.removeprefix(b"w")


# ---- round trips


@pytest.mark.parametrize("size", TYPES)
@pytest.mark.parametrize("coherent", [False, True])
@pytest.mark.parametrize("stages", [(), (64, 16384)])
def test_round_trip(size: int, coherent: bool, stages: tuple[int, ...], tmp_path: Path) -> None:
    network, sums = some_network("0 124 56 0a", stages)
    path = tmp_path / "net.w"
    write_tdl(path, network, sums=sums if coherent else None, bytes_a_value=size)
    found = read_tdl(path, stages=stages)
    assert found.network.patterns == network.patterns
    assert found.network.stages == network.stages
    assert (found.network.weights == network.weights).all()
    assert found.bytes_a_value == size
    if coherent:
        assert found.sums is not None
        assert (found.sums == sums).all()
    else:
        assert found.sums is None


def test_weights_untouched_in_a_later_stage_are_written_as_those_before(tmp_path: Path) -> None:
    network, _ = some_network("01 456", (64, 1024))
    network.weights[1, ::2] = np.nan
    network.weights[2, ::3] = np.nan
    path = tmp_path / "net.w"
    write_tdl(path, network)
    found = read_tdl(path, stages=(64, 1024))
    assert not np.isnan(found.network.weights).any()
    boards = golden_values()[0]
    assert (found.network.values(boards) == network.values(boards)).all()


# ---- what else the program and its older versions write


@pytest.mark.parametrize(
    "name",
    [
        numbered("3a"),
        numbered("3a", width=0),  # December 2016 to July 2019
        text("3a"),  # a day in July 2019
        text("0000003a"),
        numbered("0000003a"),
    ],
    ids=["digits", "no digits", "text", "eight characters", "eight digits"],
)
@pytest.mark.parametrize("kind", [4, 128])
@pytest.mark.parametrize("mark", [b"", b"w"])
def test_every_form_of_a_name(name: bytes, kind: int, mark: bytes, tmp_path: Path) -> None:
    values = packed(range(256))
    path = written(tmp_path, mark + tables(table(name, block(values), kind=kind)))
    found = read_tdl(path)
    assert found.network.name == "3a"
    assert found.names[0].lstrip("0") == "3a"
    assert found.network.table(0).tolist() == [
        16 * low + high for high in range(16) for low in range(16)
    ]


def test_unknown_blocks_are_skipped(tmp_path: Path) -> None:
    values, sums = packed(range(16)), packed(range(32))
    extra = [block(b"abc", 3), block(b"", 8), block(values, 4), block(sums, 4)]
    path = written(tmp_path, tables(table(numbered("0"), block(values), *extra)))
    assert read_tdl(path).sums is None
    path = written(tmp_path, tables(table(numbered("0"), block(values), block(sums), *extra)))
    found = read_tdl(path).sums
    assert found is not None
    assert found.T.reshape(-1).tolist() == list(range(32))


def test_tables_that_a_network_has_in_another_order_of_cells_in_each_stage(tmp_path: Path) -> None:
    plain = [float(n) for n in range(256)]
    names = [numbered("00000003"), numbered("000000a3"), numbered("10000003"), numbered("1000003a")]
    blocks = [block(packed(plain[: 16 if n % 2 == 0 else 256])) for n in range(4)]
    path = written(tmp_path, tables(*map(table, names, blocks)))
    found = read_tdl(path, stages=(512,))
    assert found.network.name == "3 3a"
    turned = found.network.table(1, 1).reshape(16, 16).T.reshape(-1)
    assert (found.network.table(1, 0) == turned).all()
    assert (found.network.table(0, 0) == found.network.table(0, 1)).all()


# ---- what is refused


def test_files_beyond_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, attacks.GOOD)
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    with pytest.raises(ResourceError, match=r"for what '.*net\.w' holds .*, got 1\.1 kB"):
        read_tdl(path)


def test_stages_are_required() -> None:
    path = GOLDEN / "stages.bin"
    with pytest.raises(InvalidNetwork, match=r"for 2 stages, .* at byte 1 of .*, got 0 numbers"):
        read_tdl(path)
    with pytest.raises(InvalidNetwork, match=r"for 2 stages, .* at byte 1 of .*, got 2 numbers"):
        read_tdl(path, stages=(64, 128))
    with pytest.raises(InvalidNetwork, match="ascending"):
        read_tdl(path, stages=(128, 64))


def test_stages_of_other_patterns_are_refused(tmp_path: Path) -> None:
    names = ["00000003", "00000005", "10000003", "10000006"]
    values = block(packed(range(16)))
    path = written(tmp_path, tables(*[table(numbered(name), values) for name in names]))
    with pytest.raises(
        InvalidNetwork, match="the patterns of the first stage in stage 10000003 at"
    ):
        read_tdl(path, stages=(512,))


def with_value(value: float, patterns: str = "0", stages: Sequence[int] = ()) -> Network:
    network = Network(patterns, stages=stages)
    network.weights[0, 3] = value
    return network


def sums_of(value: float) -> NDArray[np.float32]:
    return np.full((16, 2), value, np.float32)


@pytest.mark.parametrize(
    ("network", "sums", "size", "error"),
    [
        (Network("01", (3, 3)), None, 4, "expected a network for 4x4, as in TDL2048.*, got 3x3"),
        (Network("0"), None, 3, "expected 2, 4 or 8 bytes a value, got 3"),
        (with_value(math.nan), None, 4, "expected weights from -3.*, got nan"),
        (with_value(-math.inf, stages=(64,)), None, 8, "expected weights from -3.*e.38, got -inf"),
        (with_value(65_520), None, 2, "expected weights from -65504 to 65504, got 65520"),
        (Network("0"), sums_of(0)[:15], 2, r"float32 sums of shape \(16, 2\), got float32 of"),
        (Network("0"), np.zeros((16, 2)), 2, r"float32 sums of shape \(16, 2\), got float64 of"),
        (Network("0"), sums_of(math.nan), 2, "expected sums from .*, got nan"),
        (Network("0"), sums_of(-1), 2, "expected sums of absolute values from 0 to .*, got -1"),
        (Network("0"), sums_of(70_000), 2, "expected sums from -65504 to 65504, got 70000"),
    ],
)
def test_what_such_a_file_cannot_hold(
    network: Network, sums: NDArray[np.float32] | None, size: int, error: str, tmp_path: Path
) -> None:
    path = written(tmp_path, b"old")
    with pytest.raises(InvalidNetwork, match=error):
        write_tdl(path, network, sums=sums, bytes_a_value=size)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


# ---- memory


def test_the_sums_are_those_of_the_program() -> None:
    boards, values = golden_values()
    found = read_golden("tc")
    assert found.sums is not None
    for column, name in enumerate(["updates", "sizes"]):
        sums = found.sums[:, column].reshape(1, -1).copy()
        summed = Network(found.network.patterns, weights=sums).values(boards)
        assert summed == pytest.approx(values[name], rel=1e-6)
    untouched = found.sums[:, 1] == 0
    assert 0 < untouched.sum() < len(untouched)
    assert (found.sums[untouched] == 0).all()


def test_a_file_that_shrinks_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, tables(attacks.ONE_CELL))

    def shrink(size: int, what: str) -> None:
        path.write_bytes(b"")

    monkeypatch.setattr("twofold.values.tdl.check_memory", shrink)
    with pytest.raises(InvalidNetwork, match=r"16 values at byte 24 .* got the end after 0"):
        read_tdl(path)
