"""Every search equals a naive one on the reference: one table of searches, rules and evaluators."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from typing import Any, Final

import numpy as np
import pytest

from tests.kernels.drivers import SMALL, boards_of
from tests.learn.naive import Feature, NaiveNetwork, table_of
from tests.support.twins import (
    Leaf,
    Twin,
    first_best,
    leaf_of,
    policy_move,
    positions,
    small_positions,
    values_of,
)
from tests.values.plain import downgraded
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.limits import BITS_MAX_EXPONENT, MAX_EXPONENT
from twofold.search.alphabeta import AlphaBeta
from twofold.search.base import Search
from twofold.search.depth import Depth
from twofold.search.expectimax import SPLIT_PLY, Expectimax, ExpectimaxCells
from twofold.values import EVALUATORS, Evaluator
from twofold.values.network import Network, network_evaluator

SPAWNS: Final = [
    "spawn=2:1",
    "spawn=2:0.5,4:0.5",
    "spawn=4:0.999,32768:0.001",
    "spawn=2:0.2,8:0.3,32:0.5",
    "spawn=2:1,4:2,8:3,16:4,32:5,64:6,128:7,256:8",
]
LARGE: Final = ["5x5", "3x6", "6x3", "1x8", "8x1"]
LARGE_SPAWNS: Final = ["spawn=2:1", "spawn=2:0.2,8:0.3,32:0.5", "spawn=4:1,65536:2,32:3,64:4"]
ON_CELLS: Final = [name for name, one in EVALUATORS.items() if one.supports_cells(8, 8)]
SPLIT: Final = (1, SPLIT_PLY, SPLIT_PLY + 1)
KINDS: Final[list[Any]] = ["afterstate", "state"]


class Tables(NaiveNetwork):
    """A naive network that reads the weights of a real one: random, those of later stages sparse.

    The patterns have 1 to 5 cells; one of them has the last cells of the board.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        cells, stages = shape[0] * shape[1], (64, 512, 4096 + 2048)
        last = "0123456789abcdef"[max(cells - 4, 0) : cells]
        small = {2: "01 0", 3: "012 1", 4: "0123 02 3"}
        self.network = Network(small.get(cells, f"01234 03 {last}"), shape, stages=stages)
        rng, weights = np.random.default_rng([*shape]), self.network.weights
        weights[:] = 10 + 10 * rng.standard_normal(weights.shape, np.float32)
        weights[1:][rng.random(weights[1:].shape) < 2 / 3] = np.nan
        super().__init__([one.cells for one in self.network.patterns], shape, stages)
        numbers = range(len(self.patterns))
        self.tables = [[table_of(self.network, n, stage) for n in numbers] for stage in range(4)]

    def weight(self, stage: int, feature: Feature) -> float:
        """The weight of a stage, or that of the last stage before it that has one."""
        number, seen = feature
        weight = float(self.tables[stage][number][seen])
        return self.weight(stage - 1, feature) if np.isnan(weight) else weight


network_of = cache(Tables)


@dataclass(frozen=True)
class Case:
    """A search to compare; `few` is the most empty cells on 4x4, else the largest exponent.

    `search` is bits, cells, threads (compared with one thread), alphabeta or minimax; `changes` are
    fields of the evaluator and its weights. With `downgrade`, boards may hold any tiles.
    """

    search: str
    name: str
    rules: str = "4x4"
    plies: tuple[int, ...] = (2,)
    boards: int = 6
    few: int = 4
    cut: float = 0.0
    changes: dict[str, Any] = field(default_factory=dict)
    downgrade: int = 0

    def __str__(self) -> str:
        options = {"cut": self.cut, "downgrade": self.downgrade}
        changes = {key: value for key, value in options.items() if value} | self.changes
        names = [f"{key}={value}" for key, value in changes.items()]
        return ", ".join([f"{self.search} {self.name} {self.rules} {self.plies}", *names])

    @property
    def under(self) -> Rules:
        rules = Rules.parse(self.rules)
        return replace(rules, start_tiles=1) if rules.rows * rules.cols == 2 else rules

    @property
    def evaluator(self) -> Evaluator:
        if self.name == "network":
            return network_evaluator(network_of(self.under.shape).network)
        changes = self.changes.copy()
        weights = changes.pop("weights", {})
        return replace(EVALUATORS[self.name].reweighted(weights), **changes)

    def make(self, ply: int) -> Search:
        evaluator, rules, depth = self.evaluator, self.under, Depth.fixed(ply)
        more = {"cut": self.cut, "table_mb": 0} if self.cut else {}
        match self.search:
            case "cells":
                return ExpectimaxCells(evaluator, rules, depth, **more)  # type: ignore[arg-type]
            case "bits" | "threads":
                more |= {"threads": 1 + (self.search == "threads"), "downgrade": self.downgrade}
                return Expectimax(evaluator, rules, depth, **more)  # type: ignore[arg-type]
            case _:
                return AlphaBeta(evaluator, rules, ply, prunes=self.search == "alphabeta")

    def twin(self) -> Twin:
        evaluator, rules = self.evaluator, self.under
        shape, largest = rules.shape, MAX_EXPONENT if self.search == "cells" else BITS_MAX_EXPONENT
        leaf = plain_value(shape) if self.name == "network" else leaf_of(evaluator, shape)
        stakes = evaluator.stakes_for and evaluator.stakes_for(*shape).reshape(-1, 2).tolist()
        at_state, dead = evaluator.at == "state", evaluator.dead_value
        adds = evaluator.adds_reward
        return Twin(rules, leaf, at_state, adds, dead, self.cut, stakes, largest)

    def positions(self) -> list[tuple[Board, int]]:
        shape = self.under.shape
        if self.downgrade:
            some = [Board(cells) for cells in boards_of(4, 4, self.boards).tolist()]
            return [(board, 0) for board in some if not board.is_over]
        if shape == (4, 4):
            return positions(self.boards, self.few, seed=2048 + self.boards)
        return [(board, 500) for board in small_positions(shape, self.boards, self.few)]


