"""Search: what expectimax and alpha-beta have in common, on bits and on cells."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from twofold.board import Board
from twofold.kernels._jit import address_of
from twofold.kernels.search import context as words
from twofold.kernels.search import transposition
from twofold.rules import Move, Rules
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.context import Context, Words
from twofold.search.stop import was_stopped


class Search(ABC):
    """A search under given rules, to any depth in a count of its own.

    Attributes:
        contexts: the context of each thread, one at least.
        policy: address of its kernel that chooses moves inside a game loop; 0 for none.
        depends_on_path: whether a value in the table depends on the way that led to it, so that
            no search may use what another one has stored.
    """

    contexts: tuple[Context, ...]
    policy: int = 0
    depends_on_path: bool = False

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @property
    def context(self) -> Context:
        """The context of the first thread."""
        return self.contexts[0]

    # ---- what each search says for itself

    @abstractmethod
    def position(self, board: Board) -> Any:
        """The form of a board that the kernels take."""

    @abstractmethod
    def own_depth(self, board: Board) -> int:
        """The depth that this search was made for, on this board as it is played."""

    @abstractmethod
    def values(
        self, position: Any, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """The exact values of legal moves, unless it is stopped on the way.

        Args:
            position: see `position`.
            score: points so far.
            legal: the moves to value.
            depth: depth in the search's own count.
        """

    @abstractmethod
    def line(self, position: Any, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """How the game may go on, from a best move on; shorter if it is stopped on the way."""

    def decides(self, board: Board) -> bool:
        """Whether `policy` knows all of this board that its depth depends on."""
        return True

    def depth_of(self, ply: int) -> int:
        """The depth for so many plies, in the search's own count."""
        return ply

    def depth_words(self, depth: int) -> str:
        """A depth with its unit."""
        return f"{depth} plies" if depth != 1 else "1 ply"

    def close(self) -> None:
        """End the threads, if there are any."""
        return

    # ---- what all share

    def ask_first(self, tables: Words) -> None:
        """Have `policy` ask endgame tables before it searches.

        Args:
            tables: their words, see `kernels.endgame_lookup`; kept by this search.
        """
        from twofold.kernels.endgame.policy import table_first  # loads kernels

        for context in self.contexts:
            context.point(words.TABLES, tables)
            context.words[words.INNER_POLICY] = self.policy
        self.policy = address_of(table_first) if self.policy else 0

    @property
    def nodes(self) -> int:
        """Positions visited so far, by all threads."""
        return sum(int(context.words[words.NODES]) for context in self.contexts)

    @property
    def hits(self) -> int:
        """Values that the transposition table answered so far."""
        return sum(int(context.words[words.HITS]) for context in self.contexts)

    def gave_up(self) -> bool:
        """Whether the last values are worth nothing: a limit or a flag ended the search."""
        return any(was_stopped(context.words) for context in self.contexts)

    def forget(self) -> None:
        """Search as if for the first time."""
        self.context.clear_table()
        for context in self.contexts:
            context.words[words.GENERATION] = 0

    def begin(self, *, afresh: bool) -> None:
        """Begin a search in the transposition table.

        Args:
            afresh: whether nothing is believed that an earlier search has stored, so that
                values and nodes do not depend on it.
        """
        for context in self.contexts:
            context.words[words.ONLY_PRESENT] = afresh or self.depends_on_path
        transposition.begin(self.context.words)
        for context in self.contexts:
            context.words[words.GENERATION] = self.context.words[words.GENERATION]

    def end(self) -> None:
        """Let the game loop go on: no limit, and what earlier moves have stored counts."""
        self.limit_nodes(None)
        for context in self.contexts:
            context.words[words.ONLY_PRESENT] = self.depends_on_path

    def limit_nodes(self, nodes: int | None) -> None:
        """Let the search give up after so many more nodes, or never.

        With several threads each has an equal share.
        """
        for context in self.contexts:
            share = words.NEVER if nodes is None else max(nodes // len(self.contexts), 1)
            context.words[words.NODE_LIMIT] = min(
                int(context.words[words.NODES]) + share, words.NEVER
            )


def first_best(values: Mapping[Move, MoveValue]) -> Move:
    """The move of the largest value, the first in the order of the mapping of equals."""
    return max(values, key=lambda move: values[move].value)


def as_word(value: float) -> np.uint64:
    """A number by its bits, as contexts keep it."""
    return np.float64(value).view(np.uint64)
