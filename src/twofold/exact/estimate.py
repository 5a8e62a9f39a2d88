"""Estimates the number of states of a game before they are listed.

Random boards are tested for conditions that every state meets. The share of these boards that can
be reached is fitted to known counts, from 2x2 to 3x4 complete and 4x4 to 64; estimates are within a
factor of 1.6 of all of these.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import ResourceError
from twofold.exact.problem import SMALLER, Problem
from twofold.exact.solver import Slots
from twofold.figures import bytes_words, time_words
from twofold.limits import MAX_JOBS, MAX_SOLVED_STATES, check_limit
from twofold.memory import check_memory

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
