"""Outcomes: how games end under optimal play, exactly.

The probability of each state is passed on, layer by layer, to the successors of its best move. Of
equal moves the first in the order up, right, down, left is made on the canonical board; another
way to break ties may lead to other outcomes of the same value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import InvalidBoard
from twofold.exact.problem import ExactObjective, Problem, Starts, canonical_bits
from twofold.exact.table import ExactTable
from twofold.figures import percent
from twofold.kernels.exact import solved
from twofold.memory import check_memory

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
    width = max((len(f"{tile:,}") for tile in found.tiles), default=1)
    lines = [f"{'largest':>{max(width, 7)}}  {'at the end':>12}  {'reached':>9}"]
    reach = found.reach
    for tile, chance in found.tiles.items():
        bar = "#" * round(40 * chance)
        name = f"{tile:,}".rjust(max(width, 7))
        lines.append(f"{name}  {percent(chance):>12}  {percent(reach[tile]):>9}  {bar}".rstrip())
    lines.append(f"{found.moves:,.1f} moves to the end on average")
    return lines


def document(found: Outcomes) -> dict[str, Any]:
    """Outcomes as a JSON document."""
    return {
        "value": found.value,
        "moves": found.moves,
        "largest": {str(tile): chance for tile, chance in found.tiles.items()},
        "reached": {str(tile): chance for tile, chance in found.reach.items()},
        "sums": {str(total): chance for total, chance in found.sums.items()},
    }
