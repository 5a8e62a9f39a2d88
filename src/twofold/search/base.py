"""The base class of all searches, and iterative deepening within a budget."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import context as words
from twofold.kernels import transposition
from twofold.kernels._jit import address_of, load
from twofold.limits import MAX_PLY
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.budget import Budget, Stop, ringing, was_stopped
from twofold.search.context import Context, Words, fitting_bits


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

    def position(self, board: Board) -> Any:
        """A board as the kernels read it: in 64 bits, downgraded if a tile exceeds 32768."""
        return np.uint64(fitting_bits(board))

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

    def _each(self, moves: Iterable[Move], value: Callable[[Move], float]) -> dict[Move, MoveValue]:
        """The values of moves, with the positions that the first thread visited for each."""
        values = {}
        for move in moves:
            before = self.context.nodes
            values[move] = MoveValue(float(value(move)), self.context.nodes - before)
        return values

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
        from twofold.kernels.table_lookup import table_first  # loads kernels

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


HOPELESS: Final = 4.0
"""A depth expected to take this many times the rest of the budget is not begun."""

LEAST_GROWTH: Final = 2.0
"""Smallest expected ratio between the nodes of a depth and of the one before."""


@dataclass(frozen=True, slots=True)
class DeepFound:
    """The result of one depth: `nodes`, `hits` and `seconds` include all depths so far."""

    depth: int
    values: dict[Move, MoveValue]
    nodes: int
    hits: int
    seconds: float


def deepen(
    search: Search,
    board: Board,
    score: int,
    legal: Sequence[Move],
    budget: Budget,
    stop: Stop | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[DeepFound]:
    """Search with increasing depth; yields at least one complete result.

    Without a limit of time or nodes and without `stop` there is one depth: that of the budget, or
    that of the search. Otherwise depths go up from 1 ply; the first is always finished, and an
    interrupted one is dropped. The caller may use the search between two results. `board` must not
    be downgraded; `clock` returns seconds.
    """
    search.load()
    began, nodes, hits = clock(), 0, 0
    position = search.position(board)
    limited = bool(budget.seconds or budget.nodes)
    deepest = budget.ply and search.depth_of(budget.ply)
    if deepest is None:
        deepest = search.depth_of(MAX_PLY) if limited else search.own_depth(board)
    depths = [deepest]
    if limited or stop is not None:
        steps = [search.depth_of(ply) for ply in range(1, MAX_PLY + 1)]
        depths = [*(depth for depth in steps if depth < deepest), deepest]
    deadline, flag = Stop(), stop or Stop()
    searches = [context.words for context in search.contexts]
    visited: list[int] = []
    pace = math.inf  # seconds per position, the minimum over depths: others were delayed
    try:
        with ExitStack() as stack:
            if budget.seconds is not None:
                left = began + budget.seconds - clock()
                stack.enter_context(ringing(left, deadline.raise_flag))
            for number, depth in enumerate(depths):
                search.begin(afresh=True)  # ignores what the caller stored since the last depth
                started, nodes_then, hits_then = clock(), search.nodes, search.hits
                values: dict[Move, MoveValue] = {}
                if number == 0:
                    search.limit_nodes(None)
                    values = search.values(position, score, legal, depth)
                else:
                    search.limit_nodes(budget.nodes and max(budget.nodes - nodes, 1))
                    with deadline.over(searches), flag.over(searches):
                        values = search.values(position, score, legal, depth)
                    if search.gave_up():
                        return
                visited.append(search.nodes - nodes_then)
                pace = min(pace, (clock() - started) / max(visited[-1], 1))
                nodes += visited[-1]
                hits += search.hits - hits_then
                yield DeepFound(depth, values, nodes, hits, clock() - began)
                if _is_hopeless(budget, visited, pace, nodes, clock() - began):
                    return
    finally:
        search.end()


def _is_hopeless(
    budget: Budget, visited: Sequence[int], pace: float, nodes: int, seconds: float
) -> bool:
    """True if the next depth is expected to take much more than is left of the budget."""
    if budget.seconds is not None:
        return _expected(visited) * pace > HOPELESS * (budget.seconds - seconds)
    left = math.inf if budget.nodes is None else budget.nodes - nodes
    return _expected(visited) > HOPELESS * left


def _expected(visited: Sequence[int]) -> float:
    """Expected positions of the next depth, from the growth of the last ones."""
    growth = visited[-1] / visited[-2] if len(visited) > 1 and visited[-2] > 0 else LEAST_GROWTH
    return visited[-1] * max(growth, LEAST_GROWTH)
