"""Compile every kernel now, so that later calls start at once.

As a program it compiles the modules named in its arguments, and prints a line after each.
"""

import importlib
import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from twofold import kernels
from twofold.kernels._jit import DECLARED, load

BASE: Final = ("intrinsics", "bits", "cells", "policies", "play")
"""The modules that the others build on, callees first, as in all lists here."""

SEARCH: Final = (
    "transposition", "leaf_layer", "expectimax", "evaluate",
    "expectimax_cells", "alphabeta",
)  # fmt: skip
"""Modules of search."""

OTHERS: Final = (
    "table_layers", "table_lookup",
    "ntuple", "updates", "learning", "simd", "bits_simd", "env_games", "env_vector",
    "solving", "solved", "policy",
)  # fmt: skip
"""Modules of learning, environments and exact play; no search module needs them."""

MODULES: Final = BASE + SEARCH + OTHERS
"""The modules that hold kernels."""

Told = Callable[[str], None]


def compile_all(on_step: Told | None = None, cores: int = 1) -> None:
    """Compile all kernels, or load them from the cache folder.

    `on_step` is called with a line of text after each module. With 2 or more cores, a second
    process compiles half of the modules.
    """
    numbers = itertools.count(1)

    def tell(text: str) -> None:
        if on_step is not None:
            on_step(f"kernels {next(numbers)}/{len(MODULES)}: {text}")

    _compile(BASE, tell)
    if cores < 2:
        _compile(SEARCH + OTHERS, tell)
        return
    with subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, *OTHERS], stdout=subprocess.PIPE, text=True
    ) as second:
        try:
            _compile(SEARCH, tell)
            assert second.stdout is not None
            for line in second.stdout:
                tell(line.strip())
        except BaseException:
            second.kill()
            raise
    _compile(OTHERS)  # from the cache, or compiled here if the other process has failed


def _compile(modules: Sequence[str], tell: Told = lambda _: None) -> None:
    for module in modules:
        began = time.perf_counter()
        importlib.import_module(f"twofold.kernels.{module}")
        load(*DECLARED)
        tell(f"{module}, {time.perf_counter() - began:.1f} s")


def _print(text: str) -> None:
    """Print a line for the parent process."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    kernels.announces = False
    _compile(sys.argv[1:], _print)
