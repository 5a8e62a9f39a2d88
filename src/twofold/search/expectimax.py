"""Expectimax on 64-bit boards and on cells: the best move against random spawns."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import TileTooLarge
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import expectimax as kernels
from twofold.kernels import expectimax_cells as cells_kernels
from twofold.kernels import leaf_layer as layers
from twofold.kernels._jit import address_of, load
from twofold.kernels.bits import frame
from twofold.kernels.context import DOWNGRADE
from twofold.kernels.expectimax import less_probable
from twofold.kernels.ntuple import downgraded
from twofold.kernels.transposition import EXACT
from twofold.limits import MAX_PLY, MAX_SPAWN_TILES, check_limit
from twofold.search.analysis import LineStep, MoveValue
from twofold.search.base import Search, as_word
from twofold.search.context import TABLE_MB, Context, Words, aligned_zeros
from twofold.search.depth import Depth
from twofold.values import Evaluator
from twofold.values.rows import unit_of

SPLIT_PLY: Final = 4
"""Minimum depth, in plies, at which threads share a search."""


class Expectimax(Search):
    """Expectimax on 64-bit boards.

    Args:
        evaluator: values boards.
        rules: shape and spawns.
        depth: depth in plies: 1 values the four afterstates; each further ply adds a spawn
            layer and a move layer.
        cut: positions whose spawns are together less probable than this are not searched but
            valued at once; 0 for none.
        second_move: True for two moves before the first spawn (see `docs/sources.md`).
        table_mb: size of the transposition table in MiB; unused if the evaluator needs the score.
        threads: threads that share a position. Without a cut they change no value.
        order: moves in the order of search; of equal moves the first is chosen.
        downgrade: sum of different tiles from which boards are downgraded before the search, at
            least 512; 0 for never.
    """

    calls = (
        downgraded,
        kernels.value_of,
        kernels.begin_board,
        kernels.begin_line,
        kernels.list_states,
        kernels.after_of,
        kernels.share_replies,
        kernels.best_reply,
    )

    def __init__(
        self,
        evaluator: Evaluator,
        rules: Rules,
        depth: Depth,
        *,
        cut: float = 0.0,
        second_move: bool = False,
        table_mb: int = TABLE_MB,
        threads: int = 1,
        order: Sequence[Move] = tuple(Move),
        downgrade: int = 0,
    ) -> None:
        super().__init__(rules)
        self._order, self._depth = tuple(order), depth
        self.depends_on_path = cut > 0
        self._second_move = second_move
        usual = depth == Depth.fixed(1) and not second_move and self._order == tuple(Move)
        one_ply = evaluator.policy_for if usual else None
        self.policy = address_of(one_ply(*rules.shape) if one_ply else kernels.choose)
        context = Context(evaluator, rules, kernels.CONTEXT_WORDS)
        words = context.words
        words[DOWNGRADE] = downgrade
        words[kernels.CUT] = as_word(float(np.float32(cut)))
        words[kernels.SECOND_MOVE] = second_move
        words[kernels.ORDER] = sum(move << 2 * number for number, move in enumerate(order))
        words[kernels.ENTRY_KIND] = EXACT
        words[kernels.PLY_BY_EMPTY : kernels.PLY_BY_TILES] = depth.table_by_empty()
        words[kernels.PLY_BY_TILES : kernels.STAKES] = depth.table_by_tiles()
        if evaluator.stakes_for is not None:
            context.point(kernels.STAKES, evaluator.stakes_for(*rules.shape))
        words[kernels.LOWEST] = address_of(_lowest_layer(context, evaluator, rules))
        context.point_table(
            0 if evaluator.needs_score else table_mb,
            only_present=cut > 0,
            grows=cut > 0 and threads == 1,
        )
        self._use(context, threads)
        least_probable = min(rules.spawn_probabilities) / (rules.rows * rules.cols)
        self._splits = threads > 1 and not second_move and cut < least_probable

    def load(self) -> None:
        """Load the kernels of an analysis."""
        super().load()
        if self._splits:
            load(kernels.mean_of)

    def position(self, board: Board) -> np.uint64:
        """The 64-bit form, downgraded if a tile exceeds 32768 or by the option `downgrade`."""
        bits, threshold = super().position(board), self.context.words[DOWNGRADE]
        return np.uint64(downgraded(bits, threshold)) if threshold else np.uint64(bits)

    def own_depth(self, board: Board) -> int:
        """Depth in plies for this board."""
        return self._depth.of(board.exponents)

    def values(
        self, position: np.uint64, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Values of legal moves at `depth` plies, in the order of search."""
        moves = [move for move in self._order if move in legal]
        for context in self.contexts:
            kernels.begin_board(position, score, context.words)
        if self._splits and depth >= SPLIT_PLY:
            return self._shared_values(position, score, moves, depth)
        words = self.context.words
        return self._each(
            moves, lambda move: kernels.value_of(position, score, int(move), depth, words)
        )

    # ---- several threads

    def _shared_values(
        self, position: np.uint64, score: int, legal: Sequence[Move], depth: int
    ) -> dict[Move, MoveValue]:
        """Values by all threads: each takes one state after the first spawn at a time."""
        states = [_states(position, score, move, self.context.words) for move in legal]
        bits, scores, chances = (np.concatenate(arrays) for arrays in zip(*states, strict=True))
        values, nodes = self._replies(bits, scores, chances, depth - 1)
        found, first = {}, 0
        for move, (own, *_) in zip(legal, states, strict=True):
            part = slice(first, first + len(own))
            first += len(own)
            value = kernels.mean_of(position, int(move), values[part], self.context.words)
            found[move] = MoveValue(float(value), int(nodes[part].sum()) + 1)
        return found

    def _replies(
        self, bits: Words, scores: Words, chances: NDArray[np.float64], ply: int
    ) -> tuple[NDArray[np.float64], Words]:
        """Values of states, and the nodes visited for each."""
        values = np.zeros(len(bits))
        nodes = np.zeros(len(bits), dtype=np.uint64)
        counter = np.zeros(1, dtype=np.uint64)

        def work(context: Context) -> None:
            kernels.share_replies(bits, scores, ply, chances, values, nodes, counter, context.words)

        self._in_threads(work)
        return values, nodes

    # ---- the principal variation

    def line(self, position: np.uint64, score: int, best: Move, depth: int) -> tuple[LineStep, ...]:
        """The principal variation, mostly from the transposition table.

        Spawns are of the most probable tile, at the cell whose value is nearest the mean.
        """
        steps: list[LineStep] = []
        chance = 1.0
        words = self.context.words
        kernels.begin_line(int(best), words)
        while depth > 1 and not self._second_move:
            after = int(kernels.after_of(position, int(best), words))
            states = _states(position, score, best, words, chance)
            depth -= 1
            number = self._typical(states, depth)
            bits, scores, chances = states
            position, score, chance = bits[number], int(scores[number]), float(chances[number])
            move = kernels.best_reply(position, score, depth, chance, words)
            if self.gave_up():
                return tuple(steps) or (LineStep(best),)
            steps.append(LineStep(best, *self._spawn(after, position)))
            if move < 0:
                return tuple(steps)
            best = Move(move)
        return (*steps, LineStep(best))

    def _typical(self, states: "States", ply: int) -> int:
        """Index of the state with the most probable tile whose value is nearest the mean."""
        tiles = len(self.rules.spawn_probabilities)
        first = int(np.argmax(self.rules.spawn_probabilities))
        bits, scores, chances = states
        part = slice(first, None, tiles)
        values, _ = self._replies(bits[part].copy(), scores[part].copy(), chances[part].copy(), ply)
        return first + tiles * int(np.abs(values - values.mean()).argmin())

    def _spawn(self, after: int, state: np.uint64) -> tuple[int, int]:
        """The cell and tile of the spawn between an afterstate and a state."""
        difference = int(state) ^ after
        place = (difference.bit_length() - 1) // 4  # nibble, from the lowest
        row, col = divmod(15 - place, 4)
        return row * self.rules.cols + col, 1 << (difference >> 4 * place)


