"""Solves a game layer by layer, and estimates the number of its states before.

The result is the same for any number of threads. `plan_words` are the parameters that kernels read,
and `Slots` the hash sets that they fill. See `twofold.kernels.solving`.

For the estimate random boards are tested for conditions that every state meets. The share of these
boards that can be reached is fitted to known counts, from 2x2 to 3x4 complete and 4x4 to 64;
estimates are within a factor of 1.6 of all of these.
"""

import contextlib
import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import ResourceError
from twofold.figures import bytes_words, time_words
from twofold.kernels import solving
from twofold.kernels._jit import load
from twofold.kernels.bits import frame
from twofold.kernels.play import spawn_distribution
from twofold.limits import MAX_JOBS, MAX_SOLVED_STATES, check_limit
from twofold.storage.memory import check_memory, large_zeros
from twofold.tables.parts import SHARES, Crew, LayerProgress, Stopped
from twofold.tables.problem import SMALLER, ExactObjective, Problem
from twofold.tables.store import LayerStore

Words = NDArray[np.uint64]

_FEWEST_PLACES: Final = 1_024


def plan_words(problem: Problem, count: int = solving.PLAN_WORDS) -> tuple[Words, list[Any]]:
    """The words of a plan, and the arrays at the addresses in them, to be kept alive with them."""
    rules = problem.rules
    shape = frame(*rules.shape)
    distribution = spawn_distribution(rules.spawn_exponents, rules.spawn_weights)
    words = np.zeros(count, dtype=np.uint64)
    words[solving.ACROSS] = shape.across.ctypes.data
    words[solving.DOWN] = shape.down.ctypes.data
    words[solving.MASK] = shape.mask
    words[solving.ROWS], words[solving.COLS] = rules.shape
    words[solving.DISTRIBUTION] = distribution.ctypes.data
    stop = problem.stop_exponent
    words[solving.STOP_EXPONENT] = solving.NEVER if stop is None else stop
    words[solving.WINS] = problem.objective is ExactObjective.GOAL
    sides = np.zeros(16 * 8, dtype=np.uint64)
    solving.fill_sides(sides, *rules.shape)
    words[solving.SIDES] = sides.ctypes.data
    return words, [shape.across, shape.down, distribution, sides]


class Slots:
    """A hash set of boards for kernels, with or without values, sized for `room` boards.

    Attributes:
        words: uint64, a power of two of slots, each one word, or two with values.
        shift: 64 minus the log2 of the number of slots.
    """

    def __init__(self, room: int, *, valued: bool = False) -> None:
        self._valued = valued
        self._make(_digits(room))

    def _make(self, digits: int) -> None:
        self.shift = np.uint64(64 - digits)
        self.words: Words = large_zeros(1 << digits + self._valued, np.uint64)

    @staticmethod
    def bytes_for(room: int, *, valued: bool = False) -> int:
        """The memory of a set, in bytes."""
        return (8 << valued) << _digits(room)

    def insert(self, boards: Words) -> bool:
        """Insert boards; False if the set is full."""
        found = solving.insert_all(boards, self.words, self.shift, int(self._valued))
        return bool(found != solving.FULL)

    def grow(self) -> None:
        """Double the number of slots; boards stay, values are dropped."""
        before = self.words[:: 1 + self._valued].copy()
        digits = 64 - int(self.shift) + 1
        self._make(digits)
        while not self.insert(before):
            digits += 1
            self._make(digits)

    def clear(self) -> None:
        """Remove all boards."""
        self.words.fill(0)


