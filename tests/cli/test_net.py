"""`twofold net`: looking into networks, measuring, converting and averaging them."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.commands import Cli
from twofold.errors import InvalidNetwork
from twofold.learn.checkpoint import save
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.values.network import Network
from twofold.values.network_file import average, read_card, read_network


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network of 4x4 and its run."""
    path = tmp_path_factory.mktemp("net") / "n.safetensors"
    training = Training(TrainingSettings(patterns="0123 4567", seed=3), games=1500)
    training.run()
    save(training, path)
    return path


def test_eval_is_a_bench(cli: Cli, trained: Path) -> None:
    options = ("--games", "4", "--jobs", "1", "--json")
    code, out, _ = cli("net", "eval", str(trained), "--ply", "1", "--ply", "2", *options)
    assert code == 0
    first, second = json.loads(out)["players"]
    specs = [f"ntuple:net={trained},ply={ply}" for ply in (1, 2)]
    assert [first["player"], second["player"]] == specs
    assert second["summary"]["mean_score"] > first["summary"]["mean_score"] > 1500
    bench = json.loads(cli("bench", *specs, *options).out)
    assert bench["players"] == [first, second]


def test_convert_and_back(cli: Cli, trained: Path, tmp_path: Path) -> None:
    names = {
        name: str(tmp_path / name) for name in ("plain.safetensors", "x.w", "back.safetensors")
    }
    assert cli("net", "convert", str(trained), names["plain.safetensors"]).code == 0
    assert cli("net", "convert", str(trained), names["x.w"]).code == 0
    code, _, err = cli("net", "convert", names["x.w"], names["back.safetensors"], "--note", "hello")
    assert code == 0
    assert err.startswith(f"twofold: wrote {names['back.safetensors']}, 52")
    ours, card = read_network(trained)
    for name in ("plain.safetensors", "back.safetensors"):
        network, _ = read_network(names[name])
        assert np.array_equal(network.weights, ours.weights)
        assert Path(names[name]).stat().st_size < trained.stat().st_size
    assert read_card(names["plain.safetensors"]) == card
    assert read_card(names["back.safetensors"]).note == "hello"
    assert "TDL2048+" in cli("net", "info", names["x.w"]).out
    options = ("--games", "2", "--jobs", "1", "--json")
    played = [
        json.loads(cli("net", "eval", str(name), *options).out) for name in (trained, names["x.w"])
    ]
    assert played[0]["players"][0]["rows"] == played[1]["players"][0]["rows"]


def test_release_form(cli: Cli, trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    code, _, _ = cli("net", "convert", str(trained), str(path), "--release", "--unit", "2")
    assert code == 0
    ours, _ = read_network(trained)
    network, card = read_network(path)
    assert np.abs(network.weights - ours.weights).max() <= 1
    assert path.stat().st_size < trained.stat().st_size / 4
    assert card.release is not None
    assert card.release.unit == 2
    assert "16 bits, whole multiples of 2 points, compressed" in cli("net", "info", str(path)).out


def test_average_of_two(cli: Cli, trained: Path, tmp_path: Path) -> None:
    other, mean = tmp_path / "other.safetensors", tmp_path / "mean.safetensors"
    training = Training(TrainingSettings(patterns="0123 4567", seed=4), games=100)
    training.run()
    save(training, other)
    assert cli("net", "average", str(trained), str(other), "--out", str(mean)).code == 0
    found, card = read_network(mean)
    first, second = read_network(trained)[0], training.network
    assert np.allclose(found.weights, (first.weights + second.weights) / 2, rtol=1e-6)
    assert card.method == "mean of 2 networks: tc:1"


def test_the_mean_of_stages_counts_what_untouched_weights_stand_for() -> None:
    one, two = (Network("01", (2, 2), stages=(16, 32)) for _ in range(2))
    one.weights[0], two.weights[0] = 1.0, 3.0
    one.weights[1, 5] = 9.0
    mean = average([one, two])
    assert (mean.weights[0] == 2.0).all()
    assert mean.weights[1, 5] == 6.0
    assert mean.weights[1, 6] == 2.0
    assert (mean.weights[2] == mean.weights[1]).all()
    plain = Network("01", (2, 2))
    plain.weights[0] = 5.0
    assert average([one, plain]).stages == ()
    assert (average([one, plain]).weights == 3.0).all()
    with pytest.raises(InvalidNetwork, match="expected at least one network"):
        average([])
    with pytest.raises(InvalidNetwork, match="differ only in their weights"):
        average([one, Network("02", (2, 2))])
