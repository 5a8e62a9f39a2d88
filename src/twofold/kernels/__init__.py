"""Compiled kernels: the rules, the searches, learning and the evaluators.

A board is a uint64 (`bits`) or an array of uint8 exponents (`cells`); the kernels do not use the
value types. Tests compare each kernel with a naive twin.
"""

import sys
from typing import Final

COMPILING: Final = (
    "compiling kernels; only the first use does: about half a minute, longer on a busy machine ..."
)
"""Said while kernels are compiled."""

BUILT: Final[list[str]] = []
"""Names of the kernels that this process compiles or has compiled, since the cache lacked them."""

announces = True
"""Whether compiling is said on stderr; False in a command, which shows what it waits for."""

_MANY: Final = 5
"""Kernels, compiled in one process, from which it takes seconds."""


def note_built(name: str) -> None:
    """Note that a kernel is compiled, and announce it once many are."""
    from multiprocessing import parent_process

    BUILT.append(name)
    if announces and len(BUILT) == _MANY and parent_process() is None:
        sys.stderr.write(f"twofold: {COMPILING}\n")
