"""Numba is imported without modules that kernels do not need."""

import subprocess
import sys

PROGRAM = """
import sys
import twofold.kernels.rules.bits
assert "scipy.linalg" not in sys.modules
import numba, numpy
multiply = numba.njit(lambda a, b: a @ b)
assert (multiply(numpy.eye(2), numpy.ones((2, 2))) == 1).all()
assert "scipy.linalg" in sys.modules
"""


def test_linear_algebra_is_imported_only_where_it_is_used() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
