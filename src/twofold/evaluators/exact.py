"""Tables of float32 whose sums are exact, so that the order of addition does not matter.

Entries are whole multiples of a unit, a power of two. A sum of at most 53 binary digits in units is
exact in float64, in any order; one of at most 31 digits also fits an int32.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.evaluators.base import Params

LINE_DIGITS: Final = 28
"""Most binary digits of the value of a line in units: the sum of 8 lines fits an int32."""

CELL_DIGITS: Final = 49
"""Most binary digits of any table entry in units: the sum of 16 is exact in float64."""


def unit_of(tables: NDArray[np.floating], digits: int = LINE_DIGITS) -> float:
    """The unit in which the largest entry has `digits` binary digits; `in_units` keeps it."""
    largest = float(np.float32(np.abs(tables).max()))
    return math.ldexp(1.0, math.frexp(largest)[1] - digits)


def in_units(tables: NDArray[np.float64], digits: int = LINE_DIGITS) -> Params:
    """The tables as float32, rounded to whole multiples of their unit.

    float32 cannot break this: its steps are finer than the unit or multiples of it.
    """
    unit = unit_of(tables, digits)
    return (np.rint(tables / unit) * unit).astype(np.float32)
