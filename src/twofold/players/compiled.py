"""Players with a compiled policy, which kernels call to play whole games."""

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
    """A player on 64-bit boards. Subclasses set the policy in `prepare`.

    A board with a tile above 32768 is first downgraded: every tile above the largest missing one is
    halved until the largest is 32768. This keeps the legal moves and which tiles are equal. A
    player without a policy, such as a search on cells, is called for each move.

    Attributes:
        policy: address of a kernel `intrinsics.POLICY`; 0 if boards do not fit 64 bits.
        cells_policy: address of a kernel `intrinsics.CELLS_POLICY`, or 0.
    """

    compiled = True
    policy: int = 0
    cells_policy: int = 0
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


def table_words(rules: Rules) -> tuple[Words, list[Any]]:
    """The context of a policy that needs only the row tables, and the arrays to keep alive."""
    shape = frame(*rules.shape)
    addresses = [shape.across.ctypes.data, shape.down.ctypes.data]
    return np.array(addresses, dtype=np.uint64), [shape.across, shape.down]
