"""The player `policy` without a search: the most probable move of a policy network."""

from typing import TYPE_CHECKING

import numpy as np

from twofold.board import Board
from twofold.kernels._jit import address_of
from twofold.kernels.endgame.policy import table_first
from twofold.kernels.policy import forward
from twofold.kernels.search import context as words
from twofold.networks.policy import PolicyNetwork, probabilities
from twofold.players.base import check_going, move_list
from twofold.players.compiled import CompiledPlayer, fits_bits
from twofold.rules import Move, Rules
from twofold.search.analysis import PROBABILITY, Analysis, MoveValue
from twofold.search.budget import Budget
from twofold.search.context import as_searched
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.endgame.table import EndgameTables, TableAnswer


class PolicyPlayer(CompiledPlayer):
    """Makes the move that the network finds most probable.

    Tiles past 32768 are shown to the network as they are, if it knows them.

    Endgame tables, if there are any, are asked first.
    """

    def __init__(self, network: PolicyNetwork, tables: "EndgameTables | None" = None) -> None:
        self.network, self.tables = network, tables
        self._asked: EndgameTables | None = None

    def unsupported(self, rules: Rules) -> str:
        """Why the network cannot play under these rules."""
        rows, cols = self.network.shape
        return "" if rules.shape == self.network.shape else f"expected rules {rows}x{cols}"

    def prepare(self, rules: Rules) -> None:
        """Set policy and context."""
        found = np.zeros(words.OWN + 1, dtype=np.uint64)
        found[forward.NETWORK] = self.network.words.ctypes.data
        own = address_of(forward.choose)
        self._asked = self.tables if self.tables is not None and self.tables.suits(rules) else None
        self.policy = own
        if self._asked is not None:
            found[words.TABLES] = self._asked.words.ctypes.data
            found[words.INNER_POLICY] = own
            self.policy = address_of(table_first)
        if not fits_bits(rules):
            self.policy = 0
        self.context = found

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of an endgame table, else the most probable one."""
        legal = check_going(board)
        answer = self.table_answer(board)
        if answer is not None:
            return answer.best
        logits = self.network.think(board).logits
        return max(legal, key=lambda move: logits[move])

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """The answer of the endgame table that chooses the move, or None."""
        self._fit(board)
        return None if self._asked is None else self._asked.answer(as_searched(board))

    def analyse(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Analysis:
        """The probability of each move, and the critic's value of the board."""
        legal = check_going(board)
        answer = self.table_answer(board)
        thought = self.network.think(board)
        chances = probabilities(thought.logits, [move in legal for move in Move])
        values = {move: MoveValue(chances[move], 1) for move in legal}
        likely = max(legal, key=lambda move: thought.logits[move])
        return Analysis(
            board,
            move_list(board, values),
            likely if answer is None else answer.best,
            self.spec,
            unit=PROBABILITY,
            nodes=1,
            evaluator="policy",
            critic=thought.value,
            critic_unit=self.network.unit,
            table=answer,
        )
