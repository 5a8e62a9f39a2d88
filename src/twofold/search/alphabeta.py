"""Minimax and alpha-beta: the best move against spawns that hurt most."""

from twofold.evaluators import Evaluator
from twofold.kernels import adversarial as kernels
from twofold.rules import Rules
from twofold.search.base import Search
from twofold.search.context import Context


class AlphaBeta(Search):
    """A two-player search to a fixed depth under given rules.

    Args:
        evaluator: what boards are worth.
        rules: shape, spawns and goal.
        depth: depth in half-moves: a move is one, a spawn is one.
        prunes: True for alpha-beta, False for plain minimax; both choose the same move.
        wins_at_goal: whether a board that holds the goal tile is worth more than any other,
            as in Datumbox's solver.
        dead_is_score: whether a dead board is worth min(score, 1), as there, and not the
            evaluator's value of a dead board.
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
    ) -> None:
        super().__init__(kernels, Context(evaluator, rules, kernels.CONTEXT_WORDS))
        words = self.context.words
        words[kernels.DEPTH] = depth
        words[kernels.PRUNES] = prunes
        words[kernels.WIN_EXPONENT] = rules.goal.bit_length() - 1 if wins_at_goal else 255
        words[kernels.DEAD_IS_SCORE] = dead_is_score