States = tuple[Words, Words, NDArray[np.float64]]
"""States after a move and a spawn, by cell, then by tile: 64-bit forms, scores, probabilities."""


def _states(
    position: np.uint64, score: int, move: Move, words: Words, chance: float = 1.0
) -> States:
    room = 16 * int(MAX_SPAWN_TILES)
    bits, scores = np.zeros(room, dtype=np.uint64), np.zeros(room, dtype=np.uint64)
    chances = np.zeros(room)
    count = kernels.list_states(position, score, int(move), chance, bits, scores, chances, words)
    return bits[:count], scores[:count], chances[:count]


def _lowest_layer(context: Context, evaluator: Evaluator, rules: Rules) -> Any:
    """The kernel of the lowest layer; puts what it reads into the context."""
    if evaluator.layer_for is not None:
        from twofold.kernels import ntuple

        context.point(ntuple.LEAVES, aligned_zeros(2 * ntuple.LEAF_COUNT), own=True)
        context.point(
            ntuple.PLACES, aligned_zeros(ntuple.MAX_LEAVES * ntuple.MAX_FEATURES), own=True
        )
        context.point(ntuple.FOUND_LEAVES, aligned_zeros(3 * ntuple.MAX_LEAVES), own=True)
        return evaluator.layer_for(*rules.shape)
    if evaluator.at == "state":
        return layers.after_spawn
    few_tiles = len(rules.spawn_exponents) <= layers.MAX_LINE_TILES
    if evaluator.line_tables_for is None or evaluator.adds_reward or not few_tiles:
        return layers.after_move
    tables = np.stack(evaluator.line_tables_for(*rules.shape)).astype(np.float64)
    unit = unit_of(tables)
    units = np.rint(tables / unit)
    if (units * unit != tables).any() or not np.isfinite(evaluator.dead_value):
        return layers.after_move  # inexact sums, or NaN from 0 dead boards x infinity
    rows, columns = units.astype(np.int32)
    shape = frame(*rules.shape)
    across = layers.line_entries(shape.across, rows)
    # On square boards with equal rows and columns one table halves the use of the cache.
    same = rules.rows == rules.cols and np.array_equal(rows, columns)
    context.point(layers.ACROSS_LINES, across)
    context.point(layers.DOWN_LINES, across if same else layers.line_entries(shape.down, columns))
    context.point(layers.COLUMN_VALUES, columns)
    context.point(layers.ROW_VALUES, columns if same else rows)
    outside = (4 - rules.rows) * int(rows[0]) + (4 - rules.cols) * int(columns[0])
    context.words[layers.OUTSIDE] = np.int64(outside).view(np.uint64)
    context.words[layers.UNIT] = as_word(unit)
    return layers.lines


