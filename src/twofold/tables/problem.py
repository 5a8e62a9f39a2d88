"""The problem: a game to solve, and the objective."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import comb
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import (
    BITS_MAX_EXPONENT,
    BITS_MAX_SIDE,
    MAX_SOLVED_STATES,
    MAX_SPAWN_RATIO,
    MAX_START_BOARDS,
)

MOST_KEY_CELLS: Final = 9
"""Boards of up to this number of cells have keys of 32 bits."""

SMALLER: Final = "Choose a smaller board such as 3x3, or a small goal such as 32"
"""The end of an error about a game with too many states."""

_CHUNK: Final = 1 << 15
"""Boards that `_canonical` turns at a time, in 30 MB."""

Words = NDArray[np.uint64]
Chances = NDArray[np.float64]


class ExactObjective(StrEnum):
    """The quantity that optimal play maximises."""

    SCORE = "score"
    """The expected points from the board to the end of the game."""
    GOAL = "goal"
    """The probability of reaching the goal; play stops there."""


@dataclass(frozen=True, slots=True)
class Starts:
    """First boards of games: canonical words, probabilities, layers, and whether play stops."""

    boards: Words
    chances: Chances
    layers: NDArray[np.int64]
    stopped: NDArray[np.bool_]


@dataclass(frozen=True)
class Problem:
    """A game to solve.

    A state is a board with a legal move on which play has not stopped at the goal; symmetric boards
    are one state.

    Attributes:
        rules: shape, spawns, start tiles, and whether play stops at the goal. Without a stop
            the goal has no effect and is set to 2048.
        objective: the quantity to maximise; `ExactObjective.GOAL` makes play stop at the goal.

    Raises:
        UnsupportedRules: boards do not fit 64 bits, spawn tiles are too far apart, games can begin
            in too many ways, or the goal cannot be reached.
    """

    rules: Rules
    objective: ExactObjective = ExactObjective.SCORE

    def __post_init__(self) -> None:
        if self.objective not in list(ExactObjective):
            raise InvalidInput(
                f"expected the objective {' or '.join(ExactObjective)}, got {shown(self.objective)}"
            )
        object.__setattr__(self, "objective", ExactObjective(self.objective))
        rules = replace(
            self.rules,
            stop_at_goal=self.rules.stop_at_goal or self.objective is ExactObjective.GOAL,
        )
        if not rules.stop_at_goal:
            rules = replace(rules, goal=STANDARD.goal)
        object.__setattr__(self, "rules", rules)
        if max(rules.shape) > BITS_MAX_SIDE:
            raise UnsupportedRules(
                f"expected at most {BITS_MAX_SIDE} rows and columns to solve, got rules {rules}"
            )
        if self.cells == BITS_MAX_SIDE**2 and self.max_exponent > BITS_MAX_EXPONENT:
            raise UnsupportedRules(
                f"{rules.rows}x{rules.cols} is too large to solve: more than 10^15 states, where "
                f"at most {MAX_SOLVED_STATES:,} are possible. {SMALLER}"
            )
        if max(self.max_exponent, *rules.spawn_exponents) > BITS_MAX_EXPONENT:
            raise UnsupportedRules(
                f"expected rules without tiles past {1 << BITS_MAX_EXPONENT} to solve, or with a "
                f"goal at which play stops, got tiles up to 2^{self.max_exponent} with {rules}"
            )
        if max(self.spawn_steps) > MAX_SPAWN_RATIO:
            raise UnsupportedRules(
                f"expected spawn tiles within a factor of {MAX_SPAWN_RATIO} to solve, "
                f"got rules {rules}"
            )
        if self.start_count > MAX_START_BOARDS:
            raise UnsupportedRules(
                f"expected at most {MAX_START_BOARDS:,} ways to place the start tiles to solve, "
                f"got {self.start_count:,} with rules {rules}"
            )
        if self.objective is ExactObjective.GOAL and rules.goal > 1 << self.max_exponent:
            raise UnsupportedRules(
                f"expected a goal up to {1 << self.max_exponent}, the largest tile of "
                f"{rules.rows}x{rules.cols}, got {rules.goal}"
            )

    @classmethod
    def parse(cls, rules: str, objective: str = "score") -> Self:
        """A problem from the texts of its rules and its objective, `score` or `goal`."""
        return cls(Rules.parse(rules), objective)  # type: ignore[arg-type]

    @classmethod
    def of(cls, rules: "Problem | Rules | str", goal: int | None = None) -> "Problem":
        """The problem of rules, also as text; with a goal, which replaces theirs, the chance of it.

        A problem without a goal is itself.

        Raises:
            InvalidInput: the rules have a goal at which play does not stop, and none is given: it
                would have no effect.
        """
        if isinstance(rules, Problem):
            if goal is None:
                return rules
            rules = rules.rules
        if goal is None:
            return cls(_without_idle_goal(Rules.of(rules)))
        return cls(replace(Rules.of(rules), goal=goal), ExactObjective.GOAL)

    @property
    def setting(self) -> str:
        """The shape, and the spawns if they are not the usual ones: `2x2, 2: 50% 4: 50%`."""
        rules = self.rules
        parts = [f"{rules.rows}x{rules.cols}"]
        if rules.spawn_probabilities != STANDARD.spawn_probabilities or (
            rules.spawn_exponents != STANDARD.spawn_exponents
        ):
            spawns = zip(rules.spawn, rules.spawn_probabilities, strict=True)
            parts.append(" ".join(f"{tile}: {100 * share:g}%" for (tile, _), share in spawns))
        return ", ".join(parts)

    def __str__(self) -> str:
        """In words: `2x2, chance of 32`."""
        if self.objective is ExactObjective.GOAL:
            return f"{self.setting}, chance of {self.rules.goal}"
        ends = f" to {self.rules.goal}" * self.rules.stop_at_goal
        return f"{self.setting}, expected score{ends}"

    @property
    def unit(self) -> str:
        """Unit of the values, as in analyses."""
        if self.objective is ExactObjective.SCORE:
            return "points"
        return f"chance of {self.rules.goal}"

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rules.rows * self.rules.cols

    @property
    def symmetries(self) -> int:
        """Number of symmetries of the shape."""
        return 8 if self.rules.rows == self.rules.cols else 4

    @property
    def stop_exponent(self) -> int | None:
        """Exponent at which play stops, or None."""
        return self.rules.goal.bit_length() - 1 if self.rules.stop_at_goal else None

    @property
    def max_exponent(self) -> int:
        """The largest possible exponent: each cell holds one tile of the last chain of merges."""
        largest = max(self.rules.spawn_exponents) + self.cells - 1
        return largest if self.stop_exponent is None else min(largest, self.stop_exponent)

    @property
    def max_sum(self) -> int:
        """Upper bound on the sum of the tiles: a tile is made from tiles in other cells."""
        largest = max(self.rules.spawn_exponents) + self.cells - 1
        chain = (min(largest - cell, self.max_exponent) for cell in range(self.cells))
        return sum(1 << exponent for exponent in chain)

    @property
    def unit_exponent(self) -> int:
        """Exponent of the smallest spawn tile; every sum of tiles is a multiple of that tile."""
        return min(self.rules.spawn_exponents)

    @property
    def spawn_steps(self) -> tuple[int, ...]:
        """The increase of the sum by each spawn tile, in units."""
        return tuple(1 << (each - self.unit_exponent) for each in self.rules.spawn_exponents)

    @property
    def key_type(self) -> np.dtype[Any]:
        """Data type of the keys in a table."""
        return np.dtype(np.uint32 if self.cells <= MOST_KEY_CELLS else np.uint64)

    @property
    def start_count(self) -> int:
        """Number of ways to place the start tiles."""
        tiles = self.rules.start_tiles
        return comb(self.cells, tiles) * int(len(self.rules.spawn_exponents) ** tiles)

    @cached_property
    def starts(self) -> "Starts":
        """The boards that a game can begin with."""
        boards = np.zeros(1, dtype=np.uint64)
        chances, counts = np.ones(1), np.zeros(1, dtype=np.int64)
        for left, shift in zip(reversed(range(self.cells)), _cell_shifts(self.rules.shape),
                               strict=True):  # fmt: skip
            boards, chances, counts = self._with_cell(boards, chances, counts, left, shift)
        words = [
            _canonical(boards[start : start + _CHUNK], self.rules.shape)
            for start in range(0, len(boards), _CHUNK)
        ]
        unique, places = np.unique(np.concatenate(words), return_inverse=True)
        shares = np.bincount(places, chances) / comb(self.cells, self.rules.start_tiles)
        return self.starting_at(unique, shares)

    def _with_cell(
        self, boards: Words, chances: Chances, counts: Any, left: int, shift: np.uint64
    ) -> tuple[Words, Chances, Any]:
        """The boards with this cell empty or filled, if `left` cells can take the other tiles."""
        tiles = self.rules.start_tiles
        stay, fill = counts + left >= tiles, counts < tiles
        found = [(boards[stay], chances[stay], counts[stay])]
        for exponent, probability in zip(
            self.rules.spawn_exponents, self.rules.spawn_probabilities, strict=True
        ):
            word = np.uint64(exponent) << shift
            found.append((boards[fill] | word, chances[fill] * probability, counts[fill] + 1))
        words, shares, numbers = map(np.concatenate, zip(*found, strict=True))
        return words, shares, numbers

    def starting_at(self, boards: Words, chances: Chances) -> "Starts":
        """First boards of games from canonical words, uint64, and their probabilities."""
        layers, stopped = np.zeros(len(boards), dtype=np.int64), np.zeros(len(boards), dtype=bool)
        stop = 16 if self.stop_exponent is None else self.stop_exponent
        for shift in _cell_shifts(self.rules.shape):
            exponents = (boards >> shift & np.uint64(15)).astype(np.int64)
            layers += np.where(exponents > 0, 1 << exponents, 0) >> self.unit_exponent
            stopped |= exponents >= stop
        return Starts(boards, chances, layers, stopped)

    @property
    def start_boards(self) -> dict[int, float]:
        """The boards that a game can begin with, as canonical bits, and their probabilities."""
        starts = self.starts
        return dict(zip(starts.boards.tolist(), starts.chances.tolist(), strict=True))

    def is_stopped(self, bits: int) -> bool:
        """True if play has stopped on a board because the goal is reached."""
        stop = self.stop_exponent
        return stop is not None and max(bits >> shift & 15 for shift in range(0, 64, 4)) >= stop


def _without_idle_goal(rules: Rules) -> Rules:
    if rules.goal != STANDARD.goal and not rules.stop_at_goal:
        raise InvalidInput(
            f"the goal {rules.goal} in the rules has no effect: give goal={rules.goal} "
            f"(--goal {rules.goal}) beside them for its chance, or add stop=goal for the score up "
            "to it"
        )
    return rules


def canonical_bits(board: Board) -> int:
    """The smallest 64-bit form of the symmetries of a board."""
    return board.canonical().to_bits()


def _canonical(boards: Words, shape: tuple[int, int]) -> Words:
    rows, cols = shape
    shifts = _cell_shifts(shape)
    grids = (boards[:, None] >> shifts & np.uint64(15)).reshape(-1, rows, cols)
    turned = [grids, grids.transpose(0, 2, 1)] if rows == cols else [grids]
    forms = [form[:, ::up, ::left] for form in turned for up in (1, -1) for left in (1, -1)]
    words = [(form.reshape(len(boards), -1) << shifts).sum(axis=1) for form in forms]
    least: Words = np.min(words, axis=0)
    return least


def _cell_shifts(shape: tuple[int, int]) -> Words:
    row, col = np.divmod(np.arange(shape[0] * shape[1], dtype=np.uint64), np.uint64(shape[1]))
    shifts: Words = np.uint64(60) - np.uint64(4) * (np.uint64(4) * row + col)
    return shifts
