"""Network files: reads, writes, finds and averages them.

Training writes float32 weights; shipped networks are compressed, see `values.release`. The
format: `docs/reference/network-files.md`.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.game.notation import check_length, did_you_mean, shown
from twofold.game.rules import Rules
from twofold.storage.arrays import (
    TensorFile,
    checked,
    map_tensors,
    open_tensors,
    parse_document,
    write_tensors,
)
from twofold.storage.files import file_name, kept_by_file, open_regular
from twofold.storage.memory import check_memory, large_zeros, load
from twofold.values.network import Network, Weights
from twofold.values.release import check_unit, planes_of, weights_of
from twofold.values.tdl import Sums, read_tdl

FORMAT: Final = "twofold-network 1"
"""The value of the metadata key `format`."""

POLICY_FORMAT: Final = "twofold-policy 1"
"""The same of policy networks, see `values.policy_network`."""

WEIGHTS: Final = "weights"
"""Name of the tensor of float32 weights."""

FORMAT_KEY: Final = "format"
"""The metadata key of the format."""

_CARD_KEY: Final = "twofold"
_CHUNK: Final = 1 << 20
"""Weights checked at once; they fit into the processor's cache."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""A non-negative integer."""

AnyCard = TypeVar("AnyCard", bound=msgspec.Struct)


class Earlier(TypedDict):
    """An earlier training run: its method and number of games."""

    method: str
    games: Count


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """The encoding of compressed weights: whole multiples of `unit`, in points."""

    unit: float


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The model card of a network.

    Texts are not yet safe to print: use `twofold.game.notation.printable`.

    Attributes:
        patterns: a name or a list, see `parse_patterns`.
        rules: the rules of its training, see `Rules.parse`.
        symmetries: 8 on square boards, else 4.
        stages: boundaries of the stages, see `Network`.
        twofold: version that wrote the file.
        method: the training method, as text.
        seconds: training time; `games` and `moves` count those of the training.
        curve: the learning curve, one row per point, see `twofold.learn.curve`.
        evaluations: evaluations during training, see `twofold.learn.curve`.
        before: earlier training runs, oldest first.
        release: encoding of the weights; None for float32.
    """

    patterns: str
    rules: str
    symmetries: Count
    stages: tuple[Count, ...] = ()
    twofold: str
    method: str = ""
    settings: dict[str, Any] = {}
    games: Count = 0
    moves: Count = 0
    seconds: float = 0.0
    curve: list[list[float]] = []
    evaluations: list[dict[str, Any]] = []
    before: list[Earlier] = []
    note: str = ""
    release: Release | None = None


# ---- reading


def read_card(path: str | os.PathLike[str]) -> Card:
    """Read the card of a network file, without its weights; errors as in `read_network`."""
    name = ascii(file_name(path, InvalidNetwork))
    with open_tensors(path) as file:
        card = _parse_card(file.metadata, name)
    _outline(card, name)
    return card


def read_network(path: str | os.PathLike[str]) -> tuple[Network, Card]:
    """Read a network and its card. Float32 weights are read-only.

    Raises:
        InvalidNetwork: no such file, a damaged one, or weights that do not match the card or are
            not finite. NaN is allowed in stages after the first: an untouched weight.
        ResourceError: the weights would take more than 80 % of the free memory.
    """
    with open_tensors(path) as file:
        card = _parse_card(file.metadata, file.name)
        network = _outline(card, file.name)
        if card.release is None:
            network.weights = _plain_weights(file, network)
        else:
            network.weights = weights_of(file, network, card.release.unit)
    return network, card


def _parse_card(metadata: Mapping[str, str], name: str) -> Card:
    if metadata.get(FORMAT_KEY) == POLICY_FORMAT:
        raise InvalidNetwork(
            f"expected an n-tuple network, got the policy network {name}. It is for the player "
            "policy:net=FILE"
        )
    return decode_card(metadata, name, Card, FORMAT, "a network")


def decode_card(
    metadata: Mapping[str, str], name: str, kind: type[AnyCard], form: str, what: str
) -> AnyCard:
    """The card in the texts of a file of a format; `what` names its content in errors."""
    found = metadata.get(FORMAT_KEY)
    if found != form:
        raise InvalidNetwork(
            f"expected {what} of the format {form!r}, got {shown(found)} in {name}"
        )
    return parse_document(metadata, _CARD_KEY, kind, f"the card of {what}", name)


def _outline(card: Card, name: str) -> Network:
    """The network that a card describes, without weights."""
    try:
        check_length(card.patterns, "patterns", InvalidNetwork)
        shape = Rules.parse(card.rules).shape
        network = Network(card.patterns, shape, stages=card.stages, later=True)
        if card.symmetries != network.symmetries:
            raise InvalidNetwork(f"expected {network.symmetries} symmetries, got {card.symmetries}")
        if card.release is not None:
            check_unit(card.release.unit)
    except InvalidInput as error:
        raise InvalidNetwork(f"{error}, in the card of {name}") from None
    return network


def _plain_weights(file: TensorFile, network: Network) -> Weights:
    shape = (network.stage_count, network.stage_size)
    checked(file.tensors, WEIGHTS, (np.float32,), shape, file.name)
    weights = load(file, WEIGHTS)
    check_finite(weights, file.name)
    return weights


def check_finite(weights: Weights, name: str, what: str = "weights") -> None:
    """Raise `InvalidNetwork` for infinite weights, or NaN in the first stage."""
    for number, stage in enumerate(weights):
        for start in range(0, len(stage), _CHUNK):
            part = stage[start : start + _CHUNK]
            if np.isinf(part).any() if number else not np.isfinite(part).all():
                wrong = int(np.argmax(np.isinf(part) if number else ~np.isfinite(part)))
                raise InvalidNetwork(
                    f"expected finite {what}{' or NaN' if number else ''} in stage {number}, "
                    f"got {part[wrong]} as number {start + wrong} in {name}"
                )


# ---- writing


def write_network(
    path: str | os.PathLike[str],
    network: Network,
    card: Card,
    tensors: Mapping[str, NDArray[Any]] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a network as float32, atomically and without copying the weights.

    The folder must exist. `tensors` and `metadata` are additional, `read_network` ignores them.

    Raises:
        InvalidInput: `path` cannot be a file.
        InvalidNetwork: the card is of another network, weights are not finite, or a name is
            reserved.
        ResourceError: the disk is full or another system call failed.
    """
    _check_card(card, network)
    more, texts = tensors or {}, metadata or {}
    taken = sorted({WEIGHTS} & set(more) | {FORMAT_KEY, _CARD_KEY} & set(texts))
    if taken:
        raise InvalidNetwork(f"expected a name that networks do not use, got {taken[0]!r}")
    plain = msgspec.structs.replace(card, release=None)
    write_tensors(path, {WEIGHTS: network.weights, **more}, {**card_texts(plain), **texts})


