"""Players whose choice is a compiled policy: they can play whole games inside a kernel."""

import time
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold import reference
from twofold.board import Board
from twofold.kernels import play
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE
from twofold.players.base import Player, assumed_score, check_going, move_list
from twofold.rules import Move, Rules
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget

Words = NDArray[np.uint64]


class CompiledPlayer(Player):
    """A player on bits. Subclasses set the policy in `prepare` and value moves in `values`.

    A board with a tile past 32768 is downgraded before it is looked at: every tile above the
    largest missing one is halved, which keeps the legal moves and which tiles are equal.

    Attributes:
        policy: address of a kernel `intrinsics.POLICY`; 0 where boards do not fit 64 bits.
        context: the words it is given.
        cells_policy: address of a kernel `intrinsics.CELLS_POLICY`, or 0.
    """

    compiled = True
    policy: int = 0
    context: Words
    cells_policy: int = 0
    unit: str = ""
    _prepared: Rules | None = None

    def start(self, rules: Rules, seed: int) -> None:
        """Get ready for a game under these rules."""
        super().start(rules, seed)
        if rules != self._prepared:
            self.prepare(rules)
            self._prepared = rules

    @abstractmethod
    def prepare(self, rules: Rules) -> None:
        """Set policy and context for rules that `unsupported` has let pass."""

    def values(self, bits: int, score: int, legal: tuple[Move, ...]) -> dict[Move, float]:
        """The values of the legal moves of a board; empty where the policy has none."""
        return {}

    def depth(self, bits: int) -> str:
        """The depth of the search at this board, with its unit."""
        return ""

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return 0

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The policy's move."""
        legal = check_going(board)
        self._fit(board)
        points = assumed_score(board) if score is None else score
        draw = reference.player_dice(self.seed, move_number)
        mask = sum(1 << move for move in legal)
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

    def analyse(
        self, board: Board, budget: Budget | None = None, *, score: int | None = None
    ) -> Analysis:
        """The values of the four moves."""
        began = time.perf_counter()
        legal = check_going(board)
        self._fit(board)
        points = assumed_score(board) if score is None else score
        bits, nodes = fitting_bits(board), self.nodes
        values = self.values(bits, points, legal)
        best = max(legal, key=lambda move: values[move]) if values else self.choose(board)
        return Analysis(
            board,
            move_list(board, values),
            best,
            self.spec,
            unit=self.unit,
            depth=self.depth(bits),
            nodes=self.nodes - nodes,
            seconds=time.perf_counter() - began,
        )

    def _fit(self, board: Board) -> None:
        """Prepare for the shape of a board that no `start` announced."""
        if self._prepared is None or board.shape != self._prepared.shape:
            self.start(Rules(*board.shape), self.seed)


def fitting_bits(board: Board) -> int:
    """The 64-bit form of a board, downgraded if a tile is past 32768."""
    if board.max_exponent <= BITS_MAX_EXPONENT:
        return board.to_bits()
    lower = reference.downgrade(board.exponents, BITS_MAX_EXPONENT)
    return Board([min(exponent, BITS_MAX_EXPONENT) for exponent in lower], board.shape).to_bits()


def fits_bits(rules: Rules) -> bool:
    """Whether games under these rules can be played on the 64-bit form."""
    return max(rules.shape) <= BITS_MAX_SIDE and max(rules.spawn_exponents) <= BITS_MAX_EXPONENT


def table_words(rules: Rules) -> tuple[Words, list[Any]]:
    """A policy's context that holds the addresses of the row tables alone, and the arrays."""
    from twofold.kernels.tables import frame

    shape = frame(*rules.shape)
    addresses = [shape.across.ctypes.data, shape.down.ctypes.data]
    return np.array(addresses, dtype=np.uint64), [shape.across, shape.down]
