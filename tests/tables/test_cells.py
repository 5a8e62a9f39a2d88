"""Patterns numbered cell by cell: their boards, chances and answers are those of the rules."""

import random

import numpy as np
import pytest

from tests.support.endgame_tables import turned
from tests.tables.made import levels_of, made
from tests.tables.naive_cells import LARGE, Cells, half_sum, large_of, naive_cells, pattern_of
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels.table_cells import as_row
from twofold.tables.build import Builder, Layer
from twofold.tables.format import level_chances
from twofold.tables.layers import layer_sizes, unmerged_row_table
from twofold.tables.library import EndgameTables
from twofold.tables.pattern import SHAPES, EndgamePattern, PatternKind, Shape

SEED = 11
SMALL = ("free4-8",)
"""Patterns whose recursion takes a few seconds."""

MIDDLE = ("t-8", "L3-16", "LL-8", "free5-16")
"""Patterns that are built in a second."""

LONG = ("L3-32", "t-16", "LL-16", "free8-16", "free9-8")


def long(*names: str) -> list[object]:
    return [pytest.param(name, marks=pytest.mark.long) for name in names]


@pytest.mark.parametrize("name", [*SMALL, *MIDDLE, *long("free8-16", "free9-32")])
def test_sizes_are_those_of_the_boards(name: str) -> None:
    pattern, twin = pattern_of(name), naive_cells(name)
    assert layer_sizes(pattern) == [twin.size(layer) for layer in range(pattern.highest + 1)]


def test_each_number_is_of_one_board() -> None:
    twin = naive_cells("free4-8")
    for layer in range(3):
        boards = [twin.board(layer, number) for number in range(twin.size(layer))]
        assert len(set(boards)) == len(boards)
        for number in range(0, len(boards), 7):
            assert half_sum(boards[number]) == layer
            assert number in twin.numbers(boards[number])


@pytest.mark.promise("R70")
@pytest.mark.parametrize("name", [*SMALL, *long("L3-8", "t-8", "free4-16")])
def test_chances_equal_recursion_from_the_rules(name: str) -> None:
    twin, chosen = naive_cells(name), random.Random(SEED)
    for layer in Builder(pattern_of(name)).layers():
        size = len(layer.after)
        for number in chosen.sample(range(size), min(size, 20)):
            board = twin.board(layer.number, number)
            assert layer.before[number] == pytest.approx(twin.before(board), abs=1e-6)
            assert layer.after[number] == pytest.approx(twin.after(board), abs=1e-6)


@pytest.mark.promise("R70")
@pytest.mark.parametrize("name", [*MIDDLE, *long(*LONG)])
def test_each_layer_follows_from_those_above_by_the_rules(name: str) -> None:
    """One step of the recursion for boards of every layer."""
    pattern, chosen = EndgamePattern.parse(name), random.Random(SEED)
    above: list[Layer] = []
    for layer in Builder(pattern, 2).layers():
        for number in chosen.choices(range(len(layer.after)), k=6 if len(layer.after) else 0):
            _check_step(name, layer, above, number)
        above = [layer, *above[:1]]


def _check_step(name: str, layer: Layer, above: list[Layer], number: int) -> None:
    """Compare the chances of a board with what the rules and the layers above give."""
    twin = naive_cells(name)
    board = twin.board(layer.number, number)
    best = 0.0
    for after in twin.moves(board):
        found = {1.0} if twin.wins(after) else {float(layer.after[n]) for n in twin.numbers(after)}
        assert max(found) - min(found) < 1e-6
        best = max(best, *found)
    assert layer.before[number] == pytest.approx(best, abs=1e-6)
    mean = 0.0
    for chance, spawned in twin.spawned(board):
        step = half_sum(spawned) - layer.number - 1
        if step < len(above):
            mean += chance * float(above[step].before[min(twin.numbers(spawned))])
    assert layer.after[number] == pytest.approx(mean, abs=1e-6)