@cache
def plain_value(shape: tuple[int, int]) -> Leaf:
    """The value of a naive network, whatever the score."""
    value = lru_cache(maxsize=1 << 16)(network_of(shape).value)
    return lambda cells, score: value(cells)


def cases() -> Iterator[Case]:
    """What is compared; deep searches have few boards with few empty cells."""
    for name, (ply, boards, few) in product(EVALUATORS, [(1, 12, 16), (2, 6, 6), (3, 2, 1)]):
        yield Case("bits", name, plies=(ply,), boards=boards, few=few)
    for (rows, cols), spawn in product(SMALL, ["2:0.9,4:0.1", "2:1", "2:0.2,4:0.3,32768:0.5"]):
        yield Case("bits", "network", f"{rows}x{cols} spawn={spawn}", (1, 2), boards=4, few=12)
    for threshold in (512, 4096, 32768, 49152):
        yield Case("bits", "network", plies=(1,), boards=40, downgrade=threshold)
    weights = {"lost": 0.7, "empty": -3.1, "order_power": 2.5, "sum_power": 0}
    for rows, cols in SMALL:
        changed = {"dead_value": -1e6, "weights": weights}
        rules = f"{rows}x{cols} spawn=8:0.3,32768:0.7"
        yield Case("bits", "rows", rules, boards=4, few=12, changes=changed)
    for name, spawn in product(["rows", "snake", "clustering", "it3105-snake", "network"], SPAWNS):
        yield Case("bits", name, spawn, boards=2)
    for name, (rows, cols) in product(EVALUATORS, SMALL):
        ply = 3 if rows * cols < 7 else 2
        spawns = ["spawn=2:0.9,4:0.1", SPAWNS[0]]
        for spawn in spawns if EVALUATORS[name].line_tables_for else SPAWNS[2:3]:
            if EVALUATORS[name].supports(rows, cols):
                yield Case("bits", name, f"{rows}x{cols} {spawn}", (ply,), 3, 9)
        if name in ON_CELLS:
            yield Case("cells", name, f"{rows}x{cols}", (ply,), 2, 6)
    for name, shape in product(ON_CELLS, LARGE):
        yield Case("cells", name, shape, (2,), 2, 6)
    for name, spawn in product(["rows", "snake", "clustering"], LARGE_SPAWNS):
        yield Case("cells", name, f"3x5 {spawn}", boards=4, few=5)
    # Rewards, dead boards, states.
    for at, adds, dead in product(KINDS, [True, False], [0.0, -12345.5, -np.inf, np.inf]):
        changes = {"at": at, "adds_reward": adds, "dead_value": dead}
        for rules, boards in [("2x2", 10), ("2x3", 5), ("4x4", 2)]:
            yield Case("bits", "rows", rules, boards=boards, changes=changes)
        for rules, boards in [("2x2", 10), ("2x3", 5), ("2x5", 2)] if np.isfinite(dead) else []:
            yield Case("cells", "rows", rules, boards=boards, changes=changes)
    # With a cut a position whose spawns are together less probable is valued at once.
    for name, rules, cut in [
        *product(["rows"], ["4x4", "spawn=2:0.2,8:0.3,32:0.5", "spawn=4:1"], [0.3, 0.05, 0.013]),
        *product(["snake", "clustering", "it3105-gradient"], ["4x4"], [0.05]),
    ]:
        yield Case("bits", name, rules, (4,), boards=2, few=1, cut=cut)
    for rules, at in product(["1x4", "2x2", "2x3", "3x3"], KINDS):
        changes = {"adds_reward": True, "at": at, "dead_value": -1e5}
        yield Case("bits", "rows", rules, (2, 3), 5, 5, cut=0.02, changes=changes)
    # Several threads have the values of one to the last bit.
    rewards = {"adds_reward": True, "dead_value": -1e6}
    for name in ("rows", "snake", "clustering", "it3105-snake"):
        yield Case("threads", name, plies=(SPLIT_PLY,), few=2)
    for rules, changes in product(["1x2", "1x4", "2x2", "2x3", "4x2", "3x3"], [{}, rewards]):
        yield Case("threads", "rows", rules, SPLIT, 12, 5, changes=changes)
    for rules in ("spawn=2:1", "spawn=2:0.2,8:0.3,32:0.5", "spawn=2:1,4:1e-9"):
        yield Case("threads", "rows", rules, (SPLIT_PLY,), boards=4, few=2, changes=rewards)
    for cut, at, rules in product(
        [0.3, 0.005, 1e-4], KINDS, ["spawn=2:0.9,4:0.1", "spawn=2:0.99,4:0.01"]
    ):
        yield Case("threads", "rows", rules, (SPLIT_PLY,), 4, 3, cut=cut, changes={"at": at})
    # Two players.
    for search, name in product(["alphabeta", "minimax"], EVALUATORS):
        for depth, boards in [(1, 10), (2, 5), (3, 3), (4, 2)]:
            yield Case(search, name, plies=(depth,), boards=boards, few=5)
    for search, name, adds, rules in product(
        ["alphabeta", "minimax"], ["rows", "baeldung", "clustering", "snake"], [True, False],
        ["2x2", "2x3 spawn=2:0.5,8:0.5", "1x4", "3x3 spawn=4:1", "3x4"],
    ):  # fmt: skip
        changes = {"adds_reward": adds, "dead_value": -777.0}
        yield Case(search, name, rules, (2, 3), 4, 9, changes=changes)
    for name, depth in product(["rows", "clustering"], [6, 7]):
        yield Case("alphabeta", name, "2x3", (depth,), few=9)


