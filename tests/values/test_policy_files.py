"""Policy networks and their files: round trips, half precision, what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.policies import card_of, make_policy, write
from twofold.errors import InvalidBoard, InvalidNetwork
from twofold.game.board import Board
from twofold.storage.arrays import map_tensors, write_tensors
from twofold.values.network_file import FOLDER, file_hash
from twofold.values.policy_network import (
    FORMAT,
    Dense,
    PolicyNetwork,
    is_policy,
    load_policy,
    named_policy,
    probabilities,
    read_policy,
    read_policy_card,
    write_policy,
)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
def test_what_is_written_is_read(symmetric: bool, half: bool, tmp_path: Path) -> None:
    network = make_policy((2, 3), widths=(64, 32), exponents=9, symmetric=symmetric)
    path = write(tmp_path / "net.safetensors", network, half=half)
    found, card = read_policy(path)
    assert card == card_of(network) == read_policy_card(path)
    assert (found.shape, found.symmetric) == ((2, 3), symmetric)
    kept = np.float16 if half else np.float32
    for one, other in zip(found.arrays(), network.arrays(), strict=True):
        assert np.array_equal(one, other.astype(kept).astype(np.float32))
    size = sum(one.size for one in network.arrays())
    assert path.stat().st_size < size * np.dtype(kept).itemsize + 2_000
    assert is_policy(path)


def test_weights_whose_bounds_overflow_are_refused() -> None:
    huge = [
        Dense(np.full((n, 5), 3e38, np.float32), np.zeros(5, np.float32)) for n in (24, *[5] * 9)
    ]
    network = make_policy(widths=(24,))
    with pytest.raises(InvalidNetwork, match="finite"):
        PolicyNetwork((4, 4), network.table, network.bias, huge, reward="points")


def test_weights_too_large_for_half_precision_are_refused(tmp_path: Path) -> None:
    network = make_policy()
    network.bias[0] = 1e5
    with pytest.raises(InvalidNetwork, match="65,000"):
        write_policy(tmp_path / "net.safetensors", network, card_of(network), half=True)
    assert not (tmp_path / "net.safetensors").exists()


def test_a_file_is_read_once_and_again_after_a_change(tmp_path: Path) -> None:
    path = write(tmp_path / "net.safetensors")
    first, digest = load_policy(named_policy(str(path))), file_hash(path)
    assert load_policy(named_policy(str(path))) is first
    write(path, make_policy(seed=2))
    assert load_policy(named_policy(str(path))) is not first
    assert file_hash(path) != digest


def changed(path: Path, **changes: object) -> Path:
    """The file with another card or other tensors; None leaves a tensor out."""
    file = map_tensors(path)
    tensors = {name: np.array(array) for name, array in file.tensors.items()}
    card = json.loads(file.metadata["twofold"])
    for name, value in changes.items():
        key = name.replace("__", ".")
        if key in tensors and value is None:
            del tensors[key]
        elif key in tensors:
            tensors[key] = np.asarray(value)
        else:
            card[key] = value
    write_tensors(path, tensors, {"format": FORMAT, "twofold": json.dumps(card)})
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rules": "3x3"}, "expected a table for 9 cells"),
        ({"rules": "9x9"}, "9"),
        ({"layers": 3}, r"layers\.2\.weights, got none"),
        ({"layers": 10**9}, "up to 32 layers"),
        ({"layers": -1}, "card"),
        ({"layers": 1}, "head of 5 outputs"),
        ({"unit": 5}, "card"),
        ({"unit": "own unit"}, "got 'own unit' for 'points'"),
        ({"unit": "own unit", "settings": {}}, "got 'own unit' for 'points'"),
        ({"settings": {"reward": "large"}}, "got 'points' for 'large'"),
        ({"settings": {"reward": "larger"}}, "exponents, large, got 'larger'"),
        ({"settings": {"reward": [5]}}, "expected values in the unit of a reward"),
        ({"symmetric": 5}, "card"),
        ({"seconds": -1}, "card"),
        ({"settings": {"gamma": 2}}, "gamma from 0 to 1"),
        ({"bias": np.full(24, 1e38, dtype=np.float32)}, "finite"),
        ({"table": None}, "table, got none"),
        ({"bias": np.zeros(24)}, "float32 or float16 bias, got float64"),
        ({"bias": np.full(24, np.inf, dtype=np.float32)}, "finite"),
        ({"bias": np.zeros(23, dtype=np.float32)}, "bias of 24"),
        ({"layers__0__weights": np.zeros((24, 0), dtype=np.float32)}, "width of a layer"),
        ({"layers__0__weights": np.zeros((23, 9), dtype=np.float32)}, "weights for 24 inputs"),
        ({"table": np.zeros((16, 99, 24), dtype=np.float32)}, "exponents"),
    ],
)
def test_wrong_files_are_refused_and_named(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    path = changed(write(tmp_path / "net.safetensors"), **changes)
    with pytest.raises(InvalidNetwork, match=words) as caught:
        read_policy(path)
    assert "net.safetensors" in str(caught.value)


def test_other_files_are_no_policy(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    write_tensors(path, {"weights": np.zeros(3, dtype=np.float32)}, {"format": "else"})
    assert not is_policy(path)
    with pytest.raises(InvalidNetwork, match="twofold-policy 1"):
        read_policy(path)
    for bad in (b"", b"{}", path.read_bytes()[:20]):
        path.write_bytes(bad)
        with pytest.raises(InvalidNetwork, match="safetensors"):
            read_policy(path)


@pytest.mark.parametrize("name", ["tiny", "weights.w", "data/tiny.safetensors"])
def test_n_tuple_networks_are_named(name: str) -> None:
    if "/" in name:
        name = str(FOLDER.parent / name)
    with pytest.raises(InvalidNetwork, match=r"got the n-tuple network .*ntuple:net=FILE"):
        load_policy(named_policy(name))


# Networks without files


def test_a_board_of_another_shape_is_refused() -> None:
    with pytest.raises(InvalidBoard, match="expected a board of 4x4"):
        make_policy().think(Board.parse("2x2:1200"))
    with pytest.raises(InvalidBoard, match="expected boards of 16 cells"):
        make_policy().outputs(np.zeros((3, 4), dtype=np.uint8))


def test_probabilities_are_a_softmax_over_legal_moves() -> None:
    found = probabilities([1.0, 2.0, 3.0, 900.0], [True, True, False, False])
    assert found == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e), 0, 0])
    assert sum(probabilities([1e30, -1e30, 0, 0], [True] * 4)) == 1
