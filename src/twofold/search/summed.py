"""The search of Baeldung's 2048 solver: values summed over spawns, in integers."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.kernels.search import summed as kernels
from twofold.rules import Move, Rules
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.base import Search
from twofold.search.context import Context, fitting_bits

PLIES: Final = 4
"""Three rounds of (spawn, move) below the first move."""

ORDER: Final = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)
"""The order of moves in the source; of equal moves the first is chosen."""


class Summed(Search):
    """The search of Baeldung's article; threads and the transposition table change no value.

    The evaluator must return integers. `prunes` skips moves that change nothing.
    """

    calls = (kernels.value_of,)

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        *,
        prunes: bool = True,
        threads: int = 1,
        table_mb: int = 4,
    ) -> None:
        super().__init__(rules)
        context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
        context.words[kernels.PRUNES] = prunes
        context.point_table(table_mb)
        self._use(context, threads)

    def position(self, board: Board) -> np.uint64:
        """The 64-bit form, downgraded if a tile exceeds 32768."""
        return np.uint64(fitting_bits(board))

    def own_depth(self, board: Board) -> int:
        """Plies, the same for every board."""
        return PLIES

    def values(
        self, position: np.uint64, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Values of legal moves, integers, in the order of the source."""
        moves = [move for move in ORDER if move in legal]
        values: dict[Move, MoveValue] = {}

        def share(context: Context) -> None:
            first = self.contexts.index(context)
            for move in moves[first :: len(self.contexts)]:
                before = context.nodes
                value = kernels.value_of(position, int(move), depth - 1, context.words)
                values[move] = MoveValue(float(value), context.nodes - before)

        self._in_threads(share)
        return {move: values[move] for move in moves}

    def line(self, position: np.uint64, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The best move alone: a sum over spawns has no typical spawn."""
        return (LineStep(best),)
