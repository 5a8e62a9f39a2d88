"""Tables of float32 whose sums are exact, so that their order does not matter.

Entries are whole multiples of a unit, a power of two. A sum whose value in units has at most 53
binary digits is exact in float64, whatever the order and whatever is summed before; one of at
most 31 digits fits an int32 as well. A search may then add the parts of a board in the order
that is fastest, and its values stay the same to the last bit.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.evaluators.base import Params

LINE_DIGITS: Final = 28
"""Most binary digits of one line's value in units: 8 lines together fit an int32."""

CELL_DIGITS: Final = 49
"""Most binary digits of any table's entry in units: 16 together are exact in float64."""


def unit_of(tables: NDArray[np.floating], digits: int = LINE_DIGITS) -> float:
    """The unit of tables: in it their largest entry has so many binary digits.

    It is the same before and after `in_units`.
    """
    largest = float(np.float32(np.abs(tables).max()))
    return math.ldexp(1.0, math.frexp(largest)[1] - digits)


def in_units(tables: NDArray[np.float64], digits: int = LINE_DIGITS) -> Params:
    """The tables as float32, rounded to whole multiples of their unit.

    Rounding to float32 keeps them whole: where its steps are not finer than the unit, they are
    multiples of it.
    """
    unit = unit_of(tables, digits)
    return (np.rint(tables / unit) * unit).astype(np.float32)
