"""Arrays with guard words around them."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)


ZONE = 4096  # bytes on either side


PATTERN = 0xA5


class Guards:
    """Buffers between guard zones."""

    def __init__(self) -> None:
        self._whole: list[NDArray[np.uint8]] = []

    def copy(self, array: NDArray[Kind]) -> NDArray[Kind]:
        """A copy of an array with a guard zone before and behind it."""
        flat = np.ascontiguousarray(array)
        whole = np.full(flat.nbytes + 2 * ZONE, PATTERN, dtype=np.uint8)
        whole[ZONE:-ZONE] = flat.reshape(-1).view(np.uint8)
        self._whole.append(whole)
        return whole[ZONE:-ZONE].view(flat.dtype).reshape(flat.shape)

    def intact(self) -> bool:
        """Whether no guard byte has changed."""
        zones = [zone for whole in self._whole for zone in (whole[:ZONE], whole[-ZONE:])]
        return bool(zones) and all((zone == PATTERN).all() for zone in zones)
