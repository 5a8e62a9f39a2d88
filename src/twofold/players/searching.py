"""Players that search: expectimax, minimax, alpha-beta, and Baeldung's sums."""

import time
from abc import abstractmethod

from twofold.board import Board
from twofold.evaluators import Evaluator
from twofold.players.base import assumed_score, check_going, move_list
from twofold.players.compiled import CompiledPlayer, fitting_bits
from twofold.rules import Move, Rules
from twofold.search.alphabeta import AlphaBeta
from twofold.search.analysis import Analysis
from twofold.search.base import Search
from twofold.search.budget import Budget
from twofold.search.context import unsupported
from twofold.search.expectimax import NEVER_FEW, Expectimax
from twofold.search.summed import Summed

GROWTH = 8.0
"""How many times longer a search one ply deeper is taken to last, before it is begun."""

MAX_ITERATED = 12
"""Deepest search that a budget of time or nodes leads to, in plies."""


class SearchPlayer(CompiledPlayer):
    """A player whose policy is a search on bits.

    Args:
        evaluator: what boards are worth.
    """

    search: Search

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.unit = evaluator.unit

    def unsupported(self, rules: Rules) -> str:
        """Why the evaluator or the 64-bit form cannot take these rules."""
        return unsupported(self.evaluator, rules)

    @abstractmethod
    def make_search(self, rules: Rules) -> Search:
        """The search for these rules."""

    def prepare(self, rules: Rules) -> None:
        """Build the search for these rules."""
        self.search = self.make_search(rules)
        self.policy = self.search.policy
        self.context = self.search.context.words

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return self.search.context.nodes

    def values(self, bits: int, score: int, legal: tuple[Move, ...]) -> dict[Move, float]:
        """The values at the player's own depth."""
        return self.search.values(bits, score, legal)

    def budget_depth(self, ply: int) -> int:
        """The depth of the search for so many plies, in the search's own count."""
        return ply

    def depth_words(self, depth: int) -> str:
        """A depth with its unit."""
        return f"{depth} plies" if depth != 1 else "1 ply"

    def analyse(
        self, board: Board, budget: Budget | None = None, *, score: int | None = None
    ) -> Analysis:
        """The values of the four moves, at the player's own depth or within a budget.

        A budget of time or nodes deepens ply by ply; it does not begin a ply that it expects
        not to finish, and always finishes the first.
        """
        if budget is None or budget == Budget():
            return super().analyse(board, score=score)
        began = time.perf_counter()
        legal = check_going(board)
        self._fit(board)
        points = assumed_score(board) if score is None else score
        bits, nodes = fitting_bits(board), self.nodes
        deepest = budget.ply or MAX_ITERATED
        first = 1 if budget.seconds or budget.nodes else deepest
        if budget.nodes:
            self.search.forget()
        values: dict[Move, float] = {}
        depth = 0
        for ply in range(first, deepest + 1):
            depth = self.budget_depth(ply)
            values = self.search.values(bits, points, legal, depth)
            spent, visited = time.perf_counter() - began, self.nodes - nodes
            if budget.seconds and spent * GROWTH > budget.seconds:
                break
            if budget.nodes and visited * GROWTH > budget.nodes:
                break
        return Analysis(
            board,
            move_list(board, values),
            max(legal, key=lambda move: values[move]),
            self.spec,
            unit=self.unit,
            depth=self.depth_words(depth),
            nodes=self.nodes - nodes,
            seconds=time.perf_counter() - began,
        )


