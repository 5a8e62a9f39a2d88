"""How many states a game has, about, before they are listed.

Boards are drawn at random and looked at for what every state has to be: no large tile without
the cells that it took to make it; a spawn somewhere, without which all tiles lie against one
side, as a slide leaves them; a legal move. Not every such board can be reached: the share that
can falls with the number of cells. It is fitted to what is known, from 2x2 to 3x4 complete and
4x4 to 64, and the estimate is then within 1.6 times of all of these.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.errors import ResourceError
from twofold.exact.plan import Slots
from twofold.exact.problem import Problem
from twofold.figures import bytes_words, time_words
from twofold.limits import MAX_JOBS, MAX_SOLVED_STATES, check_limit
from twofold.memory import check_memory

SAMPLES: Final = 100_000
_SEED: Final = 2048
_VALUE_BYTES: Final = 8
_START_BYTES: Final = 100
"""Memory for each way to place the start tiles, while they are listed."""

_REACHED: Final = 0.2
"""Binary digits by which each cell past the fourth lessens the share that can be reached."""

STATES_A_SECOND: Final = 800_000
"""States that one thread lists and solves a second, on the machine of our benchmarks."""

Grids = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a solution is going to need.

    Attributes:
        states: about how many.
        disk: bytes of the table; twice as many are needed while it is made. 0 if it is not
            written.
        memory: bytes for the boards at the start, for the layers that are worked on at a time,
            and for what is not written yet.
        seconds: time.
    """

    states: int
    disk: int
    memory: int
    seconds: float

    def __str__(self) -> str:
        """In words, as the command says them."""
        states = "state" if self.states == 1 else "states"
        parts = [f"about {_rounded(self.states):,} {states}"]
        if self.disk:
            parts.append(f"{bytes_words(self.disk)} on disk (twice that while solving)")
        parts += [f"{bytes_words(self.memory)} of memory", _time_words(self.seconds)]
        return ", ".join(parts)

    def check(self, free_disk: int | None) -> None:
        """Refuse what does not fit.

        Args:
            free_disk: bytes that are free where the table is going to be; None for no table.

        Raises:
            ResourceError: it needs more memory or disk than there is, or is beyond all reach.
        """
        if self.states > MAX_SOLVED_STATES:
            raise ResourceError(
                f"expected at most {MAX_SOLVED_STATES:,} states to solve, "
                f"got about {_rounded(self.states):,}"
            )
        check_memory(self.memory, "a solution")
        if free_disk is not None and 2 * self.disk > free_disk:
            raise ResourceError(
                f"expected {bytes_words(2 * self.disk)} of free disk to solve about "
                f"{_rounded(self.states):,} states, got {bytes_words(free_disk)}"
            )


def estimate(problem: Problem, *, threads: int = 1, in_memory: bool = False) -> Estimate:
    """Estimate what a problem needs, within a second.

    Args:
        problem: which game, and for what.
        threads: that are going to work.
        in_memory: whether the whole solution stays in memory.

    Raises:
        LimitExceeded: there cannot be so many threads.
    """
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
    """About how many states there are, and how many of them in the largest layer."""
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
    """Whether the k-th largest tile was made before the k - 1 larger ones took their cells."""
    ordered = -np.sort(-grids.reshape(len(grids), -1), axis=1)
    largest = max(problem.rules.spawn_exponents) + problem.cells - 1
    return np.asarray((ordered <= largest - np.arange(problem.cells)).all(axis=1))


def _is_live(grids: Grids) -> Flags:
    """Whether a move is legal: a cell is free, or two neighbours are equal."""
    free = (grids == 0).any(axis=(1, 2))
    across = (grids[:, :, 1:] == grids[:, :, :-1]).any(axis=(1, 2))
    down = (grids[:, 1:] == grids[:, :-1]).any(axis=(1, 2))
    return np.asarray((free | across | down) & (grids > 0).any(axis=(1, 2)))


def _is_after_spawn(grids: Grids, problem: Problem) -> Flags:
    """Whether all tiles but one that may be a spawn lie against one side."""
    found = np.zeros(len(grids), dtype=bool)
    for row in range(problem.rules.rows):
        for col in range(problem.rules.cols):
            spawned = np.isin(grids[:, row, col], problem.rules.spawn_exponents)
            full = grids > 0
            full[:, row, col] = False
            found |= spawned & _is_packed(full)
    return found


def _is_packed(full: Flags) -> Flags:
    """Whether no gap lies between the tiles and one of the sides."""
    right, left = full[:, :, 1:], full[:, :, :-1]
    below, above = full[:, 1:], full[:, :-1]
    gaps = [right & ~left, left & ~right, below & ~above, above & ~below]
    return np.asarray(np.any([~gap.any(axis=(1, 2)) for gap in gaps], axis=0))


def _largest_share(grids: Grids, problem: Problem) -> float:
    """The part of the states that the largest layer has, with some room for chance."""
    if not len(grids):
        return 1.0
    sums = np.where(grids > 0, 1 << grids, 0).sum(axis=(1, 2)) >> problem.unit_exponent
    width = max(int(sums.max()) // 64, 1)
    counts = np.bincount(sums // width)
    return min(1.4 * float(counts.max()) / len(grids) / width, 1.0)


def _rounded(states: int) -> int:
    """Two digits of a number."""
    digits = max(len(str(states)) - 2, 0)
    return round(states, -digits)


def _time_words(seconds: float) -> str:
    if seconds < 10:
        return "some seconds"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return time_words(seconds)
