"""`Evaluator`: a compiled value function of boards, with its parameters and its explanation."""

import importlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidSpec, UnsupportedRules
from twofold.game.board import Board
from twofold.game.notation import did_you_mean, format_number, shown
from twofold.game.rules import STANDARD, Move, Rules
from twofold.limits import BITS_MAX_EXPONENT, BITS_MAX_SIDE, MAX_SIDE
from twofold.storage.arrays import lies_flat

Params = NDArray[np.float32]

RESERVED: Final = (
    "cmd", "cut", "depth", "eval", "layers", "net", "nodes", "ply", "prune", "table", "table_mb",
    "tables", "threads", "time",
)  # fmt: skip
"""Keys of players, which weights cannot have as names."""

MAX_WEIGHT: Final = 1e9
"""Default limit of a weight, without its sign."""

_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


def small_shapes(rows: int, cols: int) -> bool:
    """Whether a shape fits the 64-bit form: up to 4 rows and columns."""
    return max(rows, cols) <= BITS_MAX_SIDE


def only_4x4(rows: int, cols: int) -> bool:
    """Whether a shape is 4x4."""
    return (rows, cols) == (4, 4)


@dataclass(frozen=True, slots=True)
class Weight:
    """One number of an evaluator that a spec can set, from `low` to `high`."""

    value: float
    help: str
    low: float = -MAX_WEIGHT
    high: float = MAX_WEIGHT

    def at(self, name: str, value: float) -> "Weight":
        """The same weight with another value; raises `InvalidSpec` outside `low..high`."""
        number = _number(value)
        if not math.isfinite(number):
            raise InvalidSpec(f"expected {name} as a finite number, got {shown(value)}")
        if not self.low <= number <= self.high:
            low, high = format_number(self.low), format_number(self.high)
            raise InvalidSpec(f"expected {name} from {low} to {high}, got {format_number(number)}")
        return replace(self, value=number + 0.0)  # -0 becomes 0


