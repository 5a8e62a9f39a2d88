"""Scales: chances stored as whole numbers, called levels.

Chances are near 1 for most of a game and near 0 at its end, so the scales are finest there.
Level 0 is a chance of exactly 0 and the highest level exactly 1: a chance above 0 is never stored
as 0.
"""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidTable
from twofold.kernels.endgame import layers as endgame

Floats = NDArray[np.float64]

BITS: Final = (8, 16)
"""Supported bits per level."""


def check_bits(bits: int) -> int:
    """Return `bits`, 8 or 16; raises `InvalidTable` for any other number."""
    if bits not in BITS:
        raise InvalidTable(f"expected 8 or 16 bits a chance, got {bits}")
    return bits


def top_level(bits: int) -> int:
    """The level of a chance of 1."""
    return (1 << bits) - 1


@cache
def chances_of(bits: int) -> Floats:
    """The chance of each level; float64, read-only.

    Level k of n, up to the middle, means 2 (k / n)^2, and level n - k means 1 minus that.
    """
    top = top_level(bits)
    levels = np.arange(top + 1)
    small = 2 * (np.minimum(levels, top - levels) / top) ** 2
    chances = np.where(levels > top // 2, 1 - small, small)
    chances.flags.writeable = False
    return chances


def least_level(chance: float, bits: int) -> int:
    """The first level of a chance of at least this, and above 0."""
    return max(int(np.searchsorted(chances_of(bits), chance)), 1)


@cache
def coarse_levels() -> NDArray[np.uint8]:
    """The 8-bit level of each 16-bit level."""
    fine, top = top_level(16), top_level(8)
    levels = (np.arange(fine + 1) * top + fine // 2) // fine
    levels[1:-1] = np.clip(levels[1:-1], 1, top - 1)
    return levels.astype(np.uint8)


def stored(chances: NDArray[np.float32], bits: int) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Chances as levels of 8 or 16 bits."""
    levels = np.empty(len(chances), dtype=np.uint16)
    endgame.to_levels(chances, levels)
    if bits == 16:
        return levels
    coarse = np.empty(len(chances), dtype=np.uint8)
    endgame.to_coarse(levels, coarse_levels(), coarse)
    return coarse