@pytest.mark.parametrize("case", list(cases()), ids=str)
def test_a_search_has_the_values_of_the_naive_one(case: Case) -> None:
    twin = case.twin()
    for ply in case.plies:
        search = case.make(ply)
        alone = replace(case, search="bits").make(ply) if case.search == "threads" else None
        for board, score in case.positions():
            found = values_of(search, board, score)
            if alone is not None:
                assert found == values_of(alone, board, score), board
                continue
            if isinstance(search, AlphaBeta):
                expected = twin.minimax(board.exponents, score, ply)
                assert found == expected, board
            else:
                cells = board.exponents
                cells = downgraded(cells, case.downgrade) if case.downgrade else cells
                expected = twin.expectimax(cells, score, ply)
                precision = 1e-12 if case.search == "bits" else 1e-9
                if case.name == "network":
                    precision = 1e-5
                assert found == pytest.approx(expected, rel=precision, abs=100 * precision), board
            if search.policy and not case.cut:
                assert policy_move(search, board, score) is first_best(found)
        search.close()


def test_the_naive_searches_by_hand() -> None:
    """Of `2 2 / 4 8`: left makes 4 and then 8 after each spawn; after right a 2 ends the game."""
    twin = Twin(Rules(2, 2), lambda cells, score: 0.0, adds_reward=True, dead_value=-1.0)
    found = twin.expectimax((1, 1, 2, 3), 0, 2)
    assert found == pytest.approx({Move.RIGHT: 4 - 0.9 + 0.1 * 8, Move.LEFT: 12.0})
    assert twin.minimax((1, 1, 2, 3), 0, 3) == {Move.RIGHT: 3.0, Move.LEFT: 12.0}


@pytest.mark.parametrize("name", EVALUATORS)
def test_two_tiles_of_32768_merge_into_one(name: str) -> None:
    """At the limit of 64 bits; rewards are those of the tiles that a merge should make."""
    rng, merges = np.random.default_rng(15), 0
    for adds in (False, True):
        case = Case("bits", name, changes={"adds_reward": adds} if adds else {})
        search, twin = case.make(2), case.twin()
        while merges < 10 * (1 + adds):
            board = Board(rng.choice([0, 1, 2, 14, 15, 15], 16).tolist())
            if board.is_over or len(board.empty_cells) > 3:
                continue
            found = values_of(search, board, 10**6)
            expected = twin.expectimax(board.exponents, 10**6, 2)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-6), board
            merges += any(board.slide(move).reward >= 65536 for move in found)


# Cells as on bits


@pytest.mark.parametrize(
    ("ply", "options", "changes"),
    [
        *((2, {"second_move": True}, {"at": at, "adds_reward": adds})
          for at, adds in product(KINDS, [True, False])),
        *((4, {"cut": cut, "table_mb": mb}, {}) for cut, mb in product([0.001, 0.02], [0, 4])),
    ],
)  # fmt: skip
def test_options_on_cells_mean_the_same(
    ply: int, options: dict[str, Any], changes: dict[str, Any]
) -> None:
    evaluator, depth = replace(EVALUATORS["rows"], **changes), Depth.fixed(ply)
    searches: list[Search] = [
        kind(evaluator, Rules(), depth, **options) for kind in (Expectimax, ExpectimaxCells)
    ]
    for board, score in positions(8, 5, seed=34):
        for search in searches:
            search.begin(afresh=True)
        on_bits, on_cells = (values_of(search, board, score) for search in searches)
        assert on_cells == pytest.approx(on_bits, rel=1e-9, abs=1e-6)
    assert searches[0].nodes == searches[1].nodes or options.get("table_mb", 4)
    if "second_move" in options:
        (step, *_) = searches[1].line(searches[1].position(board), score, next(iter(on_cells)), 3)
        assert step.cell is None
