"""Solutions that many tests look at."""

import pytest

from twofold.exact import ExactTable, Problem, solve


@pytest.fixture(scope="session")
def two_by_two() -> ExactTable:
    return solve(Problem.parse("2x2"))


@pytest.fixture(scope="session")
def two_by_three() -> ExactTable:
    return solve(Problem.parse("2x3"))
