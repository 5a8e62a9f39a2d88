"""Estimates are close to known counts, and problems beyond the resources are refused."""

import pytest

from twofold.errors import ResourceError
from twofold.tables.problem import Problem
from twofold.tables.solver import Estimate, count_states, estimate

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
