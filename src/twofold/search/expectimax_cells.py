"""Expectimax on cells: boards beyond 4x4, and spawn tiles beyond 32768."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import TileTooLarge
from twofold.evaluators import Evaluator
from twofold.kernels.search import expectimax_cells as kernels
from twofold.kernels.search.expectimax import less_probable
from twofold.kernels.search.transposition import EXACT
from twofold.limits import MAX_PLY, check_limit
from twofold.rules import Move, Rules
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.base import Search, as_word
from twofold.search.context import TABLE_MB, Context, aligned_zeros
from twofold.search.depth import Depth

Cells = NDArray[np.uint8]


class ExpectimaxCells(Search):
    """`Expectimax` for every shape and all tiles; where both apply the values are the same.

    It has one thread, however many a player is given, and no kernel that plays whole games. Two
    tiles of 2^35, which no game can merge, make one of 2^35 where the search meets them. Two
    positions may be taken for one another in the transposition table, with a probability of
    about 2^-64 a pair.

    Args:
        evaluator: what boards are worth; it has to have a form on cells.
        rules: shape and spawns.
        depth: depth in plies.
        cut: a position is valued at once where the spawns on the way to it are together less
            probable than this; 0 cuts off nothing.
        second_move: whether a second move comes before the first spawn.
        table_mb: size of the transposition table in mebibytes. It is not used with an
            evaluator that needs the score.
        order: the moves in the order in which they are tried; of equals the first is made.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        depth: Depth,
        *,
        cut: float = 0.0,
        second_move: bool = False,
        table_mb: int = TABLE_MB,
        order: Sequence[Move] = tuple(Move),
    ) -> None:
        super().__init__(rules)
        self._order, self._depth = tuple(order), depth
        self.depends_on_path = cut > 0
        self._second_move = second_move
        context = Context(evaluator, rules, kernels.CONTEXT_WORDS, on_cells=True)
        words = context.words
        words[kernels.ROWS], words[kernels.COLS] = rules.shape
        words[kernels.CUT] = as_word(float(np.float32(cut)))
        words[kernels.SECOND_MOVE] = second_move
        words[kernels.ENTRY_KIND] = EXACT
        room = aligned_zeros(kernels.frames(MAX_PLY) * kernels.FRAME_BYTES // 8)
        context.point(kernels.WORKSPACE, room)
        context.point_table(0 if evaluator.needs_score else table_mb, only_present=cut > 0)
        self.contexts = (context,)

    def position(self, board: Board) -> Cells:
        """The exponents, row by row."""
        return np.array(board.exponents, dtype=np.uint8)

    def own_depth(self, board: Board) -> int:
        """Depth in plies on this board."""
        return self._depth.of(board.exponents)

    def values(
        self, position: Cells, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """The values of legal moves, `depth` plies deep, in the order they are tried.

        Raises:
            LimitExceeded: the depth is past `MAX_PLY`.
        """
        check_limit("ply", depth, 1, MAX_PLY)
        values = {}
        for move in self._order:
            if move in legal:
                self._set_first_move(move)
                before = self.context.nodes
                value = self._value(position, score, move, depth)
                values[move] = MoveValue(value, self.context.nodes - before)
        return values

    def _set_first_move(self, move: Move) -> None:
        """With a cut each first move has table entries of its own: they depend on the way."""
        self.context.words[kernels.ENTRY_KIND] = move if self.depends_on_path else EXACT

    def _value(
        self, position: Cells, score: int, move: Move, ply: int, chance: float = 1.0
    ) -> float:
        words = self.context.words
        return float(kernels.value_of(position, score, int(move), ply, chance, words))

    def line(self, position: Cells, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The best moves, with a spawn of the most probable tile whose value is nearest the mean.

        What the search has stored answers nearly all of it. The line ends where a tile would
        pass 2^35.
        """
        board, chance = Board(position.tolist(), self.rules.shape), 1.0
        steps: list[LineStep] = []
        self._set_first_move(best)
        while depth > 1 and not self._second_move:
            after, reward = board.slide(best)
            score, depth = score + reward, depth - 1
            cell, tile, chance = self._typical(after, score, depth, chance)
            board = after.place(cell, tile)
            try:
                legal = board.legal_moves()
            except TileTooLarge:
                legal = ()
            state = self.position(board)
            values = {
                move: self._value(state, score, move, depth, chance)
                for move in self._order
                if move in legal
            }
            if self.gave_up():
                return tuple(steps) or (LineStep(best),)
            steps.append(LineStep(best, cell, tile))
            if not legal:
                return tuple(steps)
            best = max(values, key=values.__getitem__)
        return (*steps, LineStep(best))

    def _typical(self, after: Board, score: int, ply: int, chance: float) -> tuple[int, int, float]:
        """The cell and tile of a spawn, of the likeliest tile the one nearest the mean.

        The last number is how probable the position after it is.
        """
        probabilities, cells = self.rules.spawn_probabilities, after.empty_cells
        number = int(np.argmax(probabilities))
        tile = 1 << self.rules.spawn_exponents[number]
        below = float(less_probable(chance, as_word(probabilities[number]), len(cells)))
        states = [self.position(after.place(cell, tile)) for cell in cells]
        words = self.context.words
        values = np.array([kernels.reply_of(state, score, ply, below, words) for state in states])
        return cells[int(np.abs(values - values.mean()).argmin())], tile, below
