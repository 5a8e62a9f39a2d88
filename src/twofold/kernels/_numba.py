"""Numba, imported without SciPy's linear algebra.

Numba imports `scipy.linalg`, which takes a third of a second, only to check that it exists. No
kernel needs it; users' functions that need it get it when they are compiled.
"""

import numba
from numba.np import linalg

_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = lambda: None
try:
    from numba.np import arraymath
finally:
    linalg.ensure_blas = _ensure_blas
arraymath.ensure_blas = _ensure_blas  # type: ignore[attr-defined]

__all__ = ["numba"]