@pytest.mark.promise("R70")
@pytest.mark.parametrize("target", [16, pytest.param(32, marks=pytest.mark.long)])
def test_whole_rows_have_the_chances_of_dense_tables(
    target: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = SHAPES["442"]
    monkeypatch.setitem(SHAPES, "442c", Shape(shape.pictures, PatternKind.CELLS))
    dense = Builder(EndgamePattern.parse(f"442-{target}")).layers()
    by_cells = Builder(EndgamePattern.parse(f"442c-{target}")).layers()
    for one, other in zip(dense, by_cells, strict=True):
        assert np.allclose(np.sort(one.before), np.sort(other.before), rtol=0, atol=1e-6)
        assert np.allclose(np.sort(one.after), np.sort(other.after), rtol=0, atol=1e-6)


@pytest.mark.promise("R70")
@pytest.mark.parametrize("name", ["L3-16", "t-8", "LL-8", "free5-16", *long("t-16", "free6-16")])
def test_answers_are_those_of_the_layers_in_every_symmetry(name: str) -> None:
    pattern, chosen = EndgamePattern.parse(name), random.Random(SEED)
    tables, answered = EndgameTables([made(name)]), 0
    for number in range(80):
        cells = _spoken(pattern, chosen)
        shown = turned(cells, number % 8)
        board = Board(shown)
        wanted = {
            move: _chance(name, shown, move, number % 8)
            for move in Move
            if tuple(reference.slide(list(shown), 4, 4, move)[0]) != shown
        }
        known = {move: chance for move, chance in wanted.items() if chance is not None}
        answer = tables.answer(board)
        if max(known.values(), default=0.0) == 0:
            assert answer is None
            assert tables.move(board) is None
            continue
        assert answer is not None
        assert answer.chances == pytest.approx(known, abs=1e-4)
        assert tables.move(board) == answer.best
        answered += 1
    assert answered >= 20


def _spoken(pattern: EndgamePattern, chosen: random.Random) -> Cells:
    """A board of the pattern's frame, with real large tiles."""
    places = pattern.places
    while True:
        place = chosen.choice(places)
        cells = [chosen.choice([0, chosen.randrange(pattern.target)]) for _ in range(16)]
        large = chosen.sample(range(pattern.target, 16), pattern.large_tiles)
        for cell in range(16):
            cells[cell] = large[place.index(cell)] if cell in place else cells[cell]
        total = sum(2**one for one in cells if 0 < one < pattern.target) // 2
        if pattern.lowest <= total <= pattern.highest:
            return tuple(cells)


def _chance(name: str, shown: Cells, move: Move, symmetry: int) -> float | None:
    """The chance of a move on a board by the layers; None without one."""
    pattern, twin = pattern_of(name), naive_cells(name)
    named = [LARGE + at if one >= pattern.target else one for at, one in enumerate(shown)]
    slid = tuple(min(one, LARGE) for one in reference.slide(named, 4, 4, move)[0])
    plain = tuple(range(16))
    back = next(one for one in range(8) if turned(turned(plain, symmetry), one) == plain)
    frame = turned(slid, back)
    if not pattern.anywhere and large_of(frame) not in pattern.places:
        return None
    if twin.wins(frame):
        return 1.0
    level = levels_of(name)[half_sum(frame)][min(twin.numbers(frame))]
    return float(level_chances()[level])


@pytest.mark.parametrize(
    ("name", "speaks", "silent"),
    [
        ("L3-16", ["abc3/9871/3021/3321"], ["abc3/9881/4021/3321", "abc3/98e1/40f1/3321"]),
        ("t-8", ["a2bc/9187/2121/2211", "22bc/a187/9121/2211", "21bc/1287/a112/9121"],
         ["b2bc/9187/2121/2211", "2abc/1987/2121/2211"]),
        ("LL-8", ["ab21/9821/2121/1221", "1221/2112/12ab/1298"], ["ab21/8121/2121/1221"]),
        ("free5-16", ["a3b3/cd33/e2f4/5679"], ["a3b3/cd33/e2f3/5679", "a3b3/cd33/e2f5/5679"]),
    ],
)  # fmt: skip
def test_a_table_answers_only_for_its_boards(
    name: str, speaks: list[str], silent: list[str]
) -> None:
    table = made(name)
    for text in speaks:
        reason = table.silence(Board.parse(text))
        assert reason == "" or reason.startswith("no move has a chance to make"), text
    for text in silent:
        assert EndgameTables([table]).answer(Board.parse(text)) is None, text
        assert "expected" in table.silence(Board.parse(text)), text


def test_tables_with_movable_large_tiles_take_precedence() -> None:
    free, fixed = EndgamePattern.parse("free8-64"), EndgamePattern.parse("44-64")
    assert free.rank < fixed.rank < EndgamePattern.parse("free8-32").rank


def test_large_tiles_never_merge() -> None:
    table = unmerged_row_table()
    assert [int(table[row]) & 0xFFFF for row in (0x0FF0, 0xF0F1, 0x1F1F, 0x11FF, 0xFFFF)] == [
        0xFF00, 0xFF10, 0x1F1F, 0x2FF0, 0xFFFF,
    ]  # fmt: skip
    assert int(table[0xFF01]) >> 16 & 0xFFFF == 0x0FF1


def test_cells_as_a_row() -> None:
    for cell in range(16):
        assert as_row(np.uint64(1 << (60 - 4 * cell))) == 1 << (15 - cell)
