"""`twofold warmup`: compile everything now."""

import time

from twofold.cli._output import print_note, print_out
from twofold.limits import cores

EXAMPLE = "  twofold warmup"


def command() -> None:
    """Compile all kernels now, so that later commands start at once."""
    from twofold.kernels.warmup import compile_all  # loads kernels

    began = time.perf_counter()
    compile_all(print_note, cores())
    print_out(f"all kernels are ready, {time.perf_counter() - began:.1f} s")
