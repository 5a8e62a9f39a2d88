"""Outcomes equal a walk through all games."""

from collections import defaultdict

import pytest

from twofold.errors import InvalidBoard
from twofold.game.board import Board
from twofold.tables.exact import ExactTable, describe, outcomes, solve
from twofold.tables.problem import ExactObjective, Problem


class Walk:
    """Follows optimal play on `Board` alone, with a cache."""

    def __init__(self, table: ExactTable) -> None:
        self.table = table
        self.known: dict[Board, tuple[dict[int, float], float]] = {}

    def ends(self, board: Board) -> tuple[dict[int, float], float]:
        """The chance of each largest tile at the end, and the mean number of moves."""
        board = board.canonical()
        rules = self.table.problem.rules
        if board.is_over or (rules.stop_at_goal and board.max_tile >= rules.goal):
            return {board.max_tile: 1.0}, 0.0
        if board not in self.known:
            values = self.table.move_values(board)
            move = max(values, key=lambda each: (values[each], -each))
            self.known[board] = self.after(board.slide(move).board)
        return self.known[board]

    def after(self, after: Board) -> tuple[dict[int, float], float]:
        rules = self.table.problem.rules
        if rules.stop_at_goal and after.max_tile >= rules.goal:
            return {after.max_tile: 1.0}, 1.0
        chances: dict[int, float] = defaultdict(float)
        moves = 1.0
        for spawn in after.spawns(rules):
            found, more = self.ends(after.place(spawn.cell, spawn.tile))
            moves += spawn.probability * more
            for tile, chance in found.items():
                chances[tile] += spawn.probability * chance
        return chances, moves


@pytest.mark.parametrize(
    ("rules", "objective"),
    [("2x2", "score"), ("2x2 goal=16", "goal"), ("2x2 start=1 spawn=2:1,8:1", "score"),
     ("2x3 goal=32", "goal"), ("2x2 goal=16 stop=goal", "score"),
     ("2x2 goal=4 start=4", "goal")],  # most games are over before the first move
)  # fmt: skip
def test_outcomes_are_those_of_all_games(rules: str, objective: str) -> None:
    table = solve(Problem.parse(rules, objective))
    walk = Walk(table)
    chances: dict[int, float] = defaultdict(float)
    moves = 0.0
    for bits, chance in table.problem.start_boards.items():
        found, more = walk.ends(Board.from_bits(bits, table.problem.rules.shape))
        moves += chance * more
        for tile, share in found.items():
            chances[tile] += chance * share
    ends = outcomes(table)
    assert ends.tiles == pytest.approx(chances, rel=1e-9, abs=1e-15)
    assert ends.moves == pytest.approx(moves)
    assert ends.value == table.start_value
    assert sum(ends.sums.values()) == pytest.approx(1)
    if table.problem.objective is ExactObjective.GOAL:
        assert ends.reach[table.problem.rules.goal] == pytest.approx(table.start_value)


def test_from_a_board_and_all_ends_of_one(two_by_three: ExactTable) -> None:
    told: list[tuple[int, int]] = []
    board = Board.parse("2x3:112/001")
    ends = outcomes(two_by_three, board, on_progress=lambda *each: told.append(each))
    assert ends.value == two_by_three.value(board)
    assert ends == outcomes(two_by_three, str(board))
    found, moves = Walk(two_by_three).ends(board)
    assert ends.tiles == pytest.approx(found)
    assert ends.moves == pytest.approx(moves)
    assert told == sorted(told)  # layers that no game comes by are empty
    assert told[0][0] == 3  # sums of tiles from 4 on; 10 is the fourth
    assert told[-1] == (len(two_by_three.layers.index) - 1, len(two_by_three))
    assert list(ends.reach.values()) == sorted(ends.reach.values(), reverse=True)


def test_boards_that_are_over_or_impossible(two_by_two: ExactTable) -> None:
    over = outcomes(two_by_two, Board.parse("2x2:12/21"))
    assert (over.tiles, over.moves) == ({4: 1.0}, 0.0)
    beyond = outcomes(two_by_two, Board.parse("2x2:9a/a9"))
    assert (beyond.tiles, beyond.sums) == ({1024: 1.0}, {3072: 1.0})
    for board in ("2x2:ff/0a", "2x2:z0/01"):
        with pytest.raises(InvalidBoard, match="can occur under"):
            outcomes(two_by_two, Board.parse(board))


def test_in_words(two_by_two: ExactTable) -> None:
    ends = outcomes(two_by_two)
    lines = describe(ends)
    assert lines[0] == "largest    at the end    reached"
    assert lines[2].startswith("     16       87.96 %    96.25 %  ####")
    assert lines[-1] == "12.0 moves to the end on average"
    assert ends.worth == "66.96 points expected"
    assert outcomes(two_by_two, "2x2:12/21").worth == "0.00 points more expected"
    assert outcomes(solve("2x2", goal=16)).worth == "96.25 % chance of 16"
