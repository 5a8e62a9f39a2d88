"""Compile every kernel now, so that later calls start at once.

As a program it compiles the modules named in its arguments, and prints a line after each.
"""

import importlib
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
    steps = _Steps(on_step)
    _import(BASE, steps)
    if cores < 2:
        _import(SEARCH + OTHERS, steps)
        return
    with subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, *OTHERS], stdout=subprocess.PIPE, text=True
    ) as second:
        try:
            _import(SEARCH, steps)
            assert second.stdout is not None
            for line in second.stdout:
                steps.add(line.strip())
        except BaseException:
            second.kill()
            raise
    _import(
        OTHERS, _Steps(None)
    )  # from the cache, or compiled here if the other process has failed


class _Steps:
    def __init__(self, told: Told | None) -> None:
        self._told, self._done = told, 0

    def add(self, text: str) -> None:
        self._done += 1
        if self._told is not None:
            self._told(f"kernels {self._done}/{len(MODULES)}: {text}")


def _import(modules: Sequence[str], steps: _Steps) -> None:
    for module in modules:
        began = time.perf_counter()
        importlib.import_module(f"twofold.kernels.{module}")
        load_declared()
        steps.add(f"{module}, {time.perf_counter() - began:.1f} s")


def load_declared() -> None:
    """Compile or load all kernels of the modules imported so far."""
    load(*DECLARED)


class _Printed(_Steps):
    """Prints its reports, for the parent process."""

    def add(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    kernels.announces = False
    _import(sys.argv[1:], _Printed(None))
