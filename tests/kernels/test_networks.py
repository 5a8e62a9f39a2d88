"""Networks on bits equal naive ones: values, the policy of one ply, the lowest layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

import numpy as np
import pytest

from tests.kernels.drivers import SMALL, boards_of, layer_values, played_boards
from tests.learn.naive import NaiveNetwork, as_bits, slides, table_of, twin_of
from tests.values.plain import downgraded
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels.expectimax import LOWEST
from twofold.kernels.play import ask
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values.network import Network, network_evaluator

Cells = tuple[int, ...]
Shape = tuple[int, int]

STAGES = (64, 512, 4096 + 2048)


@dataclass
class Both:
    """A network and its naive twin: random weights, those of later stages partly set."""

    network: Network
    twin: NaiveNetwork

    @classmethod
    def make(cls, patterns: str, shape: Shape, stages: tuple[int, ...] = ()) -> "Both":
        network = Network(patterns, shape, stages=stages)
        rng = np.random.default_rng([*shape, len(stages)])
        network.weights[0] = 10 + 10 * rng.standard_normal(network.stage_size, np.float32)
        return cls(network, twin_of(network))

    def promote(self, boards: Sequence[Cells]) -> None:
        """Change a third of the weights that the boards use in their stages."""
        rng = np.random.default_rng(9)
        for cells in boards:
            stage = self.twin.stage(cells)
            for pattern, seen in self.twin.features(cells):
                if stage and rng.random() < 1 / 3:
                    weight = np.float32(rng.normal(10, 10))
                    self.twin.weights[stage][pattern, seen] = float(weight)
                    table_of(self.network, pattern, stage)[seen] = weight

    def size(self, cells: Cells) -> float:
        """The sum of the absolute weights, to which rounding is relative."""
        stage = self.twin.stage(cells)
        return sum(abs(self.twin.weight(stage, each)) for each in self.twin.features(cells))


def some_boards(shape: Shape, count: int) -> list[Cells]:
    """Boards of games, and boards of any tiles up to 32768."""
    rng = np.random.default_rng([*shape])
    cells = rng.integers(0, 16, (count, shape[0] * shape[1]))
    cells *= rng.random(cells.shape) < rng.uniform(0.3, 1.3, (count, 1))
    played = played_boards(count, *shape, seed=4)
    return [tuple(board.tolist()) for board in (*cells, *played)]


def patterns_for(shape: Shape) -> str:
    """A few patterns of 1 to 5 cells, one of them the last cells."""
    cells = shape[0] * shape[1]
    last = "0123456789abcdef"[max(cells - 4, 0) : cells]
    return {2: "01 0", 3: "012 1", 4: "0123 02 3"}.get(cells, f"01234 03 {last}")


# Values


@pytest.mark.parametrize("stages", [(), STAGES])
@pytest.mark.parametrize("shape", SMALL)
def test_values_equal_the_naive_ones(shape: Shape, stages: tuple[int, ...]) -> None:
    both = Both.make(patterns_for(shape), shape, stages)
    boards = some_boards(shape, 60)
    both.promote(boards[::2])
    evaluator = network_evaluator(both.network)
    for cells in boards:
        board = Board(cells, shape)
        value, expected = both.network.value(board), both.twin.value(cells)
        assert abs(value - expected) <= 1e-6 * both.size(cells)
        assert evaluator.value(board) == value


# The policy of one ply


def one_ply(both: Both, downgrade: int = 0) -> Expectimax:
    rules = Rules(*both.network.shape, start_tiles=1)
    evaluator = network_evaluator(both.network)
    return Expectimax(evaluator, rules, Depth.fixed(1), table_mb=0, downgrade=downgrade)


def policy_move(search: Expectimax, cells: Cells, shape: Shape) -> Move:
    legal = sum(1 << move for move in reference.legal_moves(cells, *shape))
    bits, policy = np.uint64(Board(cells, shape).to_bits()), np.uint64(search.policy)
    return Move(ask(policy, bits, legal, 0, np.uint64(0), search.context.words))


def totals(twin: NaiveNetwork, cells: Cells) -> dict[int, float]:
    """Reward plus value of the legal moves."""
    rules = Rules(*twin.shape, start_tiles=1)
    found = [reward + twin.value(as_bits(after)) for after, reward in slides(cells, rules)]
    return dict(zip(reference.legal_moves(cells, *twin.shape), found, strict=True))


def check_choice(
    both: Both, search: Expectimax, cells: Cells, looked_at: Cells | None = None
) -> None:
    """The policy makes the best move, or one that rounding cannot tell from it."""
    values = totals(both.twin, looked_at or cells)
    if values:
        move = policy_move(search, cells, both.network.shape)
        best = max(values.values())
        assert best - values[move] <= 2e-6 * max(both.size(cells), best, 1.0)


@pytest.mark.parametrize("stages", [(), STAGES])
@pytest.mark.parametrize("shape", SMALL)
def test_the_policy_makes_the_best_move(shape: Shape, stages: tuple[int, ...]) -> None:
    both, rules = Both.make(patterns_for(shape), shape, stages), Rules(*shape)
    boards = some_boards(shape, 30)
    both.promote([as_bits(after) for cells in boards[::2] for after, _ in slides(cells, rules)])
    search = one_ply(both)
    for cells in boards:
        check_choice(both, search, cells)
        analysed = search.values(np.uint64(Board(cells, shape).to_bits()), 0, list(Move), 1)
        for move, total in totals(both.twin, cells).items():
            value = analysed[Move(move)].value
            assert value is not None
            assert isclose(value, total, rel_tol=1e-5, abs_tol=1e-2)


def test_of_equal_moves_the_first_is_made() -> None:
    both = Both.make("2x4", (4, 4))
    both.network.weights[:] = 0
    search = one_ply(both)
    for text, move in (
        ("0000/0110/0110/0000", Move.UP),  # each merges two pairs
        ("0000/0100/0010/0000", Move.UP),  # none merges
        ("1111/0000/0000/0000", Move.RIGHT),
        ("1000/1000/0000/0000", Move.UP),
        ("0000/1000/0000/1000", Move.UP),
        ("1200/0000/0000/0000", Move.RIGHT),
    ):
        assert policy_move(search, Board.parse(text).exponents, (4, 4)) == move
    both.network.weights[:] = np.random.default_rng(2).normal(1, 1, both.network.weights.shape)
    for text in ("0000/0110/0110/0000", "2002/0110/0110/2002", "3003/0000/0000/3003"):
        found = policy_move(search, Board.parse(text).exponents, (4, 4))
        assert found == Move.UP  # all four afterstates are the same, turned


@pytest.mark.parametrize("threshold", [512, 4096, 32768, 49152])
def test_large_tiles_are_downgraded_before_they_are_looked_at(threshold: int) -> None:
    both = Both.make("0125 3469", (4, 4))
    search = one_ply(both, threshold)
    plain = one_ply(both)
    changed = 0
    for cells in map(tuple, boards_of(4, 4, 1_000).tolist()):
        lower = downgraded(cells, threshold)
        check_choice(both, search, cells, lower)
        if reference.legal_moves(cells, 4, 4):
            other = policy_move(plain, cells, (4, 4))
            changed += lower != cells and policy_move(search, cells, (4, 4)) != other
    assert changed > 5


# The lowest layer of a search


DISTRIBUTIONS = ["2:0.9,4:0.1", "2:1", "2:0.2,4:0.3,32768:0.5"]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("shape", SMALL)
def test_the_lowest_layer_is_a_mean_of_best_moves(shape: Shape, distribution: str) -> None:
    rules = Rules.parse(f"{shape[0]}x{shape[1]} spawn={distribution} start=1")
    both = Both.make(patterns_for(shape), shape, STAGES)
    afters = [cells for cells in some_boards(shape, 15) if 0 in cells]
    both.promote(afters)
    search = Expectimax(network_evaluator(both.network), rules, Depth.fixed(1), table_mb=0)
    bits = np.array([Board(cells, shape).to_bits() for cells in afters], dtype=np.uint64)
    parts = [slice(0, len(rules.spawn))]
    if shape == (3, 4):  # threads share the tiles
        parts += [slice(tile, tile + 1) for tile in range(len(rules.spawn))]
    for part in parts:
        words = search.context.words
        values, nodes = layer_values(words[LOWEST], bits, part.start, part.stop, words)
        for cells, value, count in zip(afters, values, nodes, strict=True):
            expected, leaves = mean_of(both.twin, cells, rules, part)
            assert isclose(value, expected, rel_tol=2e-6, abs_tol=1e-3)
            assert count == leaves


def mean_of(twin: NaiveNetwork, after: Cells, rules: Rules, part: slice) -> tuple[float, int]:
    """The mean over cells and tiles of the best total, 0 on a dead board; and the afterstates."""
    spawns = list(zip(rules.spawn_exponents, rules.spawn_probabilities, strict=True))[part]
    empty, total, leaves = reference.empty_cells(after), 0.0, 0
    for cell in empty:
        for exponent, probability in spawns:
            found = totals(twin, (*after[:cell], exponent, *after[cell + 1 :]))
            total += probability * max(found.values(), default=0.0)
            leaves += len(found)
    return total / len(empty), leaves
