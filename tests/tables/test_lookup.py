"""Tables and their answers equal recursion from the rules, in all symmetries."""

import random

import numpy as np
import pytest

from tests.support.endgame_tables import Cells, boards_of, turned
from tests.tables.made import made
from tests.tables.naive import LARGE, QUICK, SLOW, naive
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.tables.build import Builder
from twofold.tables.format import stored
from twofold.tables.library import EndgameTable, EndgameTables
from twofold.tables.pattern import EndgamePattern

SEED = 7


def expected(pattern: EndgamePattern, cells: Cells) -> dict[Move, float]:
    """The chances of the moves of a board in the frame's own symmetry class, by recursion.

    Large tiles are put as exponents that cannot merge or win, in the frame; the symmetry of the
    board is found by trying all.
    """
    for symmetry in range(8):
        frame = turned(cells, symmetry)
        large = {cell for cell in range(16) if frame[cell] >= pattern.target}
        if large != set(pattern.large_cells):
            continue
        marked = tuple(LARGE + cell if cell in large else one for cell, one in enumerate(frame))
        found = {}
        for move in Move:
            after = tuple(reference.slide(list(cells), 4, 4, move)[0])
            if after == cells or not _stays(cells, after, pattern.target):
                continue
            inner = next(
                one for one in Move
                if tuple(reference.slide(list(frame), 4, 4, one)[0]) == turned(after, symmetry)
            )  # fmt: skip
            chance = naive(pattern.name).chance_of_move(marked, inner)
            if chance is not None:
                found[move] = chance
        return found
    return {}


def _stays(cells: Cells, after: Cells, target: int) -> bool:
    return all(after[cell] == one for cell, one in enumerate(cells) if one >= target)


@pytest.mark.promise("R70")
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]
)
def test_an_answer_equals_recursion_from_the_rules(name: str) -> None:
    pattern = EndgamePattern.parse(name)
    tables = EndgameTables([made(name)])
    answered = 0
    for cells in boards_of(pattern, random.Random(SEED), 60):
        board = Board(cells)
        wanted = expected(pattern, cells)
        answer = tables.answer(board)
        if max(wanted.values(), default=0.0) == 0:
            assert answer is None
            assert tables.move(board) is None
            continue
        assert answer is not None
        answered += 1
        assert answer.chances == pytest.approx(wanted, abs=1e-4)
        assert tables.move(board) == answer.best
        assert wanted[answer.best] == pytest.approx(max(wanted.values()), abs=1e-4)
    assert answered >= 10


def test_a_table_answers_only_for_its_boards() -> None:
    tables = EndgameTables([made("442-16")])
    known = "abcd/6500/0123/2313"
    assert tables.move(Board.parse(known)) is not None
    for silent in (
        "abcd/6600/0123/2313",  # two large tiles are equal
        "abcd/6533/3123/2313",  # too much in the free cells
        "abcd/6540/0123/2313",  # seven large tiles
        "abcd/6300/0123/2311",  # five large tiles
        "abcd/0650/0123/2313",  # the cells of the large tiles are others
        "abcd/6500/0122/1211",  # less than 24 in the free cells
        "3x4:abcd/6530/0123",
    ):
        assert tables.move(Board.parse(silent)) is None, silent
        assert tables.answer(Board.parse(silent)) is None, silent


@pytest.mark.parametrize(
    ("text", "total", "known"),
    [
        ("2000/2000", 24, True),
        ("2000/1000", 22, False),
        ("2222/2222", 48, True),
        ("2222/2223", 52, False),
    ],
)
def test_sums_from_the_smallest_to_the_highest_are_answered(
    text: str, total: int, known: bool
) -> None:
    board = Board.parse(f"abcd/6533/{text}")  # left makes the target
    assert sum(1 << one for one in board.exponents if 0 < one < 4) == total
    answer = EndgameTables([made("442-16")]).answer(board)
    assert (answer is not None) == known
    assert answer is None or answer.chances[Move.LEFT] == 1


def test_more_large_tiles_and_larger_targets_take_precedence() -> None:
    names = ["443-8", "442-8", "441-8", "442-16", "442-16/4-8"]
    first = EndgameTables([made(name) for name in names])
    assert first.names == ("441-8", "442-16", "442-16/4-8", "442-8", "443-8")
    assert EndgameTables([made(name) for name in reversed(names)]).names == first.names
    assert len(set(first.hashes)) == len(names)


def test_chances_of_0_fall_through_to_the_next_table() -> None:
    known = made("442-16")
    hopeless = EndgameTable(known.head, np.zeros_like(known.levels))
    both = EndgameTables([made("442-8"), hopeless])
    assert both.names == ("442-16", "442-8")
    board = Board.parse("abcd/6512/1212/2120")
    assert EndgameTables([hopeless]).answer(board) is None
    answer = both.answer(board)
    assert answer is not None
    assert answer == EndgameTables([made("442-8")]).answer(board)
    assert both.move(board) == answer.best


def test_only_0_and_1_are_stored_as_0_and_1() -> None:
    chances = np.array([0, 1e-30, 0.5, np.nextafter(np.float32(1), 0), 1], dtype=np.float32)
    assert stored(chances).tolist() == [0, 1, 32_768, 65_524, 65_535]


# Whole tables, before and after a spawn


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
