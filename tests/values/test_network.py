"""Networks: size, stages, weights, patterns, refusals; their files, cards and releases."""

import re
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import twofold
from tests.kernels.drivers import played_boards
from twofold.errors import InvalidNetwork, LimitExceeded, ResourceError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.storage import memory
from twofold.storage.arrays import write_tensors
from twofold.values.evaluator import explain
from twofold.values.network import (
    NAMED,
    Network,
    Pattern,
    check_patterns,
    network_evaluator,
    parse_patterns,
)
from twofold.values.network_file import (
    Card,
    Release,
    read_card,
    read_network,
    write_network,
    write_release,
)


def random_network(
    patterns: str, shape: tuple[int, int] = (4, 4), stages: tuple[int, ...] = ()
) -> Network:
    network = Network(patterns, shape, stages=stages)
    weights = np.random.default_rng(2).normal(10, 10, network.weights.shape)
    network.weights[:] = np.where(np.arange(network.stage_size) % 3, weights, weights[0])
    return network


# What it is


@pytest.mark.parametrize(
    ("patterns", "shape", "stages", "text"),
    [
        ("4x6", (4, 4), (), "4x6 for 4x4, 268 MB of weights"),
        ("456789 012345", (4, 4), (), "456789 012345 for 4x4, 134 MB of weights"),
        ("2x4", (4, 4), (16384, 32768), "2x4 for 4x4, 3 stages, 1.6 MB of weights"),
        ("012 12", (2, 3), (), "012 12 for 2x3, 17 kB of weights"),
        ("1 0", (1, 2), (4,), "1 0 for 1x2, 2 stages, 256 bytes of weights"),
    ],
)
def test_describe(
    patterns: str, shape: tuple[int, int], stages: tuple[int, ...], text: str
) -> None:
    assert Network(patterns, shape, stages=stages).describe() == text


def test_weights_are_kept_and_not_copied() -> None:
    weights = np.ones((1, 256), dtype=np.float32)
    network = Network("01", (1, 2), weights=weights)
    assert network.weights is weights
    assert network.value(Board.parse("1x2:12")) == 4
    weights[0, 0x12] = 2
    assert network.value(Board.parse("1x2:12")) == 6


# Stages


@pytest.mark.parametrize(
    "stages", [(0,), (3,), (-2,), (65536,), (1024, 512), (512, 512), (16, 17), (1, 2)]
)
def test_invalid_stages(stages: tuple[int, ...]) -> None:
    text = ",".join(map(str, stages))
    message = f"expected stages as ascending sums of tiles, such as 16384,32768,49152, got {text}"
    with pytest.raises(InvalidNetwork, match=message):
        Network("01", (2, 2), stages=stages)


# What boards are worth


@pytest.mark.parametrize("text", ["3x4:1", "4x3:1", "5x5:1", "g", "000z"])
def test_boards_that_do_not_fit(text: str) -> None:
    shape, _, cells = text.rpartition(":")
    rows, cols = map(int, shape.split("x")) if shape else (4, 4)
    board = Board.parse(f"{rows}x{cols}:{cells.ljust(rows * cols, '0')}")
    network = Network("01")
    with pytest.raises(UnsupportedRules, match="expected 4x4 with tiles up to 32768 for this"):
        network.value(board)
    with pytest.raises(UnsupportedRules):
        network_evaluator(network).value(board)


@pytest.mark.parametrize(("shape", "stages"), [((4, 4), ()), ((3, 4), (64, 512)), ((2, 2), (8,))])
def test_the_evaluator_of_a_network(shape: tuple[int, int], stages: tuple[int, ...]) -> None:
    network = random_network("012 13 0123 1", shape, stages)
    evaluator = network_evaluator(network, name="mine")
    assert (evaluator.name, evaluator.summary) == ("mine", "n-tuple network 012 13 0123 1")
    assert (evaluator.unit, evaluator.at, evaluator.adds_reward) == ("points", "afterstate", True)
    assert evaluator.unsupported(5, 5) == "expected boards of {}x{}".format(*shape)
    for cells in played_boards(50, *shape, seed=2).tolist():
        board = Board(cells, shape)
        assert evaluator.value(board) == evaluator.value(board, 999) == network.value(board)
        explained = explain(evaluator, board)
        assert explained.add_up
        assert explained.names == ("012", "13", "0123", "1")