Cells = NDArray[np.uint8]


class ExpectimaxCells(Search):
    """`Expectimax` for all shapes and tiles, with the same options and values, on one thread.

    The evaluator must support cells. Inside a search two tiles of 2^35, which games refuse to
    merge, make one of 2^35. The transposition table may confuse two positions with a probability of
    about 2^-64.
    """

    calls = cells_kernels.value_of, cells_kernels.reply_of, less_probable

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
        context = Context(evaluator, rules, cells_kernels.CONTEXT_WORDS, on_cells=True)
        words = context.words
        words[cells_kernels.ROWS], words[cells_kernels.COLS] = rules.shape
        words[cells_kernels.CUT] = as_word(float(np.float32(cut)))
        words[cells_kernels.SECOND_MOVE] = second_move
        words[cells_kernels.ENTRY_KIND] = EXACT
        room = aligned_zeros(cells_kernels.frames(MAX_PLY) * cells_kernels.FRAME_BYTES // 8)
        context.point(cells_kernels.WORKSPACE, room)
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

        def value(move: Move) -> float:
            self._set_first_move(move)
            return self._value(position, score, move, depth)

        return self._each((move for move in self._order if move in legal), value)

    def _set_first_move(self, move: Move) -> None:
        """With a cut values depend on the path: separate the table entries of first moves."""
        self.context.words[cells_kernels.ENTRY_KIND] = move if self.depends_on_path else EXACT

    def _value(
        self, position: Cells, score: int, move: Move, ply: int, chance: float = 1.0
    ) -> float:
        words = self.context.words
        return float(cells_kernels.value_of(position, score, int(move), ply, chance, words))

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
        values = np.array(
            [cells_kernels.reply_of(state, score, ply, below, words) for state in states]
        )
        return cells[int(np.abs(values - values.mean()).argmin())], tile, below
