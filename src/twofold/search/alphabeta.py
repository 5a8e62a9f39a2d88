"""Minimax and alpha-beta: the best move against spawns that hurt most."""

import numpy as np

from twofold.evaluators import Evaluator
from twofold.kernels import adversarial as kernels
from twofold.kernels._jit import address_of
from twofold.rules import Move, Rules
from twofold.search.context import Context


class AlphaBeta:
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
        self.evaluator = evaluator
        self._context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
        words = self._context.words
        words[kernels.DEPTH] = depth
        words[kernels.PRUNES] = prunes
        words[kernels.WIN_EXPONENT] = rules.goal.bit_length() - 1 if wins_at_goal else 255
        words[kernels.DEAD_IS_SCORE] = dead_is_score

    def forget(self) -> None:
        """Nothing is kept from one search to the next."""

    @property
    def context(self) -> Context:
        """The context for the policy."""
        return self._context

    @property
    def policy(self) -> int:
        """Address of the policy kernel."""
        return address_of(kernels.choose)

    def values(
        self, bits: int, score: int, legal: tuple[Move, ...], depth: int = 0
    ) -> dict[Move, float]:
        """The exact values of legal moves.

        Args:
            bits: the board.
            score: points so far.
            legal: the moves to value.
            depth: depth in half-moves; 0 for the depth the search was made with.
        """
        return {
            move: float(
                kernels.value_of(np.uint64(bits), score, int(move), depth, self._context.words)
            )
            for move in legal
        }
