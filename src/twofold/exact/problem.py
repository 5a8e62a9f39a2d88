"""Problem: which game is solved, and for what."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import UnsupportedRules
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE, MAX_SPAWN_RATIO
from twofold.rules import STANDARD, Rules

MOST_KEY_CELLS: Final = 9
"""Boards of up to so many cells have keys of 32 bits."""

Words = NDArray[np.uint64]
Chances = NDArray[np.float64]


class Objective(StrEnum):
    """What optimal play makes as large as it can."""

    SCORE = "score"
    """The expected points, from here to the end."""
    GOAL = "goal"
    """The chance of ever making the goal; play stops there."""


@dataclass(frozen=True)
class Problem:
    """A game to be solved.

    A state is a board on which a move is legal and the goal, where play stops at one, is not
    reached; boards that are symmetric to each other are one state.

    Attributes:
        rules: shape, spawns, start tiles, and whether play stops at the goal. Without a stop
            the goal means nothing and is set to 2048.
        objective: what play is for; `Objective.GOAL` makes it stop at the goal.

    Raises:
        UnsupportedRules: boards would not fit 64 bits, spawn tiles are too far apart, or no game
            can make the goal that is the objective.
    """

    rules: Rules
    objective: Objective = Objective.SCORE

    def __post_init__(self) -> None:
        rules = replace(
            self.rules,
            stop_at_goal=self.rules.stop_at_goal or self.objective is Objective.GOAL,
        )
        if not rules.stop_at_goal:
            rules = replace(rules, goal=STANDARD.goal)
        object.__setattr__(self, "rules", rules)
        if max(rules.shape) > BITS_MAX_SIDE:
            raise UnsupportedRules(
                f"expected at most {BITS_MAX_SIDE} rows and columns to solve, got rules {rules}"
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
        if self.objective is Objective.GOAL and rules.goal > 1 << self.max_exponent:
            raise UnsupportedRules(
                f"expected a goal up to {1 << self.max_exponent}, the largest tile of "
                f"{rules.rows}x{rules.cols}, got {rules.goal}"
            )

    @classmethod
    def parse(cls, rules: str, objective: str = "score") -> Self:
        """A problem from the texts of its rules and its objective.

        Raises:
            InvalidRules, UnsupportedRules: the rules cannot be read, or not be solved.
            ValueError: the objective is neither `score` nor `goal`.
        """
        return cls(Rules.parse(rules), Objective(objective))

    def __str__(self) -> str:
        """In words: `2x2, chance of 32`."""
        rules = self.rules
        parts = [f"{rules.rows}x{rules.cols}"]
        if rules.spawn_probabilities != STANDARD.spawn_probabilities or (
            rules.spawn_exponents != STANDARD.spawn_exponents
        ):
            law = zip(rules.spawn, rules.spawn_probabilities, strict=True)
            parts.append(" ".join(f"{tile}: {100 * share:g}%" for (tile, _), share in law))
        if self.objective is Objective.GOAL:
            parts.append(f"chance of {rules.goal}")
        else:
            parts.append("expected score" + f" to {rules.goal}" * rules.stop_at_goal)
        return ", ".join(parts)

    @property
    def unit(self) -> str:
        """Unit of the values, as analyses name it."""
        if self.objective is Objective.SCORE:
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
        """Exponent at which play stops; None for never."""
        return self.rules.goal.bit_length() - 1 if self.rules.stop_at_goal else None

    @property
    def max_exponent(self) -> int:
        """The largest exponent that can be made: each cell holds one tile of the last chain."""
        largest = max(self.rules.spawn_exponents) + self.cells - 1
        return largest if self.stop_exponent is None else min(largest, self.stop_exponent)

    @property
    def unit_exponent(self) -> int:
        """Exponent of the smallest spawn tile: every sum of tiles is a multiple of it."""
        return min(self.rules.spawn_exponents)

    @property
    def spawn_steps(self) -> tuple[int, ...]:
        """For each spawn tile, by how many units it makes the sum larger."""
        return tuple(1 << (each - self.unit_exponent) for each in self.rules.spawn_exponents)

    @property
    def key_type(self) -> np.dtype[Any]:
        """Type of the keys in a table."""
        return np.dtype(np.uint32 if self.cells <= MOST_KEY_CELLS else np.uint64)

    @cached_property
    def start_boards(self) -> dict[int, float]:
        """The boards that a game may begin with, as canonical bits, and their probabilities."""
        boards, chances = np.zeros(1, dtype=np.uint64), np.ones(1)
        for _ in range(self.rules.start_tiles):
            boards, chances = self._with_spawn(boards, chances)
        return dict(zip(boards.tolist(), chances.tolist(), strict=True))

    def _with_spawn(self, boards: Words, chances: Chances) -> tuple[Words, Chances]:
        """Boards and probabilities after one spawn more."""
        shifts = _cell_shifts(self.rules.shape)
        free = boards[:, None] >> shifts & np.uint64(15) == 0  # (boards, cells)
        number, cell = np.nonzero(free)
        shares = (chances / free.sum(axis=1))[number]
        law = zip(self.rules.spawn_exponents, self.rules.spawn_probabilities, strict=True)
        found = [
            (boards[number] | np.uint64(exponent) << shifts[cell], shares * probability)
            for exponent, probability in law
        ]
        words, weights = map(np.concatenate, zip(*found, strict=True))
        unique, places = np.unique(_canonical(words, self.rules.shape), return_inverse=True)
        merged: Chances = np.bincount(places, weights).astype(np.float64)
        return unique, merged

    def is_stopped(self, bits: int) -> bool:
        """Whether play has stopped on a board because the goal is reached."""
        stop = self.stop_exponent
        return stop is not None and max(bits >> shift & 15 for shift in range(0, 64, 4)) >= stop

    def layer_of(self, bits: int) -> int:
        """The sum of the tiles of a board, in units."""
        total = sum(1 << (bits >> shift & 15) for shift in range(0, 64, 4) if bits >> shift & 15)
        return total >> self.unit_exponent


def canonical_bits(board: Board) -> int:
    """The least of the 64-bit forms of the symmetries of a board."""
    return int(_canonical(np.array([board.to_bits()], dtype=np.uint64), board.shape)[0])


def _canonical(boards: Words, shape: tuple[int, int]) -> Words:
    """`canonical_bits` of many boards, given in 64 bits."""
    rows, cols = shape
    shifts = _cell_shifts(shape)
    grids = (boards[:, None] >> shifts & np.uint64(15)).reshape(-1, rows, cols)
    turned = [grids, grids.transpose(0, 2, 1)] if rows == cols else [grids]
    forms = [form[:, ::up, ::left] for form in turned for up in (1, -1) for left in (1, -1)]
    words = [(form.reshape(len(boards), -1) << shifts).sum(axis=1) for form in forms]
    least: Words = np.min(words, axis=0)
    return least


def _cell_shifts(shape: tuple[int, int]) -> Words:
    """How far each cell lies from the lowest bit, row by row."""
    row, col = np.divmod(np.arange(shape[0] * shape[1], dtype=np.uint64), np.uint64(shape[1]))
    shifts: Words = np.uint64(60) - np.uint64(4) * (np.uint64(4) * row + col)
    return shifts
