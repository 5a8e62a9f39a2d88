"""Contexts: the array of numbers and addresses that search kernels read."""

from copy import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.game import reference
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.kernels import context as words
from twofold.kernels import transposition
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.limits import BITS_MAX_EXPONENT
from twofold.storage.memory import check_memory
from twofold.values import Evaluator

Words = NDArray[np.uint64]
TABLE_MB: Final = 4
"""Default size of the transposition table, in MiB."""
_SMALL_MB: Final = 64
"""Tables up to this size are made without looking at the free memory, which takes time."""


class Context:
    """The words of a search context, and the arrays whose addresses they hold.

    `words` is uint64 (count,), read and written by kernels. `on_cells` is for boards as cells,
    which the evaluator must support.
    """

    def __init__(
        self, evaluator: Evaluator, rules: Rules, count: int, *, on_cells: bool = False
    ) -> None:
        self.words: Words = np.zeros(count, dtype=np.uint64)
        self._held: dict[int, NDArray[Any]] = {}
        self._evaluator = evaluator  # keeps alive arrays whose addresses are in its parameters
        self._own: set[int] = set()
        if not on_cells:
            shape = frame(*rules.shape)
            self.point(words.ACROSS, shape.across)
            self.point(words.DOWN, shape.down)
            self.words[words.MASK] = shape.mask
        kernel, params = evaluator.form(rules.shape, on_cells=on_cells)
        self.words[words.EVALUATOR] = address_of(kernel)
        self.point(words.PARAMS, params)
        spawns = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        self.point(words.DISTRIBUTION, spawns)
        self.words[words.ADDS_REWARD] = evaluator.adds_reward
        self.words[words.AT_STATE] = evaluator.at == "state"
        self.words[words.NODE_LIMIT] = words.NEVER
        self.words[words.DEAD_VALUE] = np.float64(evaluator.dead_value).view(np.uint64)

    def point(self, word: int, array: NDArray[Any], *, own: bool = False) -> None:
        """Put the address of an array into a word, and keep the array alive.

        With `own`, each thread's context gets an array of this size.
        """
        self._held[word] = array
        self.words[word] = array.ctypes.data
        if own:
            self._own.add(word)

    def point_table(
        self, megabytes: int, *, only_present: bool = False, grows: bool = False
    ) -> None:
        """Make a transposition table of `megabytes` MiB, or none for 0.

        With `only_present` values of earlier searches are ignored. With `grows` each search begins
        with few buckets; that requires `only_present`, one thread and `transposition.keep`.

        Raises `ResourceError` if it would take more than 80 % of the free memory.
        """
        self.words[words.ONLY_PRESENT] = only_present
        if megabytes:
            if megabytes > _SMALL_MB:
                check_memory(megabytes * 2**20, "the transposition table")
            size = megabytes * 2**20 // transposition.BUCKET_BYTES
            table = aligned_zeros(size * transposition.BUCKET_WORDS)
            self.point(words.TABLE, table)
            self.words[words.BUCKETS] = self.words[words.ALL] = size
            if grows:
                self.words[words.BUCKETS] = self.words[words.FEW] = transposition.MIN_BUCKETS

    def clear_table(self) -> None:
        """Clear the transposition table, if there is one."""
        if words.TABLE in self._held and self.words[words.GENERATION]:  # else it is empty
            used = words.ALL if self.words[words.WIDE] else words.BUCKETS
            count = int(self.words[used]) * transposition.BUCKET_WORDS
            self._held[words.TABLE][:count] = 0
            self.words[words.GENERATION] = self.words[words.SEARCHES] = 0
            self.words[words.WIDE] = 0
            self.words[words.BUCKETS] = self.words[words.FEW] or self.words[words.BUCKETS]

    def twin(self) -> "Context":
        """A copy for another thread; shares all arrays except those pointed to with `own`."""
        other = copy(self)
        other.words = self.words.copy()
        other._held = dict(self._held)
        for word in self._own:
            other.point(word, aligned_zeros(self._held[word].size))
        return other

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self.words[words.NODES])


def aligned_zeros(count: int) -> Words:
    """Zeros aligned to a cache line, so that each bucket is within one."""
    line = transposition.BUCKET_WORDS
    room = np.zeros(count + line, dtype=np.uint64)
    start = -(room.ctypes.data // 8) % line
    return room[start : start + count]


def fitting_bits(board: Board) -> int:
    """The 64-bit form of a board, downgraded if a tile exceeds 32768."""
    if board.max_exponent <= BITS_MAX_EXPONENT:
        return board.to_bits()
    lower = reference.downgrade(board.exponents, BITS_MAX_EXPONENT)
    return Board([min(exponent, BITS_MAX_EXPONENT) for exponent in lower], board.shape).to_bits()


def as_searched(board: Board) -> Board:
    """A board as kernels see it: downgraded if a tile is past 32768."""
    if board.max_exponent <= BITS_MAX_EXPONENT:
        return board
    return Board.from_bits(fitting_bits(board), board.shape)


def unsupported(evaluator: Evaluator, rules: Rules) -> str:
    """Why a search on 64-bit boards does not support these rules, or an empty text."""
    if reason := evaluator.unsupported(*rules.shape):
        return reason
    if max(rules.spawn_exponents) > BITS_MAX_EXPONENT:
        return "expected spawn tiles up to 32768"
    return ""
