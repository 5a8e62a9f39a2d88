"""The base class of all searches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np

from twofold.board import Board
from twofold.kernels._jit import address_of, load
from twofold.kernels.search import context as words
from twofold.kernels.search import transposition
from twofold.rules import Move, Rules
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.context import Context, Words
from twofold.search.stop import was_stopped


class Search(ABC):
    """A search under given rules; its depths are in a unit that the subclass defines.

    Attributes:
        contexts: one per thread.
        policy: address of the kernel that chooses moves in game loops; 0 for none.
        depends_on_path: True if stored values depend on the path to a position, so that searches
            cannot share a transposition table.
        calls: the kernels that `position`, `values` and `line` call.
    """

    contexts: tuple[Context, ...]
    policy: int = 0
    depends_on_path: bool = False
    calls: ClassVar[tuple[Any, ...]] = ()

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    @property
    def context(self) -> Context:
        """The context of the first thread."""
        return self.contexts[0]

    # ---- for subclasses

    @abstractmethod
    def position(self, board: Board) -> Any:
        """A board in the form that the kernels read."""

    @abstractmethod
    def own_depth(self, board: Board) -> int:
        """The configured depth for a board, which must not be downgraded."""

    @abstractmethod
    def values(
        self, position: Any, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Values of legal moves at `depth`; valid unless `gave_up`. `score` is in points."""

    @abstractmethod
    def line(self, position: Any, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The principal variation from a best move on; shorter if stopped."""

    def decides(self, board: Board) -> bool:
        """True if `policy` can determine the depth for this board."""
        return True

    def depth_of(self, ply: int) -> int:
        """The depth for a number of plies."""
        return ply

    def depth_words(self, depth: int) -> str:
        """A depth with its unit, as text."""
        return f"{depth} plies" if depth != 1 else "1 ply"

    # ---- shared

    def _use(self, context: Context, threads: int = 1) -> None:
        """Search with a context, and with a twin of it in each further thread."""
        self.contexts = (context, *(context.twin() for _ in range(threads - 1)))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def _in_threads(self, work: Callable[[Context], None]) -> None:
        """Call `work` with each context, each in its thread."""
        if self._pool is None:
            work(self.context)
        else:
            list(self._pool.map(work, self.contexts))

    def close(self) -> None:
        """Stop the threads of the search."""
        if self._pool is not None:
            self._pool.shutdown()

    def load(self) -> None:
        """Load the kernels of an analysis, if that is not done yet; the first takes 0.1 s."""
        load(transposition.begin, *self.calls)

    def ask_first(self, tables: Words) -> None:
        """Make `policy` ask endgame tables first; `tables` are their words, kept alive here."""
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
        """Hits in the transposition table so far."""
        return sum(int(context.words[words.HITS]) for context in self.contexts)

    def gave_up(self) -> bool:
        """True if a limit or a flag ended the search, so that its last values are invalid."""
        return any(was_stopped(context.words) for context in self.contexts)

    def forget(self) -> None:
        """Clear the transposition table."""
        self.context.clear_table()
        for context in self.contexts:
            context.words[words.GENERATION] = 0

    def begin(self, *, afresh: bool) -> None:
        """Begin a search; `afresh` ignores values that earlier searches have stored."""
        for context in self.contexts:
            context.words[words.ONLY_PRESENT] = afresh or self.depends_on_path
        transposition.begin(self.context.words)
        for context in self.contexts:
            context.words[words.GENERATION] = self.context.words[words.GENERATION]

    def end(self) -> None:
        """Remove the limits, and use stored values again, for the game loop."""
        self.limit_nodes(None)
        for context in self.contexts:
            context.words[words.ONLY_PRESENT] = self.depends_on_path

    def limit_nodes(self, nodes: int | None) -> None:
        """Stop the search after this many more nodes, split over the threads; None for never."""
        for context in self.contexts:
            share = words.NEVER if nodes is None else max(nodes // len(self.contexts), 1)
            context.words[words.NODE_LIMIT] = min(
                int(context.words[words.NODES]) + share, words.NEVER
            )


def first_best(values: Mapping[Move, MoveValue]) -> Move:
    """The move with the largest value; of equal moves the first in the mapping."""
    return max(values, key=lambda move: values[move].value)


def as_word(value: float) -> np.uint64:
    """The bits of a float64, as contexts store it."""
    return np.float64(value).view(np.uint64)
