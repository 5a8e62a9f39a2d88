"""Ranges of seeds: the games of a player have consecutive seeds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from twofold.limits import MAX_SEED


@dataclass(frozen=True, slots=True)
class SeedRange:
    """`count` seeds from `first` on, modulo 2^64.

    >>> list(SeedRange(2**64 - 1, 3))
    [18446744073709551615, 0, 1]
    """

    first: int
    count: int

    def __iter__(self) -> Iterator[int]:
        return ((self.first + place) & MAX_SEED for place in range(self.count))

    def part(self, start: int, end: int | None = None) -> "SeedRange":
        """A part of the range, as in a slice of a list."""
        some = range(self.count)[start:end]
        return SeedRange((self.first + some.start) & MAX_SEED, len(some))

    def place(self, seed: int) -> int:
        """The index of a seed; `count` or more if it is not in the range."""
        return (seed - self.first) & MAX_SEED

    def places(self, seeds: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The index of each seed; see `place`."""
        return seeds - np.uint64(self.first)

    def holds(self, seeds: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """For each seed, whether it is in the range."""
        return self.places(seeds) < self.count

    def begun(self, seeds: NDArray[np.uint64]) -> int:
        """Length of the start of the range that ascending `seeds` cover without a gap."""
        places = self.places(seeds)
        return int(np.argmin(np.append(places == np.arange(len(places)), False)))


ALL_SEEDS: Final = SeedRange(0, MAX_SEED + 1)
