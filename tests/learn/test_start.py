"""Starting from other networks: equal tables, means, refusals."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.learn.killed import SMALL
from twofold.errors import InvalidNetwork
from twofold.learn.checkpoint import save, start_from
from twofold.learn.settings import parse_schedule
from twofold.learn.training import Training
from twofold.values.network_file import average


def trained(folder: Path, patterns: str, seed: int = 5, schedule: str = "tc") -> Path:
    """The file of a short run."""
    settings = replace(SMALL, patterns=patterns, seed=seed, schedule=parse_schedule(schedule))
    training = Training(settings, games=100)
    training.run()
    path = folder / f"{patterns} {seed}.safetensors"
    save(training, path)
    return path


def begun(patterns: str, *paths: Path, **more: object) -> tuple[Training, str]:
    training = Training(replace(SMALL, patterns=patterns, **more), games=1)
    return training, start_from(training, *paths)


def test_tables_of_equal_patterns_are_taken(tmp_path: Path) -> None:
    """In any order, in each stage, with their sums; the others start as in a new run."""
    path = trained(tmp_path, "0123 0145 56")
    whole, words = begun("0123 0145 56", path)
    assert words == ""
    part, words = begun("45 0145 0123", path, stages=(64,), optimism=2.5 * 12)
    assert words == "copied the tables of 0145, 0123; 45 start from scratch, 56 are left out"
    for name, place in (("0123", 2), ("0145", 1)):
        there = [str(pattern) for pattern in whole.network.patterns].index(name)
        assert np.array_equal(part.network.table(place), whole.network.table(there))
        assert np.isnan(part.network.table(place, 1)).all()
        to, source = part.network.offsets[place], whole.network.offsets[there]
        size = part.network.patterns[place].size
        assert np.array_equal(part.memory[to : to + size], whole.memory[source : source + size])
        assert whole.memory[source : source + size].any()
    assert (part.network.table(0) == 2.5).all()
    assert not part.memory[: part.network.patterns[0].size].any()
    assert not part.memory[part.network.stage_size :].any()
    assert part.before == whole.before == [{"method": "tc:1", "games": 100}]


def test_several_networks_are_averaged(tmp_path: Path) -> None:
    paths = [trained(tmp_path, "0123 0145", seed) for seed in (1, 2, 3)]
    alone = [begun("0123 0145", path)[0] for path in paths]
    mean, words = begun("0123 0145", *paths)
    assert words == ""
    expected = average([one.network for one in alone])
    assert np.array_equal(mean.network.weights, expected.weights)
    sums = np.mean([one.memory.astype(np.float64) for one in alone], axis=0)
    assert np.allclose(mean.memory, sums, atol=0.01)
    assert sums.any()
    earlier = {"method": "tc:1", "games": 100}
    assert mean.before == [earlier] * 3 + [{"method": "mean of 3 networks", "games": 0}]


def test_missing_sums_start_from_zero(tmp_path: Path) -> None:
    paths = [trained(tmp_path, "0123", 1), trained(tmp_path, "0123", 2, "td")]
    mean, _ = begun("0123", *paths)
    assert mean.network.weights.any()
    assert not mean.memory.any()


def test_networks_that_cannot_start_a_run(tmp_path: Path) -> None:
    path = trained(tmp_path, "0123")
    with pytest.raises(InvalidNetwork, match=r"expected 0124 for 3x4, .* to start from, got 0123"):
        begun("0124", path)
    with pytest.raises(InvalidNetwork, match="expected networks that differ only in their weights"):
        begun("0123", path, trained(tmp_path, "0123 0145"))
