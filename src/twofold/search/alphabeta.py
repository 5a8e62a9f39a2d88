"""Minimax and alpha-beta: the best move against spawns that hurt most."""

from collections.abc import Sequence

import numpy as np

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.kernels._jit import address_of
from twofold.kernels.search import alphabeta as kernels
from twofold.rules import Move, Rules
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.base import Search
from twofold.search.context import TABLE_MB, Context, fitting_bits


class AlphaBeta(Search):
    """A two-player search under given rules.

    Args:
        evaluator: what boards are worth.
        rules: shape, spawns and goal.
        depth: depth in half-moves: a move is one, a spawn is one.
        prunes: True for alpha-beta, False for plain minimax; both choose the same move.
        wins_at_goal: whether a board that holds the goal tile is worth more than any other,
            as in Datumbox's solver.
        dead_is_score: whether a dead board is worth min(score, 1), as there, and not the
            evaluator's value of a dead board.
        table_mb: size of the transposition table in mebibytes; it changes no value. Plain
            minimax has none, so that it visits what its definition says.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        depth: int,
        *,
        prunes: bool = True,
        wins_at_goal: bool = False,
        dead_is_score: bool = False,
        table_mb: int = TABLE_MB,
    ) -> None:
        super().__init__(rules)
        self.policy = address_of(kernels.choose)
        context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
        words = context.words
        words[kernels.DEPTH] = depth
        words[kernels.PRUNES] = prunes
        words[kernels.WIN_EXPONENT] = rules.goal.bit_length() - 1 if wins_at_goal else 255
        words[kernels.DEAD_IS_SCORE] = dead_is_score
        words[kernels.SCORE_COUNTS] = evaluator.needs_score or dead_is_score
        context.point_table(table_mb if prunes else 0)
        self.contexts = (context,)

    def position(self, board: Board) -> np.uint64:
        """The 64-bit form, downgraded if a tile is past 32768."""
        return np.uint64(fitting_bits(board))

    def own_depth(self, board: Board) -> int:
        """Half-moves, the same on every board."""
        return int(self.context.words[kernels.DEPTH])

    def depth_of(self, ply: int) -> int:
        """So many plies are as many moves, with a spawn between two."""
        return 2 * ply - 1

    def depth_words(self, depth: int) -> str:
        """A depth in half-moves."""
        return f"{depth} half-moves" if depth != 1 else "1 half-move"

    def values(
        self, position: np.uint64, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """The exact values of legal moves, `depth` half-moves deep."""
        words, values = self.context.words, {}
        for move in legal:
            before = self.context.nodes
            value = kernels.value_of(position, score, int(move), depth, words)
            values[move] = MoveValue(float(value), self.context.nodes - before)
        return values

    def line(self, position: np.uint64, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The best moves against the spawns that hurt most, the first of equals.

        What the search has stored answers nearly all of it.
        """
        words, shape, steps = self.context.words, self.rules.shape, list[LineStep]()
        while True:
            after, position, score = kernels.worst_spawn(
                np.uint64(position), score, int(best), depth, words
            )
            if self.gave_up() or position == 0:
                return (*steps, LineStep(best))
            before, board = (Board.from_bits(int(bits), shape) for bits in (after, position))
            cell = next(cell for cell in before.empty_cells if board.exponents[cell])
            steps.append(LineStep(best, cell, 1 << board.exponents[cell]))
            depth -= 2
            reply = kernels.reply_to(np.uint64(position), score, depth, words)
            if self.gave_up() or reply < 0:
                return tuple(steps)
            best = Move(reply)
