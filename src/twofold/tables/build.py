"""Builds an endgame table: the chance of making the target, for every board of a pattern.

A move keeps the sum of the tiles and a spawn adds 2 or 4, so a layer (all boards of one sum)
depends on the two layers above it only. The chance after a move, which is stored, is the mean over
the spawns of the best next move's chance. A `BuildPlan` says what a build needs.
"""

import itertools
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import ResourceError
from twofold.figures import bytes_words
from twofold.kernels import table_layers as endgame
from twofold.kernels import table_lookup
from twofold.limits import MAX_ENDGAME_CODES, MAX_ENDGAME_STATES
from twofold.storage.memory import check_memory
from twofold.tables.format import body_bytes, head_bytes
from twofold.tables.layers import Halves, fill_walls, layer_sizes
from twofold.tables.parts import SHARES, Crew
from twofold.tables.pattern import EndgamePattern

Chances = NDArray[np.float32]
Part = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer: the sum of its tiles in units of 2, and float32 chances by board number."""

    number: int
    after: Chances
    before: Chances


class Builder:
    """Builds the layers of a pattern, from the highest down, by contents of the low half.

    `threads` changes no chance; `stop` is called before each part of a layer, True stops the build.
    """

    def __init__(
        self, pattern: EndgamePattern, threads: int = 1, stop: Callable[[], bool] | None = None
    ) -> None:
        self._crew = Crew(threads, stop)
        self._pattern = pattern
        self.halves = halves = Halves(pattern)
        self.low = halves.low.arrays(halves.low_rows, pattern.target)
        self.high = halves.high.arrays(halves.high_rows, pattern.target)
        self.pairs: list[endgame.LiftArrays] = []
        if pattern.walls is None:
            self.pairs = [halves.lift((0, 1)), halves.lift((2, 3))]
        else:
            self._words = np.zeros(table_lookup.TABLE_WORDS, dtype=np.uint64)
            self._held = [*halves.fill(self._words), *fill_walls(pattern, self._words)]
            self._bits = [
                halves.low.bits(halves.low_cells), halves.high.bits(halves.high_cells)
            ]  # fmt: skip

    def layers(
        self, above: Sequence[Chances] = (), next_layer: int | None = None
    ) -> Iterator[Layer]:
        """Yield the layers, the highest first; raises `Stopped` when the build is stopped.

        To continue at `next_layer`, `above` holds the chances before moves of the two layers above
        it, the lower one first.
        """
        highest = self._pattern.highest
        first = highest if next_layer is None else next_layer
        held = list(above) or [self._zeros(highest + 1), self._zeros(highest + 2)]
        with self._crew:
            for number in range(first, -1, -1):
                layer = self._layer(number, held)
                held = [layer.before, held[0]]
                yield layer

    def _zeros(self, layer: int) -> Chances:
        return np.zeros(self.halves.size(layer), dtype=np.float32)

    def _layer(self, number: int, above: list[Chances]) -> Layer:
        offsets = [self.halves.offsets(number + more) for more in range(3)]
        size = int(offsets[0][-1])
        layer = Layer(number, np.empty(size, np.float32), np.empty(size, np.float32))
        parts = self._parts(number, self._crew.threads * SHARES)

        def spread(part: Part) -> None:
            endgame.spread(*part, number, self.low, self.high, *offsets, *above, layer.after)

        def choose(part: Part) -> None:
            first, chances = (*part, number, self.low, self.high), (layer.after, layer.before)
            if self.pairs:
                endgame.choose(*first, *self.pairs, offsets[0], *chances)
            else:
                table_lookup.choose_beside_walls(*first, *self._bits, self._words, *chances)

        self._crew.run(spread, parts)
        self._crew.run(choose, parts)
        return layer

    def _parts(self, layer: int, count: int) -> list[Part]:
        """Ranges of low-half contents, each with about the same number of boards."""
        others = layer - self.low.sums.astype(np.int64)
        there = (others >= 0) & (others < len(self.high.counts))
        ends = np.cumsum(np.where(there, self.high.counts[np.where(there, others, 0)], 0))
        cuts = np.searchsorted(ends, ends[-1] * np.arange(1, count) // count)
        places = [0, *cuts.tolist(), self.halves.low.size]
        return list(itertools.pairwise(places))


_LAYER_BYTES: Final = 22
"""Bytes of memory per board of the largest layer: five chances and a level."""

_CODE_BYTES: Final = 220
"""Bytes of memory per content of the larger half, while its tables of moves and spawns are made."""

_BASE: Final = 250_000_000
"""Bytes of memory of the program itself."""

_NOTE_BYTES: Final = 16
"""Bytes of disk per board of the largest layer: a checkpoint and the next one, two layers each."""

_TRIED: Final = "442-64"
"""The table that `measured_rate` builds."""

_WALLS_EFFORT: Final = 2.0
"""Time per board of patterns with walls of any tiles, relative to the others."""

_RATE_SHARE: Final = 0.85
"""Speed of large tables, whose layers exceed the processor's cache, relative to `_TRIED`."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What building a table needs: `disk`, `work` (beside the file) and `memory` in bytes.

    The disk of a table of walls is an upper bound: chances of 0 are not stored.
    """

    pattern: EndgamePattern
    states: int
    disk: int
    work: int
    memory: int

    @classmethod
    def of(cls, pattern: EndgamePattern) -> "BuildPlan":
        """The plan of a pattern's table; raises `ResourceError` if it exceeds the limits."""
        sizes = layer_sizes(pattern)
        codes, states = pattern.codes, sum(sizes)
        if states > MAX_ENDGAME_STATES or codes > MAX_ENDGAME_CODES:
            raise ResourceError(
                f"expected a table of at most {MAX_ENDGAME_STATES:,} boards and "
                f"{MAX_ENDGAME_CODES:,} contents of its upper free cells, got {states:,} and "
                f"{codes:,} for {pattern.name}; caps make it smaller: "
                f"{pattern.shape}-{1 << pattern.target}/16-64"
            )
        disk = len(head_bytes(pattern)) + body_bytes(pattern)
        memory = _BASE + _LAYER_BYTES * max(sizes) + _CODE_BYTES * codes
        return cls(pattern, states, disk, _NOTE_BYTES * max(sizes), memory)

    @property
    def effort(self) -> float:
        """Build time, in units of the time per board of a table without walls of any tiles."""
        return self.states * (_WALLS_EFFORT if self.pattern.walls else 1.0)


def check_room(plans: Sequence[BuildPlan], folder: Path, held: int = 0) -> None:
    """Refuse tables that need more disk or memory than there is; raises `ResourceError`.

    They are built one after the other; `held` counts the bytes that earlier runs use in `folder`.
    """
    for plan in plans:
        check_memory(plan.memory, f"building {plan.pattern.name}")
    free = shutil.disk_usage(folder).free
    needed = sum(plan.disk for plan in plans) + max(plan.work for plan in plans) - held
    if needed > free:
        names = ", ".join(plan.pattern.name for plan in plans)
        raise ResourceError(
            f"building {names} needs {bytes_words(needed)} of free disk in {str(folder)!a}, "
            f"but only {bytes_words(free)} is free"
        )


def measured_rate(threads: int) -> float:
    """Build speed on this machine, in boards a second, measured with a table of about a second."""
    builder = Builder(EndgamePattern.parse(_TRIED), threads)
    began = time.perf_counter()
    states = sum(len(layer.after) for layer in builder.layers())
    return _RATE_SHARE * states / (time.perf_counter() - began)