def _number(value: object) -> float:
    """A number as a float; NaN for anything else."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return math.nan


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A value function on boards of the 64-bit form, and on all boards with a form on cells.

    Fields named `..._for` are functions of (rows, cols). None stands for a missing form or bound.

    Attributes:
        kernel_for: compiled function, `float64(uint64 bits, int64 score,
            CPointer(float32) params)`, made with `twofold.values.compiled`.
        params_for: its parameters, float32, one dimension, contiguous.
        unit: unit of the value: `points`, or the evaluator's own.
        at: whether it values an afterstate or a state.
        adds_reward: whether a search adds the rewards on the way.
        dead_value: value of a state without a legal move.
        needs_score: whether the value depends on the score.
        supports: whether it can value a shape in 64 bits; `shapes` says which, for errors.
        line_tables_for: two float32 tables (65536,), for rows and for columns, if the value is a
            sum over lines; see `values.rows` for their unit.
        stakes_for: for each exponent of the largest tile of a searched board, float64 (16, 2): the
            value of a state without a legal move instead of `dead_value`, and the value below which
            an afterstate is not searched further, if the searched board's own is 0 or more.
        layer_for: kernel for the lowest layer of a search on bits, see `kernels.leaf_layer`.
        policy_for: kernel for searches of one ply on the search's context, `intrinsics.POLICY`.
        cells_kernel_for: the form on cells for every shape and tile, made with
            `twofold.values.compiled_on_cells`; its parameters are `cells_params_for`.
        terms_of: board and score to the named parts of the value, for explanations.
        weight_keys: the numbers that a spec can set, by their keys.
        rebuild: values of all weights to the fields of this class that depend on them.
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
    shapes: str = "boards up to 4x4"
    line_tables_for: Callable[[int, int], tuple[Params, Params]] | None = None
    stakes_for: Callable[[int, int], NDArray[np.float64]] | None = None
    layer_for: Callable[[int, int], Any] | None = None
    policy_for: Callable[[int, int], Any] | None = None
    cells_kernel_for: Callable[[int, int], Any] | None = None
    cells_params_for: Callable[[int, int], Params] | None = None
    terms_of: Callable[[Board, int], Mapping[str, float]] | None = None
    source: str = ""
    weight_keys: Mapping[str, Weight] = field(default_factory=dict, hash=False)
    rebuild: Callable[[Mapping[str, float]], Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        for name in self.weight_keys:
            if not _NAME.fullmatch(name) or name in RESERVED or name.endswith("_sha256"):
                raise InvalidSpec(
                    f"expected weights of eval={self.name} in lower case and not "
                    f"{', '.join(RESERVED)}, got {shown(name)}"
                )

    @property
    def weights(self) -> dict[str, float]:
        """The weights in use, by name."""
        return {name: weight.value for name, weight in self.weight_keys.items()}

    def reweighted(self, weights: Mapping[str, float]) -> "Evaluator":
        """The same evaluator with new values of some weights, by name; raises `InvalidSpec`."""
        keys = dict(self.weight_keys)
        for name, value in weights.items():
            if name not in keys:
                known = ", ".join(keys) or "none"
                raise InvalidSpec(
                    f"expected a weight of eval={self.name} ({known}), got {shown(name)}"
                    f"{did_you_mean(name, keys)}"
                )
            keys[name] = keys[name].at(name, value)
        if keys == self.weight_keys or self.rebuild is None:
            return self
        values = {name: weight.value for name, weight in keys.items()}
        return replace(self, weight_keys=keys, **self.rebuild(values))

    def unsupported(self, rows: int, cols: int) -> str:
        """Why a shape cannot be valued (`expected ...`); empty if it can."""
        return "" if self.supports(rows, cols) else f"expected {self.shapes}"

    def supports_cells(self, rows: int, cols: int) -> bool:
        """Whether a shape can be valued on cells: every shape, if there is such a form."""
        return self.cells_kernel_for is not None and max(rows, cols) <= MAX_SIDE

    def value(self, board: Board, score: int = 0) -> float:
        """The value of an afterstate or a state, see `at`.

        Raises `UnsupportedRules` for other shapes, or without a form on cells for tiles past 32768.
        """
        reason = self.unsupported(*board.shape)
        if board.max_exponent > BITS_MAX_EXPONENT:
            reason = reason or "expected tiles up to 32768"
        if reason and self.cells_kernel_for is None:
            raise UnsupportedRules(f"{reason} for eval={self.name}, got {board}")
        kernel, params = self.form(board.shape, on_cells=bool(reason))
        return _call(kernel, board, score, params, on_cells=bool(reason))

    def form(self, shape: tuple[int, int], *, on_cells: bool) -> tuple[Any, Params]:
        """The kernel for a shape, and its parameters, which kernels can read by address."""
        kernel_for, params_for = self.kernel_for, self.params_for
        if on_cells:
            assert self.cells_kernel_for is not None
            assert self.cells_params_for is not None
            kernel_for, params_for = self.cells_kernel_for, self.cells_params_for
        params = params_for(*shape)
        if not lies_flat(params, np.float32):
            raise InvalidSpec(
                "expected the parameters of an evaluator as float32 in one dimension, "
                f"got {shown(params)}"
            )
        return kernel_for(*shape), params

    def terms(self, board: Board, score: int = 0) -> Mapping[str, float]:
        """The named parts of the value; they add up to it unless the names say otherwise."""
        if self.terms_of is None:
            return {"value": self.value(board, score)}
        return self.terms_of(board, score)


def weighted_evaluator(
    name: str,
    summary: str,
    weight_keys: Mapping[str, Weight],
    rebuild: Callable[[Mapping[str, float]], Mapping[str, Any]],
    **more: Any,
) -> Evaluator:
    """An evaluator whose fields depend on weights; see `Evaluator` for the arguments."""
    values = {key: weight.value for key, weight in weight_keys.items()}
    fields = {**more, **rebuild(values)}
    return Evaluator(name, summary, weight_keys=weight_keys, rebuild=rebuild, **fields)


def simple_evaluator(
    name: str,
    kernel: Any,
    params: Sequence[float] | Mapping[str, float] = (),
    *,
    summary: str = "",
    on_cells: Any = None,
    **more: Any,
) -> Evaluator:
    """An evaluator from one compiled function and a few numbers.

    Args:
        name: its name.
        kernel: a function made with `twofold.values.compiled`.
        params: the numbers that the function reads, as float32. The names of a mapping become
            keys of the spec: `eval=my.py:MINE,empty=2`.
        summary: one line for users.
        on_cells: a function made with `twofold.values.compiled_on_cells`, with the same
            params: the form for large boards.
        **more: other fields of `Evaluator`.
    """

    def rebuild(weights: Mapping[str, float]) -> dict[str, Any]:
        numbers = np.array([*weights.values(), 0.0], dtype=np.float32)
        fields: dict[str, Any] = {
            "kernel_for": lambda rows, cols: kernel,
            "params_for": lambda rows, cols: numbers,
        }
        if on_cells is not None:
            fields["cells_kernel_for"] = lambda rows, cols: on_cells
            fields["cells_params_for"] = fields["params_for"]
        return fields

    if isinstance(params, Mapping):
        keys = {key: Weight(value, "a parameter of the evaluator") for key, value in params.items()}
        return weighted_evaluator(name, summary or name, keys, rebuild, **more)
    fields = rebuild({str(place): value for place, value in enumerate(params)})
    return Evaluator(name, summary or name, **fields, **more)


def kernel_in(module: str, name: str, elsewhere: str = "") -> Callable[[int, int], Any]:
    """The field `kernel_for` of a kernel in a module of `twofold.kernels`, which loads when asked.

    `elsewhere` is the name of the kernel for other shapes than 4x4; empty if it is the same.
    """

    def kernel_for(rows: int, cols: int) -> Any:
        wanted = name if (rows, cols) == (4, 4) else elsewhere or name
        return getattr(importlib.import_module(f"twofold.kernels.{module}"), wanted)

    return kernel_for


@lru_cache(maxsize=64)
def _address(kernel: Any) -> np.uint64:
    """The address of a compiled function, cached: finding it takes longer than a call."""
    from twofold.kernels._jit import address_of  # loads kernels

    return np.uint64(address_of(kernel))


def _call(kernel: Any, board: Board, score: int, params: Params, *, on_cells: bool) -> float:
    from twofold.kernels import evaluate

    address = _address(kernel)
    if not on_cells:
        return float(evaluate.evaluate_once(address, np.uint64(board.to_bits()), score, params))
    cells = np.array(board.exponents, dtype=np.uint8)
    return float(evaluate.evaluate_once_on_cells(address, cells, *board.shape, score, params))


TOLERANCE: Final = 1e-6
"""Largest difference between the sum of the parts and the value, as a share of the parts."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The parts of a value by name, in the evaluator's unit, and the value as a search uses it."""

    parts: Mapping[str, float]
    value: float

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())

    @property
    def add_up(self) -> bool:
        """Whether the parts add up to the value, up to rounding."""
        size = sum(map(abs, self.parts.values()))
        return abs(self.total - self.value) <= TOLERANCE * max(size, 1.0)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of the value of a board, and of the value after each move.

    Attributes:
        evaluator: the evaluator.
        board: the parts on the board itself.
        moves: the parts for up, right, down and left, None for an illegal move: of the
            afterstate, or for an evaluator of states the means over all spawns.
    """

    evaluator: Evaluator
    board: Terms
    moves: tuple[Terms | None, Terms | None, Terms | None, Terms | None]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the evaluator."""
        every = [terms.parts for terms in (self.board, *self.moves) if terms is not None]
        return tuple(dict.fromkeys(name for parts in every for name in parts))

    @property
    def add_up(self) -> bool:
        """Whether all parts add up."""
        return all(terms.add_up for terms in (self.board, *self.moves) if terms is not None)


