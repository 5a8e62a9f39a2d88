"""Tables with walls of any tiles: their chances by recursion, and which boards they cover."""

import random
from typing import Any

import numpy as np
import pytest
from numba import types

from tests.kernels.lazily import lazy_kernel
from tests.tables.made import made
from tests.tables.naive import Recursion
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.kernels.intrinsics import pointer
from twofold.kernels.table_lookup import covers
from twofold.tables.layers import TURNS, turned_cell, turned_move
from twofold.tables.library import EndgameTables
from twofold.tables.pattern import EndgamePattern, Walls

Cells = tuple[int, ...]

SMALL = ("wall5-16", "wall6-32")
LARGE = {0: 15, 1: 14, 2: 13, 4: 12, 5: 11}
"""Exponents of five walls that never merge."""


def wall_tiles(pattern: EndgamePattern) -> dict[int, int]:
    """Walls at the level of the table; the sixth is the target."""
    return {cell: LARGE.get(cell, pattern.target) for cell in pattern.large_cells}


class Naive(Recursion):
    """Chances of boards by recursion with a dictionary; the walls are never shifted."""

    def __init__(self, name: str) -> None:
        super().__init__(EndgamePattern.parse(name))
        walls = self.pattern.walls
        assert walls is not None
        self.goals = [
            {cell: self.pattern.target - down for cell, down in Walls.digits(picture).items()}
            for picture in walls.goals
        ]
        self.caps = self.pattern.caps_by_cell

    def at_goal(self, cells: Cells) -> bool:
        return any(all(cells[one] == tile for one, tile in goal.items()) for goal in self.goals)

    def within(self, cells: Cells) -> bool:
        return all(cells[cell] <= cap for cell, cap in self.caps.items())

    def chance_of_move(self, cells: Cells, move: int) -> float | None:
        """The chance after a move; None if it is illegal, shifts a wall or exceeds a cap."""
        after = tuple(reference.slide(list(cells), 4, 4, move)[0])
        stays = all(after[cell] == cells[cell] for cell in self.pattern.large_cells)
        if after == cells or not stays or not self.within(after):
            return None
        return 1.0 if self.at_goal(after) else self.after(after)

    def half_sum(self, cells: Cells) -> int:
        """See `Recursion`."""
        return sum(2 ** cells[cell] // 2 for cell in self.caps if cells[cell])


def some_boards(naive: Naive, count: int) -> list[Cells]:
    """Boards of a pattern with legal moves, in its upper layers, where recursion is short."""
    rng, found = random.Random(1), list[Cells]()
    while len(found) < count:
        cells = [wall_tiles(naive.pattern).get(cell, 0) for cell in range(16)]
        for cell, cap in naive.caps.items():
            cells[cell] = rng.choice([0, 0, *range(cap + 1)])
        board = Board(cells)
        total = naive.half_sum(board.exponents)
        fits = 0.6 * naive.pattern.highest < total <= naive.pattern.highest
        if fits and not board.is_over and not naive.at_goal(board.exponents):
            found.append(board.exponents)
    return found


@pytest.mark.promise("R70")
@pytest.mark.parametrize("name", SMALL)
def test_chances_equal_recursion_from_the_rules(name: str) -> None:
    naive, tables, answered = Naive(name), EndgameTables([made(name)]), 0
    least = naive.pattern.least_chance
    for number, cells in enumerate(some_boards(naive, 30)):
        chances = {move: naive.chance_of_move(cells, move) for move in Move}
        expected = {move: chance for move, chance in chances.items() if chance is not None}
        turn = TURNS[number % len(TURNS)]
        answer = tables.answer(Board([cells[turned_cell(cell, turn)] for cell in range(16)]))
        if answer is None:
            assert max(expected.values(), default=0.0) < max(least, 1e-9) + 1e-4
            continue
        answered += 1
        found = {Move(turned_move(move, turn)): one for move, one in answer.chances.items()}
        assert set(found) == set(expected)
        assert all(abs(found[move] - expected[move]) < 1e-4 for move in expected)
    assert answered > 12


@pytest.mark.parametrize(
    ("name", "text", "move"),
    [("wall5-16", "fed3/cb42/3223/2022", Move.UP), ("wall6-32", "fed4/cb53/4321/0212", Move.LEFT)],
)
def test_the_highest_sum_is_answered(name: str, text: str, move: Move) -> None:
    board, pattern = Board.parse(text), EndgamePattern.parse(name)
    free = [board.exponents[cell] for cell in pattern.caps_by_cell]
    assert sum(1 << one for one in free if one) == 2 * pattern.highest
    answer = EndgameTables([made(name)]).answer(board)
    assert answer is not None
    assert answer.chances == {move: 1.0}


def is_covered(cells: Cells, name: str) -> bool:
    """The conditions of a board in the frame, written out."""
    a, b, c, p, d, e, f, q = cells[:8]
    third, fourth = cells[8:12], cells[12:]
    target = EndgamePattern.parse(name).target
    if name.startswith("wall5"):
        order = a != b and b != c and a != d and b != e and c != e and d > e > f and c > f
        least = min(c, e)
        level = min(least, target)
        within = max(p, q, *third) < level and max(fourth) < level - 1 and f <= target
        return order and least >= 4 and within and not won_5(cells, min(target, least - 1))
    order = a != b and b != c and d != e and e != f and a != d and b != e and c > f
    level = min(d, e, f)
    within = p < level and q < level - 1 and third[0] < level and third[1] < level - 1
    within = within and max(*third[2:], *fourth) < level - 2
    return order and 4 <= level <= target and within and not won_6(cells, level)


def won_5(cells: Cells, goal: int) -> bool:
    p, f, q, third = cells[3], cells[6], cells[7], cells[8:12]
    half, quarter = goal - 1, goal - 2
    beside = q == half and half in (p, third[3])
    above = p == half and q == quarter == third[3]
    below = third[2] == half and half in (third[1], third[3])
    return f == goal and (beside or above or below)


def won_6(cells: Cells, level: int) -> bool:
    half, quarter, eighth = level - 1, level - 2, level - 3
    p, q, third, fourth = cells[3], cells[7], cells[8:12], cells[12:]
    row = third[:2] == (half, quarter) and (
        (third[2] == eighth and eighth in (third[3], fourth[2]))
        or (fourth[1] == eighth and eighth in (fourth[0], fourth[2]))
    )
    column = (p, q, third[3]) == (half, quarter, eighth) and eighth in (third[2], fourth[3])
    return row or column


@lazy_kernel(types.boolean(types.uint64, types.uint64[::1]))
def covers_board(frame: Any, words: Any) -> Any:
    return covers(frame, pointer(words))


@pytest.mark.parametrize("name", SMALL)
def test_a_table_covers_boards_by_the_order_of_their_walls(name: str) -> None:
    rng, table, covered = random.Random(2), made(name), 0
    target = table.pattern.target
    for _ in range(8_000):
        walls = sorted(rng.choices(range(3, 12), k=6), reverse=True)
        if rng.random() < 0.5:
            rng.shuffle(walls)
        a, b, c, d, e, f = walls
        five = name.startswith("wall5")
        level = min(c, e, target) if five else min(d, e, f, target)
        near = [tile for tile in range(level - 3, level + 1) if tile > 0]
        free = [rng.choice(near) if rng.random() < 0.3 else rng.randrange(2) for _ in range(11)]
        sixth = rng.choice([f, free[10]]) if five else f
        cells = (a, b, c, free[0], d, e, sixth, *free[1:10])
        board = Board(cells)
        expected = is_covered(cells, name)
        covered += expected
        # In another symmetry a board could be covered, too: the frame alone is asked.
        assert covers_board(np.uint64(board.to_bits()), table.words) == expected, board
    assert covered > 80
