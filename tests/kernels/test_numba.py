"""Numba is imported without modules that kernels do not need."""

import subprocess
import sys

PROGRAM = """
import sys
import twofold.kernels.bits
assert "scipy.linalg" not in sys.modules
import numba, numpy
multiply = numba.njit(lambda a, b: a @ b)
assert (multiply(numpy.eye(2), numpy.ones((2, 2))) == 1).all()
assert "scipy.linalg" in sys.modules
"""


def test_linear_algebra_is_imported_only_where_it_is_used() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)


WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None
from twofold.arena import stats
from twofold.kernels._numba import arraymath, numba
import numpy
assert not arraymath._HAVE_BLAS
try:
    numba.njit(lambda a, b: a @ b)(numpy.eye(2), numpy.eye(2))
except ImportError as error:
    assert "scipy" in str(error)
else:
    raise AssertionError
stats.mean_interval(range(9))
"""


def test_a_plain_install_has_no_scipy() -> None:
    """Only a function that multiplies matrices asks for it."""
    subprocess.run([sys.executable, "-c", WITHOUT_SCIPY], check=True)
