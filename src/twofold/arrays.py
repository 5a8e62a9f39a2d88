"""Checks of arrays that kernels read by address, and checksums of their content."""

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray


def lies_flat(array: object, dtype: Any, dimensions: int = 1) -> bool:
    """True for a contiguous, aligned array of this type and number of dimensions."""
    return (
        isinstance(array, np.ndarray)
        and array.dtype == dtype
        and array.ndim == dimensions
        and bool(array.flags.c_contiguous and array.flags.aligned)
    )


def checksum(array: NDArray[Any]) -> int:
    """The CRC-32 of an array's bytes."""
    return zlib.crc32(np.ascontiguousarray(array).data.cast("B")) if len(array) else 0
