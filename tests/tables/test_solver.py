"""Solutions equal those of naive recursion and known results, for any number of threads."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tests.tables.naive_games import Naive
from twofold.tables import solver
from twofold.tables.exact import ExactTable, solve
from twofold.tables.parts import LayerProgress
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore

PROBLEMS = [
    ("2x2", "score"),
    ("2x2 goal=8", "goal"),
    ("2x2 goal=32", "goal"),
    ("2x2 start=4 spawn=2:3,8:1", "score"),
    ("2x2 goal=4", "goal"),  # won before the first move, now and then
    ("1x2", "score"),
    ("1x4 spawn=4:1", "score"),
    ("4x1 spawn=2:1,4:1,64:1 start=1 goal=64 stop=goal", "score"),
    ("3x2 goal=16 stop=goal spawn=2:1,4:1,8:2 start=1", "score"),
    ("3x3 goal=8", "goal"),
]


def differences(problem: Problem, table: ExactTable) -> float:
    """The largest difference to naive recursion, relative to the largest value."""
    naive = Naive(problem)
    start = naive.start_value
    assert table.start_value == pytest.approx(start, rel=1e-12)
    boards = list(naive.values)
    assert len(boards) == len(table)
    found = table.values([board.to_bits() for board in boards])
    expected = np.array(list(naive.values.values()))
    assert not np.isnan(found).any()
    assert not table.values([board.to_bits() for board in naive.dead]).any()
    return float(np.max(np.abs(found - expected)) / np.max(expected))


@pytest.mark.promise("R50")
@pytest.mark.parametrize(("rules", "objective"), PROBLEMS)
def test_values_equal_recursion(rules: str, objective: str) -> None:
    problem = Problem.parse(rules, objective)
    assert differences(problem, solve(problem)) < 1e-12


@pytest.mark.promise("R50")
def test_2x3_by_recursion(two_by_three: ExactTable, figure: Callable[[str], None]) -> None:
    """All of 2x3: 17,268 states."""
    largest = differences(two_by_three.problem, two_by_three)
    assert largest < 1e-12
    assert len(two_by_three) == 17_268
    assert two_by_three.start_value == pytest.approx(480.258271775958, abs=1e-9)
    goal = solve(Problem.parse("2x3 goal=64", "goal"))
    assert len(goal) == 6_202
    assert goal.start_value == pytest.approx(0.939263692430809, abs=1e-12)
    figure(f"{len(two_by_three):,} states of 2x3, largest relative difference {largest:.1g}")


def test_known_values_of_2x2(two_by_two: ExactTable) -> None:
    """Computed by an independent program before this one was written."""
    assert two_by_two.start_value == pytest.approx(66.9641494571, abs=1e-10)
    chances = {16: 0.962511253750, 32: 0.082887289072}
    for goal, chance in chances.items():
        table = solve(Problem.parse(f"2x2 goal={goal}", "goal"))
        assert table.start_value == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        ("2x2 goal=8", 15),
        ("2x2 goal=16", 35),
        ("2x2 goal=32", 57),
        ("3x3 goal=8", 1_186),
        ("3x3 goal=16", 16_834),
        ("3x3 goal=32", 124_372),
        pytest.param("3x3 goal=64", 594_046, marks=pytest.mark.long),
        pytest.param("3x3 goal=128", 2_064_918, marks=pytest.mark.long),
        pytest.param("3x3 goal=256", 5_643_584, marks=pytest.mark.long),
        pytest.param("3x3 goal=512", 12_789_511, marks=pytest.mark.long),
        pytest.param("3x3 goal=1024", 25_179_012, marks=pytest.mark.long),
        pytest.param("4x4 goal=16", 23_482_821, marks=pytest.mark.long),
    ],
)
def test_numbers_of_states_as_published(rules: str, count: int) -> None:
    """Lees-Miller 2018: canonical states that are neither won nor lost."""
    assert len(solve(Problem.parse(rules, "goal"), threads=2)) == count


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.tables.solver._FEW", 100)
    problem = Problem.parse("3x3 goal=16", "goal")
    one, many = solve(problem), solve(problem, threads=3)
    assert np.array_equal(one.layers.index, many.layers.index)
    assert np.array_equal(one.layers.keys, many.layers.keys)
    assert np.array_equal(one.layers.values, many.layers.values)


def test_sets_that_are_too_small_grow(
    monkeypatch: pytest.MonkeyPatch, two_by_three: ExactTable
) -> None:
    monkeypatch.setattr("twofold.tables.solver._FEWEST_PLACES", 2)
    monkeypatch.setattr("twofold.tables.solver._GROWTH", 0.0)
    table = solve(two_by_three.problem)
    assert np.array_equal(table.layers.keys, two_by_three.layers.keys)
    assert np.array_equal(table.layers.values, two_by_three.layers.values)


def test_progress_is_told_by_layer_and_work_can_be_stopped() -> None:
    told: list[LayerProgress] = []
    problem = Problem.parse("2x2")
    store = LayerStore(problem)
    assert Solver(problem, store, on_progress=told.append).run()
    assert {now.phase for now in told} == {"listing", "solving"}
    assert told[-1].states == told[-1].total == 74
    assert [now.layer for now in told if now.phase == "listing"] == sorted(
        now.layer for now in told if now.phase == "listing"
    )
    calls = iter([False] * 5 + [True])
    assert not Solver(problem, LayerStore(problem), stop=lambda: next(calls)).run()


@pytest.mark.promise("R20")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_large_layer_is_stopped_in_its_middle(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two parts of a layer: what it has found is dropped, and found again."""
    monkeypatch.setattr(solver, "_AT_ONCE", 64)
    problem = Problem.parse("2x3 goal=32", "goal")
    store, whole = LayerStore(problem), solve(problem)
    stops = 0
    for asked in itertools.count(20, 50):
        calls = itertools.count()
        if Solver(problem, store, threads=threads, stop=lambda: next(calls) >= asked).run():  # noqa: B023
            break
        stops += 1
    assert stops > 3
    assert np.array_equal(store.table().keys, whole.layers.keys)
    assert np.array_equal(store.table().values, whole.layers.values)
