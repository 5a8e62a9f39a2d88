"""Solutions that many tests look at."""

import pytest

from twofold.exact import Problem, Table, solve


@pytest.fixture(scope="session")
def two_by_two() -> Table:
    return solve(Problem.parse("2x2"))


@pytest.fixture(scope="session")
def two_by_three() -> Table:
    return solve(Problem.parse("2x3"))
