"""Initial weights of a run: those of other networks, wholly or pattern by pattern."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from twofold.errors import InvalidNetwork
from twofold.learn.training import Training
from twofold.memory import check_memory
from twofold.networks.file import Card, Earlier
from twofold.networks.learnt import Learnt, average, read_learnt
from twofold.networks.network import Network
from twofold.networks.patterns import Pattern
from twofold.networks.tdl_format import Sums

_LONGEST_HISTORY: Final = 1_000_000
"""Maximum characters of `Training.before`, so that it fits into a file."""


@dataclass(frozen=True, slots=True)
class Started:
    """Patterns `taken` from the other network, `new` in the run, and `left` out."""

    taken: tuple[Pattern, ...]
    new: tuple[Pattern, ...]
    left: tuple[Pattern, ...]

    def __str__(self) -> str:
        """One line that names the differences; empty if the patterns are the same."""
        parts = [f"{_words(self.new)} start from scratch"] if self.new else []
        parts += [f"{_words(self.left)} are left out"] if self.left else []
        return f"copied the tables of {_words(self.taken)}; {', '.join(parts)}" if parts else ""


def start_from(training: Training, *names: str | os.PathLike[str]) -> Started:
    """Start a run with the weights of a network, and with their sums if both use TC.

    Tables are copied for the patterns that both have. The network may have fewer stages: the rest
    stay untouched. Several networks, which must have the same patterns, are averaged. `names` are
    shipped networks, network files or weight files of TDL2048+.

    Raises:
        InvalidNetwork: a file is invalid, shape or stages differ, no pattern is in both, or all
            are while the settings give initial weights.
        ResourceError: the weights would take more than 80 % of the free memory.
    """
    found = [read_learnt(name, sums=True) for name in names]
    network, sums = _mean(found)
    ours = training.network
    taken = tuple(pattern for pattern in ours.patterns if pattern in network.patterns)
    fits = taken and network.shape == ours.shape
    if not fits or network.stages != ours.stages[: len(network.stages)]:
        raise InvalidNetwork(f"expected {ours.describe()} to start from, got {network.describe()}")
    value = training.settings.optimism or training.settings.initial_weight
    if value and len(taken) == len(ours.patterns):
        raise InvalidNetwork(
            "all weights come from another network. "
            f"Leave out optimism and the initial weight, {value:g}"
        )
    for to, source in _tables(ours, network, taken):
        ours.weights[to] = network.weights[source]
        if sums is not None and training.settings.coherent:
            training.memory[_flat(ours, to)] = sums[_flat(network, source)]
    training.before = _learnt([one.card for one in found])
    if len(str(training.before)) > _LONGEST_HISTORY:
        raise InvalidNetwork(
            f"the networks' history is too long for a file: {len(training.before):,} earlier runs"
        )
    return Started(
        taken,
        tuple(pattern for pattern in ours.patterns if pattern not in taken),
        tuple(pattern for pattern in network.patterns if pattern not in taken),
    )


_Place = tuple[int, slice]
"""A stage, and the slice of a pattern's weights in it."""


def _tables(
    ours: Network, network: Network, taken: Sequence[Pattern]
) -> Iterator[tuple[_Place, _Place]]:
    """Pairs of places: to, from."""
    for stage in range(network.stage_count):
        for pattern in taken:
            yield _place(ours, stage, pattern), _place(network, stage, pattern)


def _place(network: Network, stage: int, pattern: Pattern) -> _Place:
    start = network.offsets[network.patterns.index(pattern)]
    return stage, slice(start, start + pattern.size)


def _flat(network: Network, place: _Place) -> slice:
    """The same slice in the sums, where stages follow each other."""
    stage, part = place
    start = stage * network.stage_size
    return slice(start + part.start, start + part.stop)


def _mean(found: Sequence[Learnt]) -> tuple[Network, Sums | None]:
    """The mean of the networks, and of their sums if all have them."""
    if len(found) == 1:
        return found[0].network, found[0].sums
    network = average([one.network for one in found])
    sums = [one.sums for one in found if one.sums is not None]
    if len(sums) < len(found):
        return network, None
    check_memory(8 * network.weights.size, "the mean of the sums")
    total: Sums = np.zeros((network.weights.size, 2), np.float32)
    for one in sums:
        total += one[: len(total)] * np.float32(1 / len(sums))
    return network, total


def _learnt(cards: Sequence[Card]) -> list[Earlier]:
    before: list[Earlier] = []
    for card in cards:
        before += [*card.before, {"method": card.method, "games": card.games}]
    if len(cards) > 1:
        before.append({"method": f"mean of {len(cards)} networks", "games": 0})
    return before


def _words(patterns: Sequence[Pattern]) -> str:
    return ", ".join(map(str, patterns))
