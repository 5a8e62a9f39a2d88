"""Networks: size, stages, weights, terms, refusals; lists of patterns."""

import weakref
from typing import Any

import numpy as np
import pytest

from tests.kernels.drivers import played_boards
from twofold.errors import InvalidNetwork, LimitExceeded, ResourceError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.storage import memory
from twofold.values.evaluator import explain
from twofold.values.network import (
    Network,
    Pattern,
    check_patterns,
    network_evaluator,
    parse_patterns,
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


def test_names_of_lists_are_those_of_4x4() -> None:
    patterns = parse_patterns("0123,4567", (2, 4))
    assert (Network(patterns, (2, 4)).name, Network(patterns).name) == ("0123 4567", "2x4")


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
