"""Upper bounds of values by tile sum, for pruning at chance nodes.

A search knows the tile sum of every later position: moves keep it and spawns add to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HALVES: Final = 32_768
"""Number of half tile sums: boards of 65,536 or more have no bound, see `kernels.search.star1`."""

ROUNDED: Final = 1e-6
"""Margin above the relative error of rounding to float32."""


@dataclass(frozen=True, slots=True, eq=False)
class SumBounds:
    """Bounds of the values of boards.

    `upper` is by half the tile sum, float64 (`HALVES`,), -inf without such a board; `lower` is for
    all boards.
    """

    upper: Floats
    lower: float

    def with_spawns(self, count: int, exponents: Sequence[int], dead_value: float) -> Floats:
        """Upper bounds of a search for a board before a move, float64 (count, `HALVES`).

        Row n is for n spawns to come, columns for half the tile sum; infinite if the spawns lead to
        sums without a bound. `dead_value` is the value of a board without a legal move.
        """
        table = np.empty((count, HALVES))
        table[0] = np.maximum(self.upper, dead_value)
        for spawns in range(1, count):
            table[spawns] = dead_value
            for half in (1 << exponent - 1 for exponent in exponents):
                grown = np.append(table[spawns - 1, half:], np.full(min(half, HALVES), np.inf))
                np.maximum(table[spawns], grown, out=table[spawns])
        return table

    def largest(self, dead_value: float) -> float:
        """The largest absolute value."""
        return max(abs(self.lower), float(self.upper.max()), abs(dead_value))


def bounds_of_lines(
    rows: NDArray[np.float32], columns: NDArray[np.float32], shape: tuple[int, int]
) -> SumBounds:
    """Bounds of a sum over rows and columns, from tables of their values, float32 (65536,).

    Rows and columns are bounded separately: by the best rows of a tile sum, and by the best
    columns. No board exceeds the sum of both.
    """
    height, width = shape
    across, low = _one_line(rows, width)
    of_rows, least = _lines(across, height), height * low
    if shape == shape[::-1] and np.array_equal(rows, columns):
        return SumBounds(2 * of_rows, 2 * least)
    down, low = _one_line(columns, height)
    return SumBounds(of_rows + _lines(down, width), least + width * low)


def _one_line(table: NDArray[np.float32], width: int) -> tuple[Floats, float]:
    """The largest value of a line by half its tile sum, and the least value of all lines."""
    lines = np.arange(0, 65_536, 1 << 16 - 4 * width)
    halves = np.sum([(1 << (lines >> shift & 15)) // 2 for shift in (12, 8, 4, 0)], axis=0)
    values = table[lines].astype(np.float64)
    most, bounded = np.full(HALVES, -np.inf), halves < HALVES
    np.maximum.at(most, halves[bounded], values[bounded])
    return most, float(values.min())


def _lines(one: Floats, count: int) -> Floats:
    """The largest sum of the values of `count` lines, by half of their common tile sum."""
    if count == 1:
        return one
    half = _lines(one, count // 2)
    both = _together(half, half)
    return _together(one, both) if count % 2 else both


def _together(first: Floats, second: Floats) -> Floats:
    """The largest first[i] + second[j], by i + j."""
    from twofold.kernels.search.star1 import most_of_two  # loads kernels

    most = np.full(HALVES, -np.inf)
    most_of_two(first, second, most)
    return most


def bounds_of_cells(weights: Sequence[float]) -> SumBounds:
    """Bounds of a sum of tiles times the weights of their cells, none negative.

    Two equal tiles a in cells of weights v >= w are worth no more than one tile 2 a in the first
    cell. So a board is worth no more than its tiles merged until no two are equal (the binary
    digits of the sum), the larger ones in cells of larger weights.
    """
    ordered = np.array(sorted(weights, reverse=True) + [0.0] * 16)
    halves = np.arange(HALVES)
    upper, used = np.zeros(HALVES), np.zeros(HALVES, dtype=np.int64)
    for digit in range(14, -1, -1):
        has = halves >> digit & 1
        upper += has * (2 << digit) * ordered[used]
        used += has
    return SumBounds(upper * (1 + ROUNDED), 0.0)