# What is refused


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros((1, 255), np.float32), r"expected float32 weights of shape \(1, 256\), got"),
        (np.zeros(256, np.float32), r"got float32 of \(256,\)"),
        (np.zeros((2, 256), np.float32), r"got float32 of \(2, 256\)"),
        ([1.0], "expected an array of weights, got"),
        (np.zeros((1, 256)), r"got float64 of \(1, 256\)"),
        (np.zeros((1, 256), ">f4"), "expected float32 weights"),
        (np.zeros((1, 512), np.float32)[:, ::2], "expected contiguous weights"),
        (np.zeros(1025, np.uint8)[1:].view(np.float32).reshape(1, 256), "contiguous weights"),
    ],
)  # fmt: skip
def test_weights_that_do_not_fit(weights: Any, message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        Network("01", (2, 2), weights=weights)
    network = Network("01", (2, 2))
    with pytest.raises(InvalidNetwork, match=message):
        network.weights = weights
    assert network.value(Board.parse("2x2:12/34")) == 0


@pytest.mark.promise("R64")
@pytest.mark.parametrize("name", ["patterns", "shape", "stages"])
def test_patterns_shape_and_stages_are_read_only(name: str) -> None:
    network = Network("01", (2, 2))
    with pytest.raises(AttributeError):
        setattr(network, name, getattr(network, name))


@pytest.mark.promise("R64")
def test_weights_live_as_long_as_their_readers() -> None:
    network = Network("01", (2, 2))
    network.weights[0] = 3
    old, read = network.weights.copy(), weakref.ref(network.weights.base)
    evaluator = network_evaluator(network)
    network.weights = old + 1
    assert network.value(Board.parse("2x2:12/34")) == 32
    assert evaluator.value(Board.parse("2x2:12/34")) == 24
    assert read() is not None
    training = Training(TrainingSettings(patterns="01", rules=Rules(2, 2)), games=2)
    read = weakref.ref(training.memory.base)
    training.memory = training.memory.copy()
    assert read() is not None
    del training
    assert read() is None


def test_limits() -> None:
    with pytest.raises(LimitExceeded, match="expected stages from 1 to 16, got 17"):
        Network("01", stages=tuple(range(2, 34, 2)))
    many = [Pattern((*range(7), 7 + number)) for number in range(9)]
    patterns = [*many, *(Pattern((*range(1, 8), 8 + number)) for number in range(8))]
    with pytest.raises(LimitExceeded, match="weights of a network from 1 to 1099511627776, got 1"):
        Network(patterns, stages=tuple(range(2, 32, 2)))


def test_weights_beyond_the_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10**6)
    with pytest.raises(
        ResourceError, match=r"the weights of 012345 \(800 kB\), got 67 MB"
    ) as found:
        Network("012345")
    assert found.value.exit_code == 3
    assert Network("0123").bytes == 262_144


# Lists of patterns


@pytest.mark.parametrize("text", ["5201 4567", "0125,4567", " 0125\n4567 ", "0125, 7654"])
def test_cells_and_separators_may_come_in_any_order(text: str) -> None:
    assert parse_patterns(text) == (Pattern((0, 1, 2, 5)), Pattern((4, 5, 6, 7)))


