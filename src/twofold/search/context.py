"""What every search on bits needs: addresses and numbers in one array, and what they point to."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twofold.evaluators import Evaluator
from twofold.kernels import context as words
from twofold.kernels._jit import address_of
from twofold.kernels.dice import spawn_law
from twofold.kernels.tables import frame
from twofold.limits import BITS_MAX_EXPONENT
from twofold.rules import Rules


class Context:
    """The words of a search context, and the arrays whose addresses they hold.

    Attributes:
        words: uint64, what the kernel reads.
    """

    def __init__(self, evaluator: Evaluator, rules: Rules, count: int) -> None:
        shape = frame(*rules.shape)
        self.words: NDArray[np.uint64] = np.zeros(count, dtype=np.uint64)
        self._held: dict[int, NDArray[Any]] = {}
        self.point(words.ACROSS, shape.across)
        self.point(words.DOWN, shape.down)
        self.words[words.MASK] = shape.mask
        self.point(words.LAW, spawn_law(rules.spawn_exponents, rules.spawn_weights))
        self.words[words.EVALUATOR] = address_of(evaluator.kernel_for(*rules.shape))
        self.point(words.PARAMS, evaluator.params_for(*rules.shape))
        self.words[words.ADDS_REWARD] = evaluator.adds_reward
        self.words[words.AT_STATE] = evaluator.at == "state"
        self.words[words.DEAD_VALUE] = np.float64(evaluator.dead_value).view(np.uint64)

    def point(self, word: int, array: NDArray[Any]) -> None:
        """Put the address of an array into a word, and keep the array alive."""
        self._held[word] = array
        self.words[word] = array.ctypes.data

    def point_table(self, megabytes: int, depths: int) -> None:
        """Make a transposition table of at most `megabytes`: pairs of words, a part a depth."""
        pairs = megabytes * 2**20 // 16 // depths
        if pairs < 2:
            return
        bits = pairs.bit_length() - 1
        self.point(words.TABLE, np.zeros(2 * depths << bits, dtype=np.uint64))
        self.words[words.TABLE_BITS] = bits

    def clear_table(self) -> None:
        """Forget what the transposition table holds, if there is one."""
        if words.TABLE in self._held:
            self._held[words.TABLE].fill(0)

    @property
    def nodes(self) -> int:
        """Positions visited since the last reset."""
        return int(self.words[words.NODES])

    def reset_nodes(self) -> None:
        """Count positions from 0 again."""
        self.words[words.NODES] = 0


def unsupported(evaluator: Evaluator, rules: Rules) -> str:
    """Why a search on bits cannot play these rules (`expected ...`), or an empty text."""
    if reason := evaluator.unsupported(*rules.shape):
        return reason
    if max(rules.spawn_exponents) > BITS_MAX_EXPONENT:
        return "expected spawn tiles up to 32768"
    return ""