def _digits(room: int) -> int:
    """Log2 of the number of slots, for a load of one to two thirds."""
    return (max(3 * room // 2, _FEWEST_PLACES) - 1).bit_length()


def point_at(plan: Words, targets: list[Slots]) -> Words:
    """Set a plan's targets, one set per spawn tile; returns an array to keep alive."""
    rows = [[each.words.ctypes.data, int(each.shift)] for each in targets]
    addresses = np.array(rows, dtype=np.uint64)
    plan[solving.TARGETS] = addresses.ctypes.data
    return addresses


_FEW: Final = 8_192
"""Largest layer, in states, that one thread works on alone."""

_AT_ONCE: Final = 1 << 17
"""Most states of a part, about 0.2 s: the work can be stopped between parts."""

_GROWTH: Final = 1.25
"""Initial size of the next layer's set, relative to the current layer."""


def load_kernels() -> None:
    """Load or compile the kernels of a solver, so that no time that is measured includes it."""
    load(solving.collect, solving.expand, solving.solve_layer, solving.remember)


class Solver:
    """Solves one problem.

    Args:
        problem: the game and the objective.
        store: storage of the layers; layers that it already holds are not computed again.
        threads: number of threads.
        on_progress: called after each layer.
        stop: called by any thread, after each layer and between parts of large ones; True stops
            the work, which a later run can continue.
    """

    def __init__(
        self,
        problem: Problem,
        store: LayerStore,
        *,
        threads: int = 1,
        on_progress: Callable[[LayerProgress], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self.problem, self.store = problem, store
        self._tell, self._stop = on_progress, stop
        self._crew = Crew(threads, stop)
        self._plan, self._held = plan_words(problem)
        self._nothing = Slots(0, valued=True)
        self._began = time.perf_counter()

    def run(self) -> bool:
        """Solve the problem; False if it was stopped. Saves all finished layers."""
        done = False
        with self._crew, contextlib.suppress(Stopped):
            done = self._list() and self._solve()
        self.store.save()
        return done

    # ---- forwards

    def _list(self) -> bool:
        pending = self._starts()
        layer = min(pending)
        known = max(self.store.keys, default=-1)
        states = 0
        while layer <= known or pending:
            slots = pending.pop(layer, None)
            if layer not in self.store.keys:
                keys = self._collected(slots) if slots else np.empty(0, self.problem.key_type)
                self.store.add("keys", layer, keys)
            keys = self.store.keys[layer]
            if len(keys) and layer + max(self.problem.spawn_steps) > known:
                self._expand(layer, keys, pending)
            states += len(keys)
            if not self._go_on("listing", layer, states, None):
                return False
            layer += 1
        return True

    def _starts(self) -> dict[int, Slots]:
        starts, pending = self.problem.starts, {}
        for layer in np.unique(starts.layers).tolist():
            words = starts.boards[(starts.layers == layer) & ~starts.stopped]
            pending[layer] = slots = Slots(2 * len(words))
            while not slots.insert(words):
                slots.grow()
        return pending

    def _collected(self, slots: Slots) -> NDArray[Any]:
        def collect(part: slice) -> Words:
            words = slots.words[part]
            keys = np.empty(len(words), dtype=np.uint64)
            return keys[: solving.collect(self._plan, words, keys)]

        keys = np.concatenate(self._share(collect, len(slots.words), 4 * _FEW))
        keys = keys.astype(self.problem.key_type)
        keys.sort()
        return keys

    def _expand(self, layer: int, keys: NDArray[Any], pending: dict[int, Slots]) -> None:
        """Insert the successors of a layer's boards into the sets of the next layers."""
        room = int(_GROWTH * len(keys))
        targets = []
        for step in self.problem.spawn_steps:
            if layer + step not in pending:
                pending[layer + step] = Slots(room)
            targets.append(pending[layer + step])
        seen = Slots(room)
        total = self._tile_sum(layer)
        while True:
            addresses = point_at(self._plan, targets)
            found = self._share(
                lambda part: solving.expand(
                    self._plan, keys[part].astype(np.uint64), total, seen.words, seen.shift
                ),
                len(keys),
            )
            del addresses
            if solving.FULL not in found:
                return
            for slots in (seen, *targets):
                slots.grow()
            seen.clear()

    # ---- backwards

    def _solve(self) -> bool:
        solved: dict[int, Slots] = {}
        count = self.store.states
        states = 0
        steps = self.problem.spawn_steps
        unknown = [layer for layer in self.store.keys if layer not in self.store.values]
        needed = {layer + step for layer in unknown for step in steps}
        for layer in sorted(self.store.keys, reverse=True):
            keys = self.store.keys[layer]
            if layer not in self.store.values:
                self.store.add("values", layer, self._values(layer, keys, solved))
            if layer in needed:
                solved[layer] = self._remembered(layer, keys)
            solved.pop(layer + max(steps), None)
            states += len(keys)
            if not self._go_on("solving", layer, states, count):
                return False
        return True

    def _values(self, layer: int, keys: NDArray[Any], solved: dict[int, Slots]) -> Any:
        values = np.empty(len(keys))
        if not len(keys):
            return values
        steps = self.problem.spawn_steps
        targets = [solved.get(layer + step, self._nothing) for step in steps]
        addresses = point_at(self._plan, targets)
        seen = Slots(int(_GROWTH * len(keys)), valued=True)
        total = self._tile_sum(layer)
        while solving.FULL in self._share(
            lambda part: solving.solve_layer(
                self._plan, keys[part].astype(np.uint64), total, values[part],
                seen.words, seen.shift,
            ),
            len(keys),
        ):  # fmt: skip
            seen.grow()
        del addresses
        return values

    def _remembered(self, layer: int, keys: NDArray[Any]) -> Slots:
        values = self.store.values[layer]
        slots = Slots(len(keys), valued=True)
        total = self._tile_sum(layer)
        while solving.FULL in self._share(
            lambda part: solving.remember(
                self._plan, keys[part].astype(np.uint64), total,
                np.array(values[part]), slots.words, slots.shift,
            ),
            len(keys),
        ):  # fmt: skip
            slots.grow()
        return slots

    # ---- both

    def _share(self, work: Callable[[slice], Any], count: int, few: int = _FEW) -> list[Any]:
        """Run the work on parts of `range(count)`, return the results; may raise `Stopped`."""
        threads = self._crew.threads
        parts = max(1 if count <= few or threads == 1 else threads * SHARES, -(-count // _AT_ONCE))
        ends = [count * part // parts for part in range(parts + 1)]
        slices = [slice(low, high) for low, high in itertools.pairwise(ends)]
        return [work(slices[0])] if parts == 1 else self._crew.run(work, slices)

    def _tile_sum(self, layer: int) -> int:
        return layer << self.problem.unit_exponent

    def _go_on(self, phase: str, layer: int, states: int, total: int | None) -> bool:
        if self._tell:
            seconds = time.perf_counter() - self._began
            self._tell(LayerProgress(phase, self._tile_sum(layer), states, total, seconds))
        return not (self._stop and self._stop())


def start_value(problem: Problem, values: NDArray[np.float64]) -> float:
    """The value of a game before its first tile; `values` are those of `problem.starts`."""
    starts, wins = problem.starts, problem.objective is ExactObjective.GOAL
    found = math.fsum((starts.chances * np.where(starts.stopped, float(wins), values)).tolist())
    return min(found, 1.0) if wins else found


SAMPLES: Final = 100_000
_SEED: Final = 2048
_VALUE_BYTES: Final = 8
_START_BYTES: Final = 100
"""Bytes of memory per way to place the start tiles, while they are listed."""

_REACHED: Final = 0.2
"""Each cell past the fourth multiplies the share that can be reached by 2**-_REACHED."""

STATES_A_SECOND: Final = 800_000
"""States that one thread lists and solves a second, on the machine of docs/benchmarks.md."""

Grids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimated needs of a solution: states, disk and memory in bytes, time in seconds.

    `disk` is the size of the table, 0 if it is not written; solving needs twice as much.
    """

    states: int
    disk: int
    memory: int
    seconds: float

    def __str__(self) -> str:
        states = "state" if self.states == 1 else "states"
        parts = [f"about {_rounded(self.states):,} {states}"]
        if self.disk:
            parts.append(f"{bytes_words(self.disk)} on disk (twice that while solving)")
        parts += [f"{bytes_words(self.memory)} of memory", _time_words(self.seconds)]
        return ", ".join(parts)

    def check(self, free_disk: int | None) -> None:
        """Raise `ResourceError` if a solution does not fit; `free_disk` None means no table."""
        if self.states > MAX_SOLVED_STATES:
            raise ResourceError(
                f"too large to solve: about {_rounded(self.states):,} states, where at most "
                f"{MAX_SOLVED_STATES:,} are possible. {SMALLER}"
            )
        try:
            check_memory(self.memory, "a solution")
        except ResourceError as error:
            raise ResourceError(f"{error}. Choose a smaller board or goal") from None
        if free_disk is not None and 2 * self.disk > free_disk:
            raise ResourceError(
                f"solving about {_rounded(self.states):,} states needs "
                f"{bytes_words(2 * self.disk)} of free disk, "
                f"but only {bytes_words(free_disk)} is free"
            )


def estimate(problem: Problem, *, threads: int = 1, in_memory: bool = False) -> Estimate:
    """Estimate the needs of a problem; `in_memory` keeps the whole solution in memory."""
    check_limit("threads", threads, 1, MAX_JOBS)
    states, peak = count_states(problem)
    a_state = problem.key_type.itemsize + _VALUE_BYTES
    sets = max(problem.spawn_steps) + 1  # a layer, and those up to the one of the largest spawn
    layers = sets * Slots.bytes_for(min(peak, ceil(states / sets)), valued=True)
    layers += 4 * peak * a_state + problem.start_count * _START_BYTES
    unwritten = int(min(states, 2e7 * threads) * a_state)
    memory = layers + (2 * states * a_state if in_memory else unwritten) + 150_000_000
    disk = 0 if in_memory else states * a_state
    return Estimate(states, disk, memory, states / STATES_A_SECOND / threads)


def count_states(problem: Problem, samples: int = SAMPLES) -> tuple[int, int]:
    """Estimated number of states, in all and in the largest layer."""
    rng = np.random.default_rng(_SEED)
    stop = problem.stop_exponent
    top = problem.max_exponent if stop is None else problem.max_exponent - 1
    exponents = np.array([0, *range(problem.unit_exponent, top + 1)])
    grids = rng.choice(exponents, (samples, problem.rules.rows, problem.rules.cols))
    passing = grids[_has_room(grids, problem)]
    passing = passing[_is_live(passing)]
    passing = passing[_is_after_spawn(passing, problem)]
    total = len(exponents) ** problem.cells / problem.symmetries
    total *= 2.0 ** (-_REACHED * max(problem.cells - 4, 0))
    states = max(int(total * len(passing) / samples), 1)
    return states, max(int(states * _largest_share(passing, problem)), 1)


def _has_room(grids: Grids, problem: Problem) -> Flags:
    """The k-th largest tile was made before the k - 1 larger ones took their cells."""
    ordered = -np.sort(-grids.reshape(len(grids), -1), axis=1)
    largest = max(problem.rules.spawn_exponents) + problem.cells - 1
    return np.asarray((ordered <= largest - np.arange(problem.cells)).all(axis=1))


def _is_live(grids: Grids) -> Flags:
    free = (grids == 0).any(axis=(1, 2))
    across = (grids[:, :, 1:] == grids[:, :, :-1]).any(axis=(1, 2))
    down = (grids[:, 1:] == grids[:, :-1]).any(axis=(1, 2))
    return np.asarray((free | across | down) & (grids > 0).any(axis=(1, 2)))


def _is_after_spawn(grids: Grids, problem: Problem) -> Flags:
    """All tiles but one possible spawn are packed against one side."""
    found = np.zeros(len(grids), dtype=bool)
    for row in range(problem.rules.rows):
        for col in range(problem.rules.cols):
            spawned = np.isin(grids[:, row, col], problem.rules.spawn_exponents)
            full = grids > 0
            full[:, row, col] = False
            found |= spawned & _is_packed(full)
    return found


def _is_packed(full: Flags) -> Flags:
    right, left = full[:, :, 1:], full[:, :, :-1]
    below, above = full[:, 1:], full[:, :-1]
    gaps = [right & ~left, left & ~right, below & ~above, above & ~below]
    return np.asarray(np.any([~gap.any(axis=(1, 2)) for gap in gaps], axis=0))


def _largest_share(grids: Grids, problem: Problem) -> float:
    if not len(grids):
        return 1.0
    sums = np.where(grids > 0, 1 << grids, 0).sum(axis=(1, 2)) >> problem.unit_exponent
    width = max(int(sums.max()) // 64, 1)
    counts = np.bincount(sums // width)
    return min(1.4 * float(counts.max()) / len(grids) / width, 1.0)


def _rounded(states: int) -> int:
    digits = max(len(str(states)) - 2, 0)
    return round(states, -digits)


def _time_words(seconds: float) -> str:
    if seconds < 10:
        return "a few seconds"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return time_words(seconds)
