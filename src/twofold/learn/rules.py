"""Learning rules: how weights follow the error of a value. TD, TC, and rules of your own.

    @learning_rule(memory=1)
    def rms(places, count, step, weights, memory):
        ...

A rule is a compiled function. `docs/howto/write-a-learning-rule.md` has examples.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from twofold.kernels.learn import words
from twofold.limits import check_limit

MAX_MEMORY: Final = 8
"""Most numbers that a rule keeps of each weight."""


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

    Args:
        memory: the size: float32 numbers that the rule keeps of each weight, 0 to 8.

    Raises:
        LimitExceeded: `memory` is out of range.
        numba.core.errors.NumbaError: the function cannot be compiled.
    """
    from twofold.kernels._jit import kernel
    from twofold.kernels.intrinsics import RULE

    check_limit("memory of a learning rule", memory, 0, MAX_MEMORY)

    def decorate(function: Callable[..., None]) -> LearningRule:
        return LearningRule(function.__name__, memory, kernel(RULE, cached=False)(function))

    return decorate


def decay(function: Callable[[int], float]) -> Decay:
    """Decorator: compile `def schedule(updates)` as a schedule of step sizes.

    The function gets the number of updates made so far and returns what the learning rate is
    multiplied by. With several threads the number is that of one thread times their number.

    Raises:
        numba.core.errors.NumbaError: the function cannot be compiled.
    """
    from twofold.kernels._jit import kernel
    from twofold.kernels.intrinsics import DECAY

    return Decay(function.__name__, kernel(DECAY, cached=False)(function))
