"""Reads networks and their learning state, from our files and TDL2048+ files, and averages them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.files import file_name
from twofold.memory import check_memory, large_zeros
from twofold.networks.file import Card, check_finite, read_network
from twofold.networks.library import TDL_SUFFIX, network_path
from twofold.networks.network import Network
from twofold.networks.tdl_format import Sums, read_tdl
from twofold.tensors import map_tensors


@dataclass(frozen=True, slots=True, eq=False)
class Learnt:
    """A network, its card and, for temporal coherence, the sums of its weights.

    `sums` is float32 (weights, 2): each weight's sum of updates and of their absolute values; None
    if the file has none.
    """

    network: Network
    card: Card
    sums: Sums | None


def read_learnt(name: str | os.PathLike[str], *, sums: bool = False) -> Learnt:
    """Read a network as `load_network` does, with `sums` also those of temporal coherence."""
    path = network_path(file_name(name, InvalidNetwork))
    if path.suffix == TDL_SUFFIX:
        return _read_tdl(path)
    network, card = read_network(path)
    return Learnt(network, card, _sums_of(path, network) if sums else None)


def _read_tdl(path: Path) -> Learnt:
    found = read_tdl(path)
    card = Card(
        patterns=found.network.name,
        rules="4x4",
        symmetries=found.network.symmetries,
        stages=found.network.stages,
        method="trained with TDL2048+",
        twofold="",
    )
    return Learnt(found.network, card, found.sums)


def _sums_of(path: Path, network: Network) -> NDArray[np.float32] | None:
    sums = map_tensors(path).tensors.get("sums")
    if sums is None or not sums.size:
        return None
    name, expected = ascii(str(path)), (network.weights.size, 2)
    if sums.shape != expected or sums.dtype != np.float32:
        raise InvalidNetwork(
            f"expected float32 sums of shape {expected}, got {sums.dtype} of {sums.shape} in {name}"
        )
    check_finite(sums.reshape(1, -1), name, "sums")
    return sums


def average(networks: Sequence[Network]) -> Network:
    """Average networks; the result often plays better than each of them.

    Their patterns and shapes must be equal; stages beyond those common to all are dropped.

    Raises:
        InvalidNetwork: no networks, or they differ in more than their weights.
        ResourceError: the result would take more than 80 % of the free memory.

    Source: Jaskowski 2018 (averaging of weights); Polyak and Juditsky 1992.
    """
    if not networks:
        raise InvalidNetwork("expected at least one network to average, got none")
    first = min(networks, key=lambda network: network.stage_count)
    for other in networks:
        common = other.stages[: len(first.stages)]
        if (other.patterns, other.shape, common) != (first.patterns, first.shape, first.stages):
            raise InvalidNetwork(
                f"expected networks that differ only in their weights, "
                f"got {first.describe()} and {other.describe()}"
            )
    check_memory(first.bytes, "the mean of the networks")
    weights = large_zeros(first.stage_count * first.stage_size, np.float32).reshape(
        first.weights.shape
    )
    share = np.float32(1 / len(networks))
    for network in networks:
        before = None
        for stage, some in enumerate(network.weights[: first.stage_count]):
            known = some if before is None else np.where(np.isnan(some), before, some)
            weights[stage] += known * share
            before = known
    return Network(first.patterns, first.shape, stages=first.stages, weights=weights)
