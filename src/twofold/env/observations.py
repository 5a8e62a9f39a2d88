"""The forms of an observation: their spaces, and boards in these forms.

Kernels write observations during play; `observe` is the plain twin, for any board.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from twofold.board import Board
from twofold.env.settings import Observation
from twofold.limits import BITS_MAX_EXPONENT
from twofold.rules import Rules


def space(form: Observation, rules: Rules) -> Box:
    """The space of the observations; `Rules.max_exponent` bounds all but `bits`."""
    largest = rules.max_exponent
    if form == "exponents":
        return Box(0, largest, rules.shape, np.uint8)
    if form == "onehot":
        return Box(0, 1, (largest + 1, *rules.shape), np.uint8)
    if form == "tiles":
        return Box(0, 1 << largest, rules.shape, np.int64)
    return Box(0, np.iinfo(np.uint64).max, (1,), np.uint64)


def observe(
    board: Board, form: Observation = "exponents", rules: Rules | None = None
) -> NDArray[Any]:
    """A board as an observation, under the original rules on its shape by default.

    The array has the shape and type of `space`. Raises `InvalidBoard` if the board does not fit
    64 bits for `bits`.
    """
    exponents = np.array(board.exponents, dtype=np.uint8).reshape(board.shape)
    if form == "exponents":
        return exponents
    if form == "onehot":
        rules = rules or Rules(board.rows, board.cols)
        planes = np.arange(rules.max_exponent + 1, dtype=np.uint8)[:, None, None]
        return np.equal(exponents, planes).astype(np.uint8)
    if form == "tiles":
        return np.array(board.tiles, dtype=np.int64)
    clipped = [min(exponent, BITS_MAX_EXPONENT) for exponent in board.exponents]
    return np.array([Board(clipped, board.shape).to_bits()], dtype=np.uint64)
