"""Network files: safetensors files with the weights of a network and its model card.

Training writes float32 weights; shipped networks are compressed, see `networks.release`. The
format: `docs/reference/network-files.md`.
"""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypedDict, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.files import file_name
from twofold.limits import MAX_WEIGHTS, check_limit
from twofold.memory import load
from twofold.networks.network import Network, Weights, check_stages
from twofold.networks.patterns import parse_patterns
from twofold.networks.release import check_unit, planes_of, weights_of
from twofold.notation import check_length, shown
from twofold.rules import Rules
from twofold.tensors import TensorFile, open_tensors, write_tensors

FORMAT: Final = "twofold-network 1"
"""The value of the metadata key `format`."""

POLICY_FORMAT: Final = "twofold-policy 1"
"""The same of policy networks, see `networks.policy_file`."""

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

    Texts are not yet safe to print: use `twofold.notation.printable`.

    Attributes:
        patterns: a name or a list, see `parse_patterns`.
        rules: the rules of its training, see `Rules.parse`.
        symmetries: 8 on square boards, else 4.
        stages: boundaries of the stages, see `Network`.
        twofold: version that wrote the file.
        method: the training method, as text.
        seconds: training time; `games` and `moves` count those of the training.
        curve: the learning curve, one row per point, see `twofold.learn.curve`.
        evaluations: evaluations during training, see `twofold.learn.evaluation`.
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
    found, text = metadata.get(FORMAT_KEY), metadata.get(_CARD_KEY)
    if found != form or text is None:
        got = shown(found) if found != form else "no card"
        raise InvalidNetwork(f"expected {what} of the format {form!r}, got {got} in {name}")
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InvalidNetwork(
            f"expected the card of {what}, got {shown(str(error))} in {name}"
        ) from None


class _Outline(Network):
    """The network that a card describes; its weights are set later."""

    def __init__(self, card: Card) -> None:
        check_length(card.patterns, "patterns", InvalidNetwork)
        self._shape = Rules.parse(card.rules).shape
        self._patterns = parse_patterns(card.patterns, self.shape)
        self._stages = check_stages(card.stages)
        check_limit("weights of a network", self.stage_size * self.stage_count, 1, MAX_WEIGHTS)
        if card.symmetries != self.symmetries:
            raise InvalidNetwork(f"expected {self.symmetries} symmetries, got {card.symmetries}")
        if card.release is not None:
            check_unit(card.release.unit)


def _outline(card: Card, name: str) -> _Outline:
    try:
        return _Outline(card)
    except InvalidInput as error:
        raise InvalidNetwork(f"{error}, in the card of {name}") from None


def _plain_weights(file: TensorFile, network: Network) -> Weights:
    place = file.tensors.get(WEIGHTS)
    expected = (network.stage_count, network.stage_size)
    if place is None or place.shape != expected or place.dtype != np.float32:
        found = "none" if place is None else f"{place.dtype} of {place.shape}"
        raise InvalidNetwork(
            f"expected float32 weights of shape {expected}, got {found} in {file.name}"
        )
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
