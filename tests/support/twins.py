"""Naive searches on the reference: any shape, any spawns, with the score; slow."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np
import pytest

from tests.support.positions import boards, score_of
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Move, Rules
from twofold.kernels import play
from twofold.limits import BITS_MAX_EXPONENT
from twofold.search.base import Search
from twofold.values import Evaluator

Cells = tuple[int, ...]
Leaf = Callable[[Cells, int], float]


def leaf_of(evaluator: Evaluator, shape: tuple[int, int]) -> Leaf:
    """The evaluator's value of exponents and a score."""

    @lru_cache(maxsize=1 << 16)
    def value(cells: Cells, score: int) -> float:
        return evaluator.value(Board(cells, shape), score)

    return value if evaluator.needs_score else lambda cells, score: value(cells, 0)


@lru_cache(maxsize=1 << 16)
def moves_of(cells: Cells, shape: tuple[int, int], largest: int) -> list[tuple[Move, Cells, int]]:
    """(move, afterstate, reward) of each legal move; two of the largest make one."""
    tried = [(move, *reference.slide(cells, *shape, move)) for move in Move]
    return [
        (move, tuple(min(exponent, largest) for exponent in after), reward)
        for move, after, reward in tried
        if after != list(cells)
    ]


@dataclass
class Twin:
    """Expectimax and minimax as plainly as possible.

    Attributes:
        rules: shape and spawns.
        leaf: what a board is worth.
        at_state: whether the leaf values states, one spawn after the last move.
        adds_reward: whether rewards count.
        dead_value: value of a state without a legal move.
        cut: expectimax values at once what is less probable than this.
        largest: the largest exponent that a merge makes.
        stakes: for each exponent of the largest tile, the dead value and the bound of a search.
    """

    rules: Rules
    leaf: Leaf
    at_state: bool = False
    adds_reward: bool = False
    dead_value: float = 0.0
    cut: float = 0.0
    stakes: Sequence[Sequence[float]] | None = None
    largest: int = BITS_MAX_EXPONENT
    bound: float = -np.inf

    def expectimax(
        self, cells: Cells, score: int, ply: int, chance: float = 1.0
    ) -> dict[Move, float]:
        """The values of the legal moves; `chance` is how probable the position is."""
        if self.stakes is not None:
            self.dead_value, self.bound = self.stakes[max(cells)]
            if self.leaf(cells, score) < 0:
                self.bound = -np.inf
        return self._values(cells, score, ply, chance)

    def _values(self, cells: Cells, score: int, ply: int, chance: float) -> dict[Move, float]:
        return {
            move: self._gain(reward) + self._mean(after, score + reward, ply - 1, chance)
            for move, after, reward in self.moves(cells)
        }

    def minimax(self, cells: Cells, score: int, depth: int) -> dict[Move, float]:
        """The values of the legal moves, a number of half-moves deep, the first included."""
        return {
            move: self._gain(reward) + self._worst(after, score + reward, depth - 1)
            for move, after, reward in self.moves(cells)
        }

    def moves(self, cells: Cells) -> list[tuple[Move, Cells, int]]:
        """(move, afterstate, reward) of each legal move."""
        return moves_of(cells, self.rules.shape, self.largest)

    def _gain(self, reward: int) -> float:
        return float(reward) if self.adds_reward else 0.0

    @cached_property
    def _distribution(self) -> list[tuple[float, int]]:
        rules = self.rules
        return list(zip(rules.spawn_probabilities, rules.spawn_exponents, strict=True))

    def _spawned(self, after: Cells, cell: int) -> Iterator[tuple[float, Cells]]:
        for weight, exponent in self._distribution:
            yield weight, (*after[:cell], exponent, *after[cell + 1 :])

    def _mean(self, after: Cells, score: int, ply: int, chance: float) -> float:
        if not self.at_state and (ply == 0 or chance < np.float32(self.cut)):
            return self.leaf(after, score)
        if self.stakes is not None and (value := self.leaf(after, score)) < self.bound:
            return value
        empty, total = reference.empty_cells(after), 0.0
        for cell in empty:
            mean = 0.0
            for weight, state in self._spawned(after, cell):
                below = less_probable(chance, weight, len(empty))
                mean += weight * self._best(state, score, ply, below)
            total += mean
        return total / len(empty)

    def _best(self, state: Cells, score: int, ply: int, chance: float) -> float:
        if self.at_state and (ply == 0 or chance < np.float32(self.cut)):
            return self.leaf(state, score)
        return max(self._values(state, score, ply, chance).values(), default=self.dead_value)

    def _worst(self, after: Cells, score: int, depth: int) -> float:
        empty = reference.empty_cells(after)
        if depth == 0 or not empty:
            return self.leaf(after, score)
        states = [state for cell in empty for _, state in self._spawned(after, cell)]
        return min(self._answer(state, score, depth - 1) for state in states)

    def _answer(self, state: Cells, score: int, depth: int) -> float:
        if not self.moves(state):
            return self.dead_value
        if depth == 0:
            return self.leaf(state, score)
        return max(self.minimax(state, score, depth).values())


@lru_cache(maxsize=1 << 16)
def less_probable(chance: float, weight: float, empty: int) -> float:
    """How probable a spawn on one of the empty cells is, after all before it; in float32."""
    share = np.float32(chance) / np.float32(empty)
    return float(share * np.float32(weight))


@cache
def positions(count: int, most_empty: int, seed: int = 2048) -> list[tuple[Board, int]]:
    """Boards of 4x4 with their scores."""
    grids = boards(count, most_empty=most_empty, seed=seed)
    return [(Board.from_tiles(grid), score_of(grid)) for grid in grids]


def small_positions(shape: tuple[int, int], count: int, largest: int = 9) -> list[Board]:
    """Boards of any shape with a legal move."""
    rng = np.random.default_rng([*shape, count])
    found: list[Board] = []
    while len(found) < count:
        cells: Sequence[int] = rng.integers(0, largest + 1, shape[0] * shape[1]).tolist()
        board = Board([cell if rng.random() < 0.7 else 0 for cell in cells], shape)
        if board.max_exponent and not board.is_over:
            found.append(board)
    return found


def values_of(
    search: Search, board: Board, score: int = 0, depth: int | None = None
) -> dict[Move, float]:
    """The search's values of the legal moves, at its own depth or another."""
    position = search.position(board)
    deep = search.own_depth(board) if depth is None else depth
    found = search.values(position, score, board.legal_moves(), deep)
    return {move: one.value for move, one in found.items()}


def same(found: dict[Move, float], expected: dict[Move, float]) -> bool:
    """Whether values are equal but for the order in which a kernel adds them."""
    return found == pytest.approx(expected, rel=1e-12, abs=1e-6)


def first_best(values: dict[Move, float]) -> Move:
    """The first move, up, right, down, left, of the largest value."""
    return max(sorted(values), key=lambda move: values[move])


def policy_move(search: Search, board: Board, score: int) -> Move:
    """The move of the compiled policy; alpha-beta prunes against the best move so far."""
    legal = sum(1 << move for move in board.legal_moves())
    words = np.uint64(search.policy), np.uint64(board.to_bits())
    return Move(play.ask(*words, legal, score, np.uint64(0), search.context.words))
