"""Numba, imported without SciPy's linear algebra.

At its import Numba checks that SciPy is there by importing `scipy.linalg`, which takes a third of a
second. Here it only looks for the package. Kernels need none of it; functions of users that call
`np.dot` or `np.linalg` import it when they are compiled.
"""

from importlib.util import find_spec

import numba
from numba.np import linalg


def _find_blas() -> None:
    if find_spec("scipy") is None:
        raise ImportError("SciPy is not installed")


_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = _find_blas
try:
    from numba.np import arraymath
finally:
    linalg.ensure_blas = _ensure_blas
arraymath.ensure_blas = _ensure_blas  # type: ignore[attr-defined]

__all__ = ["numba"]
