"""Players that search, such as expectimax; two of them in turn; the values of moves."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import policies as kernels
from twofold.kernels._jit import address_of
from twofold.players.base import Player, StreamPlayer, assumed_score, check_going, move_list
from twofold.players.compiled import CompiledPlayer
from twofold.search.analysis import Analysis
from twofold.search.base import Search, deepen, first_best
from twofold.search.budget import Budget, Stop
from twofold.search.context import as_searched, unsupported
from twofold.search.depth import Depth
from twofold.search.expectimax import Expectimax, ExpectimaxCells
from twofold.values import Evaluator

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTables, TableAnswer

LINE_SHARE = 10
"""The principal variation may cost nodes / LINE_SHARE + LINE_NODES further nodes."""

LINE_NODES = 10_000


class SearchPlayer(StreamPlayer, CompiledPlayer):
    """A player whose policy is the search that `make_search` makes for the rules.

    `budget` limits each move; with a time limit games are not reproducible. Moves of the endgame
    `tables` take precedence, under the rules that these support.
    """

    search: Search

    def __init__(
        self,
        evaluator: Evaluator,
        make_search: Callable[[Rules], Search],
        budget: Budget | None = None,
        tables: "EndgameTables | None" = None,
    ) -> None:
        self.evaluator, self.make_search = evaluator, make_search
        self.tables = tables
        self.unit = evaluator.unit
        self.budget = budget or Budget()
        self.reproducible = self.budget.seconds is None

    def unsupported(self, rules: Rules) -> str:
        """Why the evaluator or 64-bit boards do not support these rules."""
        return unsupported(self.evaluator, rules)

    def start(self, rules: Rules, seed: int) -> None:
        """Prepare for a new game; the transposition table is cleared."""
        prepared = self._prepared
        super().start(rules, seed)
        if rules == prepared:
            self.search.forget()

    @property
    def plays_on(self) -> bool:
        """True if games can share a transposition table without changing any move."""
        return type(self).start is SearchPlayer.start and not self.search.depends_on_path

    def prepare(self, rules: Rules) -> None:
        """Make the search for these rules."""
        self.close()
        self.search = self.make_search(rules)
        if self._asked is not None:
            self.search.ask_first(self._asked.words)
        # A move that takes several kernel calls is chosen by `choose`.
        in_python = self.budget != Budget() or len(self.search.contexts) > 1
        self.policy = 0 if in_python else self.search.policy
        self.context = self.search.context.words

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of an endgame table, else the first best move of the search."""
        legal = check_going(board)
        self._fit(board)
        if self.policy:
            return self._ask(board, legal, score, move_number)
        if len(legal) == 1:
            return legal[0]
        if self._asked is not None and (move := self._asked.move(as_searched(board))) is not None:
            return move
        points = assumed_score(board) if score is None else score
        *_, last = deepen(self.search, board, points, legal, self.budget)
        return first_best(last.values)

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """Improving analyses, one per ply under limits of time or nodes.

        If an endgame table chooses the move, it is `best`; the search still gives the values.
        Earlier searches have no influence: equal requests have equal results, without time limits.
        """
        legal = check_going(board)
        self._fit(board)
        points = assumed_score(board) if score is None else score
        limits = self.budget if budget is None or budget == Budget() else budget
        position = self.search.position(board)
        # Threads share a node limit, and each may use up its part sooner or later.
        shares = limits.nodes is not None and len(self.search.contexts) > 1
        reproducible = self.reproducible and limits.seconds is None and not shares
        answer = self.table_answer(board)
        for found in deepen(self.search, board, points, legal, limits, stop):
            best = first_best(found.values) if answer is None else answer.best
            self.search.limit_nodes(LINE_NODES + found.nodes // LINE_SHARE)
            line = self.search.line(position, points, best, found.depth)
            self.search.limit_nodes(None)  # the caller may use the player before the next step
            yield Analysis(
                board,
                move_list(board, found.values, found.depth),
                best,
                self.spec,
                unit=self.unit,
                depth=self.search.depth_words(found.depth),
                nodes=found.nodes,
                seconds=found.seconds,
                hits=found.hits,
                evaluator=self.evaluator.name,
                line=line,
                reproducible=reproducible and not (stop is not None and stop.is_raised),
                table=answer,
            )

    def close(self) -> None:
        """Stop the search's threads."""
        if self._prepared is not None:
            self.search.close()


class ExpectimaxPlayer(SearchPlayer):
    """Expectimax, on bits if the rules fit 64 bits, else on cells if the evaluator can.

    The `options` are those of `Expectimax`. A budget of time or nodes replaces `depth`. `threads`
    and `downgrade` apply on bits only.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        depth: Depth,
        budget: Budget | None = None,
        *,
        cut: float = 0.0,
        threads: int = 1,
        downgrade: int = 0,
        tables: "EndgameTables | None" = None,
        **options: Any,
    ) -> None:
        def make_search(rules: Rules) -> Search:
            if unsupported(evaluator, rules):
                return ExpectimaxCells(evaluator, rules, depth, cut=cut, **options)
            more = {"threads": threads, "downgrade": downgrade, **options}
            return Expectimax(evaluator, rules, depth, cut=cut, **more)

        super().__init__(evaluator, make_search, budget, tables)
        self.reproducible &= threads == 1 or (cut == 0 and self.budget.nodes is None)

    def unsupported(self, rules: Rules) -> str:
        """Why neither bits nor cells support these rules."""
        return "" if self.evaluator.supports_cells(*rules.shape) else super().unsupported(rules)


class RelayPlayer(StreamPlayer, CompiledPlayer):
    """Plays as `early`, and as `late` once the different tiles sum to `late_sum`.

    A board whose tiles sum to an eighth more is late, too: see `kernels.policies.relay`.

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

    def stream(self, board: Board, budget: Budget | None = None, **more: Any) -> Iterator[Analysis]:
        """The improving analyses of the player whose turn it is."""
        for found in self.part_for(board).stream(board, budget, **more):
            yield replace(found, player=self.spec)

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """The answer of the endgame table that chooses the move, or None."""
        return self.part_for(board).table_answer(board)

    def close(self) -> None:
        """Release the resources of both."""
        for part in self.parts:
            part.close()


def values_of(
    player: Player, board: Board, score: int, budget: Budget, stop: Stop
) -> dict[Move, float] | None:
    """The values of the legal moves; None if `stop` ended the search.

    An empty budget stands for the player's limits. The player is started for the rules. Moves that
    a policy network left out count at most as much as its best one: their values are not trusted.
    """
    searching = player.part_for(board)
    if isinstance(searching, SearchPlayer):
        limits = searching.budget if budget == Budget() else budget
        if limits.seconds is None and limits.nodes is None:
            return _searched(searching.search, board, score, limits.ply, stop)
    found = player.analyse(board, budget, score=score, stop=stop)
    if stop.is_raised:
        return None
    values = {one.move: one.value for one in found.moves if one.value is not None}
    if found.critic is None or found.value is None:
        return values
    return {move: min(value, found.value) for move, value in values.items()}


def _searched(
    search: Search, board: Board, score: int, ply: int | None, stop: Stop
) -> dict[Move, float] | None:
    position = search.position(board)
    depth = search.own_depth(board) if ply is None else search.depth_of(ply)
    search.begin(afresh=True)
    search.limit_nodes(None)
    try:
        with stop.over([context.words for context in search.contexts]):
            values = search.values(position, score, check_going(board), depth)
        return None if search.gave_up() else {move: one.value for move, one in values.items()}
    finally:
        search.end()
