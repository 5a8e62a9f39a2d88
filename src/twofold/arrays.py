"""Arrays that kernels read by their address, without a look at type or size."""

from typing import Any

import numpy as np


def lies_flat(array: object, dtype: Any, dimensions: int = 1) -> bool:
    """True for an array of this type and number of dimensions whose elements lie side by side."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == dimensions
        and bool(array.flags.c_contiguous and array.flags.aligned)
    )
