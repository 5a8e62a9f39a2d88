"""Policy networks: a probability for each move of a board, and a value of the board; their files.

The first layer is a table: it adds a row for each cell and its exponent. Dense layers with ReLU
follow. The last one, the head, gives the logits of the four moves and the value of the board. A
`Reward` is what training pays for each merge and for the end of a game.

A file holds the weights and a card, as safetensors; that of a training run holds its state as well.
See `docs/reference/policy-files.md`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from twofold.errors import InvalidBoard, InvalidInput, InvalidNetwork
from twofold.game.board import Board
from twofold.game.notation import did_you_mean, shown
from twofold.game.rules import Rules
from twofold.kernels import policy as names
from twofold.limits import MAX_EXPONENT, check_limit
from twofold.storage.arrays import TensorFile, checked, open_tensors, write_tensors
from twofold.storage.files import kept_by_file, open_regular
from twofold.values.network_file import FORMAT as NTUPLE_FORMAT
from twofold.values.network_file import (
    FORMAT_KEY,
    POLICY,
    POLICY_FORMAT,
    TDL_SUFFIX,
    Count,
    Earlier,
    card_texts,
    decode_card,
    network_path,
    shipped,
)

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Reward:
    """A reward: `values[k]` for each merge that makes 2^k, and `death` for the end of the game."""

    values: Values
    death: float
    unit: str
    source: str = ""


_EXPONENTS: Final = np.arange(MAX_EXPONENT + 2, dtype=np.float64)

REWARDS: Final = {
    "points": Reward(np.where(_EXPONENTS >= 1, 2.0**_EXPONENTS, 0.0), 0.0, "points"),
    "exponents": Reward(_EXPONENTS.copy(), 0.0, "exponents"),
    "large": Reward(
        0.05 + 0.03 * np.maximum(_EXPONENTS - 6, 0) ** 1.5,
        -1.0,
        "own unit",
        source="PufferLib, 2048, January 2026",
    ),
}
"""`points`: the score. `exponents`: k for a tile 2^k. `large`: 0.05, from 128 on more and more."""


def find_reward(name: str) -> Reward:
    """The reward of that name."""
    if name not in REWARDS:
        known = ", ".join(REWARDS)
        raise InvalidInput(
            f"expected a reward of {known}, got {shown(name)}{did_you_mean(name, REWARDS)}"
        )
    return REWARDS[name]


Floats = NDArray[np.float32]
Words = NDArray[np.uint64]

MAX_WIDTH: Final = 8_192
"""Most outputs of a layer."""

MAX_LAYERS: Final = 32
"""Most layers after the first."""

_LARGEST: Final = 1e37
"""Outputs up to this are finite in float32, with all roundings on the way."""


@dataclass(frozen=True, slots=True, eq=False)
class Dense:
    """A layer: inputs @ weights + bias, float32, (inputs, outputs) and (outputs,)."""

    weights: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Thought:
    """Logits of up, right, down, left, and the value in the unit of the network."""

    logits: tuple[float, float, float, float]
    value: float


class PolicyNetwork:
    """The weights of a policy network.

    Args:
        shape: rows and columns of its boards.
        table: the first layer, float32, (cells, exponents, width).
        bias: its bias, (width,).
        layers: the layers after it; the last one is the head.
        reward: name of the reward that its values add up, see `REWARDS`.
        symmetric: boards are turned to one of their symmetric forms first, so that symmetric
            boards have the same value, and moves that correspond the same logit, except where a
            board is its own mirror image.
        discount: of a move, in the values; 1 for values of all the rest of the game.

    Raises:
        InvalidInput: there is no such reward.
        InvalidNetwork: the arrays do not fit together, hold NaN or infinity, or are so large that
            outputs could be.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        table: Floats,
        bias: Floats,
        layers: Sequence[Dense],
        *,
        reward: str,
        symmetric: bool = False,
        discount: float = 1.0,
    ) -> None:
        self.shape, self.symmetric = shape, symmetric
        self.reward, self.discount = find_reward(reward), discount
        self.table, self.bias, self.layers = table, bias, tuple(layers)
        self._check()

    def _check(self) -> None:
        cells = self.shape[0] * self.shape[1]
        expected = (cells, *self.table.shape[1:])
        if self.table.ndim != 3 or self.table.shape != expected:
            raise InvalidNetwork(f"expected a table for {cells} cells, got {self.table.shape}")
        check_limit("exponents of a policy network", self.exponents, 2, MAX_EXPONENT + 1)
        check_limit("layers of a policy network", len(self.layers), 1, MAX_LAYERS)
        width = self.table.shape[2]
        _check_vector(self.bias, width)
        for layer in self.layers:
            if layer.weights.ndim != 2 or layer.weights.shape[0] != width:
                raise InvalidNetwork(
                    f"expected weights for {width} inputs, got {layer.weights.shape}"
                )
            width = layer.weights.shape[1]
            _check_vector(layer.bias, width)
        if width != names.OUTPUT:
            raise InvalidNetwork(f"expected a head of {names.OUTPUT} outputs, got {width}")
        for array in self.arrays():
            if array.dtype != np.float32 or not array.flags.c_contiguous:
                raise InvalidNetwork(f"expected float32 in one piece, got {array.dtype}")
            if not np.isfinite(array).all():
                raise InvalidNetwork("expected finite weights, got NaN or infinity")
        # Bounds on every number that a board makes, from layer to layer.
        most = np.abs(self.table).max(axis=1).sum(axis=0, dtype=np.float64) + np.abs(self.bias)
        _check_finite(most)
        for layer in self.layers:
            most = most @ np.abs(layer.weights).astype(np.float64) + np.abs(layer.bias)
            _check_finite(most)

    def arrays(self) -> list[Floats]:
        """All weights: the table, its bias, then weights and bias of each layer."""
        rest = [array for layer in self.layers for array in (layer.weights, layer.bias)]
        return [self.table, self.bias, *rest]

    @property
    def exponents(self) -> int:
        """Number of exponents it tells apart; larger tiles look like the largest."""
        return int(self.table.shape[1])

    @property
    def unit(self) -> str:
        """The unit of the value; discounted points are fewer than the rest of the game brings."""
        unit = self.reward.unit
        return "discounted points" if unit == "points" and self.discount < 1 else unit

    @property
    def widths(self) -> tuple[int, ...]:
        """Outputs of all layers but the head."""
        return (len(self.bias), *(len(layer.bias) for layer in self.layers[:-1]))

    @property
    def parameters(self) -> int:
        """Number of weights."""
        return sum(array.size for array in self.arrays())

    @property
    def operations(self) -> int:
        """Additions and multiplications for one board, if no input is 0."""
        dense = sum(2 * layer.weights.size for layer in self.layers)
        return self.shape[0] * self.shape[1] * len(self.bias) + dense

    def describe(self) -> str:
        """A few words: shape, widths, size."""
        rows, cols = self.shape
        widths = "-".join(map(str, self.widths))
        symmetric = ", symmetric" if self.symmetric else ""
        return f"policy network {rows}x{cols}, {widths}{symmetric}, {self.parameters:,} weights"

    # ---- forward

    def outputs(self, boards: NDArray[np.uint8]) -> Floats:
        """Logits of the four moves and the value of each board; the same on every machine.

        Args:
            boards: exponents, (N, cells).

        Returns:
            float32, (N, 5).
        """
        from twofold.kernels.policy import forward_each  # loads kernels

        cells = self.shape[0] * self.shape[1]
        if boards.ndim != 2 or boards.shape[1] != cells:
            raise InvalidBoard(f"expected boards of {cells} cells, got {boards.shape}")
        found = np.empty((len(boards), names.OUTPUT), dtype=np.float32)
        forward_each(np.ascontiguousarray(boards, dtype=np.uint8), self.words, found)
        return found

    def think(self, board: Board) -> Thought:
        """Logits and value of one board."""
        if board.shape != self.shape:
            rows, cols = self.shape
            raise InvalidBoard(f"expected a board of {rows}x{cols}, got {board}")
        found = self.outputs(np.array([board.exponents], dtype=np.uint8))
        up, right, down, left, value = found[0].tolist()
        return Thought((up, right, down, left), value)

    @cached_property
    def words(self) -> Words:
        """The network as kernels read it, see `kernels.policy`; keep the network alive."""
        found = np.zeros(names.FIRST + names.LAYER_WORDS * len(self.layers), dtype=np.uint64)
        found[names.ROWS], found[names.COLS] = self.shape
        found[names.EXPONENTS] = self.exponents
        found[names.TABLE], found[names.BIAS] = self.table.ctypes.data, self.bias.ctypes.data
        found[names.WIDTH] = len(self.bias)
        found[names.WIDEST] = max(len(self.bias), *(len(one.bias) for one in self.layers))
        found[names.LAYERS], found[names.SYMMETRIC] = len(self.layers), self.symmetric
        for number, layer in enumerate(self.layers):
            first = names.FIRST + names.LAYER_WORDS * number
            found[first + names.WEIGHTS] = layer.weights.ctypes.data
            found[first + names.BIASES] = layer.bias.ctypes.data
            found[first + names.OUTPUTS] = len(layer.bias)
        return found


