"""Players with a compiled policy, which kernels call to play whole games; those without search.

Players without search: random, greedy and corner.

Kernels play whole games on bits or on cells; single moves are chosen in plain Python.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from twofold.errors import PlayerError
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules
from twofold.kernels import play, policies
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE
from twofold.players.base import Player, assumed_score, check_going, move_list
from twofold.search.analysis import Analysis, MoveValue
from twofold.search.budget import Budget
from twofold.search.context import as_searched, fitting_bits
from twofold.storage.arrays import lies_flat

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTables, TableAnswer

Words = NDArray[np.uint64]


class CompiledPlayer(Player):
    """A player on 64-bit boards. Subclasses set the policy in `prepare`.

    A board with a tile above 32768 is first downgraded: every tile above the largest missing one is
    halved until the largest is 32768. This keeps the legal moves and which tiles are equal. A
    player without a policy, such as a search on cells, is called for each move.

    Attributes:
        policy: address of a kernel `intrinsics.POLICY`; 0 if boards do not fit 64 bits.
        cells_policy: address of a kernel `intrinsics.CELLS_POLICY`, or 0.
        tables: endgame tables, whose moves come first under the rules that they support.
    """

    compiled = True
    policy: int = 0
    cells_policy: int = 0
    tables: "EndgameTables | None" = None
    _asked: "EndgameTables | None" = None
    _context: Words
    _prepared: Rules | None = None

    @property
    def context(self) -> Words:
        """The policy's argument: uint64, one-dimensional, contiguous (else `PlayerError`)."""
        return self._context

    @context.setter
    def context(self, words: Words) -> None:
        if not lies_flat(words, np.uint64):
            raise PlayerError(
                f"expected the context of {self.spec} as uint64 in one dimension, "
                f"got {shown(words)}"
            )
        self._context = words

    def start(self, rules: Rules, seed: int) -> None:
        """Prepare for a game; `prepare` runs only if the rules change."""
        super().start(rules, seed)
        if rules != self._prepared:
            suits = self.tables is not None and self.tables.suits(rules)
            self._asked = self.tables if suits else None
            self.prepare(rules)
            play.ask.load()
            self._prepared = rules

    @property
    def plays_on(self) -> bool:
        """True if skipping `start` between games changes no move."""
        return type(self).start is CompiledPlayer.start

    @abstractmethod
    def prepare(self, rules: Rules) -> None:
        """Set policy and context for rules that `unsupported` accepts."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The policy's move."""
        legal = check_going(board)
        self._fit(board)
        return self._ask(board, legal, score, move_number)

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """The answer of the endgame table that chooses the move, or None."""
        self._fit(board)
        return None if self._asked is None else self._asked.answer(as_searched(board))

    def _ask(
        self, board: Board, legal: tuple[Move, ...], score: int | None, move_number: int
    ) -> Move:
        points = assumed_score(board) if score is None else score
        draw = reference.player_dice(self.seed, move_number)
        mask = 0
        for move in legal:
            mask |= 1 << move
        return Move(
            play.ask(
                np.uint64(self.policy),
                np.uint64(fitting_bits(board)),
                mask,
                points,
                np.uint64(draw),
                self.context,
            )
        )

    def _fit(self, board: Board) -> None:
        """Prepare for the shape of a board if `start` was not called with it."""
        if self._prepared is None or board.shape != self._prepared.shape:
            self.start(Rules(*board.shape), self.seed)


def fits_bits(rules: Rules) -> bool:
    """True if boards under these rules fit 64 bits."""
    return max(rules.shape) <= BITS_MAX_SIDE and max(rules.spawn_exponents) <= BITS_MAX_EXPONENT


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
            self._tables = frame(*rules.shape)  # kept alive
            addresses = [self._tables.across.ctypes.data, self._tables.down.ctypes.data]
            self.context = np.array(addresses, dtype=np.uint64)

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

    def analyse(self, board: Board, budget: Budget | None = None, **_: Any) -> Analysis:
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
