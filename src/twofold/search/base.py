"""Search: what expectimax and alpha-beta have in common."""

from types import ModuleType

import numpy as np

from twofold.kernels._jit import address_of
from twofold.rules import Move
from twofold.search.context import Context


class Search:
    """A search on bits under given rules, to a depth of its own or to another.

    Args:
        kernels: the module of its kernels `choose` and `value_of`.
        context: what they read.
    """

    def __init__(self, kernels: ModuleType, context: Context) -> None:
        self._kernels = kernels
        self.context = context

    @property
    def policy(self) -> int:
        """Address of the policy kernel."""
        return address_of(self._kernels.choose)

    def forget(self) -> None:
        """Search as if for the first time, so that the count of nodes is that of a new search."""
        self.context.clear_table()

    def values(
        self, bits: int, score: int, legal: tuple[Move, ...], depth: int = 0
    ) -> dict[Move, float]:
        """The exact values of legal moves.

        Args:
            bits: the board.
            score: points so far.
            legal: the moves to value.
            depth: depth in the search's own count; 0 for the depth it was made with.
        """
        value_of, words = self._kernels.value_of, self.context.words
        return {
            move: float(value_of(np.uint64(bits), score, int(move), depth, words)) for move in legal
        }
