"""Players that search: expectimax, minimax, alpha-beta, and Baeldung's sums.

A search is imported when it is made: its kernels are compiled then, and no others.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from twofold.board import Board
from twofold.errors import InvalidSpec
from twofold.evaluators import Evaluator
from twofold.players.base import assumed_score, check_going, move_list
from twofold.players.compiled import CompiledPlayer
from twofold.rules import Move, Rules
from twofold.search.analysis import Analysis
from twofold.search.base import Search, first_best
from twofold.search.budget import Budget
from twofold.search.context import TABLE_MB, as_searched, unsupported
from twofold.search.deepening import deepen
from twofold.search.depth import Depth
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.endgame.table import EndgameTables, TableAnswer

LINE_SHARE = 10
"""The best line may cost one part in so many of the nodes of the search, and `LINE_NODES`."""

LINE_NODES = 10_000


class SearchPlayer(CompiledPlayer):
    """A player whose policy is a search.

    Args:
        evaluator: what boards are worth.
        budget: limits on each move; a game under a limit of time is not reproducible.
        tables: endgame tables, which are asked before the search; None for none. Under rules
            that they are not made for they say nothing.
    """

    search: Search

    def __init__(
        self,
        evaluator: Evaluator,
        budget: Budget | None = None,
        tables: "EndgameTables | None" = None,
    ) -> None:
        self.evaluator = evaluator
        self.tables = tables
        self._asked: EndgameTables | None = None
        self.unit = evaluator.unit
        self.budget = budget or Budget()
        self.reproducible = self.budget.seconds is None

    def unsupported(self, rules: Rules) -> str:
        """Why the evaluator or the 64-bit form cannot take these rules."""
        return unsupported(self.evaluator, rules)

    @abstractmethod
    def make_search(self, rules: Rules) -> Search:
        """The search for these rules."""

    def start(self, rules: Rules, seed: int) -> None:
        """Get ready for a new game; the transposition table is cleared."""
        prepared = self._prepared
        super().start(rules, seed)
        if rules == prepared:
            self.search.forget()

    @property
    def plays_on(self) -> bool:
        """Whether what a game leaves in the transposition table changes no move of another."""
        return type(self).start is SearchPlayer.start and not self.search.depends_on_path

    def prepare(self, rules: Rules) -> None:
        """Build the search for these rules."""
        self.close()
        self.search = self.make_search(rules)
        self._asked = self.tables if self.tables is not None and self.tables.suits(rules) else None
        if self._asked is not None:
            self.search.ask_first(self._asked.words)
        self.policy = 0 if self._decides_in_python else self.search.policy
        self.context = self.search.context.words

    @property
    def _decides_in_python(self) -> bool:
        """Whether a move takes more than one call of a kernel: the game loop has to ask."""
        limited = self.budget != Budget() or len(self.search.contexts) > 1
        return limited or not self.search.policy

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of an endgame table, or the first of the search's best, within the budget."""
        legal = check_going(board)
        self._fit(board)
        if self.policy and self.search.decides(board):
            return super().choose(board, score=score, move_number=move_number)
        if len(legal) == 1:
            return legal[0]
        if (move := self._table_move(board)) is not None:
            return move
        points = assumed_score(board) if score is None else score
        *_, last = deepen(self.search, board, points, legal, self.budget)
        return first_best(last.values)

    def _table_move(self, board: Board) -> Move | None:
        """The move of an endgame table, if one knows it."""
        return None if self._asked is None else self._asked.move(as_searched(board))

    def table_answer(self, board: Board) -> "TableAnswer | None":
        """What the endgame table says that chooses the move; None where none does.

        Args:
            board: of the shape of the present game.
        """
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
        """The values of the four moves, within the player's own limits or others.

        Where an endgame table chooses the move, `best` is that move, and the values of the
        search are given beside the table's chances.

        A budget of time or nodes deepens ply by ply and answers with the last ply that was
        finished. What an earlier search stored is not used: an equal request gives an equal
        answer, unless time is limited.
        """
        *_, last = self.stream(board, budget, score=score, stop=stop)
        return last

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        """Analyses that improve: one for each ply, where the budget is one of time or nodes."""
        legal = check_going(board)
        self._fit(board)
        points = assumed_score(board) if score is None else score
        limits = self.budget if budget is None or budget == Budget() else budget
        position = self.search.position(board)
        # Each of several threads has a share of the nodes, and may use it up sooner or later.
        shares = limits.nodes is not None and len(self.search.contexts) > 1
        reproducible = self.reproducible and limits.seconds is None and not shares
        answer = self.table_answer(board)
        for found in deepen(self.search, board, points, legal, limits, stop):
            best = first_best(found.values) if answer is None else answer.best
            self.search.limit_nodes(LINE_NODES + found.nodes // LINE_SHARE)
            line = self.search.line(position, points, best, found.depth)
            self.search.limit_nodes(None)  # the player may be asked before this goes on
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
        """End the threads, if there are any."""
        if self._prepared is not None:
            self.search.close()


class ExpectimaxPlayer(SearchPlayer):
    """Expectimax: on bits where the rules fit 64 bits, else on cells if the evaluator can.

    Args:
        evaluator: what boards are worth.
        depth: depth in plies.
        budget: limits on each move; with one of time or nodes, its depth counts and not
            `depth`.
        cut: spawns less probable than this are not searched.
        second_move: whether a second move comes before the first spawn.
        table_mb: size of the transposition table, in mebibytes.
        threads: number of threads that share a position; on cells there is one.
        order: the moves in the order in which they are tried; of equals the first is made.
        prune: whether chance nodes are pruned, which changes no move: on bits only, with an
            evaluator that has bounds, on one thread, without a cut and limits.
        downgrade: see `Expectimax`; on bits only.
        tables: endgame tables, see `SearchPlayer`.

    Raises:
        InvalidSpec: `prune` does not go with the rest.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        depth: Depth,
        budget: Budget | None = None,
        *,
        cut: float = 0.0,
        second_move: bool = False,
        table_mb: int = TABLE_MB,
        threads: int = 1,
        order: Sequence[Move] = tuple(Move),
        prune: bool = False,
        downgrade: int = 0,
        tables: "EndgameTables | None" = None,
    ) -> None:
        super().__init__(evaluator, budget, tables)
        if prune and (cut > 0 or second_move or threads > 1 or self.budget != Budget()):
            raise InvalidSpec("expected prune=star1 without cut, time, nodes and threads")
        if prune:
            _check_prunable(evaluator)
        self.order, self.prune, self.downgrade = order, prune, downgrade
        self.ply, self.cut, self.second_move = depth, cut, second_move
        self.table_mb, self.threads = table_mb, threads
        self.reproducible &= threads == 1 or (cut == 0 and self.budget.nodes is None)

    def unsupported(self, rules: Rules) -> str:
        """Why the evaluator can take these rules neither on bits nor on cells."""
        reason = super().unsupported(rules)
        if self.prune and reason:
            return "expected boards up to 4x4 and spawn tiles up to 32768 for prune=star1"
        return "" if self.evaluator.supports_cells(*rules.shape) else reason

    def make_search(self, rules: Rules) -> Search:
        """The search for these rules."""
        if super().unsupported(rules):
            from twofold.search.expectimax_cells import ExpectimaxCells  # loads kernels

            return ExpectimaxCells(
                self.evaluator,
                rules,
                self.ply,
                cut=self.cut,
                second_move=self.second_move,
                table_mb=self.table_mb,
                order=self.order,
            )
        from twofold.search.expectimax import Expectimax

        return Expectimax(
            self.evaluator,
            rules,
            self.ply,
            cut=self.cut,
            second_move=self.second_move,
            table_mb=self.table_mb,
            threads=self.threads,
            order=self.order,
            prune=self.prune,
            downgrade=self.downgrade,
        )


def _check_prunable(evaluator: Evaluator) -> None:
    from twofold.search.expectimax import prunable

    if not prunable(evaluator):
        raise InvalidSpec(
            "expected an evaluator with bounds for prune=star1 (rows, snake, baeldung), "
            f"got eval={evaluator.name}"
        )


class AlphaBetaPlayer(SearchPlayer):
    """Minimax or alpha-beta.

    Args:
        evaluator: what boards are worth.
        half_moves: depth in half-moves.
        budget: limits on each move; with one of time or nodes, its depth counts.
        prunes: True for alpha-beta, False for plain minimax.
        wins_at_goal: whether a board with the goal tile is worth more than any other.
        dead_is_score: whether a dead board is worth min(score, 1).
        table_mb: size of the transposition table, in mebibytes; plain minimax has none.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        half_moves: int,
        budget: Budget | None = None,
        *,
        prunes: bool = True,
        wins_at_goal: bool = False,
        dead_is_score: bool = False,
        table_mb: int = TABLE_MB,
    ) -> None:
        super().__init__(evaluator, budget)
        self.half_moves, self.prunes = half_moves, prunes
        self.wins_at_goal, self.dead_is_score = wins_at_goal, dead_is_score
        self.table_mb = table_mb

    def make_search(self, rules: Rules) -> Search:
        """The search for these rules."""
        from twofold.search.alphabeta import AlphaBeta

        return AlphaBeta(
            self.evaluator,
            rules,
            self.half_moves,
            prunes=self.prunes,
            wins_at_goal=self.wins_at_goal,
            dead_is_score=self.dead_is_score,
            table_mb=self.table_mb,
        )


class SummedPlayer(SearchPlayer):
    """Baeldung's solver: three rounds of (spawn, move) below the first move, spawns summed.

    Args:
        evaluator: what boards are worth, in whole numbers.
        prunes: whether moves that change nothing are left out of the search.
        threads: threads that share the first moves; any number makes the same moves.
    """

    def __init__(self, evaluator: Evaluator, *, prunes: bool = True, threads: int = 1) -> None:
        super().__init__(evaluator)
        self.prunes, self.threads = prunes, threads

    def make_search(self, rules: Rules) -> Search:
        """The search for these rules."""
        from twofold.search.summed import Summed

        return Summed(
            self.evaluator, rules, prunes=self.prunes, threads=min(self.threads, len(Move))
        )
