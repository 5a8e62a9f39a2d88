"""Tables: the value of every state of a game under optimal play, and how games then end.

Example::

    table = solve(Problem.parse("2x2"))
    table.start_value                       # 66.96...
    table.value("2x2:11/00")
    table.move_values("2x2:11/00")

    table = ExactTable.open("3x3.table")

For outcomes the probability of each state is passed on, layer by layer, to the successors of its
best move. Of equal moves the first in the order up, right, down, left is made on the canonical
board; another way to break ties may lead to other outcomes of the same value.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.errors import GameOver, InvalidBoard, InvalidTable
from twofold.figures import counted, percent
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Move, Rules
from twofold.kernels import solved
from twofold.limits import BITS_MAX_EXPONENT, MAX_JOBS, check_limit
from twofold.storage.memory import check_memory
from twofold.tables.parts import LayerProgress
from twofold.tables.problem import ExactObjective, Problem, Starts, canonical_bits
from twofold.tables.solver import Solver, estimate, plan_words, start_value
from twofold.tables.store import Layers, LayerStore, read_layers

_NOTHING: Final = np.empty(0)
_SMALL_CELLS: Final = 6
"""Boards of so few cells are solved without an estimate: at most 16^6 states."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactTable:
    """The states of a solved game and their values.

    Attributes:
        layers: the states, keys and values, in the form of a file; not verified, see `check`.
        words: the parameters that kernels read: addresses of arrays that the table keeps alive.
    """

    layers: Layers
    words: NDArray[np.uint64] = field(init=False)

    def __post_init__(self) -> None:
        layers, unit = self.layers, self.problem.unit_exponent
        words, held = plan_words(self.problem, solved.TABLE_WORDS)
        words[solved.KEYS], words[solved.VALUES] = (
            array.ctypes.data for array in (layers.keys, layers.values)
        )
        words[solved.KEY_BYTES] = self.problem.key_type.itemsize
        words[solved.FIRSTS] = layers.firsts.ctypes.data
        words[solved.LAYERS] = len(layers.index)
        words[solved.LOWEST], words[solved.UNIT] = int(layers.index[0, 0]) >> unit, unit
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "_held", held)

    @property
    def problem(self) -> Problem:
        """The game and the objective."""
        return self.layers.problem

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, check: bool = False) -> Self:
        """Read a table into memory; `check` compares its content with its checksums.

        Raises `InvalidTable` if the file is missing, not a table, truncated or damaged.
        """
        table = cls(read_layers(path))
        if check:
            table.check(ascii(os.fspath(path)))
        return table

    def check(self, name: str = "a table") -> None:
        """Compare the content with its checksums; raises `InvalidTable`, which contains `name`."""
        if damage := self.layers.damage():
            raise InvalidTable(f"damaged table: {damage} in {name}")

    def __repr__(self) -> str:
        value = self.start_value
        words = f"{value:.4g}" if value < 1_000 else f"{value:,.0f}"
        return f"<ExactTable of {self.problem}: {words}, {counted(len(self), 'state')}>"

    def __len__(self) -> int:
        return len(self.layers.keys)

    @property
    def start_value(self) -> float:
        """The value of a game before its first tile."""
        return start_value(self.problem, self._values(self.problem.starts.boards))

    def values(self, boards: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.float64]:
        """The values of many boards, given in 64 bits, as float64; fast.

        0 for a board without a legal move, NaN for one that cannot occur in a game.
        """
        return self._values(_as_bits(boards))

    def _values(self, words: NDArray[np.uint64]) -> NDArray[np.float64]:
        values = np.empty(len(words))
        solved.look_up(words, values, _NOTHING, self.words)
        return values

    def value(self, board: Board | str) -> float:
        """The value of a board under optimal play, in the unit of the problem; 0 if it is over.

        Raises `InvalidBoard` if the board cannot occur in a game, or has another shape.
        """
        board = Board.of(board)
        bits = self._bits(board)
        if self.problem.is_stopped(bits):
            return float(self.problem.objective is ExactObjective.GOAL)
        (found,) = self._values(np.array([bits], dtype=np.uint64))
        if np.isnan(found):  # not a state itself, but its moves may lead to states
            return max(self.move_values(board).values())
        return float(found)

    def move_values(self, board: Board | str) -> dict[Move, float]:
        """The value of each legal move on a board, followed by optimal play.

        Raises `InvalidBoard` as `value`, and if play has stopped on the board.
        """
        board = Board.of(board)
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

    def best(self, board: Board | str) -> Move:
        """An optimal move; of equal ones the first in the order up, right, down, left.

        Raises `GameOver` if no move is legal, otherwise as `move_values`.
        """
        board = Board.of(board)
        values = self.move_values(board)
        if not values:
            raise GameOver(f"expected a board with a legal move, got {board}")
        return max(values, key=values.__getitem__)

    def holds(self, board: Board | str) -> bool:
        """True if a board is one of the states."""
        return bool(solved.locate_board(np.uint64(self._bits(Board.of(board))), self.words) >= 0)

    def _bits(self, board: Board) -> int:
        if board.shape != self.problem.rules.shape:
            rows, cols = self.problem.rules.shape
            raise InvalidBoard(f"expected a {rows}x{cols} board, got {board}")
        least = self.problem.unit_exponent  # with smaller tiles a key could mean another board
        if board.max_exponent > BITS_MAX_EXPONENT or any(0 < e < least for e in board.exponents):
            raise self._unknown(board)
        return board.to_bits()

    def _unknown(self, board: Board) -> InvalidBoard:
        return InvalidBoard(
            f"expected a board that can occur under {self.problem.rules}, got {board}"
        )


