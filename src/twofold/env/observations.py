"""The forms of an observation: their spaces, and boards in these forms.

Kernels write observations during play; `observe` is the plain twin, for any board.
"""

from typing import Any, Final

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from twofold.board import Board
from twofold.env.settings import Observation
from twofold.limits import BITS_MAX_EXPONENT, MAX_EXPONENT

PLANES: Final = 18
"""Planes of `onehot`: exponents 0 to 17, all that 4x4 can hold; larger ones appear as 17."""


def space(form: Observation, shape: tuple[int, int]) -> Box:
    """The space of the observations of boards of this shape, (rows, cols)."""
    if form == "exponents":
        return Box(0, MAX_EXPONENT, shape, np.uint8)
    if form == "onehot":
        return Box(0, 1, (PLANES, *shape), np.uint8)
    if form == "tiles":
        return Box(0, 1 << MAX_EXPONENT, shape, np.int64)
    return Box(0, np.iinfo(np.uint64).max, (1,), np.uint64)


def observe(board: Board, form: Observation = "exponents") -> NDArray[Any]:
    """A board as an observation; raises `InvalidBoard` if it does not fit 64 bits for `bits`.

    The array has the shape and type of `space`.
    """
    exponents = np.array(board.exponents, dtype=np.uint8).reshape(board.shape)
    if form == "exponents":
        return exponents
    if form == "onehot":
        planes = np.arange(PLANES, dtype=np.uint8)[:, None, None]
        return np.equal(np.minimum(exponents, PLANES - 1), planes).astype(np.uint8)
    if form == "tiles":
        return np.array(board.tiles, dtype=np.int64)
    clipped = [min(exponent, BITS_MAX_EXPONENT) for exponent in board.exponents]
    return np.array([Board(clipped, board.shape).to_bits()], dtype=np.uint64)