@pytest.mark.parametrize(
    ("text", "shape", "message"),
    [
        ("", (4, 4), "expected one of 4x6, .* or patterns such as '012345 456789', got ''"),
        (" , ", (4, 4), "expected one of 4x6"),
        ("5x5", (4, 4), "expected one of 4x6, .*got '5x5'"),
        ("01\x1b[2J", (4, 4), r"got '01\\x1b\[2J'"),
        ("０１", (4, 4), r"got '\\uff10\\uff11'"),
        ("01 " * 100_000 + "g", (4, 4), r"got '01 01 .*\.\.\..*g'"),
        ("4x6", (3, 3), "expected patterns such as '0123 2345' for 3x3, got 4x6 .for 4x4."),
        ("0122", (4, 4), "expected different cells in a pattern, got 0122"),
        ("0127", (2, 3), "expected cells below 6 in a pattern for 2x3, got 0127"),
        ("012 210", (4, 4), "expected different patterns, got 012 twice"),
        ("01", (5, 4), "expected a network for shapes up to 4x4, got 5x4"),
        ("01", (1, 1), "expected a network for shapes up to 4x4, got 1x1"),
        ("01", (0, 4), "expected a network for shapes up to 4x4, got 0x4"),
    ],
)
def test_invalid_lists_of_patterns(text: str, shape: tuple[int, int], message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        parse_patterns(text, shape)


def test_limits_of_patterns() -> None:
    many = [(a, b, c) for a in range(16) for b in range(a) for c in range(b)]
    assert len(check_patterns(many[:32], (4, 4))) == 32
    for patterns, message in (
        (many[:33], "expected patterns of a network from 1 to 32, got 33"),
        ([], "expected patterns of a network from 1 to 32, got 0"),
        ([range(9)], "expected cells of a pattern from 1 to 8, got 9"),
        ([()], "expected cells of a pattern from 1 to 8, got 0"),
    ):
        with pytest.raises(LimitExceeded, match=message):
            check_patterns(patterns, (4, 4))
    with pytest.raises(LimitExceeded, match="cells of a pattern from 1 to 8, got 1000000"):
        parse_patterns("0" * 1_000_000)


NAN = float("nan")


def make_network(
    patterns: str = "01 23",
    shape: tuple[int, int] = (2, 2),
    stages: tuple[int, ...] = (),
    seed: int = 1,
) -> Network:
    """A network, a fifth of whose weights are not 0; later stages are touched here and there."""
    network = Network(patterns, shape, stages=stages)
    dice = np.random.default_rng(seed)
    for stage in network.weights:
        some = dice.random(len(stage)) < 0.2
        stage[some] = dice.laplace(0, 300, int(some.sum()))
    return network


def card_of(network: Network, **more: Any) -> Card:
    rows, cols = network.shape
    return Card(
        patterns=network.name,
        rules=str(Rules(rows, cols)),
        symmetries=network.symmetries,
        stages=network.stages,
        twofold=twofold.__version__,
        **more,
    )


def write(path: Path, network: Network, unit: float | None) -> bytes:
    """Write as float32, or compressed with a unit. Returns the bytes of the file."""
    if unit is None:
        write_network(path, network, card_of(network))
    else:
        write_release(path, network, card_of(network), unit=unit)
    return path.read_bytes()


def resolved(network: Network) -> Iterator[np.ndarray[Any, Any]]:
    """The weights of each stage; an untouched one is that of the stage before."""
    before = np.zeros(network.stage_size, dtype=np.float32)
    for stage in network.weights:
        before = np.where(np.isnan(stage), before, stage)
        yield before


# ---- round trips


@pytest.mark.parametrize("stages", [(), (8, 16)])
@pytest.mark.parametrize(
    ("patterns", "shape"), [("01 23", (2, 2)), ("0 145", (2, 3)), ("2x4", (4, 4)), ("0", (1, 2))]
)
def test_float32_is_read_as_written(
    tmp_path: Path, patterns: str, shape: tuple[int, int], stages: tuple[int, ...]
) -> None:
    network = make_network(patterns, shape, stages)
    write_network(tmp_path / "a", network, card_of(network))
    found, card = read_network(tmp_path / "a")
    assert card == read_card(tmp_path / "a") == card_of(network)
    assert (found.patterns, found.shape, found.stages) == (network.patterns, shape, stages)
    assert np.array_equal(found.weights, network.weights, equal_nan=True)
    assert bool(np.isnan(found.weights).any()) == bool(stages)


# ---- cards


def test_the_card_says_everything(tmp_path: Path) -> None:
    network = make_network()
    card = card_of(
        network,
        method="temporal coherence",
        settings={"rate": 0.1, "seed": "7", "deep": [1, {"a": None}]},
        games=10**12,
        moves=2**62,
        seconds=1.5,
        curve=[[1000.0, 2.5], [2000.0, 3.0]],
        before=[{"method": "td", "games": 3}],
        note="é\n\u2028 \x1b",
    )
    write_network(tmp_path / "a", network, card)
    assert read_card(tmp_path / "a") == card
    write_release(tmp_path / "a", network, card, unit=2.0)
    assert read_card(tmp_path / "a") == msgspec.structs.replace(card, release=Release(unit=2.0))


def test_keys_of_newer_versions_are_passed_over(tmp_path: Path) -> None:
    network = make_network()
    card = msgspec.json.decode(msgspec.json.encode(card_of(network)))
    texts = {
        "format": "twofold-network 1",
        "twofold": msgspec.json.encode(card | {"from the future": [1]}).decode(),
    }
    write_tensors(tmp_path / "a", {"weights": network.weights}, texts)
    assert read_network(tmp_path / "a")[1] == card_of(network)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"patterns": "01"}, "expected a card of 01 23 for 2x2, 2.0 kB of weights, got 01 for"),
        ({"rules": "3x3"}, "expected a card of 01 23 for 2x2"),
        ({"stages": (8,)}, "expected a card of 01 23 for 2x2"),
        ({"symmetries": 4}, "expected 8 symmetries, got 4, in the card of 01 23"),
        ({"patterns": "wrong"}, "expected one of 4x6, .*, in the card of 01 23"),
    ],
)
def test_a_card_of_another_network_is_not_written(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    network = make_network()
    card = msgspec.structs.replace(card_of(network), **change)
    with pytest.raises(InvalidNetwork, match=said):
        write_network(tmp_path / "a", network, card)
    with pytest.raises(InvalidNetwork, match=said):
        write_release(tmp_path / "a", network, card, unit=1.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["weights", "format", "twofold"])
def test_reserved_names_are_refused(tmp_path: Path, taken: str) -> None:
    network = make_network()
    tensors = {taken: network.weights} if taken == "weights" else {}
    metadata = {taken: "x"} if taken != "weights" else {}
    with pytest.raises(
        InvalidNetwork, match=f"expected a name that networks do not use, got '{taken}'"
    ):
        write_network(tmp_path / "a", network, card_of(network), tensors, metadata)


@pytest.mark.parametrize("value", [NAN, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 511), (1, 7)])
def test_weights_that_are_not_finite_are_refused(
    tmp_path: Path, value: float, place: tuple[int, int]
) -> None:
    network = make_network(stages=(8,))
    network.weights[place] = value
    says = f"expected finite .* in stage {place[0]}, got {value} as"
    for unit in (None, 1.0) if place[0] == 0 or value == value else ():  # else it is untouched
        with pytest.raises(InvalidNetwork, match=says):
            write(tmp_path / "a", network, unit)


