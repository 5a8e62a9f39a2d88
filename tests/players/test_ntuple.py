"""The player `ntuple`: networks by name and file, shared, hashed, downgrading, deeper searches."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from twofold import Board, Rules
from twofold.learn.checkpoint import save
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.players.searching import ExpectimaxPlayer
from twofold.search.depth import Depth
from twofold.values.network import Network, network_evaluator
from twofold.values.network_file import load_network, network_hash


def trained(path: Path, rules: str = "4x4", patterns: str = "0123 4567") -> Path:
    training = Training(TrainingSettings(patterns=patterns, rules=Rules.parse(rules)), games=400)
    training.run()
    save(training, path)
    return path


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network of 4x4."""
    return trained(tmp_path_factory.mktemp("net") / "n.safetensors")


def test_a_changed_file_is_read_again(tmp_path: Path, net: Path) -> None:
    path = tmp_path / "n.safetensors"
    shutil.copy(trained(tmp_path / "a.safetensors", patterns="0123"), path)
    assert load_network(str(path)).name == "0123"
    before = network_hash(str(path))
    shutil.copy(net, path)
    assert network_hash(str(path)) != before
    first, data = load_network(str(path)), bytearray(path.read_bytes())
    assert first.name == "2x4"
    place = int(np.flatnonzero(first.weights)[0])
    data[data.index(first.weights.tobytes()) + 4 * place + 3] ^= 0x80  # the sign of a weight
    (tmp_path / "b").write_bytes(data)
    os.utime(tmp_path / "b", ns=(0, path.stat().st_mtime_ns + 10**9))
    os.replace(tmp_path / "b", path)
    assert load_network(str(path)).weights[0, place] == -first.weights[0, place]


def test_downgrading_from_a_threshold_on() -> None:
    network = Network("0123 4567")
    network.weights[:] = np.random.default_rng(1).normal(size=network.weights.shape)
    large = Board.parse("0012/0134/7654/fdcb")  # 32768, no 16384: looked at as e dcb
    lower = Board.parse("0012/0134/7654/edcb")
    for ply in (1, 2):
        player = ExpectimaxPlayer(network_evaluator(network), Depth.fixed(ply), downgrade=32768)
        assert player.analyse(large).value == pytest.approx(player.analyse(lower).value)
        assert player.choose(large) == player.choose(lower)
        player = ExpectimaxPlayer(network_evaluator(network), Depth.fixed(ply))
        assert player.analyse(large).value != player.analyse(lower).value


# One ply
