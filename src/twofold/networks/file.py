"""Network files: the weights of a network and a card that says what it is, in one file.

They are safetensors files, see `docs/reference/network-files.md`. Those that training writes
hold float32 weights. Those that are shipped hold whole multiples of a unit, compressed, see
`network_release`. Either are read into memory, so that the file may change afterwards.
"""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypedDict

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidInput, InvalidNetwork
from twofold.limits import MAX_WEIGHTS, check_limit
from twofold.memory import load
from twofold.networks.network import Network, Weights, check_stages
from twofold.networks.patterns import parse_patterns
from twofold.networks.release import check_unit, planes_of, weights_of
from twofold.notation import check_length, shown
from twofold.rules import Rules
from twofold.tensors import TensorFile, open_tensors, write_tensors

FORMAT: Final = "twofold-network 1"
"""The text under the metadata key `format`."""

WEIGHTS: Final = "weights"
"""The name of the tensor of float32 weights."""

_FORMAT_KEY: Final = "format"
_CARD_KEY: Final = "twofold"
_CHUNK: Final = 1 << 20
"""Weights that are looked at together, while they are in the processor's cache."""

Count = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
"""A number of things."""


class Earlier(TypedDict):
    """A training run that came before: how it trained, and on how many games."""

    method: str
    games: Count


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """How the weights of a release are written.

    Attributes:
        unit: they are whole multiples of so many points.
    """

    unit: float


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The model card of a network.

    Its texts are as the file has them: `twofold.notation.printable` makes them fit for a screen.

    Attributes:
        patterns: a name or a list, as `parse_patterns` reads it.
        rules: the rules that it learned under, as `Rules.parse` reads them.
        symmetries: symmetries of the board that each pattern is looked up in, 8 or 4.
        stages: where stages split, see `Network`.
        twofold: the version that wrote the file.
        method: how it was trained, in words.
        settings: the settings of the training.
        games: games that it was trained on.
        moves: moves of them.
        seconds: time that the training took.
        curve: the learning curve, a row a point.
        evaluations: how the network played in between, as `twofold.learn.evaluation` writes it.
        before: what it was trained from, the first one first.
        note: whatever else there is to say.
        release: how the weights are written; None for float32.
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
    """The card of a network file; the weights are not looked at.

    Raises:
        InvalidNetwork: there is no such file, or it is not a network; the text names it.
    """
    name = ascii(os.fspath(path))
    with open_tensors(path) as file:
        card = _parse_card(file.metadata, name)
    _outline(card, name)
    return card


def read_network(path: str | os.PathLike[str]) -> tuple[Network, Card]:
    """The network in a file, and its card.

    Weights of float32 are read-only. Those of a release are made anew.

    Raises:
        InvalidNetwork: there is no such file, or it is torn, or its weights are not those that
            its card describes, or not finite; the text names it. In stages after the first,
            weights may be NaN: not touched yet.
        ResourceError: the weights have no room: those of a release would take more than 80 % of
            the free memory, see also `twofold.memory.load`.
    """
    with open_tensors(path) as file:
        card = _parse_card(file.metadata, file.name)
        outline = _outline(card, file.name)
        if card.release is None:
            weights = _plain_weights(file, outline)
        else:
            weights = weights_of(file, outline, card.release.unit)
    return Network(outline.patterns, outline.shape, stages=outline.stages, weights=weights), card


def _parse_card(metadata: Mapping[str, str], name: str) -> Card:
    form, text = (metadata.get(key) for key in (_FORMAT_KEY, _CARD_KEY))
    if form != FORMAT or text is None:
        found = shown(form) if form != FORMAT else "no card"
        raise InvalidNetwork(f"expected a network of the format {FORMAT!r}, got {found} in {name}")
    try:
        return msgspec.json.decode(text, type=Card)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InvalidNetwork(
            f"expected the card of a network, got {shown(str(error))} in {name}"
        ) from None


class _Outline(Network):
    """The network that a card describes, without weights."""

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
    """Refuse infinite weights, and NaN in the first stage.

    Raises:
        InvalidNetwork: there are such weights.
    """
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
    """Write a network as float32, in one step, see `twofold.files.atomic_write`.

    Args:
        path: the file to write; its folder must exist.
        network: its weights are written from where they are, without a copy.
        card: what it is.
        tensors: more tensors, for programs that know them; readers of networks pass them over.
        metadata: more texts.

    Raises:
        InvalidInput: `path` cannot be a file.
        InvalidNetwork: the card describes another network, weights are not finite, or a name
            is taken.
        ResourceError: the disk is full or another system call failed.
    """
    _check_card(card, network)
    more, texts = tensors or {}, metadata or {}
    taken = sorted({WEIGHTS} & set(more) | {_FORMAT_KEY, _CARD_KEY} & set(texts))
    if taken:
        raise InvalidNetwork(f"expected other names than those of a network, got {taken[0]!r}")
    plain = msgspec.structs.replace(card, release=None)
    write_tensors(path, {WEIGHTS: network.weights, **more}, {**_metadata(plain), **texts})


def write_release(
    path: str | os.PathLike[str], network: Network, card: Card, *, unit: float
) -> None:
    """Write a network for others: small, and no weight off by more than half a unit.

    Args:
        path: the file to write; its folder must exist.
        network: what to write; weights not touched yet become those of the stage before.
        card: what it is.
        unit: the weights become whole multiples of so many points.

    Raises:
        InvalidInput: `path` cannot be a file.
        InvalidNetwork: the card describes another network, weights are not finite, or the unit
            is too small for 16 bits; the text says which one is large enough.
        ResourceError: the disk is full or another system call failed.
    """
    _check_card(card, network)
    planes = planes_of(network, unit)
    released = msgspec.structs.replace(card, release=Release(unit=unit))
    write_tensors(path, planes, _metadata(released))


def _check_card(card: Card, network: Network) -> None:
    """Refuse to write what could not be read."""
    said = _outline(card, network.name)
    if (said.patterns, said.shape, said.stages) != (
        network.patterns,
        network.shape,
        network.stages,
    ):
        raise InvalidNetwork(f"expected a card of {network.describe()}, got {said.describe()}")
    check_finite(network.weights, network.name)


def _metadata(card: Card) -> dict[str, str]:
    return {_FORMAT_KEY: FORMAT, _CARD_KEY: msgspec.json.encode(card).decode()}
