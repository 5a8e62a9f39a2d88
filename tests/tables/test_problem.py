"""Problems: their properties, the rules they refuse, and estimates close to known counts."""

from collections import defaultdict

import pytest

from twofold.errors import InvalidInput, ResourceError, UnsupportedRules
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.tables.problem import ExactObjective, Problem, canonical_bits
from twofold.tables.solver import Estimate, count_states, estimate


@pytest.mark.parametrize(
    ("rules", "objective", "text", "unit"),
    [
        ("2x2", "score", "2x2, expected score", "points"),
        ("3x3 goal=64 stop=goal", "score", "3x3, expected score to 64", "points"),
        ("3x3 goal=512", "goal", "3x3, chance of 512", "chance of 512"),
        ("2x4 spawn=2:1,4:1", "score", "2x4, 2: 50% 4: 50%, expected score", "points"),
    ],
)
def test_a_problem_in_words(rules: str, objective: str, text: str, unit: str) -> None:
    problem = Problem.parse(rules, objective)
    assert str(problem) == text
    assert problem.unit == unit


def test_the_goal_counts_only_where_play_stops_at_it() -> None:
    assert Problem.parse("2x2 goal=16") == Problem.parse("2x2 goal=32")
    assert Problem.parse("2x2 goal=16 stop=goal") != Problem.parse("2x2 goal=32 stop=goal")
    goal = Problem.parse("2x2 goal=16", "goal")
    assert goal.rules.stop_at_goal
    assert goal == Problem.parse("2x2 goal=16 stop=goal", "goal")
    assert goal.objective is ExactObjective.GOAL


def layer_of(problem: Problem, bits: int) -> int:
    """The sum of the tiles of a board, in units."""
    return sum(map(sum, Board.from_bits(bits).tiles)) >> problem.unit_exponent


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("5x5", "expected at most 4 rows and columns to solve, got rules 5x5"),
        ("1x5", "expected at most 4 rows and columns to solve"),
        ("4x4", "4x4 is too large to solve: more than .* such as 3x3, or a small goal such as 32"),
        ("2x2 spawn=16384:1", "expected rules without tiles past 32768"),
        ("2x2 spawn=2:1,65536:1", "expected rules without tiles past 32768"),
        ("2x2 spawn=2:1,4096:1", "expected spawn tiles within a factor of 1024 to solve"),
        ("4x4 goal=65536 stop=goal", "4x4 is too large to solve"),
        ("2x4 start=8 spawn=" + ",".join(f"{2**tile}:1" for tile in range(1, 9)),
         "expected at most 1,000,000 ways to place the start tiles to solve, got 16,777,216 with"),
        ("4x4 start=8 goal=8 stop=goal", "ways to place the start tiles to solve, got 3,294,720"),
    ],
)  # fmt: skip
@pytest.mark.promise("R20")
def test_unsupported_rules_are_refused(rules: str, message: str) -> None:
    with pytest.raises(UnsupportedRules, match=message):
        Problem(Rules.parse(rules))


def test_an_unreachable_goal_is_refused() -> None:
    with pytest.raises(UnsupportedRules, match="expected a goal up to 32, the largest tile of 2x2, "
                       "got 64"):  # fmt: skip
        Problem.parse("2x2 goal=64", "goal")
    assert Problem.parse("2x2 goal=64 stop=goal").max_exponent == 5


@pytest.mark.parametrize(
    "rules",
    ["2x2 start=4 spawn=2:3,8:1", "2x3 start=3", "3x3 start=2 spawn=2:1,4:1,16:2", "1x4 start=1",
     "4x4 start=3 goal=8 stop=goal"],
)  # fmt: skip
def test_start_boards_are_those_of_one_spawn_after_the_other(rules: str) -> None:
    problem = Problem.parse(rules)
    naive = {Board.empty(problem.rules.shape): 1.0}
    for _ in range(problem.rules.start_tiles):
        after: dict[Board, float] = defaultdict(float)
        for board, chance in naive.items():
            for spawn in board.spawns(problem.rules):
                after[board.place(spawn.cell, spawn.tile)] += chance * spawn.probability
        naive = after
    expected: dict[int, float] = defaultdict(float)
    for board, chance in naive.items():
        expected[canonical_bits(board)] += chance
    assert problem.start_boards == pytest.approx(expected)
    starts = problem.starts
    for bits, layer, stopped in zip(starts.boards, starts.layers, starts.stopped, strict=True):
        assert layer == layer_of(problem, int(bits))
        assert stopped == problem.is_stopped(int(bits))
    assert problem.start_count >= len(expected)


@pytest.mark.parametrize("objective", ["fun", "", None, 3, ["score"]])
def test_an_unknown_objective_is_refused(objective: object) -> None:
    with pytest.raises(InvalidInput, match="expected the objective score or goal, got"):
        Problem(Rules(2, 2), objective)  # type: ignore[arg-type]
    assert Problem.parse("2x2 goal=8", "goal").objective is ExactObjective.GOAL


# Estimates

KNOWN = [
    ("2x2", "score", 74),
    ("2x2 goal=32", "goal", 57),
    ("2x3", "score", 17_268),
    ("2x4", "score", 4_088_119),
    ("3x3 goal=16", "goal", 16_834),
    ("3x3 goal=128", "goal", 2_064_918),
    ("3x3", "score", 41_325_017),
    ("4x4 goal=16", "goal", 23_482_821),
    ("4x4 goal=32", "goal", 1_566_798_892),
    ("4x4 goal=64", "goal", 40_652_843_433),
    ("3x4", "score", 1_152_817_492_752),
]


@pytest.mark.parametrize(("rules", "objective", "states"), KNOWN)
def test_estimates_are_near_the_truth(rules: str, objective: str, states: int) -> None:
    found, peak = count_states(Problem.parse(rules, objective), samples=30_000)
    assert states / 1.8 < found < 1.8 * states
    assert 1 <= peak <= found


def test_an_estimate_in_words() -> None:
    text = str(estimate(Problem.parse("3x3"), threads=2))
    assert "000,000 states, " in text
    assert "MB on disk (twice that while solving), " in text
    assert "on disk" not in str(estimate(Problem.parse("2x3"), in_memory=True))
    assert str(Estimate(1, 12, 10**9, 0.1)).startswith("about 1 state, 12 bytes on disk ")
    minutes = Estimate(10**9, 12 * 10**9, 10**9, 1_500.0)
    assert str(minutes).endswith("1.0 GB of memory, 25 minutes") or "25 minutes" in str(minutes)
    assert "3 hours" in str(Estimate(10**9, 12 * 10**9, 10**9, 10_000.0))


@pytest.mark.parametrize(
    ("states", "disk", "memory", "free", "message"),
    [
        (10**12, 10**13, 0, 10**15, "about 1,000,000,000,000 states, where at most 100,000,000,0"),
        (
            10**6,
            10**9,
            10**18,
            10**15,
            "of the free memory for a solution.*Choose a smaller board or goal",
        ),
        (10**6, 10**9, 10, 10**9, "solving about 1,000,000 states needs 2.0 GB of free disk"),
    ],
)
def test_resource_limits(states: int, disk: int, memory: int, free: int, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        Estimate(states, disk, memory, 1.0).check(free)
    Estimate(10**6, 10**9, 10, 1.0).check(None)
