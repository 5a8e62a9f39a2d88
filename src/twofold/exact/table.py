"""Table: what every state of a game is worth under optimal play, to be looked up.

Example::

    table = solve(Problem.parse("2x2"))
    table.start_value                       # 66.96...
    table.value(Board.parse("2x2:11/00"))
    table.move_values(Board.parse("2x2:11/00"))

    table = Table.open("3x3.table")
"""

import os
from collections.abc import Callable, Sequence
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import InvalidBoard, InvalidTable
from twofold.exact.format import Layers, read_layers
from twofold.exact.plan import plan_words
from twofold.exact.problem import Objective, Problem
from twofold.exact.solver import Progress, Solver, start_value
from twofold.exact.store import Store
from twofold.kernels import solved
from twofold.limits import BITS_MAX_EXPONENT
from twofold.rules import Move

_NOTHING: Final = np.empty(0)


class Table:
    """The states of a solved game and their values.

    Args:
        layers: the states and values; their content is believed, see `check`.

    Attributes:
        problem: which game, and for what.
        layers: the states, as they are in a file.
        words: uint64, what kernels read.
    """

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.problem: Problem = layers.problem
        self.words, self._held = plan_words(self.problem, solved.TABLE_WORDS)
        self._firsts = layers.firsts
        self.words[solved.KEYS] = layers.keys.ctypes.data
        self.words[solved.KEY_BYTES] = self.problem.key_type.itemsize
        self.words[solved.VALUES] = layers.values.ctypes.data
        self.words[solved.FIRSTS] = self._firsts.ctypes.data
        self.words[solved.LAYERS] = len(layers.index)
        self.words[solved.LOWEST] = int(layers.index[0, 0]) >> self.problem.unit_exponent
        self.words[solved.UNIT] = self.problem.unit_exponent

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, check: bool = False) -> Self:
        """Read a table that was written before; its file may change afterwards.

        Args:
            path: its file.
            check: whether its content is compared with its checksums.

        Raises:
            InvalidTable: there is no such file, or it is no table, or torn or damaged.
            ResourceError: there is no room for it, see `twofold.evaluators.memory.load`.
        """
        table = cls(read_layers(path))
        if check:
            table.check(ascii(os.fspath(path)))
        return table

    def check(self, name: str = "a table") -> None:
        """Compare the content with its checksums.

        Raises:
            InvalidTable: they differ; names the file.
        """
        for layer in range(len(self.layers.index)):
            damage = self.layers.damage(layer)
            if damage:
                raise InvalidTable(f"expected the table as it was written, got {damage} in {name}")

    def __len__(self) -> int:
        """Number of states."""
        return len(self.layers.keys)

    @property
    def start_value(self) -> float:
        """The value of a game before its first tile."""
        boards = self.problem.start_boards
        values = self._values(list(boards))
        wins = float(self.problem.objective is Objective.GOAL)
        return start_value(
            self.problem,
            [
                wins if self.problem.is_stopped(bits) else value
                for bits, value in zip(boards, values, strict=True)
            ],
        )

    def values(self, boards: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.float64]:
        """The values of many boards before the stop, given in 64 bits; fast.

        Returns:
            float64; 0 for a board that is over, NaN for one that no game comes by.
        """
        return self._values(boards)

    def _values(self, boards: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.float64]:
        words = np.ascontiguousarray(boards, dtype=np.uint64)
        values = np.empty(len(words))
        solved.look_up(words, values, _NOTHING, self.words)
        return values

    def value(self, board: Board) -> float:
        """What a board is worth under optimal play, in the unit of the problem; 0 if it is over.

        Raises:
            InvalidBoard: no game comes by this board, or it has another shape.
        """
        bits = self._bits(board)
        if self.problem.is_stopped(bits):
            return float(self.problem.objective is Objective.GOAL)
        (found,) = self._values([bits])
        if np.isnan(found):  # one before the states: its moves may lead to them
            return max(self.move_values(board).values())
        return float(found)

    def move_values(self, board: Board) -> dict[Move, float]:
        """What the legal moves on a board are worth, each followed by optimal play.

        Raises:
            InvalidBoard: no game comes by this board, or it has another shape, or play has
                stopped on it.
        """
        bits = self._bits(board)
        if self.problem.is_stopped(bits):
            raise InvalidBoard(
                f"expected a board without the goal {self.problem.rules.goal}, got {board}"
            )
        values = np.empty(4)
        solved.look_up(np.array([bits], dtype=np.uint64), np.empty(1), values, self.words)
        if np.isnan(values).any():
            raise self._unknown(board)
        return {move: float(values[move]) for move in board.legal_moves()}

    def holds(self, board: Board) -> bool:
        """Whether a board is one of the states."""
        return bool(solved.locate_board(np.uint64(self._bits(board)), self.words) >= 0)

    def _bits(self, board: Board) -> int:
        """The canonical 64-bit form of a board of the right shape."""
        if board.shape != self.problem.rules.shape:
            rows, cols = self.problem.rules.shape
            raise InvalidBoard(f"expected a {rows}x{cols} board, got {board}")
        least = self.problem.unit_exponent  # with smaller tiles a key could mean another board
        if board.max_exponent > BITS_MAX_EXPONENT or any(0 < e < least for e in board.exponents):
            raise self._unknown(board)
        return board.to_bits()

    def _unknown(self, board: Board) -> InvalidBoard:
        return InvalidBoard(
            f"expected a board that a game under {self.problem.rules} can come by, got {board}"
        )


def solve(
    problem: Problem,
    *,
    threads: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
) -> Table:
    """Solve a problem in memory.

    Args:
        problem: which game, and for what.
        threads: how many threads work; what they find is the same for any number.
        on_progress: told after each layer.
    """
    store = Store(problem)
    Solver(problem, store, threads=threads, on_progress=on_progress).run()
    return Table(store.table())
