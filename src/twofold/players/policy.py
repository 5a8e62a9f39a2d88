"""The player `policy`: the most probable move of a policy network, or a search that it guides."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from twofold.errors import InvalidSpec
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import context as words
from twofold.kernels import policy as kernels
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.kernels.table_lookup import table_first
from twofold.players.base import check_going, move_list
from twofold.players.compiled import CompiledPlayer, fits_bits
from twofold.search.analysis import PROBABILITY, Analysis, MoveValue
from twofold.search.budget import Budget
from twofold.search.context import as_searched
from twofold.values.policy_network import PolicyNetwork, probabilities

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTables


class PolicyPlayer(CompiledPlayer):
    """Makes the most probable move, or the best one of a search among the probable moves.

    Endgame tables, if there are any, are asked first. Without a search, tiles past 32768 are
    shown to the network as they are.

    Args:
        network: the policy network.
        ply: depth of the search in plies; 0 for none.
        share: the search tries moves at least this share as probable as the most probable one.
        tables: endgame tables, or None.

    Raises:
        InvalidSpec: a search with a network of boards that are not on bits.
    """

    takes_limits = False

    def __init__(
        self,
        network: PolicyNetwork,
        ply: int = 0,
        *,
        share: float = 0.1,
        tables: "EndgameTables | None" = None,
    ) -> None:
        if ply and max(network.shape) > 4:
            raise InvalidSpec("expected a network of a board up to 4x4 for ply=")
        self.network, self.ply, self.share, self.tables = network, ply, share, tables

    def unsupported(self, rules: Rules) -> str:
        """Why the network cannot play under these rules."""
        rows, cols = self.network.shape
        if rules.shape != self.network.shape:
            return f"expected boards of {rows}x{cols}"
        return "expected spawn tiles up to 32768" if self.ply and not fits_bits(rules) else ""

    def prepare(self, rules: Rules) -> None:
        """Set policy and context."""
        self._distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        found = np.zeros(kernels.WORDS, dtype=np.uint64)
        found[kernels.NETWORK] = self.network.words.ctypes.data
        found[kernels.PLY] = self.ply
        found[kernels.MARGIN] = np.float64(-math.log(self.share)).view(np.uint64)
        reward = self.network.reward
        found[kernels.REWARDS] = reward.values.ctypes.data
        found[kernels.DISCOUNT] = np.float64(self.network.discount).view(np.uint64)
        found[words.DEAD_VALUE] = np.float64(reward.death).view(np.uint64)
        found[words.DISTRIBUTION] = self._distribution.ctypes.data
        own = 0
        if fits_bits(rules):
            shape = frame(*rules.shape)
            found[words.ACROSS] = shape.across.ctypes.data
            found[words.DOWN] = shape.down.ctypes.data
            found[words.MASK] = shape.mask
            own = address_of(kernels.search if self.ply else kernels.choose)
        self.policy = own
        if own and self._asked is not None:
            found[words.TABLES] = self._asked.words.ctypes.data
            found[words.INNER_POLICY] = own
            self.policy = address_of(table_first)
        self.context = found

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of an endgame table if one applies, otherwise that of the network."""
        legal = check_going(board)
        answer = self.table_answer(board)
        if answer is not None:
            return answer.best
        if self.ply:
            return self._searched(board, legal)[0]
        logits = self.network.think(board).logits
        return max(legal, key=lambda move: logits[move])

    def _searched(self, board: Board, legal: tuple[Move, ...]) -> tuple[Move, dict[Move, float]]:
        """The move of the search, and the values of all legal moves."""
        self._fit(board)
        values = np.zeros(4)
        mask = sum(1 << move for move in legal)
        bits = np.uint64(as_searched(board).to_bits())
        tried = kernels.value_moves(bits, mask, self.context, values)
        best = max((move for move in legal if tried >> move & 1), key=lambda move: values[move])
        return best, {move: float(values[move]) for move in legal}

    def analyse(self, board: Board, budget: Budget | None = None, **_: Any) -> Analysis:
        """The probability of each move, or its value in the network's unit; and that of the board.

        With a search `best` is a probable move, even if the critic values another more highly.
        """
        legal = check_going(board)
        answer = self.table_answer(board)
        thought = self.network.think(board)
        chances = probabilities(thought.logits, [move in legal for move in Move])
        best = max(legal, key=lambda move: thought.logits[move])
        values = {move: chances[move] for move in legal}
        before = int(self.context[words.NODES])
        if self.ply:
            best, values = self._searched(board, legal)
        nodes = int(self.context[words.NODES]) - before
        return Analysis(
            board,
            move_list(board, {move: MoveValue(value, 0) for move, value in values.items()}),
            best if answer is None else answer.best,
            self.spec,
            unit=self.network.unit if self.ply else PROBABILITY,
            depth=f"{self.ply} {'ply' if self.ply == 1 else 'plies'}" if self.ply else "",
            nodes=nodes,
            evaluator="critic" if self.ply else "policy",
            critic=thought.value,
            critic_unit=self.network.unit,
            table=answer,
        )
