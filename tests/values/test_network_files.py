"""Network files: round trips, cards, compressed files, damaged files."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import twofold
from twofold.errors import InvalidNetwork, ResourceError
from twofold.game.rules import Rules
from twofold.storage import memory
from twofold.storage.arrays import write_tensors
from twofold.values.network import NAMED, Network
from twofold.values.network_file import (
    Card,
    Release,
    read_card,
    read_network,
    write_network,
    write_release,
)

NAN = float("nan")


def make_network(
    patterns: str = "01 23",
    shape: tuple[int, int] = (2, 2),
    stages: tuple[int, ...] = (),
    seed: int = 1,
) -> Network:
    """A network, a fifth of whose weights are not 0; later stages are touched here and there."""
    network = Network(patterns, shape, stages=stages)
    dice = np.random.default_rng(seed)
    for stage in network.weights:
        some = dice.random(len(stage)) < 0.2
        stage[some] = dice.laplace(0, 300, int(some.sum()))
    return network


def card_of(network: Network, **more: Any) -> Card:
    rows, cols = network.shape
    return Card(
        patterns=network.name,
        rules=str(Rules(rows, cols)),
        symmetries=network.symmetries,
        stages=network.stages,
        twofold=twofold.__version__,
        **more,
    )


def write(path: Path, network: Network, unit: float | None) -> bytes:
    """Write as float32, or compressed with a unit. Returns the bytes of the file."""
    if unit is None:
        write_network(path, network, card_of(network))
    else:
        write_release(path, network, card_of(network), unit=unit)
    return path.read_bytes()


def resolved(network: Network) -> Iterator[np.ndarray[Any, Any]]:
    """The weights of each stage; an untouched one is that of the stage before."""
    before = np.zeros(network.stage_size, dtype=np.float32)
    for stage in network.weights:
        before = np.where(np.isnan(stage), before, stage)
        yield before


# ---- round trips


@pytest.mark.parametrize("stages", [(), (8, 16)])
@pytest.mark.parametrize(
    ("patterns", "shape"), [("01 23", (2, 2)), ("0 145", (2, 3)), ("2x4", (4, 4)), ("0", (1, 2))]
)
def test_float32_is_read_as_written(
    tmp_path: Path, patterns: str, shape: tuple[int, int], stages: tuple[int, ...]
) -> None:
    network = make_network(patterns, shape, stages)
    write_network(tmp_path / "a", network, card_of(network))
    found, card = read_network(tmp_path / "a")
    assert card == read_card(tmp_path / "a") == card_of(network)
    assert (found.patterns, found.shape, found.stages) == (network.patterns, shape, stages)
    assert np.array_equal(found.weights, network.weights, equal_nan=True)
    assert bool(np.isnan(found.weights).any()) == bool(stages)


# ---- cards


def test_the_card_says_everything(tmp_path: Path) -> None:
    network = make_network()
    card = card_of(
        network,
        method="temporal coherence",
        settings={"rate": 0.1, "seed": "7", "deep": [1, {"a": None}]},
        games=10**12,
        moves=2**62,
        seconds=1.5,
        curve=[[1000.0, 2.5], [2000.0, 3.0]],
        before=[{"method": "td", "games": 3}],
        note="é\n\u2028 \x1b",
    )
    write_network(tmp_path / "a", network, card)
    assert read_card(tmp_path / "a") == card
    write_release(tmp_path / "a", network, card, unit=2.0)
    assert read_card(tmp_path / "a") == msgspec.structs.replace(card, release=Release(unit=2.0))


def test_keys_of_newer_versions_are_passed_over(tmp_path: Path) -> None:
    network = make_network()
    card = msgspec.json.decode(msgspec.json.encode(card_of(network)))
    texts = {
        "format": "twofold-network 1",
        "twofold": msgspec.json.encode(card | {"from the future": [1]}).decode(),
    }
    write_tensors(tmp_path / "a", {"weights": network.weights}, texts)
    assert read_network(tmp_path / "a")[1] == card_of(network)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"patterns": "01"}, "expected a card of 01 23 for 2x2, 2.0 kB of weights, got 01 for"),
        ({"rules": "3x3"}, "expected a card of 01 23 for 2x2"),
        ({"stages": (8,)}, "expected a card of 01 23 for 2x2"),
        ({"symmetries": 4}, "expected 8 symmetries, got 4, in the card of 01 23"),
        ({"patterns": "wrong"}, "expected one of 4x6, .*, in the card of 01 23"),
    ],
)
def test_a_card_of_another_network_is_not_written(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    network = make_network()
    card = msgspec.structs.replace(card_of(network), **change)
    with pytest.raises(InvalidNetwork, match=said):
        write_network(tmp_path / "a", network, card)
    with pytest.raises(InvalidNetwork, match=said):
        write_release(tmp_path / "a", network, card, unit=1.0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["weights", "format", "twofold"])
def test_reserved_names_are_refused(tmp_path: Path, taken: str) -> None:
    network = make_network()
    tensors = {taken: network.weights} if taken == "weights" else {}
    metadata = {taken: "x"} if taken != "weights" else {}
    with pytest.raises(
        InvalidNetwork, match=f"expected a name that networks do not use, got '{taken}'"
    ):
        write_network(tmp_path / "a", network, card_of(network), tensors, metadata)


@pytest.mark.parametrize("value", [NAN, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (0, 511), (1, 7)])
def test_weights_that_are_not_finite_are_refused(
    tmp_path: Path, value: float, place: tuple[int, int]
) -> None:
    network = make_network(stages=(8,))
    network.weights[place] = value
    says = f"expected finite .* in stage {place[0]}, got {value} as"
    is_untouched = place[0] > 0 and np.isnan(value)
    for unit in () if is_untouched else (None, 1.0):
        with pytest.raises(InvalidNetwork, match=says):
            write(tmp_path / "a", network, unit)


# ---- releases


@pytest.mark.parametrize("unit", [0.125, 0.3, 1.0, 4.0, 7.7, 1e6])
@pytest.mark.parametrize("stages", [(), (8,), (8, 16, 24)])
def test_no_weight_is_off_by_more_than_half_a_unit(
    tmp_path: Path, unit: float, stages: tuple[int, ...]
) -> None:
    network = make_network("0 01 012", (2, 2), stages)
    write(tmp_path / "a", network, unit)
    found, card = read_network(tmp_path / "a")
    assert card.release == Release(unit=unit)
    assert found.weights.flags.writeable
    for stage, exact in zip(found.weights, resolved(network), strict=True):
        units = np.rint(exact / np.float64(unit))
        assert np.array_equal(stage, (units * unit).astype(np.float32))
        assert np.abs(stage - exact.astype(np.float64)).max() <= unit * (0.5 + 1e-6)
        assert not stage[exact == 0].any()


@pytest.mark.parametrize(
    ("weights", "unit", "enough"),
    [((40_000, 0), 1.0, 1.3), ((-30_000, 30_000), 1.0, 1.9), ((5e9, 0), 4.0, 160_000.0)],
)
def test_a_too_small_unit_is_refused_with_a_sufficient_one(
    tmp_path: Path, weights: tuple[float, float], unit: float, enough: float
) -> None:
    network = Network("01", (2, 2), stages=(8,))
    network.weights[:, 3] = weights
    with pytest.raises(InvalidNetwork, match=f"32766 units of .* Use a unit of {enough:g}"):
        write(tmp_path / "a", network, unit)
    write(tmp_path / "a", network, enough)
    with pytest.raises(InvalidNetwork, match="Use a unit of"):
        write(tmp_path / "a", network, enough * 0.9)


@pytest.mark.parametrize("unit", [0.0, -1.0, NAN, np.inf, 1e-7, 1e7])
def test_invalid_units_are_refused(tmp_path: Path, unit: float) -> None:
    with pytest.raises(InvalidNetwork, match="expected a unit from 1e-06 to 1e\\+06, got"):
        write(tmp_path / "a", make_network(), unit)


@pytest.mark.parametrize("unit", [None, 1.0])
def test_more_than_the_free_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: float | None
) -> None:
    network = make_network("0123", (4, 4))
    write(tmp_path / "a", network, unit)
    monkeypatch.setattr(memory, "free_memory", lambda: 300_000)
    if unit is None:
        found, _ = read_network(tmp_path / "a")  # mapped, from a copy
        assert np.array_equal(found.weights, network.weights)
        return
    with pytest.raises(ResourceError, match="expected at most 80% of the free memory for the wei"):
        read_network(tmp_path / "a")


# ---- the description of the format

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "network-files.md"


def block(language: str, holding: str) -> str:
    """The code block of the documentation page that contains a text."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    (found,) = [str(text) for text in blocks if holding in text]
    return found


@pytest.mark.parametrize("unit", [None, 0.25, 7.7])
def test_the_reader_on_the_page_reads_the_same(tmp_path: Path, unit: float | None) -> None:
    names: dict[str, Any] = {}
    reader = PAGE.parents[2] / "examples" / "read_network.py"
    exec(compile(reader.read_text("utf-8"), reader, "exec"), names)  # noqa: S102
    network = make_network("0 01 012", (2, 2), (8, 16))
    write(tmp_path / "a", network, unit)
    found = names["read_weights"](tmp_path / "a", [pattern.size for pattern in network.patterns])
    assert np.array_equal(found, read_network(tmp_path / "a")[0].weights, equal_nan=True)


def test_the_page_lists_the_names_of_patterns() -> None:
    assert dict(line.split("  ") for line in block("text", "4x6 ").splitlines()) == NAMED


# ---- damage
