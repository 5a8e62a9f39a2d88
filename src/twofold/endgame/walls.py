"""What kernels read of tables of the kind `WALLS`, and how their layers are made."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.endgame.cells import nibbles_mask, unmerged_row_table
from twofold.endgame.halves import Half
from twofold.endgame.pattern import EndgamePattern, Walls
from twofold.kernels.endgame import words as at

LINE_WORDS: Final = 8
"""Words of a line of marks; see `kernels.endgame.words.LINE`."""

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


def lines_of(size: int) -> int:
    """Number of lines of marks of a layer."""
    return -(-size // at.LINE)


def packed(levels: NDArray[Any], before: int) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """The marks of a layer, uint64 (lines, 8), and its levels above 0; `before` precede them."""
    lines, there = lines_of(len(levels)), levels != 0
    marked = np.zeros((lines, at.LINE), dtype=np.bool_)
    marked.reshape(-1)[: len(levels)] = there
    marks = np.empty((lines, LINE_WORDS), dtype=np.uint64)
    marks[:, 0] = before + np.cumsum([0, *marked.sum(axis=1)], dtype=np.uint64)[:-1]
    marks[:, 1:] = np.packbits(marked, axis=1, bitorder="little").view("<u8")
    return marks, levels[there]


def unpacked(marks: NDArray[np.uint64], levels: NDArray[Any], size: int) -> NDArray[Any] | None:
    """The levels of a layer from its marks and those above 0; None if they do not fit each other.

    The first of `levels` belongs to the first mark.
    """
    bits = np.ascontiguousarray(marks[:, 1:], dtype="<u8").view(np.uint8)
    there = np.unpackbits(bits, axis=1, bitorder="little").reshape(-1)[:size].astype(np.bool_)
    known = levels[: int(there.sum())]
    found = np.zeros(size, dtype=levels.dtype)
    if len(known) < there.sum():
        return None
    found[there] = known
    before = int(marks[0, 0]) if len(marks) else 0
    return found if np.array_equal(packed(found, before)[0], marks) else None


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
