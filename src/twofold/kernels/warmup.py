"""Compile every kernel now, so that nothing waits for it later."""

import importlib
import time
from collections.abc import Callable
from typing import Final

MODULES: Final = (
    "dice",
    "intrinsics",
    "bits",
    "downgrade",
    "cells",
    "policies",
    "play",
    "environment_forms",
    "environments",
    "evaluate",
    "evaluate_cells",
    "context",
    "transposition",
    "layers",
    "expectimax",
    "ntuple",
    "learning",
    "network_planes",
    "bounds",
    "star",
    "expectimax_cells",
    "adversarial",
    "summed",
)
"""The modules that hold kernels, callees first."""


def compile_all(on_step: Callable[[str], None] | None = None) -> None:
    """Compile all kernels, or load them from the cache folder.

    Args:
        on_step: told in a line of text after each module what was done.
    """
    for number, module in enumerate(MODULES, 1):
        began = time.perf_counter()
        importlib.import_module(f"twofold.kernels.{module}")
        if on_step:
            seconds = time.perf_counter() - began
            on_step(f"kernels {number}/{len(MODULES)}: {module}, {seconds:.1f} s")