def _as_bits(boards: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.uint64]:
    if isinstance(boards, np.ndarray) and boards.dtype == np.uint64 and boards.ndim == 1:
        return np.ascontiguousarray(boards)
    try:
        return np.array([index(board) for board in boards], dtype=np.uint64)
    except (TypeError, OverflowError):
        raise InvalidBoard(f"expected boards as numbers of 64 bits, got {shown(boards)}") from None


def solve(
    problem: Problem | Rules | str,
    *,
    goal: int | None = None,
    threads: int = 1,
    on_progress: Callable[[LayerProgress], None] | None = None,
) -> ExactTable:
    """Solve a problem in memory.

        >>> round(solve("2x2").start_value, 2)
        66.96
        >>> solve("2x2", goal=16)
        <ExactTable of 2x2, chance of 16: 0.9625, 35 states>

    Args:
        problem: a problem, or rules, also as text such as `"2x3 start=1"`.
        goal: maximise the chance of this tile; None for the expected score.
        threads: they do not change the result.
        on_progress: called after each layer.

    Raises:
        InvalidInput: the rules have a goal that would have no effect.
        UnsupportedRules: the game cannot be solved.
        ResourceError: it has too many states for this machine.
    """
    problem = Problem.of(problem, goal)
    check_limit("threads", threads, 1, MAX_JOBS)
    if problem.cells > _SMALL_CELLS:
        estimate(problem, threads=threads, in_memory=True).check(None)
    store = LayerStore(problem)
    Solver(problem, store, threads=threads, on_progress=on_progress).run()
    return ExactTable(store.table())


