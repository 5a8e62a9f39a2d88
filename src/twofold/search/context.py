"""Contexts, which search kernels read, and the depth of a search, which may depend on the board."""

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidSpec
from twofold.game import reference
from twofold.game.board import Board
from twofold.game.notation import shown
from twofold.game.rules import Rules
from twofold.kernels import context as words
from twofold.kernels import transposition
from twofold.kernels._jit import address_of
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.limits import BITS_MAX_EXPONENT, MAX_PLY, check_limit
from twofold.storage.memory import check_memory
from twofold.values import Evaluator
from twofold.values.evaluator import checked_params

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
        if on_cells:
            self._value_cells(evaluator, rules)
        else:
            self._value_bits(evaluator, rules)
        self.point(
            words.DISTRIBUTION, spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
        )
        self.words[words.ADDS_REWARD] = evaluator.adds_reward
        self.words[words.AT_STATE] = evaluator.at == "state"
        self.words[words.NODE_LIMIT] = words.NEVER
        self.words[words.DEAD_VALUE] = np.float64(evaluator.dead_value).view(np.uint64)

    def _value_bits(self, evaluator: Evaluator, rules: Rules) -> None:
        shape = frame(*rules.shape)
        self.point(words.ACROSS, shape.across)
        self.point(words.DOWN, shape.down)
        self.words[words.MASK] = shape.mask
        self.words[words.EVALUATOR] = address_of(evaluator.kernel_for(*rules.shape))
        self.point(words.PARAMS, checked_params(evaluator.params_for(*rules.shape)))

    def _value_cells(self, evaluator: Evaluator, rules: Rules) -> None:
        assert evaluator.cells_kernel_for is not None
        assert evaluator.cells_params_for is not None
        self.words[words.EVALUATOR] = address_of(evaluator.cells_kernel_for(*rules.shape))
        self.point(words.PARAMS, checked_params(evaluator.cells_params_for(*rules.shape)))

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


_BITS_CELLS: Final = 16
BY_TILES: Final = "tiles"
"""The text of a depth by the number of different tiles."""

ENDLESS: Final = 1 << 62
"""The end of an open band, above the tile sum of any board."""

Steps = tuple[tuple[int, int], ...]
"""(fewest empty cells, plies), ascending, beginning with 0 empty cells."""


@dataclass(frozen=True, slots=True)
class DepthBand:
    """The depth by empty cells for tile sums from `low` to `high` - 1; `ENDLESS` for open bands."""

    low: int
    high: int
    steps: Steps

    def __str__(self) -> str:
        high = "" if self.high == ENDLESS else self.high
        return f"{self.low}-{high}:{_steps_text(self.steps)}"


