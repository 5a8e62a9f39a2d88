"""Numba, imported without SciPy's linear algebra.

Numba imports `scipy.linalg`, a third of a second, only to note that it is there. No kernel needs
it, and functions of users that do get it when they are compiled.
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
