"""Learning rules: how the TD error changes weights. TD, TC, and rules written by users.

    @learning_rule(memory=1)
    def rms(places, count, step, weights, memory):
        ...

A rule is a compiled function; `docs/howto/write-a-learning-rule.md` has examples.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from numba.core.errors import NumbaError

from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.kernels import updates as words
from twofold.kernels._jit import address_of, kernel
from twofold.kernels.intrinsics import DECAY, RULE
from twofold.limits import check_limit
from twofold.players.own_code import load_object

Code = TypeVar("Code")

MAX_MEMORY: Final = 8
"""Maximum numbers of memory per weight."""

MAX_FACTOR: Final = 1000.0
"""Largest factor that a schedule of step sizes may return."""

_TRIED: Final = (0, 1, 10**3, 10**6, 10**9, 10**12)
"""Update counts at which a schedule is checked before training."""


@dataclass(frozen=True, slots=True)
class LearningRule:
    """A rule that changes the weights of one afterstate.

    Attributes:
        name: its name, or `FILE.py:NAME` if a command imported it.
        memory: float32 numbers kept per weight, 0 when a phase begins.
        compiled: the compiled function; for TD and TC their numbers in `kernels.updates`.
    """

    name: str
    memory: int
    compiled: Any

    @property
    def word(self) -> int:
        """The rule as the training kernel reads it: address of the function, or number."""
        return self.compiled if isinstance(self.compiled, int) else address_of(self.compiled)


@dataclass(frozen=True, slots=True)
class Decay:
    """A schedule of step sizes: from updates so far, by all threads, to a factor of the rate."""

    name: str
    compiled: Any

    @property
    def address(self) -> int:
        """Address of the machine code."""
        return address_of(self.compiled)


TD: Final = LearningRule("td", 0, words.TD)
"""TD(0): all weights change equally. Source: Szubert and Jaskowski 2014."""

TC: Final = LearningRule("tc", 2, words.TC)
"""Temporal coherence: each weight adapts its own rate. Source: Jaskowski 2018."""


def learning_rule(memory: int = 0) -> Callable[[Callable[..., None]], LearningRule]:
    """Decorator: compile `def rule(places, count, step, weights, memory)` as a learning rule.

    The function changes `weights[place]` for each `place` in `places[:count]`. A weight listed
    twice, as on symmetric boards, is changed twice. Its arguments:

    - `places`: int64, indexes of the weights of an afterstate.
    - `count`: their number.
    - `step`: learning rate x error / `count`, in points, float64.
    - `weights`: float32, in points.
    - `memory`: float32; weight `place` has `memory[size * place]` and the next `size - 1`.

    Indexes are not checked: writing outside the arrays, or to `memory` with a size of 0, crashes
    the program. Errors that the function raises are lost.

    Args:
        memory: numbers kept per weight (the size), 0 to 8.

    Raises:
        InvalidInput: other arguments, or code that Numba cannot compile.
        LimitExceeded: `memory` is out of range.
    """
    check_limit("memory of a learning rule", memory, 0, MAX_MEMORY)

    def decorate(function: Callable[..., None]) -> LearningRule:
        compiled = _compiled(function, RULE, "places, count, step, weights, memory")
        return LearningRule(function.__name__, memory, compiled)

    return decorate


def decay(function: Callable[[int], float]) -> Decay:
    """Decorator: compile `def schedule(updates)` as a schedule of step sizes.

    The function gets the number of updates so far and returns a factor of the learning rate. With
    several threads the number is an estimate: that of one thread times the number of threads.

    Raises:
        InvalidInput: other arguments, code that Numba cannot compile, or a factor outside 0 to
            1000.
    """
    compiled = _compiled(function, DECAY, "updates")
    for updates in _TRIED:
        if not 0 <= (factor := compiled(updates)) <= MAX_FACTOR:
            raise InvalidInput(
                f"expected {function.__name__} to return a factor from 0 to {MAX_FACTOR:g}, "
                f"got {factor} after {updates:,} updates"
            )
    return Decay(function.__name__, compiled)


def load_rule(name: str) -> LearningRule:
    """The learning rule that `FILE.py:NAME` names; raises `InvalidInput` for anything else."""
    return replace(_load(name, LearningRule, "a function with @learning_rule()"), name=name)


def load_decay(name: str) -> Decay:
    """The schedule of step sizes that `FILE.py:NAME` names; raises as `load_rule`."""
    return replace(_load(name, Decay, "a function with @decay"), name=name)


def _load(name: str, kind: type[Code], expected: str) -> Code:
    found = load_object(name)
    if not isinstance(found, kind):
        raise InvalidInput(f"expected {expected}, got {shown(name)}")
    return found


def _compiled(function: Callable[..., Any], signature: Any, arguments: str) -> Any:
    if (given := len(inspect.signature(function).parameters)) != arguments.count(",") + 1:
        raise InvalidInput(f"expected def {function.__name__}({arguments}), got {given} arguments")
    try:
        return kernel(signature, cached=False)(function)
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = lines[1] if lines[0].startswith("Failed in") and len(lines) > 1 else lines[0]
        raise InvalidInput(f"cannot compile {function.__name__}: {why}") from None
