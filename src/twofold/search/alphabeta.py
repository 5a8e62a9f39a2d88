"""Minimax and alpha-beta, and the summed search of Baeldung's solver."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import alphabeta as kernels
from twofold.kernels._jit import address_of
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.base import Search
from twofold.search.context import TABLE_MB, Context
from twofold.values import Evaluator


class AlphaBeta(Search):
    """A two-player search.

    Args:
        evaluator: values boards.
        rules: shape, spawns and goal.
        depth: depth in half-moves: a move is one, a spawn is one.
        prunes: True for alpha-beta, False for plain minimax; both choose the same move.
        wins_at_goal: True to value boards with the goal tile above all others, as Datumbox does.
        dead_is_score: True to value dead boards as min(score, 1), as Datumbox does.
        table_mb: size of the transposition table in MiB, which changes no value. Plain minimax
            has none, so that its node count is that of the definition.
    """

    calls = kernels.value_of, kernels.worst_spawn, kernels.reply_to

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
        self._use(context)

    def own_depth(self, board: Board) -> int:
        """Half-moves, the same for every board."""
        return int(self.context.words[kernels.DEPTH])

    def depth_of(self, ply: int) -> int:
        """Half-moves in `ply` plies: 2 ply - 1."""
        return 2 * ply - 1

    def depth_words(self, depth: int) -> str:
        """A depth in half-moves."""
        return f"{depth} half-moves" if depth != 1 else "1 half-move"

    def values(
        self, position: np.uint64, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Exact values of legal moves at `depth` half-moves."""
        words = self.context.words
        return self._each(
            legal, lambda move: kernels.value_of(position, score, int(move), depth, words)
        )

    def line(self, position: np.uint64, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The principal variation, mostly from the transposition table; the first of equals."""
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


PLIES: Final = 4
"""Three rounds of (spawn, move) below the first move."""

ORDER: Final = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)
"""The order of moves in the source; of equal moves the first is chosen."""


class Summed(Search):
    """The search of Baeldung's article; threads and the transposition table change no value.

    The evaluator must return integers. `prunes` skips moves that change nothing.
    """

    calls = (kernels.sum_of,)

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
        context = Context(evaluator, rules, kernels.SUM_WORDS)
        context.words[kernels.SKIPS] = prunes
        context.point_table(table_mb)
        self._use(context, threads)

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
                value = kernels.sum_of(position, int(move), depth - 1, context.words)
                values[move] = MoveValue(float(value), context.nodes - before)

        self._in_threads(share)
        return {move: values[move] for move in moves}

    def line(self, position: np.uint64, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The best move alone: a sum over spawns has no typical spawn."""
        return (LineStep(best),)