@dataclass(frozen=True, slots=True)
class Depth:
    """A depth in plies by empty cells, with exceptions for bands of tile sums.

    Attributes:
        steps: (fewest empty cells, plies), ascending, beginning with 0 empty cells.
        by_tiles: True for the number of different tiles less 1, at least 4, as in
            nneonneo/2048-ai, whose limit max(3, tiles - 2) counts layers below the first move.
        bands: exceptions by the tile sum of the board before downgrading, ascending and disjoint.
    """

    steps: Steps
    by_tiles: bool = False
    bands: tuple[DepthBand, ...] = ()

    @classmethod
    def fixed(cls, ply: int) -> Self:
        """The same depth on every board."""
        return cls(((0, ply),))

    @classmethod
    def few(cls, ply: int, few: int, few_ply: int) -> Self:
        """`few_ply` on boards with fewer than `few` empty cells, else `ply`."""
        return cls(((0, few_ply), (few, ply)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a depth.

        `"5"`; `"6/5@3/4@8"`: 6 plies, 5 from 3 empty cells, 4 from 8; `"tiles"`. Bands follow:
        `"2+14000-16000:4/3@5+28000-:3"` is 2 plies, but 4 (3 from 5 empty cells) for tile sums
        from 14,000 to 15,999, and 3 from 28,000.

        Raises:
            InvalidSpec: a syntax error.
            LimitExceeded: a depth exceeds `MAX_PLY`.
        """
        usual, *others = text.split("+")
        bands = tuple(_parse_band(part, text) for part in others)
        if any(one.high > other.low for one, other in pairwise(bands)):
            raise InvalidSpec(
                "expected ascending sums of tiles that do not overlap, "
                f"as in 2+14000-16000:4+24000-32000:4, got {shown(text)}"
            )
        if usual == BY_TILES:
            return cls(((0, 0),), by_tiles=True, bands=bands)
        return cls(_parse_steps(usual, text), bands=bands)

    def __str__(self) -> str:
        usual = BY_TILES if self.by_tiles else _steps_text(self.steps)
        return "+".join([usual, *map(str, self.bands)])

    @property
    def fixed_ply(self) -> int:
        """The depth, if it is the same on every board; else raises `InvalidSpec`."""
        if self.by_tiles or self.bands or len(self.steps) > 1:
            raise InvalidSpec(f"expected ply as one number with time or nodes, got {self}")
        return self.steps[0][1]

    @property
    def deepest(self) -> int:
        """The maximum over all boards."""
        every = [self.steps, *(band.steps for band in self.bands)]
        return MAX_PLY if self.by_tiles else max(ply for steps in every for _, ply in steps)

    def of(self, exponents: Sequence[int]) -> int:
        """The depth for a board, from the exponents of its cells."""
        filled = [exponent for exponent in exponents if exponent]
        total = sum(1 << int(exponent) for exponent in filled) if self.bands else 0
        return self.at(len(exponents) - len(filled), len(set(filled)), total)

    def at(self, empty: int, tiles: int, total: int = 0) -> int:
        """The depth for a board, from its empty cells, different tiles and, for bands, tile sum."""
        for band in self.bands:
            if band.low <= total < band.high:
                return _ply_at(band.steps, empty)
        if self.by_tiles:
            return min(max(4, tiles - 1), MAX_PLY)
        return _ply_at(self.steps, empty)

    def table_by_empty(self) -> Sequence[int]:
        """The depth for 0 to 16 empty cells, outside the bands; 0 if `by_tiles`."""
        return [0 if self.by_tiles else ply for ply in _by_empty(self.steps)]

    def table_by_tiles(self) -> Sequence[int]:
        """The depth for 0 to 15 different tiles; 0 unless `by_tiles`."""
        counts = range(_BITS_CELLS)
        return [min(max(4, tiles - 1), MAX_PLY) if self.by_tiles else 0 for tiles in counts]

    def table_of_bands(self) -> Sequence[int]:
        """The bands as kernels read them, see `kernels.expectimax.BANDS`."""
        words = [len(self.bands)]
        for band in self.bands:
            words += [band.low, band.high, *_by_empty(band.steps)]
        return words


def _parse_band(part: str, text: str) -> DepthBand:
    match = re.fullmatch(r"([0-9]{1,12})-([0-9]{1,12})?:(.*)", part, re.ASCII | re.DOTALL)
    if not match:
        raise InvalidSpec(
            "expected a depth for some sums of tiles as in 2+14000-16000:4/3@5 "
            f"(4 plies, 3 from 5 empty cells on), got {_part_of(part, text)}"
        )
    low, high = int(match[1]), int(match[2]) if match[2] else ENDLESS
    if low >= high:
        raise InvalidSpec(
            f"expected ascending sums of tiles, as in 14000-16000, "
            f"got {_part_of(f'{low}-{high}', text)}"
        )
    return DepthBand(low, high, _parse_steps(match[3], text))


def _parse_steps(part: str, text: str) -> Steps:
    steps = []
    for step in part.split("/"):
        match = re.fullmatch(r"([0-9]{1,9})(?:@([0-9]{1,2}))?", step, re.ASCII)
        if not match:
            raise InvalidSpec(
                "expected ply as a number such as 5, 6/5@3/4@8, 2+14000-16000:4 or tiles, "
                f"got {_part_of(step, text)}"
            )
        ply = check_limit("ply", int(match[1]), 1, MAX_PLY)
        steps.append((int(match[2] or 0), ply))
    places = [place for place, _ in steps]
    if places[0] != 0 or places != sorted(set(places)):
        raise InvalidSpec(
            "expected ascending numbers of empty cells, as in 6/5@3/4@8, "
            f"got {_part_of(part, text)}"
        )
    return tuple(steps)


def _part_of(part: str, text: str) -> str:
    """The wrong part of a depth, with the whole text if it has other parts."""
    return shown(text) if part == text else f"{shown(part)} in {shown(text)}"


def _steps_text(steps: Steps) -> str:
    return "/".join(f"{ply}@{place}" if place else str(ply) for place, ply in steps)


def _ply_at(steps: Steps, empty: int) -> int:
    return [ply for place, ply in steps if place <= empty][-1]


def _by_empty(steps: Steps) -> list[int]:
    return [_ply_at(steps, empty) for empty in range(_BITS_CELLS + 1)]
