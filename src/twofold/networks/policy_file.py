"""Files of policy networks: the weights and a card, as safetensors.

See `docs/reference/policy-files.md`. The file of a training run holds its state as well.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.files import open_regular
from twofold.networks.file import FORMAT as NTUPLE_FORMAT
from twofold.networks.file import FORMAT_KEY, POLICY_FORMAT, Count, card_texts, decode_card
from twofold.networks.library import POLICY, TDL_SUFFIX, NamedFile, network_path, shipped
from twofold.networks.policy import MAX_LAYERS, Dense, PolicyNetwork, find_reward
from twofold.notation import did_you_mean, shown
from twofold.rules import Rules
from twofold.tensors import TensorFile, open_tensors, write_tensors

FORMAT: Final = POLICY_FORMAT
"""The text under the metadata key `format`."""

MAX_POLICY_BYTES: Final = 1 << 30
"""Largest tensor of weights that is read."""


class PolicyCard(msgspec.Struct, frozen=True, kw_only=True):
    """The model card of a policy network: docs/reference/policy-files.md describes the fields."""

    rules: str
    unit: str
    layers: Count
    twofold: str
    method: str = ""
    settings: dict[str, Any] = {}
    games: Count = 0
    moves: Count = 0
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e12)] = 0.0
    symmetric: bool = False
    curve: list[list[float]] = []
    evaluations: list[dict[str, Any]] = []
    note: str = ""


def is_policy(path: str | os.PathLike[str]) -> bool:
    """True if a safetensors file says that it holds a policy network."""
    with open_tensors(path) as file:
        return file.metadata.get(FORMAT_KEY) == FORMAT


def read_policy_card(path: str | os.PathLike[str]) -> PolicyCard:
    """The card of a policy network, without its weights."""
    with open_tensors(path) as file:
        return _parse_card(file)


def read_policy(path: str | os.PathLike[str]) -> tuple[PolicyNetwork, PolicyCard]:
    """The network in a file, and its card.

    Raises:
        InvalidNetwork: the file is missing or damaged, or its weights do not fit together.
    """
    with open_tensors(path) as file:
        card = _parse_card(file)
        try:
            shape = Rules.parse(card.rules).shape
            table, bias = _read(file, "table"), _read(file, "bias")
            if card.layers > MAX_LAYERS:
                raise InvalidNetwork(f"expected up to {MAX_LAYERS} layers, got {card.layers}")
            layers = [
                Dense(_read(file, f"layers.{number}.weights"), _read(file, f"layers.{number}.bias"))
                for number in range(card.layers)
            ]
            return PolicyNetwork(
                shape,
                table,
                bias,
                layers,
                reward=_reward(card),
                symmetric=card.symmetric,
                discount=_discount(card),
            ), card
        except InvalidInput as error:
            raise InvalidNetwork(f"{error} in {file.name}") from None


def _discount(card: PolicyCard) -> float:
    """The discount of a move in the values, from the settings of the training."""
    found = card.settings.get("gamma", 1.0)
    if not isinstance(found, int | float) or not 0 <= found <= 1:
        raise InvalidNetwork(f"expected gamma from 0 to 1, got {shown(found)}")
    return float(found)


def _reward(card: PolicyCard) -> str:
    """The reward of the training, from its settings; points if they have none."""
    name = card.settings.get("reward", "points")
    if not isinstance(name, str) or card.unit != find_reward(name).unit:
        raise InvalidNetwork(
            f"expected values in the unit of a reward, got {shown(card.unit)} for {shown(name)}"
        )
    return name


def _parse_card(file: TensorFile) -> PolicyCard:
    if file.metadata.get(FORMAT_KEY) == NTUPLE_FORMAT:
        raise _is_ntuple(file.name)
    return decode_card(file.metadata, file.name, PolicyCard, FORMAT, "a policy network")


def _read(file: TensorFile, name: str) -> NDArray[np.float32]:
    place = file.tensors.get(name)
    if place is None or place.dtype not in (np.float32, np.float16):
        found = "none" if place is None else str(place.dtype)
        raise InvalidNetwork(f"expected float32 or float16 as {name}, got {found}")
    if place.nbytes > MAX_POLICY_BYTES:
        raise InvalidNetwork(f"expected at most 1 GiB as {name}, got {place.nbytes} bytes")
    return file.read(name).astype(np.float32)


def write_policy(
    path: str | os.PathLike[str],
    network: PolicyNetwork,
    card: PolicyCard,
    *,
    half: bool = False,
    tensors: Mapping[str, NDArray[Any]] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a policy network in one step, see `twofold.files.atomic_write`.

    `half` rounds the weights to float16. `tensors` and `metadata` hold more, such as the state of
    a training run.

    Raises:
        InvalidNetwork: a weight is too large for float16.
    """
    kind = np.float16 if half else np.float32
    if half and max(float(np.abs(array).max()) for array in network.arrays()) > 65_000:
        raise InvalidNetwork("expected weights up to 65,000 for float16, got larger ones")
    named = {"table": network.table, "bias": network.bias}
    for number, layer in enumerate(network.layers):
        named[f"layers.{number}.weights"] = layer.weights
        named[f"layers.{number}.bias"] = layer.bias
    weights = {name: np.ascontiguousarray(array, dtype=kind) for name, array in named.items()}
    texts = {**card_texts(card, FORMAT), **(metadata or {})}
    write_tensors(path, {**weights, **(tensors or {})}, texts)


# ---- by name


def named_policy(name: str) -> NamedFile:
    """The file of a policy network, the shipped one or a path."""
    return NamedFile(name, _path)


def load_policy(file: NamedFile) -> PolicyNetwork:
    """Load a policy network, shared by repeated calls; errors as in `read_policy`."""
    return _load(*file.identity)


@lru_cache(maxsize=4)
def _load(path: Path, _changed: int, _size: int) -> PolicyNetwork:
    return read_policy(path)[0]


def _path(name: str) -> Path:
    if name == POLICY:
        return network_path(name)
    if name in shipped() or Path(name).suffix == TDL_SUFFIX:
        raise _is_ntuple(ascii(name))
    if name.isidentifier() and not os.path.exists(name):
        raise InvalidNetwork(
            f"expected a policy network ({POLICY}) or a file, got {shown(name)}"
            f"{did_you_mean(name, [POLICY])}"
        )
    with open_regular(name, InvalidNetwork):
        return Path(name)


def _is_ntuple(name: str) -> InvalidNetwork:
    return InvalidNetwork(
        f"expected a policy network, got the n-tuple network {name}. It is for the player "
        "ntuple:net=FILE"
    )
