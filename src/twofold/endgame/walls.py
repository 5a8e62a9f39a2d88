"""What kernels read of tables of the kind `WALLS`, and how their layers are made."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.endgame.cells import unmerged_row_table
from twofold.endgame.halves import Half
from twofold.endgame.pattern import EndgamePattern, Walls
from twofold.endgame.turns import nibbles_mask
from twofold.kernels.endgame import words as at

_CARRY: Final = 16


def carrying(least: Mapping[int, int]) -> list[int]:
    """Summands with which nibbles carry from an exponent on, by cell: even and odd nibbles."""
    words = [0, 0]
    for cell, exponent in least.items():
        place = 15 - cell  # from the lowest nibble
        words[place % 2] |= (_CARRY - exponent) << (8 * (place // 2))
    return words


def fill_walls(pattern: EndgamePattern, words: NDArray[np.uint64]) -> list[NDArray[Any]]:
    """Fill in the words of walls; returns the arrays to keep alive."""
    walls = pattern.walls
    assert walls is not None
    goals = [Walls.digits(picture) for picture in walls.goals]
    pairs = np.array(
        [[15 * nibbles_mask(list(goal)), _nibbles(goal, pattern.target)] for goal in goals],
        dtype=np.uint64,
    )
    conditions = np.array(
        [
            len(walls.anchors), *walls.anchors,
            len(walls.unequal), *sum(walls.unequal, ()),
            len(walls.larger), *sum(walls.larger, ()),
        ],
        dtype=np.int64,
    )  # fmt: skip
    caps = pattern.caps_by_cell
    words[at.KIND] = at.WALLS
    words[at.KEEP] = 15 * nibbles_mask(pattern.large_cells)
    words[at.ACROSS] = unmerged_row_table().ctypes.data
    words[at.OVER : at.OVER + 2] = carrying({cell: cap + 1 for cell, cap in caps.items()})
    words[at.CAPPED : at.CAPPED + 2] = carrying(dict.fromkeys(caps, _CARRY - 1))
    words[at.GOALS], words[at.GOAL_COUNT] = pairs.ctypes.data, len(pairs)
    words[at.CONDITIONS] = conditions.ctypes.data
    words[at.TARGET], words[at.BELOW] = pattern.target, walls.below
    return [pairs, conditions]


def _nibbles(digits: Mapping[int, int], level: int) -> int:
    """The nibbles of a picture at a level."""
    return sum((level - down) << (60 - 4 * cell) for cell, down in digits.items())


def half_bits(half: Half, cells: list[int]) -> NDArray[np.uint64]:
    """The nibbles of the contents of a half, by place in `order`."""
    shifts = (np.uint64(60 - 4 * cell) for cell in cells)
    parts = [
        digit.astype(np.uint64) << shift for digit, shift in zip(half.digits, shifts, strict=True)
    ]
    return np.asarray(sum(parts), dtype=np.uint64)[half.order]
