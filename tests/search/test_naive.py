"""Expectimax in kernels equals a naive one on the reference, for all boards and rules."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.kernels.drivers import SMALL
from tests.support.twins import Twin, leaf_of, positions, same, small_positions, values_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax
from twofold.values import EVALUATORS, Evaluator

MOST_EMPTY = {1: 16, 2: 6, 3: 1}  # by plies: what the slow one can take
BOARDS = {1: 100, 2: 24, 3: 6}
ALL = 500

DISTRIBUTIONS = [
    "spawn=2:1",
    "spawn=2:0.5,4:0.5",
    "spawn=4:0.999,32768:0.001",
    "spawn=2:0.2,8:0.3,32:0.5",
    "spawn=2:1,4:2,8:3,16:4,32:5,64:6,128:7,256:8",
]


def twin_of(evaluator: Evaluator, rules: Rules, cut: float = 0.0) -> Twin:
    return Twin(
        rules,
        leaf_of(evaluator, rules.shape),
        evaluator.at == "state",
        evaluator.adds_reward,
        evaluator.dead_value,
        cut,
        None
        if evaluator.stakes_for is None
        else evaluator.stakes_for(*rules.shape).reshape(-1, 2).tolist(),
    )


@pytest.mark.parametrize("count", [None, pytest.param(ALL, marks=pytest.mark.long)])
@pytest.mark.parametrize("ply", BOARDS)
@pytest.mark.parametrize("name", EVALUATORS)
def test_values_equal_the_slow_ones(name: str, ply: int, count: int | None) -> None:
    evaluator, rules = EVALUATORS[name], Rules()
    search, twin = Expectimax(evaluator, rules, Depth.fixed(ply)), twin_of(evaluator, rules)
    for board, score in positions(count or BOARDS[ply], MOST_EMPTY[ply], seed=count or 2048):
        found = values_of(search, board, score)
        assert same(found, twin.expectimax(board.exponents, score, ply)), board


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("name", ["rows", "snake", "clustering", "it3105-snake"])
def test_other_spawn_distributions(name: str, distribution: str) -> None:
    evaluator, rules = EVALUATORS[name], Rules.parse(distribution)
    search, twin = Expectimax(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
    for board, score in positions(6, 4, seed=6):
        found = values_of(search, board, score)
        assert same(found, twin.expectimax(board.exponents, score, 2)), board


@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("name", EVALUATORS)
def test_other_shapes(name: str, shape: tuple[int, int]) -> None:
    evaluator = EVALUATORS[name]
    if not evaluator.supports(*shape):
        assert evaluator.unsupported(*shape) == f"expected {evaluator.shapes}"
        return
    for distribution in (
        ["spawn=2:0.9,4:0.1", *DISTRIBUTIONS[:1]]
        if evaluator.line_tables_for
        else DISTRIBUTIONS[2:3]
    ):
        rules = replace(Rules.parse(distribution), rows=shape[0], cols=shape[1], start_tiles=1)
        search, twin = Expectimax(evaluator, rules, Depth.fixed(3)), twin_of(evaluator, rules)
        for board in small_positions(shape, 3):
            for ply in (1, 2, 3) if shape[0] * shape[1] < 7 else (1, 2):
                found = values_of(search, board, 500, ply)
                assert same(found, twin.expectimax(board.exponents, 500, ply)), board


@pytest.mark.parametrize("at", ["afterstate", "state"])
@pytest.mark.parametrize("adds_reward", [True, False])
def test_rewards_and_dead_boards_count_as_the_evaluator_says(at: Any, adds_reward: bool) -> None:
    differ = 0
    for shape, count in (((2, 2), 20), ((2, 3), 10), ((4, 4), 4)):
        rules, values = Rules(*shape), []
        for dead_value in (0.0, -12345.5):
            evaluator = replace(
                EVALUATORS["rows"], adds_reward=adds_reward, dead_value=dead_value, at=at
            )
            search, twin = Expectimax(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
            boards = small_positions(shape, count, largest=4)
            values.append([values_of(search, board) for board in boards])
            expected = [twin.expectimax(board.exponents, 0, 2) for board in boards]
            assert all(map(same, values[-1], expected))
        differ += sum(one != other for one, other in zip(*values, strict=True))
    assert differ > 5  # dead boards were met


@pytest.mark.parametrize("dead_value", [-np.inf, np.inf])
def test_a_dead_board_may_be_worth_no_finite_number(dead_value: float) -> None:
    evaluator, rules = replace(EVALUATORS["rows"], dead_value=dead_value), Rules(2, 2)
    search, twin = Expectimax(evaluator, rules, Depth.fixed(2)), twin_of(evaluator, rules)
    finite = 0
    for board in small_positions((2, 2), 20, largest=3):
        found = values_of(search, board, 0, 2)
        assert same(found, twin.expectimax(board.exponents, 0, 2)), board
        finite += sum(np.isfinite(list(found.values())))
    assert finite > 5


def full_of_large_tiles(count: int) -> list[Board]:
    """Boards on which tiles of 32768 meet, next to small ones."""
    rng, found = np.random.default_rng(15), list[Board]()
    while len(found) < count:
        cells = rng.choice([0, 1, 2, 14, 15, 15], 16)
        board = Board(cells.tolist())
        if not board.is_over and len(board.empty_cells) < 4:
            found.append(board)
    return found


@pytest.mark.parametrize("name", EVALUATORS)
def test_two_tiles_of_32768_merge_into_one(name: str) -> None:
    """At the limit of 64 bits; rewards are those of the tiles that a merge should make."""
    evaluator, rules = replace(EVALUATORS[name], adds_reward=True), Rules()
    merges = 0
    for one in (EVALUATORS[name], evaluator):
        search, twin = Expectimax(one, rules, Depth.fixed(2)), twin_of(one, rules)
        for board in full_of_large_tiles(20):
            found = values_of(search, board, 10**6)
            assert same(found, twin.expectimax(board.exponents, 10**6, 2)), board
            merges += any(board.slide(move).reward >= 65536 for move in found)
    assert merges > 20


# With a cut: a position whose spawns are together less probable is valued at once.


@pytest.mark.parametrize("cut", [0.3, 0.05, 0.013])
@pytest.mark.parametrize("name", ["rows", "snake", "clustering", "it3105-gradient"])
def test_a_cut_skips_improbable_positions(name: str, cut: float) -> None:
    ply, differ = 4, 0
    for distribution in ("spawn=2:0.9,4:0.1", "spawn=2:0.2,8:0.3,32:0.5", "spawn=4:1"):
        evaluator, rules = EVALUATORS[name], Rules.parse(distribution)
        search = Expectimax(evaluator, rules, Depth.fixed(ply), cut=cut, table_mb=0)
        exact = Expectimax(evaluator, rules, Depth.fixed(ply), table_mb=0)
        twin = twin_of(evaluator, rules, cut)
        for board, score in positions(2, 1, seed=44):
            found = values_of(search, board, score)
            assert same(found, twin.expectimax(board.exponents, score, ply)), board
            differ += found != values_of(exact, board, score)
            assert search.nodes <= exact.nodes
    assert differ > 2


@pytest.mark.parametrize("shape", [(1, 4), (2, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("at", ["afterstate", "state"])
def test_a_cut_on_other_shapes_with_rewards(shape: tuple[int, int], at: Any) -> None:
    evaluator = replace(EVALUATORS["rows"], adds_reward=True, at=at, dead_value=-1e5)
    rules, cut = Rules(*shape, start_tiles=1), 0.02
    search = Expectimax(evaluator, rules, Depth.fixed(3), cut=cut, table_mb=0)
    twin = twin_of(evaluator, rules, cut)
    for board in small_positions(shape, 8, largest=5):
        for ply in (1, 2, 3):
            found = values_of(search, board, 0, ply)
            assert same(found, twin.expectimax(board.exponents, 0, ply)), board
