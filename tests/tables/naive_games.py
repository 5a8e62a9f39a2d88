"""Solving by recursion with a dictionary, on `Board` alone: the naive twin of the kernels."""

from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.tables.problem import ExactObjective, Problem


class Naive:
    """Values of boards, remembered."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.values: dict[Board, float] = {}
        self.dead: set[Board] = set()

    @property
    def start_value(self) -> float:
        return self._after_start(Board.empty(self.problem.rules.shape), 0)

    def _after_start(self, board: Board, tiles: int) -> float:
        if tiles == self.problem.rules.start_tiles:
            return self.value(board)
        return sum(
            spawn.probability * self._after_start(board.place(spawn.cell, spawn.tile), tiles + 1)
            for spawn in board.spawns(self.problem.rules)
        )

    def value(self, board: Board) -> float:
        board = board.canonical()
        rules = self.problem.rules
        wins = self.problem.objective is ExactObjective.GOAL
        if rules.stop_at_goal and board.max_tile >= rules.goal:
            return float(wins)
        if board not in self.values:
            moves = [self.move_value(board, move) for move in board.legal_moves()]
            if not moves:
                self.dead.add(board)
                return 0.0
            self.values[board] = max(moves)
        return self.values[board]

    def move_value(self, board: Board, move: int) -> float:
        rules = self.problem.rules
        wins = self.problem.objective is ExactObjective.GOAL
        after, reward = board.slide(Move(move))
        gained = 0.0 if wins else float(reward)
        if rules.stop_at_goal and after.max_tile >= rules.goal:
            return gained + wins
        return gained + sum(
            spawn.probability * self.value(after.place(spawn.cell, spawn.tile))
            for spawn in after.spawns(rules)
        )