def write_release(
    path: str | os.PathLike[str], network: Network, card: Card, *, unit: float
) -> None:
    """Write a network compressed; each weight is rounded to a multiple of `unit`, in points.

    An untouched weight becomes that of the stage before. Errors are those of `write_network`;
    `InvalidNetwork` also if the unit is too small for 16 bits, with the smallest possible one.
    """
    _check_card(card, network)
    planes = planes_of(network, unit)
    released = msgspec.structs.replace(card, release=Release(unit=unit))
    write_tensors(path, planes, card_texts(released))


def _check_card(card: Card, network: Network) -> None:
    said = _outline(card, network.name)
    if (said.patterns, said.shape, said.stages) != (
        network.patterns,
        network.shape,
        network.stages,
    ):
        raise InvalidNetwork(f"expected a card of {network.describe()}, got {said.describe()}")
    check_finite(network.weights, network.name)


def card_texts(card: msgspec.Struct, form: str = FORMAT) -> dict[str, str]:
    """The texts of a file of a format with a card; `decode_card` reads them."""
    return {FORMAT_KEY: form, _CARD_KEY: msgspec.json.encode(card).decode()}


FOLDER: Final = Path(__file__).parent.parent / "data"
SUFFIX: Final = ".safetensors"
POLICY: Final = "policy"
"""Name of the policy network in the package."""
TDL_SUFFIX: Final = ".w"
"""Suffix of weight files of TDL2048+."""


def shipped() -> tuple[str, ...]:
    """Names of the n-tuple networks in the package."""
    names = {path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")}
    return tuple(sorted(names - {POLICY}))


def network_path(name: str) -> Path:
    """The file of a shipped network; any other name is taken as a path.

    An identifier that is neither raises `InvalidNetwork`.
    """
    if name in (*shipped(), POLICY):
        return FOLDER / f"{name}{SUFFIX}"
    path = Path(file_name(name, InvalidNetwork))
    if name.isidentifier() and not path.exists():
        known = (*shipped(), POLICY)
        raise InvalidNetwork(
            f"expected a network ({', '.join(known)}) or a file, got {shown(name)}"
            f"{did_you_mean(name, known)}"
        )
    return path


def load_network(name: str) -> Network:
    """Load a network by name or path, shared by repeated calls; errors as in `read_network`."""
    return _load(network_path(name))


@kept_by_file(4, InvalidNetwork)
def _load(path: Path) -> Network:
    if path.suffix == TDL_SUFFIX:
        return read_tdl(path).network
    network, _ = read_network(path)
    return network


def network_hash(name: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a network's file."""
    return file_hash(network_path(name))


@kept_by_file(64, InvalidNetwork)
def file_hash(path: Path) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a network's file."""
    with open_regular(path, InvalidNetwork) as file:
        digest = hashlib.file_digest(file, "sha256")  # type: ignore[arg-type] # IO, not BufferedIO
        return digest.hexdigest()[:16]


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
    tensors, name = map_tensors(path).tensors, ascii(str(path))
    if "sums" not in tensors or not tensors["sums"].size:
        return None
    sums = checked(tensors, "sums", (np.float32,), (network.weights.size, 2), name)
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
