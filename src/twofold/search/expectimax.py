"""Expectimax: the best move against random spawns."""

from typing import Final

import numpy as np

from twofold.evaluators import Evaluator
from twofold.kernels import expectimax as kernels
from twofold.kernels._jit import address_of
from twofold.kernels.context import MASK
from twofold.limits import MAX_PLY
from twofold.rules import Move, Rules
from twofold.search.context import Context

NEVER_FEW: Final = 0


class Expectimax:
    """A search to a fixed depth under given rules, with nothing cut off.

    Args:
        evaluator: what boards are worth.
        rules: shape and spawns.
        ply: depth in plies: 1 values the four afterstates; each further ply adds a spawn
            layer and a move layer.
        few: below this number of empty cells, `few_ply` counts instead of `ply`.
        few_ply: depth in plies on nearly full boards.
        second_move: whether a second move comes before the first spawn (see `docs/sources.md`).
        table_mb: size of the transposition table in mebibytes; it changes no value. It is not
            used with an evaluator that needs the score.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        ply: int,
        *,
        few: int = NEVER_FEW,
        few_ply: int = 0,
        second_move: bool = False,
        table_mb: int = 4,
    ) -> None:
        self.evaluator = evaluator
        self._context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
        words = self._context.words
        words[kernels.PLY] = ply
        words[kernels.FEW] = few
        words[kernels.FEW_PLY] = few_ply
        words[kernels.SECOND_MOVE] = second_move
        self._table_mb = 0 if evaluator.needs_score else table_mb
        self._make_table(max(ply, few_ply))

    def _make_table(self, plies: int) -> None:
        """Make a transposition table for searches of at most so many plies: a part for each."""
        self._table_plies = plies
        self._context.point_table(self._table_mb, plies)

    def forget(self) -> None:
        """Search as if for the first time, so that the count of nodes is that of a new search."""
        self._context.clear_table()

    @property
    def context(self) -> Context:
        """The context for the policy."""
        return self._context

    @property
    def policy(self) -> int:
        """Address of the policy kernel."""
        return address_of(kernels.choose)

    def ply_at(self, bits: int) -> int:
        """Depth in plies on this board."""
        words = self._context.words
        empty = sum(
            (bits >> shift) & 15 == 0 and bool(int(words[MASK]) >> shift & 1)
            for shift in range(0, 64, 4)
        )
        return int(words[kernels.FEW_PLY if empty < words[kernels.FEW] else kernels.PLY])

    def values(
        self, bits: int, score: int, legal: tuple[Move, ...], ply: int = 0
    ) -> dict[Move, float]:
        """The values of legal moves.

        Args:
            bits: the board.
            score: points so far.
            legal: the moves to value.
            ply: depth in plies; 0 for the depth the search was made with.
        """
        if ply > self._table_plies:
            self._make_table(MAX_PLY)
        return {
            move: float(
                kernels.value_of(np.uint64(bits), score, int(move), ply, self._context.words)
            )
            for move in legal
        }