_EXPONENTS: Final = 17
_AT_ONCE: Final = 1 << 13
"""States per kernel call, about 25 ms."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How games end: the value, the distributions of the largest tile and of the sum, mean moves.

    `tiles` and `sums` are probabilities at the end, ascending by tile and by sum. `board` is the
    first board, None for the start of a game; `value` is in the unit of the problem.
    """

    problem: Problem
    board: Board | None
    value: float
    tiles: dict[int, float]
    sums: dict[int, float]
    moves: float

    @property
    def worth(self) -> str:
        """The value in words: `480.26 points expected`, `93.93 % chance of 64`."""
        if self.problem.objective is ExactObjective.GOAL:
            return f"{percent(self.value)} chance of {self.problem.rules.goal}"
        return f"{self.value:,.2f} points {'more ' if self.board else ''}expected"

    @property
    def reach(self) -> dict[int, float]:
        """The probability of ever making each tile or a larger one, ascending."""
        found, left = {}, 1.0
        for tile, chance in self.tiles.items():
            found[tile] = min(left, 1.0)
            left -= chance
        return found


def outcomes(
    table: ExactTable,
    board: Board | str | None = None,
    *,
    on_progress: Callable[[int, int], None] | None = None,
) -> Outcomes:
    """How games under optimal play end, from a board or the start of a game; 8 bytes a state.

    Args:
        table: the solved game.
        board: the first board; None for the start of a game.
        on_progress: called every few milliseconds with a layer and the number of states done; an
            exception from it ends the work.
    """
    check_memory(8 * len(table), "the chances of all states")
    problem, layers = table.problem, table.layers
    board = None if board is None else Board.of(board)
    if board is None:
        starts, value = problem.starts, table.start_value
    else:
        value = table.value(board)
        bits = np.array([canonical_bits(board)], dtype=np.uint64)
        starts = problem.starting_at(bits, np.ones(1))
    lowest = int(table.words[solved.LOWEST])
    first = int(starts.layers.min()) - lowest
    furthest = max(lowest + len(layers.index), int(starts.layers.max()))
    ends = np.zeros((furthest + max(problem.spawn_steps) + 1, _EXPONENTS))
    chances = np.zeros(len(table))
    _begin(table, starts, chances, ends)
    moves = 0.0
    firsts = layers.firsts.tolist()
    for layer in range(max(first, 0), len(layers.index)):
        tile_sum = int(layers.index[layer, 0])
        for state in range(firsts[layer], firsts[layer + 1], _AT_ONCE):
            end = min(state + _AT_ONCE, firsts[layer + 1])
            moves += solved.spread(table.words, state, end, tile_sum, chances, ends)
            if on_progress:
                on_progress(layer, end)
    by_sum, by_tile = ends.sum(axis=1).tolist(), ends.sum(axis=0).tolist()
    sums = {n << problem.unit_exponent: chance for n, chance in enumerate(by_sum) if chance > 0}
    tiles = {1 << exponent: chance for exponent, chance in enumerate(by_tile) if chance > 0}
    return Outcomes(problem, board, value, tiles, sums, moves)


def _begin(
    table: ExactTable, starts: Starts, chances: NDArray[np.float64], ends: NDArray[np.float64]
) -> None:
    for bits, chance, layer, stopped in zip(
        *(part.tolist() for part in (starts.boards, starts.chances, starts.layers, starts.stopped)),
        strict=True,
    ):
        number = solved.locate_board(np.uint64(bits), table.words)
        if number >= 0:
            chances[number] += chance
            continue
        board = Board.from_bits(bits, table.problem.rules.shape)
        if not stopped and not board.is_over:
            raise InvalidBoard(
                f"expected a board that can occur under {table.problem.rules}, got {board}"
            )
        ends[layer, board.max_exponent] += chance


def describe(found: Outcomes) -> list[str]:
    """Outcomes as lines of text, with a bar for each tile."""
    width = max(len(str(max(found.tiles, default=0))), len("largest"))
    lines = [f"{'largest':>{width}}  {'at the end':>12}  {'reached':>9}"]
    reach = found.reach
    for tile, chance in found.tiles.items():
        bar = "#" * round(40 * chance)
        shares = f"{percent(chance):>12}  {percent(reach[tile]):>9}"
        lines.append(f"{tile:>{width}}  {shares}  {bar}".rstrip())
    lines.append(f"{found.moves:,.1f} moves to the end on average")
    return lines
