"""Expectimax: the best move against random spawns."""

from typing import Final

from twofold.evaluators import Evaluator
from twofold.kernels import expectimax as kernels
from twofold.kernels.context import MASK
from twofold.limits import MAX_PLY
from twofold.rules import Move, Rules
from twofold.search.base import Search
from twofold.search.context import Context

NEVER_FEW: Final = 0


class Expectimax(Search):
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
        super().__init__(kernels, Context(evaluator, rules, kernels.CONTEXT_WORDS))
        words = self.context.words
        words[kernels.PLY] = ply
        words[kernels.FEW] = few
        words[kernels.FEW_PLY] = few_ply
        words[kernels.SECOND_MOVE] = second_move
        self._table_mb = 0 if evaluator.needs_score else table_mb
        self._make_table(max(ply, few_ply))

    def _make_table(self, plies: int) -> None:
        """Make a transposition table for searches of at most so many plies: a part for each."""
        self._table_plies = plies
        self.context.point_table(self._table_mb, plies)

    def ply_at(self, bits: int) -> int:
        """Depth in plies on this board."""
        words = self.context.words
        empty = sum(
            (bits >> shift) & 15 == 0 and bool(int(words[MASK]) >> shift & 1)
            for shift in range(0, 64, 4)
        )
        return int(words[kernels.FEW_PLY if empty < words[kernels.FEW] else kernels.PLY])

    def values(
        self, bits: int, score: int, legal: tuple[Move, ...], depth: int = 0
    ) -> dict[Move, float]:
        """The values of legal moves, `depth` plies deep."""
        if depth > self._table_plies:
            self._make_table(MAX_PLY)
        return super().values(bits, score, legal, depth)
