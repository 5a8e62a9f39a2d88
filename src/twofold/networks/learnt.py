"""Reads networks and their learning state: by name, from network files and from TDL2048+ files."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidNetwork
from twofold.files import file_name
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
