"""The search of Baeldung's 2048 solver: spawn results summed in whole numbers."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from twofold.evaluators import Evaluator
from twofold.kernels import summed as kernels
from twofold.rules import Move, Rules
from twofold.search.context import Context

ROUNDS: Final = 3
"""Rounds of (spawn, move) below the first move."""


class Summed:
    """A search as in Baeldung's article, under given rules.

    Args:
        evaluator: what boards are worth, in whole numbers.
        rules: shape and spawns.
        prunes: whether moves that change nothing are left out.
        threads: number of threads that share the first moves; the values do not depend on it.
        table_mb: size of the transposition tables together, in mebibytes; they change no value.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        *,
        prunes: bool = True,
        threads: int = 1,
        table_mb: int = 4,
    ) -> None:
        self.evaluator = evaluator
        self._contexts = []
        for _ in range(threads):
            context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
            context.words[kernels.PRUNES] = prunes
            context.point_table(table_mb // threads, kernels.TABLE_DEPTHS)
            self._contexts.append(context)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def nodes(self) -> int:
        """Positions visited so far, by all threads."""
        return sum(context.nodes for context in self._contexts)

    def values(self, bits: int, legal: tuple[Move, ...], rounds: int = ROUNDS) -> dict[Move, float]:
        """The values of legal moves; whole numbers."""

        def share(number: int) -> list[tuple[Move, float]]:
            words = self._contexts[number].words
            return [
                (move, float(kernels.value_of(np.uint64(bits), int(move), rounds, words)))
                for move in legal[number :: len(self._contexts)]
            ]

        numbers = range(len(self._contexts))
        shares = self._pool.map(share, numbers) if self._pool else map(share, numbers)
        found = dict(pair for part in shares for pair in part)
        return {move: found[move] for move in legal}

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()
