"""The transcriptions themselves: worked examples by hand, and one against another.

The hand-worked board of most tests is 2x2, `2 2 / 4 8`: only left and right move, left leaves
`4 . / 4 8` and right leaves `. 4 / 4 8`. After left every spawn can be answered by a merge; after
right a 2 ends the game (`2 4 / 4 8`).
"""

import pytest

from tests.support import literal
from tests.support.literal import SNAKE

SMALL = [[2, 2], [4, 8]]


# Baeldung


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ((0, 0, 0, 0), 2000),
        ((4, 0, 2, 8), 1010),  # 1000 + 250 - 10 x 14 - 50 x min(2, 6)
        ((2, 2, 0, 4), 1920),  # 1000 + 250 + 750 - 10 x 8 - 50 x min(0, 2)
        ((2, 0, 0, 2), 2210),  # equal once the blanks are gone: 1000 + 500 + 750 - 40
        ((2, 2, 2, 2), 3170),  # three pairs
        ((64, 2, 64, 2), -3420),  # 1000 - 10 x 132 - 50 x min(62 + 62, 62)
    ],
)
def test_baeldung_line(line: tuple[int, ...], value: int) -> None:
    assert literal.baeldung_line(line) == value


def test_baeldung_one_round() -> None:
    # left: int(0.9 x 4890) + int(0.1 x 4850); right: 0.9 x 0 (dead) + int(0.1 x 4850)
    assert literal.baeldung_choose(SMALL, rounds=1) == ("l", {"l": 4886, "r": 485})


# Datumbox


@pytest.mark.parametrize(
    ("grid", "value"),
    [
        ([[2, 4], [8, 0]], 7),  # 8/3 -> 2, 6/3 -> 2, 10/3 -> 3
        ([[2, 4, 64]], 51),  # 2/2 = 1, 62/3 -> 20, 60/2 = 30
        ([[2, 0, 16], [0, 0, 0], [4, 0, 0]], 0),  # nobody has a neighbour
        ([[4, 4], [4, 8]], 6),  # 4/4 three times, 12/4
    ],
)
def test_clustering(grid: list[list[int]], value: int) -> None:
    assert literal.clustering(grid) == value


def test_datumbox_by_hand() -> None:
    # depth 1: both afterstates int(1004 + ln 1004 - 4); of equal values the first, u r d l
    assert literal.datumbox_alphabeta(SMALL, 1000, 1) == ("r", {"r": 1006, "l": 1006})
    # depth 2: right and a 2 is lost, min(score, 1); left and a 2: 1004 - 7
    assert literal.datumbox_alphabeta(SMALL, 1000, 2) == ("l", {"r": 1, "l": 997})


# IT3105


def test_it3105_worked_example_of_the_report() -> None:
    grid = [[0, 0, 0, 0], [2, 4, 0, 0], [8, 4, 2, 16], [512, 256, 128, 32]]
    assert literal.it3105_value(grid, SNAKE) == 82_696


def test_it3105_alternating_by_hand() -> None:
    # right: 0.9 x 108 + 0.1 x 112, the dead leaf at its value; left: 0.9 x 104 + 0.1 x 112
    letter, values = literal.it3105_choose(SMALL, [[1, 2], [3, 4]], "alternating", depth=2)
    assert letter == "r"
    assert values == pytest.approx({"r": 108.4, "l": 104.8})


def test_it3105_literal_moves_twice_by_hand() -> None:
    # right then left: 104.8; left then down: `. . / 8 8`, the mean of 116.4 and 120.8
    letter, values = literal.it3105_choose(SMALL, [[1, 2], [3, 4]], "literal", depth=2)
    assert letter == "l"
    assert values == pytest.approx({"r": 104.8, "l": 118.6})


# Values


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ((2, 4, 8, 16), 200_000 - 11 * (1 + 2**3.5 + 3**3.5 + 4**3.5)),
        ((2, 2, 0, 2), 200_000 + 270 + 700 * 3 - 47 * 1 - 11 * 3),
        ((4, 4, 2, 2), 200_000 + 700 * 4 - 11 * (2 * 2**3.5 + 2)),
        # exponents 1 3 . 2, fourth powers 1 81 0 16: rises of 80 and 16, a fall of 81
        ((2, 8, 0, 4), 200_000 + 270 - 47 * min(80 + 16, 81) - 11 * (1 + 3**3.5 + 2**3.5)),
    ],
)
def test_row_heuristic_line(line: tuple[int, ...], value: float) -> None:
    assert literal.row_heuristic_line(line) == pytest.approx(value, rel=1e-14)
