"""Players whose choice is a compiled policy: they can play whole games inside a kernel."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold import reference
from twofold.arrays import lies_flat
from twofold.board import Board
from twofold.errors import PlayerError
from twofold.kernels.rules import play
from twofold.kernels.rules.row_tables import frame
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE
from twofold.notation import shown
from twofold.players.base import Player, assumed_score, check_going
from twofold.rules import Move, Rules
from twofold.search.context import fitting_bits

Words = NDArray[np.uint64]


class CompiledPlayer(Player):
    """A player on bits. Subclasses set the policy in `prepare`.

    A board with a tile past 32768 is downgraded before it is looked at: every tile above the
    largest missing one is halved, until 32768 is the largest. That keeps the legal moves and
    which tiles are equal, and 16 cells that are not dead always have holes enough for it.
    A player without a policy, such as a search on cells, is asked for each move.

    Attributes:
        policy: address of a kernel `intrinsics.POLICY`; 0 where boards do not fit 64 bits.
        cells_policy: address of a kernel `intrinsics.CELLS_POLICY`, or 0.
    """

    compiled = True
    policy: int = 0
    cells_policy: int = 0
    _context: Words
    _prepared: Rules | None = None

    @property
    def context(self) -> Words:
        """The words that the policy is given; as many as it reads.

        Raises:
            PlayerError: they are no uint64 in one dimension, side by side.
        """
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
        """Get ready for a game under these rules."""
        super().start(rules, seed)
        if rules != self._prepared:
            self.prepare(rules)
            self._prepared = rules

    @property
    def plays_on(self) -> bool:
        """Whether games may follow each other without a `start`, with the same moves."""
        return type(self).start is CompiledPlayer.start

    @abstractmethod
    def prepare(self, rules: Rules) -> None:
        """Set policy and context for rules that `unsupported` has let pass."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The policy's move."""
        legal = check_going(board)
        self._fit(board)
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
        """Prepare for the shape of a board that no `start` announced."""
        if self._prepared is None or board.shape != self._prepared.shape:
            self.start(Rules(*board.shape), self.seed)


def fits_bits(rules: Rules) -> bool:
    """Whether games under these rules can be played on the 64-bit form."""
    return max(rules.shape) <= BITS_MAX_SIDE and max(rules.spawn_exponents) <= BITS_MAX_EXPONENT


def table_words(rules: Rules) -> tuple[Words, list[Any]]:
    """A policy's context that holds the addresses of the row tables alone, and the arrays."""
    shape = frame(*rules.shape)
    addresses = [shape.across.ctypes.data, shape.down.ctypes.data]
    return np.array(addresses, dtype=np.uint64), [shape.across, shape.down]
