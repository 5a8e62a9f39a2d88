"""Evaluator: what a board is worth, as a compiled function and the parameters it reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from twofold.board import Board
from twofold.errors import UnsupportedRules
from twofold.kernels._jit import address_of
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE

Params = NDArray[np.float32]


def small_shapes(rows: int, cols: int) -> bool:
    """Whether a shape fits the 64-bit form: up to 4 rows and columns."""
    return max(rows, cols) <= BITS_MAX_SIDE


def only_4x4(rows: int, cols: int) -> bool:
    """Whether a shape is 4x4."""
    return (rows, cols) == (4, 4)


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A value function on boards of the 64-bit form.

    Attributes:
        name: as in a spec.
        summary: one line about what it looks at.
        kernel_for: shape to compiled function, `float64(uint64 bits, int64 score,
            CPointer(float32) params)`, made with `twofold.evaluators.compiled`.
        params_for: shape to its parameters, float32, one dimension, contiguous.
        unit: unit of the value: `points`, or the evaluator's own.
        at: whether it values an afterstate or a state.
        adds_reward: whether a search adds the rewards on the way.
        dead_value: value of a state without a legal move.
        needs_score: whether the value depends on the score.
        supports: which shapes (rows, cols) it can value.
        shapes: the same in words, for errors.
        terms_of: board and score to the named parts of the value, for explanations.
        source: where it comes from; empty for our own.
    """

    name: str
    summary: str
    kernel_for: Callable[[int, int], Any]
    params_for: Callable[[int, int], Params]
    unit: str = "own unit"
    at: Literal["afterstate", "state"] = "afterstate"
    adds_reward: bool = False
    dead_value: float = 0.0
    needs_score: bool = False
    supports: Callable[[int, int], bool] = small_shapes
    shapes: str = "shapes up to 4x4"
    terms_of: Callable[[Board, int], Mapping[str, float]] | None = None
    source: str = ""

    def unsupported(self, rows: int, cols: int) -> str:
        """Why a shape cannot be valued (`expected ...`), or an empty text."""
        return "" if self.supports(rows, cols) else f"expected {self.shapes} for eval={self.name}"

    def value(self, board: Board, score: int = 0) -> float:
        """The value of one board.

        Args:
            board: an afterstate or a state, see `at`; tiles up to 32768.
            score: points so far, in points; only some evaluators look at it.

        Raises:
            UnsupportedRules: the shape or the tiles are beyond the evaluator.
        """
        reason = self.unsupported(*board.shape)
        if reason or board.max_exponent > BITS_MAX_EXPONENT:
            raise UnsupportedRules(f"{reason or 'expected tiles up to 32768'}, got {board}")
        kernel, params = self.kernel_for(*board.shape), self.params_for(*board.shape)
        return _call(kernel, board.to_bits(), score, params)

    def terms(self, board: Board, score: int = 0) -> Mapping[str, float]:
        """The named parts of the value; they add up to it unless the names say otherwise."""
        if self.terms_of is None:
            return {"value": self.value(board, score)}
        return self.terms_of(board, score)


def simple_evaluator(
    name: str, kernel: Any, params: Sequence[float] = (), *, summary: str = "", **more: Any
) -> Evaluator:
    """An evaluator from one compiled function and a few numbers.

    Args:
        name: its name.
        kernel: a function made with `twofold.evaluators.compiled`.
        params: what the function reads as `params`, converted to float32.
        summary: one line about what it looks at.
        **more: other fields of `Evaluator`.
    """
    numbers = np.array([*params, 0.0], dtype=np.float32)
    return Evaluator(
        name, summary or name, lambda rows, cols: kernel, lambda rows, cols: numbers, **more
    )


def _call(kernel: Any, bits: int, score: int, params: Params) -> float:
    from twofold.kernels.evaluate import evaluate_once

    return float(evaluate_once(np.uint64(address_of(kernel)), np.uint64(bits), score, params))
