"""Compiled kernels: the rules, the searches, learning and the evaluators.

A board is a uint64 (`bits`) or an array of uint8 exponents (`cells`); the kernels do not use the
value types. Tests compare each kernel with a naive twin.
"""

from typing import Final

BUILT: Final[list[str]] = []
"""Names of the kernels that this process compiles or has compiled, since the cache lacked them."""
