"""Dense tables equal recursion from the rules, board by board."""

import random

import pytest

from tests.tables.naive import QUICK, SLOW, naive
from twofold.tables.build import Builder
from twofold.tables.pattern import EndgamePattern

SEED = 5


@pytest.mark.promise("R70")
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]
)
def test_a_table_equals_recursion_from_the_rules(name: str) -> None:
    pattern = EndgamePattern.parse(name)
    twin = naive(name)
    chosen = random.Random(SEED)
    for layer in Builder(pattern).layers():
        size = len(layer.after)
        for number in chosen.sample(range(size), min(size, 20)):
            board = twin.board(layer.number, number)
            assert layer.before[number] == pytest.approx(twin.before(board), abs=1e-6)
            assert layer.after[number] == pytest.approx(twin.after(board), abs=1e-6)
