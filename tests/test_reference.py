"""The rules by example: each case can be checked by eye."""

import pytest

from twofold.errors import TileTooLarge
from twofold.game import reference
from twofold.game.reference import DOWN, LEFT, MOVES, RIGHT, UP
from twofold.limits import MAX_EXPONENT, TOO_LARGE_MERGE


def cells(drawn: str) -> list[int]:
    """Exponents from a drawing: `1 . 2 / . . .`."""
    return [0 if word == "." else int(word, 36) for word in drawn.replace("/", " ").split()]


@pytest.mark.parametrize(
    ("row", "after", "reward"),
    [
        (". . . .", ". . . .", 0),
        (". . . 1", "1 . . .", 0),
        ("1 1 . .", "2 . . .", 4),
        ("1 . . 1", "2 . . .", 4),
        ("1 1 1 .", "2 1 . .", 4),  # the pair nearest to the wall merges
        ("1 1 1 1", "2 2 . .", 8),
        ("2 1 1 .", "2 2 . .", 4),  # a merged tile does not merge again
        ("1 1 2 .", "2 2 . .", 4),
        ("2 2 1 1", "3 2 . .", 12),
        ("1 2 1 2", "1 2 1 2", 0),
        ("1 . 2 1", "1 2 1 .", 0),
        ("a a . .", "b . . .", 2048),
        ("f f . .", "g . . .", 65536),
        ("g g g g", "h h . .", 262144),
        ("y y . .", "z . . .", 2**35),
        ("1 1 1 1 1 1 1 1", "2 2 2 2 . . . .", 16),
        ("1 1 1 1 1", "2 2 1 . .", 8),
        ("1 1", "2 .", 4),
        ("1", "1", 0),
    ],
)
def test_slide_row(row: str, after: str, reward: int) -> None:
    assert reference.slide_row(cells(row)) == (cells(after), reward)


def test_the_largest_tiles_do_not_merge() -> None:
    with pytest.raises(TileTooLarge, match=TOO_LARGE_MERGE):
        reference.slide_row([MAX_EXPONENT, MAX_EXPONENT])


@pytest.mark.parametrize(
    ("move", "after", "reward"),
    [
        (UP, "2 1 2 / 3 2 . / . . .", 8),
        (RIGHT, ". . 2 / . 1 2 / . 3 2", 8),
        (DOWN, ". . . / 2 1 . / 3 2 2", 8),
        (LEFT, "2 . . / 2 1 . / 3 2 .", 8),
    ],
)
def test_slide_in_each_direction(move: int, after: str, reward: int) -> None:
    board = cells("1 . 1 / 1 1 1 / 3 2 .")
    assert reference.slide(board, 3, 3, move) == (cells(after), reward)


@pytest.mark.parametrize(
    ("board", "legal"),
    [
        ("1 . / . .", [RIGHT, DOWN]),
        (". . / . 1", [UP, LEFT]),
        ("1 1 / . .", [RIGHT, DOWN, LEFT]),
        ("1 2 / 2 1", []),
        ("1 1 / 2 3", [RIGHT, LEFT]),  # full, and not over
        ("1 2 / 1 3", [UP, DOWN]),
        (". . / . .", []),
    ],
)
def test_legal_moves(board: str, legal: list[int]) -> None:
    assert reference.legal_moves(cells(board), 2, 2) == legal
    assert reference.is_over(cells(board), 2, 2) == (not legal)
    assert [reference.is_legal(cells(board), 2, 2, move) for move in MOVES] == [
        move in legal for move in MOVES
    ]


def test_one_row_and_one_column() -> None:
    assert reference.legal_moves([1, 0, 0], 1, 3) == [RIGHT]
    assert reference.legal_moves([1, 0, 0], 3, 1) == [DOWN]
    assert reference.slide([1, 1, 2], 1, 3, UP) == ([1, 1, 2], 0)


def test_thresholds() -> None:
    assert reference.thresholds([0.9, 0.1]) == [3865470566]
    assert reference.thresholds([9, 1]) == [3865470566]
    assert reference.thresholds([1]) == []
    assert reference.thresholds([1, 1, 2]) == [2**30, 2**31]


@pytest.mark.parametrize(
    ("high", "low", "cell", "exponent"),
    [
        (0, 0, 1, 1),
        (2**32 // 3, 0, 1, 1),
        (2**32 // 3 + 1, 0, 3, 1),  # past a third of three empty cells is the second
        (2**32 - 1, 2**32 - 1, 4, 2),
        (0, 3865470565, 1, 1),
        (0, 3865470566, 1, 2),
    ],
)
def test_spawn(high: int, low: int, cell: int, exponent: int) -> None:
    board = cells("1 . / 1 . / . 1")
    assert reference.spawn(board, high << 32 | low, [1, 2], [0.9, 0.1]) == (cell, exponent)


@pytest.mark.parametrize(
    ("board", "largest", "after"),
    [
        ("5 3 / 1 .", 5, "5 3 / 1 ."),
        ("5 3 / 1 .", 4, "4 3 / 1 ."),  # 4 and 2 are absent: what is above 4 is halved
        ("5 3 / 1 .", 3, "3 2 / 1 ."),
        ("5 3 / 2 1", 3, "4 3 / 2 1"),  # no exponent is absent any more
        ("5 5 / 4 .", 3, "3 3 / 2 ."),
    ],
)
def test_downgrade(board: str, largest: int, after: str) -> None:
    assert reference.downgrade(cells(board), largest) == cells(after)
    assert reference.legal_moves(cells(board), 2, 2) == reference.legal_moves(cells(after), 2, 2)
