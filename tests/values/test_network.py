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
    NAMED,
    Network,
    Pattern,
    check_patterns,
    check_stages,
    format_patterns,
    network_evaluator,
    parse_patterns,
    pattern_values,
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


@pytest.mark.parametrize(
    ("shape", "symmetries"),
    [((4, 4), 8), ((3, 3), 8), ((2, 2), 8), ((3, 4), 4), ((4, 3), 4), ((1, 4), 4), ((2, 1), 4)],
)
def test_only_squares_can_be_turned(shape: tuple[int, int], symmetries: int) -> None:
    network = Network("0 1 01", shape)
    assert network.symmetries == symmetries
    assert network.features == 3 * symmetries
    network.weights[0] = 1.5
    assert network.value(Board.empty(shape)) == 1.5 * 3 * symmetries


def test_the_table_of_a_pattern_is_a_view() -> None:
    network = Network("01 012", (2, 2), stages=(16,))
    network.table(1, 1).reshape(16, 16, 16)[3, 2, 1] = 7  # cell 0 first, the last cell fastest
    assert np.flatnonzero(network.weights[1] == 7).tolist() == [256 + 0x321]
    assert [network.table(number).size for number in (0, 1)] == [256, 4096]


def test_weights_are_kept_and_not_copied() -> None:
    weights = np.ones((1, 256), dtype=np.float32)
    network = Network("01", (1, 2), weights=weights)
    assert network.weights is weights
    assert network.value(Board.parse("1x2:12")) == 4
    weights[0, 0x12] = 2
    assert network.value(Board.parse("1x2:12")) == 6


# Stages


def test_stages_split_at_sums_of_different_tiles() -> None:
    network = Network("0", (4, 4), stages=(16384, 32768, 49152))
    for stage in range(4):
        network.weights[stage] = stage
    for text, stage in (
        ("0000/0000/0000/0000", 0),
        ("d000/0000/0000/0000", 0),
        ("dd00/0000/0000/0000", 0),  # two 8192s are no 16384
        ("dcba/9876/5432/1000", 0),  # 16382
        ("e000/0000/0000/0000", 1),
        ("ee00/dcba/0000/0000", 1),
        ("f000/0000/0000/0000", 2),
        ("fff0/d000/0000/0000", 2),
        ("0000/0fe0/0000/0000", 3),
    ):
        assert network.value(Board.parse(text)) == 8 * stage


@pytest.mark.parametrize("stages", [(), (2,), (2, 4, 65534), (512, 1024), tuple(range(2, 32, 2))])
def test_valid_stages(stages: tuple[int, ...]) -> None:
    assert check_stages(stages) == check_stages(list(stages)) == stages


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
def test_the_values_of_patterns_add_up(shape: tuple[int, int], stages: tuple[int, ...]) -> None:
    network = random_network("012 13 0123 1", shape, stages)
    for cells in played_boards(50, *shape, seed=2).tolist():
        board = Board(cells, shape)
        parts = pattern_values(network, board)
        assert list(parts) == ["012", "13", "0123", "1"]
        size = sum(map(abs, parts.values()))
        assert abs(sum(parts.values()) - network.value(board)) <= 1e-6 * size


# The evaluator


def test_the_evaluator_of_a_network() -> None:
    network = random_network("0124 568")
    evaluator = network_evaluator(network, name="mine")
    assert (evaluator.name, evaluator.summary) == ("mine", "n-tuple network 0124 568")
    assert (evaluator.unit, evaluator.at, evaluator.adds_reward) == ("points", "afterstate", True)
    assert evaluator.supports(4, 4)
    assert evaluator.unsupported(3, 4) == "expected boards of 4x4"
    for cells in played_boards(20, 4, 4, seed=3).tolist():
        board = Board(cells)
        assert evaluator.value(board) == evaluator.value(board, 999) == network.value(board)
        assert evaluator.terms(board) == pattern_values(network, board)
        if board.legal_moves():
            explained = explain(evaluator, board)
            assert explained.add_up
            assert explained.names == ("0124", "568")


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


@pytest.mark.parametrize(("pattern", "stage"), [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_missing_tables(pattern: int, stage: int) -> None:
    with pytest.raises(LimitExceeded, match=r"expected the number of a (pattern|stage) from 0"):
        Network("01", (2, 2)).table(pattern, stage)


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


SHAPES = [(rows, cols) for rows in range(1, 5) for cols in range(1, 5) if rows * cols > 1]


@pytest.mark.parametrize("name", NAMED)
def test_names_say_how_many_patterns_of_how_many_cells(name: str) -> None:
    count, cells = map(int, name.split("x"))
    patterns = parse_patterns(name)
    assert [len(pattern.cells) for pattern in patterns] == [cells] * count
    assert format_patterns(patterns) == name
    assert parse_patterns(NAMED[name]) == patterns
    assert " ".join(map(str, patterns)) == NAMED[name]


def test_the_names_are_those_of_the_programs() -> None:
    """As TDL2048+ has them, cell 0 at the top left."""
    assert NAMED["4x6"] == "012345 456789 012456 45689a"
    assert NAMED["5x6"] == "012345 456789 89abcd 012456 45689a"
    assert NAMED["8x6"] == "012456 456789 012345 234569 01259a 345678 134567 01489a"
    assert NAMED["7x6"] == NAMED["8x6"].rsplit(" ", 1)[0]
    assert NAMED["6x6"] == NAMED["7x6"].rsplit(" ", 1)[0]
    assert NAMED["3x7"] == f"{NAMED['2x7']} 89abcde"
    assert NAMED["2x8"] == f"{NAMED['1x8']} 456789ab"
    assert NAMED["3x8"] == f"{NAMED['2x8']} 0123458c"
    assert NAMED["4x8"] == f"{NAMED['2x8']} 01245689 0123458c"


@pytest.mark.parametrize("text", ["5201 4567", "0125,4567", " 0125\n4567 ", "0125, 7654"])
def test_cells_and_separators_may_come_in_any_order(text: str) -> None:
    assert parse_patterns(text) == (Pattern((0, 1, 2, 5)), Pattern((4, 5, 6, 7)))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_mask_covers_the_cells_of_its_shape(shape: tuple[int, int]) -> None:
    rows, cols = shape
    for row in range(rows):
        for col in range(cols):
            pattern = Pattern((row * cols + col,))
            assert pattern.mask(cols) == 0xF << 4 * (15 - 4 * row - col)
    every = Pattern(tuple(range(rows * cols)))
    assert every.mask(cols).bit_count() == 4 * rows * cols
    assert Pattern((0, 1)).size == 256


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


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([(0, 16)], r"expected cells below 16 in a pattern for 4x4, got 0\(16\)"),
        ([(-1, 3)], r"expected cells below 16 in a pattern for 4x4, got \(-1\)3"),
        ([(3, 3)], "expected different cells in a pattern, got 33"),
        ([(3, 2), (2, 3)], "expected different patterns, got 23 twice"),
    ],
)
def test_lists_of_cells_that_are_refused(patterns: Any, message: str) -> None:
    with pytest.raises(InvalidNetwork, match=message):
        check_patterns(patterns, (4, 4))


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