# ---- releases


@pytest.mark.parametrize("unit", [0.125, 0.3, 1.0, 4.0, 7.7, 1e6])
@pytest.mark.parametrize("stages", [(), (8,), (8, 16, 24)])
def test_no_weight_is_off_by_more_than_half_a_unit(
    tmp_path: Path, unit: float, stages: tuple[int, ...]
) -> None:
    network = make_network("0 01 012", (2, 2), stages)
    write(tmp_path / "a", network, unit)
    found, card = read_network(tmp_path / "a")
    assert card.release == Release(unit=unit)
    assert found.weights.flags.writeable
    for stage, exact in zip(found.weights, resolved(network), strict=True):
        units = np.rint(exact / np.float64(unit))
        assert np.array_equal(stage, (units * unit).astype(np.float32))
        assert np.abs(stage - exact.astype(np.float64)).max() <= unit * (0.5 + 1e-6)
        assert not stage[exact == 0].any()


@pytest.mark.parametrize(
    ("weights", "unit", "enough"),
    [((40_000, 0), 1.0, 1.3), ((-30_000, 30_000), 1.0, 1.9), ((5e9, 0), 4.0, 160_000.0)],
)
def test_a_too_small_unit_is_refused_with_a_sufficient_one(
    tmp_path: Path, weights: tuple[float, float], unit: float, enough: float
) -> None:
    network = Network("01", (2, 2), stages=(8,))
    network.weights[:, 3] = weights
    with pytest.raises(InvalidNetwork, match=f"32766 units of .* Use a unit of {enough:g}"):
        write(tmp_path / "a", network, unit)
    write(tmp_path / "a", network, enough)
    with pytest.raises(InvalidNetwork, match="Use a unit of"):
        write(tmp_path / "a", network, enough * 0.9)


@pytest.mark.parametrize("unit", [0.0, -1.0, NAN, np.inf, 1e-7, 1e7])
def test_invalid_units_are_refused(tmp_path: Path, unit: float) -> None:
    with pytest.raises(InvalidNetwork, match="expected a unit from 1e-06 to 1e\\+06, got"):
        write(tmp_path / "a", make_network(), unit)


@pytest.mark.parametrize("unit", [None, 1.0])
def test_more_than_the_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: float | None
) -> None:
    network = make_network("0123", (4, 4))
    write(tmp_path / "a", network, unit)
    monkeypatch.setattr(memory, "free_memory", lambda: 300_000)
    if unit is None:
        found, _ = read_network(tmp_path / "a")  # mapped, from a copy
        assert np.array_equal(found.weights, network.weights)
        return
    with pytest.raises(ResourceError, match="expected at most 80% of the free memory for the wei"):
        read_network(tmp_path / "a")


# ---- the description of the format

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "network-files.md"


def block(language: str, holding: str) -> str:
    """The code block of the documentation page that contains a text."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    (found,) = [str(text) for text in blocks if holding in text]
    return found


@pytest.mark.parametrize("unit", [None, 0.25, 7.7])
def test_the_reader_on_the_page_reads_the_same(tmp_path: Path, unit: float | None) -> None:
    names: dict[str, Any] = {}
    reader = PAGE.parents[2] / "examples" / "read_network.py"
    exec(compile(reader.read_text("utf-8"), reader, "exec"), names)  # noqa: S102
    network = make_network("0 01 012", (2, 2), (8, 16))
    write(tmp_path / "a", network, unit)
    found = names["read_weights"](tmp_path / "a", [pattern.size for pattern in network.patterns])
    assert np.array_equal(found, read_network(tmp_path / "a")[0].weights, equal_nan=True)


def test_the_page_lists_the_names_of_patterns() -> None:
    assert dict(line.split("  ") for line in block("text", "4x6 ").splitlines()) == NAMED


# ---- damage
