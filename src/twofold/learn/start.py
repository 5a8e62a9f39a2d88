"""What a run begins with: the weights of other networks, all of them or those of equal patterns."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from twofold.errors import InvalidNetwork
from twofold.learn.training import Training
from twofold.memory import check_memory
from twofold.networks.average import average
from twofold.networks.file import Card, Earlier
from twofold.networks.learnt import Learnt, read_learnt
from twofold.networks.network import Network
from twofold.networks.patterns import Pattern
from twofold.networks.tdl_format import Sums

_LONGEST_HISTORY: Final = 1_000_000
"""Characters of what networks learnt before, so that a file with it can be written."""


@dataclass(frozen=True, slots=True)
class Started:
    """Whose tables a run has begun with.

    Attributes:
        taken: patterns whose tables the network had.
        new: patterns of the run that the network does not have: they begin as in a new run.
        left: patterns of the network that the run does not have.
    """

    taken: tuple[Pattern, ...]
    new: tuple[Pattern, ...]
    left: tuple[Pattern, ...]

    def __str__(self) -> str:
        """What is not as it was, in a sentence without its subject; empty where all is."""
        parts = [f"{_words(self.new)} begin anew"] if self.new else []
        parts += [f"{_words(self.left)} are left out"] if self.left else []
        return f"took the tables of {_words(self.taken)}; {', '.join(parts)}" if parts else ""


def start_from(training: Training, *names: str | os.PathLike[str]) -> Started:
    """Begin a run with the weights of a network, and with their sums where both have them.

    Where the patterns are others, the tables of equal patterns are taken. The network may have
    fewer stages: the others are not touched yet. Of several networks the mean is taken.

    Args:
        training: the run.
        names: of shipped networks, of files, or of weight files of TDL2048+; of several the
            patterns must be the same.

    Raises:
        InvalidNetwork: a file cannot be used, its shape or stages are others, no pattern is the
            same, or all are and the settings say what weights begin with.
        ResourceError: its weights would take more than 80 % of the free memory.
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
            "expected neither optimism nor an initial weight, as all weights are those of another "
            f"network, got {value:g}"
        )
    for to, source in _tables(ours, network, taken):
        ours.weights[to] = network.weights[source]
        if sums is not None and training.settings.coherent:
            training.memory[_flat(ours, to)] = sums[_flat(network, source)]
    training.before = _learnt([one.card for one in found])
    if len(str(training.before)) > _LONGEST_HISTORY:
        raise InvalidNetwork(
            "expected networks whose history fits into a file, got one of "
            f"{len(training.before):,} parts"
        )
    return Started(
        taken,
        tuple(pattern for pattern in ours.patterns if pattern not in taken),
        tuple(pattern for pattern in network.patterns if pattern not in taken),
    )


_Place = tuple[int, slice]
"""A stage, and the weights of a table in it."""


def _tables(
    ours: Network, network: Network, taken: Sequence[Pattern]
) -> Iterator[tuple[_Place, _Place]]:
    """Where each table goes to, and where it comes from."""
    for stage in range(network.stage_count):
        for pattern in taken:
            yield _place(ours, stage, pattern), _place(network, stage, pattern)


def _place(network: Network, stage: int, pattern: Pattern) -> _Place:
    start = network.offsets[network.patterns.index(pattern)]
    return stage, slice(start, start + pattern.size)


def _flat(network: Network, place: _Place) -> slice:
    """The same in sums, whose stages lie one after the other."""
    stage, part = place
    start = stage * network.stage_size
    return slice(start + part.start, start + part.stop)


def _mean(found: Sequence[Learnt]) -> tuple[Network, Sums | None]:
    """The mean of networks, and that of their sums over the stages that all have."""
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
    """What these networks learnt, and that they became one."""
    before: list[Earlier] = []
    for card in cards:
        before += [*card.before, {"method": card.method, "games": card.games}]
    if len(cards) > 1:
        before.append({"method": f"mean of {len(cards)} networks", "games": 0})
    return before


def _words(patterns: Sequence[Pattern]) -> str:
    return ", ".join(map(str, patterns))
