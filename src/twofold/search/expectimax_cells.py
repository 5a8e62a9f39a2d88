"""Expectimax on cells: boards larger than 4x4, and spawn tiles above 32768."""

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
    """`Expectimax` for all shapes and tiles, with the same options and values, on one thread.

    The evaluator must support cells. Inside a search two tiles of 2^35, which games refuse to
    merge, make one of 2^35. The transposition table may confuse two positions with a probability of
    about 2^-64.
    """

    calls = kernels.value_of, kernels.reply_of, less_probable

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
        self._use(context)

    def position(self, board: Board) -> Cells:
        """The exponents, row by row."""
        return np.array(board.exponents, dtype=np.uint8)

    def own_depth(self, board: Board) -> int:
        """Depth in plies for this board."""
        return self._depth.of(board.exponents)

    def values(
        self, position: Cells, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Values of legal moves at `depth` plies (up to `MAX_PLY`), in the order of search."""
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
        """With a cut values depend on the path: separate the table entries of first moves."""
        self.context.words[kernels.ENTRY_KIND] = move if self.depends_on_path else EXACT

    def _value(
        self, position: Cells, score: int, move: Move, ply: int, chance: float = 1.0
    ) -> float:
        words = self.context.words
        return float(kernels.value_of(position, score, int(move), ply, chance, words))

    def line(self, position: Cells, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The principal variation, as in `Expectimax`; it ends where a tile would exceed 2^35."""
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
        """Cell and tile of the typical spawn, as in `Expectimax`, and the new path probability."""
        probabilities, cells = self.rules.spawn_probabilities, after.empty_cells
        number = int(np.argmax(probabilities))
        tile = 1 << self.rules.spawn_exponents[number]
        below = float(less_probable(chance, as_word(probabilities[number]), len(cells)))
        states = [self.position(after.place(cell, tile)) for cell in cells]
        words = self.context.words
        values = np.array([kernels.reply_of(state, score, ply, below, words) for state in states])
        return cells[int(np.abs(values - values.mean()).argmin())], tile, below
