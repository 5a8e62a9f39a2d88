"""A player that hands over to another one late in the game."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from twofold.board import Board
from twofold.kernels._jit import address_of
from twofold.kernels.search import relay as kernels
from twofold.players.base import StreamPlayer
from twofold.players.compiled import CompiledPlayer
from twofold.players.searching import SearchPlayer
from twofold.rules import Move, Rules
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget
from twofold.search.context import as_searched
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.endgame.table import TableAnswer


class RelayPlayer(StreamPlayer, CompiledPlayer):
    """Plays as `early`, and as `late` once the different tiles sum to `late_sum`.

    A board whose tiles sum to an eighth more is late, too: see `kernels.search.relay`.

    A board with a tile past 32768 counts as it is searched, downgraded. The values of the two parts
    have different units; an analysis is that of one of them.
    """

    def __init__(self, early: SearchPlayer, late: SearchPlayer, late_sum: int) -> None:
        self.early, self.late, self.late_sum = early, late, late_sum
        self.reproducible = early.reproducible and late.reproducible

    @property
    def parts(self) -> tuple[SearchPlayer, SearchPlayer]:
        """The early and the late player."""
        return self.early, self.late

    def part_for(self, board: Board) -> SearchPlayer:
        """The player whose turn a board is, prepared for its shape."""
        self._fit(board)
        bits = np.uint64(as_searched(board).to_bits())
        return self.late if kernels.is_late(bits, np.uint64(self.late_sum)) else self.early

    def unsupported(self, rules: Rules) -> str:
        """Why one of the two does not support these rules."""
        return self.early.unsupported(rules) or self.late.unsupported(rules)

    def start(self, rules: Rules, seed: int) -> None:
        """Prepare both for a new game."""
        super().start(rules, seed)
        for part in self.parts:
            part.start(rules, seed)

    @property
    def plays_on(self) -> bool:
        """True if games can follow each other without `start`."""
        return all(part.plays_on for part in self.parts)

    def prepare(self, rules: Rules) -> None:
        """Put both policies into the context."""
        for part in self.parts:
            part.start(rules, self.seed)
        self.policy = address_of(kernels.relay) if all(part.policy for part in self.parts) else 0
        words = np.zeros(kernels.CONTEXT_WORDS, dtype=np.uint64)
        words[kernels.LATE_SUM] = self.late_sum
        words[kernels.EARLY_POLICY :: 2] = [part.policy for part in self.parts]
        words[kernels.EARLY_CONTEXT :: 2] = [part.context.ctypes.data for part in self.parts]
        self.context = words

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of the player whose turn it is."""
        return self.part_for(board).choose(board, score=score, move_number=move_number)

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """The improving analyses of the player whose turn it is."""
        for found in self.part_for(board).stream(board, budget, score=score, stop=stop):
            yield replace(found, player=self.spec)

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """The answer of the endgame table that chooses the move, or None."""
        return self.part_for(board).table_answer(board)

    def close(self) -> None:
        """Release the resources of both."""
        for part in self.parts:
            part.close()
