"""Players without search: random, greedy and corner.

Kernels play whole games on bits or on cells; single moves are chosen in plain Python.
"""

from abc import abstractmethod
from typing import Any

import numpy as np

from twofold import reference
from twofold.board import Board
from twofold.kernels._jit import address_of
from twofold.kernels.search import policies
from twofold.players.base import check_going, move_list
from twofold.players.compiled import CompiledPlayer, fits_bits, table_words
from twofold.rules import Move, Rules
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget
from twofold.search.stop import Stop


class SimplePlayer(CompiledPlayer):
    """A player with one rule as three policies: on bits, on cells, in plain Python."""

    bits_kernel: Any
    cells_kernel: Any
    takes_limits = False

    def prepare(self, rules: Rules) -> None:
        """Set the policies for these rules."""
        self.policy = address_of(self.bits_kernel) if fits_bits(rules) else 0
        self.cells_policy = address_of(self.cells_kernel)
        self.context = np.zeros(2, dtype=np.uint64)
        if self.policy:
            self.context, self._tables = table_words(rules)

    @abstractmethod
    def rule(self, board: Board, legal: tuple[Move, ...], move_number: int) -> Move:
        """The move, in plain Python."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of the rule."""
        return self.rule(board, check_going(board), move_number)


class RandomPlayer(SimplePlayer):
    """Chooses uniformly among the legal moves, by random numbers from the seed."""

    bits_kernel, cells_kernel = policies.random_bits, policies.random_cells

    def rule(self, board: Board, legal: tuple[Move, ...], move_number: int) -> Move:
        """A legal move, chosen by `reference.player_dice`."""
        draw = reference.player_dice(self.seed, move_number)
        return legal[((draw >> 32) * len(legal)) >> 32]


class GreedyPlayer(SimplePlayer):
    """Makes the move with the largest reward; ties in the order up, right, down, left."""

    bits_kernel, cells_kernel = policies.greedy_bits, policies.greedy_cells

    def rule(self, board: Board, legal: tuple[Move, ...], move_number: int) -> Move:
        """The move with the largest reward."""
        return max(legal, key=lambda move: board.slide(move).reward)

    def analyse(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Analysis:
        """The rewards of the four moves."""
        rewards = {
            move: MoveValue(float(board.slide(move).reward), 1) for move in check_going(board)
        }
        best = self.rule(board, tuple(rewards), 0)
        return Analysis(board, move_list(board, rewards), best, self.spec, unit="points")


class CornerPlayer(SimplePlayer):
    """Prefers down, then left; goes right, then up, only if forced."""

    bits_kernel, cells_kernel = policies.corner_bits, policies.corner_cells
    order = (Move.DOWN, Move.LEFT, Move.RIGHT, Move.UP)

    def rule(self, board: Board, legal: tuple[Move, ...], move_number: int) -> Move:
        """The first legal move of the order."""
        return min(legal, key=self.order.index)
