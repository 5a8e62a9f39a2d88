"""Compiled kernels: the rules, the search and the evaluators at full speed.

They know nothing of the value types above them: a board is a uint64 (`bits`) or an array of
uint8 exponents (`cells`). Each kernel equals a naive twin in the tests.
"""

from typing import Final

BUILT: Final[list[str]] = []
"""Names of the kernels that this process compiles or has compiled: the cache did not hold them."""
