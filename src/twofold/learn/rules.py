"""Learning rules: how weights follow the error of a value. TD, TC, and rules of your own.

    @learning_rule(memory=1)
    def rms(places, count, step, weights, memory):
        ...

A rule is a compiled function. `docs/howto/write-a-learning-rule.md` has examples.
"""

import dis
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from twofold.errors import InvalidInput
from twofold.kernels.learn import words
from twofold.limits import check_limit

MAX_MEMORY: Final = 8
"""Most numbers that a rule keeps of each weight."""

MAX_FACTOR: Final = 1000.0
"""Largest factor of a schedule of step sizes."""

_TRIED: Final = (0, 1, 10**3, 10**6, 10**9, 10**12)
"""Numbers of updates after which a schedule is asked before it is taken."""


@dataclass(frozen=True, slots=True)
class LearningRule:
    """How weights follow the error of a value.

    Attributes:
        name: its name, or `FILE.py:NAME` where a command has imported it.
        memory: float32 numbers that it keeps of each weight, 0 when a phase begins.
        compiled: the function: (places, count, step, weights, memory); for TD and TC their numbers
            in `kernels.learn.words`.
    """

    name: str
    memory: int
    compiled: Any

    @property
    def word(self) -> int:
        """What the kernel of training reads: the address of the function, or the number."""
        from twofold.kernels._jit import address_of

        return self.compiled if isinstance(self.compiled, int) else address_of(self.compiled)


@dataclass(frozen=True, slots=True)
class Decay:
    """A schedule of step sizes: the learning rate is multiplied by a function of the updates.

    Attributes:
        name: as in `LearningRule`.
        compiled: the function: updates made so far by all threads -> factor.
    """

    name: str
    compiled: Any

    @property
    def address(self) -> int:
        """The address of the machine code."""
        from twofold.kernels._jit import address_of

        return address_of(self.compiled)


TD: Final = LearningRule("td", 0, words.TD)
"""TD(0): every weight gets the same. Source: Szubert and Jaskowski 2014."""

TC: Final = LearningRule("tc", 2, words.TC)
"""Temporal coherence: each weight has a rate of its own. Source: Jaskowski 2018."""


def learning_rule(memory: int = 0) -> Callable[[Callable[..., None]], LearningRule]:
    """Decorator: compile `def rule(places, count, step, weights, memory)` as a learning rule.

    The function changes `weights[place]` for each `place = places[number]`, `number` from 0 to
    `count - 1`. A weight that is found twice, as on symmetric boards, is changed twice.

    - `places`: int64, where the features of an afterstate have their weights.
    - `count`: their number.
    - `step`: learning rate x error / `count`, in points, float64.
    - `weights`: float32, in points.
    - `memory`: float32; those of a weight are `memory[size * place]` and the next `size - 1`.

    Indexes are not checked: what is written beside the weights and the memory ends the program.

    Args:
        memory: the size: float32 numbers that the rule keeps of each weight, 0 to 8.

    Raises:
        InvalidInput: the function has other arguments, uses memory without any, raises errors, or
            cannot be compiled.
        LimitExceeded: `memory` is out of range.
    """
    from twofold.kernels.intrinsics import RULE

    check_limit("memory of a learning rule", memory, 0, MAX_MEMORY)

    def decorate(function: Callable[..., None]) -> LearningRule:
        _check_function(function, "places, count, step, weights, memory")
        code = function.__code__
        if not memory and code.co_varnames[4] in _loaded(code):
            raise InvalidInput(
                f"expected @learning_rule(memory=1) or more for {function.__name__}, which uses "
                "its memory, got none"
            )
        return LearningRule(function.__name__, memory, _compiled(function, RULE))

    return decorate


def decay(function: Callable[[int], float]) -> Decay:
    """Decorator: compile `def schedule(updates)` as a schedule of step sizes.

    The function gets the number of updates made so far and returns what the learning rate is
    multiplied by. With several threads the number is that of one thread times their number.

    Raises:
        InvalidInput: the function has other arguments, raises errors, cannot be compiled, or
            returns factors below 0 or without end.
    """
    from twofold.kernels.intrinsics import DECAY

    _check_function(function, "updates")
    compiled = _compiled(function, DECAY)
    for updates in _TRIED:
        if not 0 <= (factor := compiled(updates)) <= MAX_FACTOR:
            raise InvalidInput(
                f"expected factors from 0 to {MAX_FACTOR:g} of {function.__name__}, got {factor} "
                f"after {updates:,} updates"
            )
    return Decay(function.__name__, compiled)


def _check_function(function: Callable[..., Any], arguments: str) -> None:
    """Refuse a function with other arguments, or that raises errors, which would go unheard."""
    code = function.__code__
    if code.co_argcount != arguments.count(",") + 1:
        found = ", ".join(code.co_varnames[: code.co_argcount])
        raise InvalidInput(
            f"expected def {function.__name__}({arguments}), got {function.__name__}({found})"
        )
    if any(one.opname == "RAISE_VARARGS" for one in dis.get_instructions(code)):
        raise InvalidInput(f"expected {function.__name__} to raise no errors, got one that does")


def _loaded(code: CodeType) -> set[Any]:
    """The names of the local variables that a function reads."""
    found: set[Any] = set()
    for one in dis.get_instructions(code):
        if "LOAD_FAST" in one.opname:  # of Python 3.13 on it may load two
            found.update(one.argval if isinstance(one.argval, tuple) else (one.argval,))
    return found


def _compiled(function: Callable[..., Any], signature: Any) -> Any:
    from numba.core.errors import NumbaError

    from twofold.kernels._jit import kernel

    try:
        return kernel(signature, cached=False)(function)
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        why = lines[1] if lines[0].startswith("Failed in") and len(lines) > 1 else lines[0]
        raise InvalidInput(f"cannot compile {function.__name__}: {why}") from None
