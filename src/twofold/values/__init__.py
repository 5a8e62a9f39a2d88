"""Evaluators: value functions of boards, by the names that specs use."""

from collections.abc import Callable
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.game.notation import did_you_mean, shown
from twofold.values.evaluator import Evaluator, Weight, simple_evaluator
from twofold.values.matrix import IT3105_GRADIENT_EVALUATOR, IT3105_SNAKE_EVALUATOR, SNAKE
from twofold.values.rows import BAELDUNG, CLUSTERING, ORDERED, ROWS, SMOOTH

__all__ = [
    "EVALUATORS",
    "Evaluator",
    "Weight",
    "compiled",
    "compiled_on_cells",
    "find_evaluator",
    "simple_evaluator",
]

EVALUATORS: Final = {
    evaluator.name: evaluator
    for evaluator in (
        SNAKE,
        ROWS,
        ORDERED,
        BAELDUNG,
        CLUSTERING,
        IT3105_SNAKE_EVALUATOR,
        IT3105_GRADIENT_EVALUATOR,
        SMOOTH,
    )
}
"""The evaluators that a spec can name."""


def compiled(function: Callable[..., Any]) -> Any:
    """Decorator: compile `def value(bits, score, params)` as an evaluator's kernel."""
    from twofold.kernels._jit import kernel  # loads kernels
    from twofold.kernels.intrinsics import EVALUATOR

    return kernel(EVALUATOR, cached=False)(function)


def compiled_on_cells(function: Callable[..., Any]) -> Any:
    """Decorator: compile `def value(cells, rows, cols, score, params)` as a form on cells.

    `cells` points to rows * cols exponents, uint8, row by row.
    """
    from twofold.kernels._jit import kernel
    from twofold.kernels.intrinsics import CELLS_EVALUATOR

    return kernel(CELLS_EVALUATOR, cached=False)(function)


def find_evaluator(name: str) -> Evaluator:
    """The evaluator of that name; raises `InvalidSpec` if there is none."""
    try:
        return EVALUATORS[name]
    except KeyError:
        known = ", ".join(EVALUATORS)
        raise InvalidSpec(
            f"expected eval= and one of {known} (or path/to/file.py:Name), got {shown(name)}"
            f"{did_you_mean(name, EVALUATORS)}"
        ) from None
