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


@pytest.mark.long
@pytest.mark.promise("R70")
def test_a_larger_table_equals_recursion_in_its_upper_layers() -> None:
    """All layers of 442-32 would take recursion hours; errors are those of each layer."""
    pattern = EndgamePattern.parse("442-32")
    twin = naive("442-32")
    chosen = random.Random(SEED)
    for layer in Builder(pattern, 2).layers():
        if layer.number < pattern.highest - 10:
            break
        for number in chosen.sample(range(len(layer.after)), 20):
            board = twin.board(layer.number, number)
            assert layer.before[number] == pytest.approx(twin.before(board), abs=1e-6)
            assert layer.after[number] == pytest.approx(twin.after(board), abs=1e-6)
