"""Solutions that many tests look at."""

import pytest

from twofold.tables.exact import ExactTable, solve
from twofold.tables.problem import Problem


@pytest.fixture(scope="session")
def two_by_two() -> ExactTable:
    return solve(Problem.parse("2x2"))


@pytest.fixture(scope="session")
def two_by_three() -> ExactTable:
    return solve(Problem.parse("2x3"))