class ExpectimaxPlayer(SearchPlayer):
    """Expectimax to a fixed depth.

    Args:
        evaluator: what boards are worth.
        ply: depth in plies.
        few: below this number of empty cells, `few_ply` counts.
        few_ply: depth in plies on nearly full boards.
        second_move: whether a second move comes before the first spawn.
        table_mb: size of the transposition table, in mebibytes.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        ply: int,
        *,
        few: int = NEVER_FEW,
        few_ply: int = 0,
        second_move: bool = False,
        table_mb: int = 4,
    ) -> None:
        super().__init__(evaluator)
        self.ply, self.few, self.few_ply = ply, few, few_ply
        self.second_move, self.table_mb = second_move, table_mb

    def make_search(self, rules: Rules) -> Expectimax:
        """The search for these rules."""
        return Expectimax(
            self.evaluator,
            rules,
            self.ply,
            few=self.few,
            few_ply=self.few_ply,
            second_move=self.second_move,
            table_mb=self.table_mb,
        )

    def depth(self, bits: int) -> str:
        """Plies at this board."""
        assert isinstance(self.search, Expectimax)
        return self.depth_words(self.search.ply_at(bits))


class AlphaBetaPlayer(SearchPlayer):
    """Minimax or alpha-beta to a fixed depth.

    Args:
        evaluator: what boards are worth.
        half_moves: depth in half-moves.
        prunes: True for alpha-beta, False for plain minimax.
        wins_at_goal: whether a board with the goal tile is worth more than any other.
        dead_is_score: whether a dead board is worth min(score, 1).
    """

    def __init__(
        self,
        evaluator: Evaluator,
        half_moves: int,
        *,
        prunes: bool = True,
        wins_at_goal: bool = False,
        dead_is_score: bool = False,
    ) -> None:
        super().__init__(evaluator)
        self.half_moves, self.prunes = half_moves, prunes
        self.wins_at_goal, self.dead_is_score = wins_at_goal, dead_is_score

    def make_search(self, rules: Rules) -> AlphaBeta:
        """The search for these rules."""
        return AlphaBeta(
            self.evaluator,
            rules,
            self.half_moves,
            prunes=self.prunes,
            wins_at_goal=self.wins_at_goal,
            dead_is_score=self.dead_is_score,
        )

    def budget_depth(self, ply: int) -> int:
        """So many plies are as many moves, with a spawn between two."""
        return 2 * ply - 1

    def depth_words(self, depth: int) -> str:
        """A depth in half-moves."""
        return f"{depth} half-moves" if depth != 1 else "1 half-move"

    def depth(self, bits: int) -> str:
        """Half-moves, the same on every board."""
        return self.depth_words(self.half_moves)


class SummedPlayer(CompiledPlayer):
    """Baeldung's solver: three rounds of (spawn, move) below the first move, spawns summed.

    Args:
        evaluator: what boards are worth, in whole numbers.
        prunes: whether moves that change nothing are left out of the search.
        threads: threads that share the first moves; any number makes the same moves.
    """

    ORDER = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)

    def __init__(self, evaluator: Evaluator, *, prunes: bool = True, threads: int = 1) -> None:
        self.evaluator, self.prunes, self.threads = evaluator, prunes, threads
        self.unit = evaluator.unit
        self.search: Summed | None = None

    def unsupported(self, rules: Rules) -> str:
        """Why the evaluator or the 64-bit form cannot take these rules."""
        return unsupported(self.evaluator, rules)

    def prepare(self, rules: Rules) -> None:
        """Build the search for these rules."""
        self.close()
        self.search = Summed(
            self.evaluator, rules, prunes=self.prunes, threads=min(self.threads, len(Move))
        )

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return self.search.nodes if self.search else 0

    def values(self, bits: int, score: int, legal: tuple[Move, ...]) -> dict[Move, float]:
        """The sums of the legal moves, in the order the source tries them."""
        assert self.search is not None
        return self.search.values(bits, tuple(move for move in self.ORDER if move in legal))

    def depth(self, bits: int) -> str:
        """Plies, the same on every board."""
        return "4 plies"

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The move of the largest sum, the first one of equals: up, down, left, right."""
        legal = check_going(board)
        self._fit(board)
        values = self.values(fitting_bits(board), 0, legal)
        return max(values, key=lambda move: values[move])

    def analyse(
        self, board: Board, budget: Budget | None = None, *, score: int | None = None
    ) -> Analysis:
        """The sums of the four moves; the depth is the source's, whatever the budget."""
        began, nodes = time.perf_counter(), self.nodes
        legal = check_going(board)
        self._fit(board)
        bits = fitting_bits(board)
        values = self.values(bits, 0, legal)
        return Analysis(
            board,
            move_list(board, values),
            max(values, key=lambda move: values[move]),
            self.spec,
            unit=self.unit,
            depth=self.depth(bits),
            nodes=self.nodes - nodes,
            seconds=time.perf_counter() - began,
        )

    def close(self) -> None:
        """End the threads."""
        if self.search:
            self.search.close()