def explain(
    evaluator: Evaluator, board: Board, score: int = 0, rules: Rules = STANDARD
) -> Explanation:
    """The parts of the value of a board, and of the value after each legal move.

    There is no search. A reward counts only through the score. `rules` gives the spawns for
    evaluators of states. Raises `UnsupportedRules`.
    """
    legal = board.legal_moves()

    def after(move: Move) -> Terms | None:
        if move not in legal:
            return None
        slide = board.slide(move)
        if evaluator.at == "afterstate":
            return _terms(evaluator, slide.board, score + slide.reward)
        return _mean_terms(evaluator, slide.board, score + slide.reward, rules)

    up, right, down, left = map(after, Move)
    return Explanation(evaluator, _terms(evaluator, board, score), (up, right, down, left))


def _terms(evaluator: Evaluator, board: Board, score: int) -> Terms:
    return Terms(dict(evaluator.terms(board, score)), evaluator.value(board, score))


def _mean_terms(evaluator: Evaluator, after: Board, score: int, rules: Rules) -> Terms:
    parts: dict[str, float] = {}
    value = 0.0
    for spawn in after.spawns(rules):
        terms = _terms(evaluator, after.place(spawn.cell, spawn.tile), score)
        value += spawn.probability * terms.value
        for name, part in terms.parts.items():
            parts[name] = parts.get(name, 0.0) + spawn.probability * part
    return Terms(parts, value)
