"""Checks of arrays that kernels read by address."""

from typing import Any

import numpy as np


def lies_flat(array: object, dtype: Any, dimensions: int = 1) -> bool:
    """True for a contiguous, aligned array of this type and number of dimensions."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == dimensions
        and bool(array.flags.c_contiguous and array.flags.aligned)
    )