def probabilities(logits: Sequence[float], legal: Sequence[bool]) -> list[float]:
    """Softmax over the legal moves, 0 for the others.

    >>> probabilities([0.0, 0.0, 5.0, 0.0], [True, True, False, False])
    [0.5, 0.5, 0.0, 0.0]
    """
    allowed = np.where(legal, np.asarray(logits, dtype=np.float64), -np.inf)
    shares = np.exp(allowed - allowed.max())
    found: list[float] = (shares / shares.sum()).tolist()
    return found


def _check_vector(bias: Floats, width: int) -> None:
    check_limit("width of a layer", width, 1, MAX_WIDTH)
    if bias.shape != (width,):
        raise InvalidNetwork(f"expected a bias of {width} numbers, got {bias.shape}")


def _check_finite(bounds: Values) -> None:
    if bounds.max() > _LARGEST:
        raise InvalidNetwork("expected weights whose outputs are finite, got larger ones")


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
    before: list[Earlier] = []
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
    place = checked(file.tensors, name, (np.float32, np.float16), None, "the network")
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
    """Write a policy network in one step, see `twofold.storage.files.atomic_write`.

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


@kept_by_file(4, InvalidNetwork)
def load_policy(path: Path) -> PolicyNetwork:
    """Load a policy network, shared by repeated calls; errors as in `read_policy`."""
    return read_policy(path)[0]


def named_policy(name: str) -> Path:
    """The file of a policy network, the shipped one or a path."""
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
