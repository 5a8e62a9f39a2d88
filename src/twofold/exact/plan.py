"""The parameters that kernels read of a problem, and the hash sets that they fill."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.exact.problem import ExactObjective, Problem
from twofold.kernels.exact import canonical, solving
from twofold.kernels.rules.dice import spawn_distribution
from twofold.kernels.rules.row_tables import frame
from twofold.memory import large_zeros

Words = NDArray[np.uint64]

_FEWEST_PLACES: Final = 1_024


def plan_words(problem: Problem, count: int = solving.PLAN_WORDS) -> tuple[Words, list[Any]]:
    """The words of a plan, and the arrays at the addresses in them, to be kept alive with them."""
    rules = problem.rules
    shape = frame(*rules.shape)
    distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
    words = np.zeros(count, dtype=np.uint64)
    words[solving.ACROSS] = shape.across.ctypes.data
    words[solving.DOWN] = shape.down.ctypes.data
    words[solving.MASK] = shape.mask
    words[solving.ROWS], words[solving.COLS] = rules.shape
    words[solving.DISTRIBUTION] = distribution.ctypes.data
    stop = problem.stop_exponent
    words[solving.STOP_EXPONENT] = solving.NEVER if stop is None else stop
    words[solving.WINS] = problem.objective is ExactObjective.GOAL
    sides = np.zeros(16 * 8, dtype=np.uint64)
    canonical.fill_sides(sides, *rules.shape)
    words[solving.SIDES] = sides.ctypes.data
    return words, [shape.across, shape.down, distribution, sides]


class Slots:
    """A hash set of boards for kernels, with or without values, sized for `room` boards.

    Attributes:
        words: uint64, a power of two of slots, each one word, or two with values.
        shift: 64 minus the log2 of the number of slots.
    """

    def __init__(self, room: int, *, valued: bool = False) -> None:
        self._valued = valued
        self._make(_digits(room))

    def _make(self, digits: int) -> None:
        self.shift = np.uint64(64 - digits)
        self.words: Words = large_zeros(1 << digits + self._valued, np.uint64)

    @staticmethod
    def bytes_for(room: int, *, valued: bool = False) -> int:
        """The memory of a set, in bytes."""
        return (8 << valued) << _digits(room)

    def insert(self, boards: Words) -> bool:
        """Insert boards; False if the set is full."""
        found = solving.insert_all(boards, self.words, self.shift, int(self._valued))
        return bool(found != solving.FULL)

    def grow(self) -> None:
        """Double the number of slots; boards stay, values are dropped."""
        before = self.words[:: 1 + self._valued].copy()
        digits = 64 - int(self.shift) + 1
        self._make(digits)
        while not self.insert(before):
            digits += 1
            self._make(digits)

    def clear(self) -> None:
        """Remove all boards."""
        self.words.fill(0)


def _digits(room: int) -> int:
    """Log2 of the number of slots, for a load of one to two thirds."""
    return (max(3 * room // 2, _FEWEST_PLACES) - 1).bit_length()


def point_at(plan: Words, targets: list[Slots]) -> Words:
    """Set a plan's targets, one set per spawn tile; returns an array to keep alive."""
    rows = [[each.words.ctypes.data, int(each.shift)] for each in targets]
    addresses = np.array(rows, dtype=np.uint64)
    plan[solving.TARGETS] = addresses.ctypes.data
    return addresses
