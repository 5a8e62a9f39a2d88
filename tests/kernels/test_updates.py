"""Single updates of weights equal those on dictionaries."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.kernels.drivers import learn_one, played_boards, to_bits
from tests.learn.naive import Learner, symmetric, table_of, twin_of
from twofold.game.board import Board
from twofold.game.rules import Rules
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training
from twofold.values.network import Network

COUNT = 1_000
TOLERANCE = 1e-6

NETWORKS: dict[str, tuple[str, tuple[int, int], tuple[int, ...]]] = {
    # name: patterns, shape, stages
    "4x5": ("4x5", (4, 4), ()),
    "2x4, stages": ("2x4", (4, 4), (64, 192)),
    "3x3": ("01234 358", (3, 3), ()),
    "2x3, stages": ("01234", (2, 3), (16, 32)),
}


@pytest.mark.promise("R10")
@pytest.mark.parametrize("method", ["td", "tc"])
@pytest.mark.parametrize("name", NETWORKS)
def test_updates_equal_those_on_dictionaries(
    name: str, method: Literal["td", "tc"], figure: Callable[[str], None]
) -> None:
    patterns, shape, stages = NETWORKS[name]
    settings = TrainingSettings(
        patterns=patterns, rules=Rules(*shape), stages=stages, schedule=parse_schedule(method)
    )
    training = Training(settings)
    worker, network = training.workers[0], training.network
    worker.begin(settings.schedule[0], 0)
    twin = twin_of(network)
    learner = Learner(twin, method, settings.schedule[0].rate)
    boards = played_boards(COUNT, *shape, seed=3)
    targets = np.random.default_rng(5).uniform(-500, 2000, COUNT)
    for cells, bits, target in zip(boards, to_bits(boards, *shape), targets, strict=True):
        learn_one(worker.words, bits, target)
        learner.update(tuple(cells.tolist()), target)
    assert training.updates == COUNT

    expected = Network(patterns, shape, stages=stages)
    for stage, table in enumerate(twin.weights):
        assert table
        for (pattern, seen), weight in table.items():
            table_of(expected, pattern, stage)[seen] = weight
    assert_near(network.weights, expected.weights)
    for column in range(2 * (method == "tc")):
        expected.weights[:] = 0
        for (stage, (pattern, seen)), sums in learner.sums.items():
            table_of(expected, pattern, stage)[seen] = sums[column]
        assert_near(training.memory[:, column].reshape(expected.weights.shape), expected.weights)

    found = network.values(Board(cells.tolist(), shape) for cells in boards)
    for value, cells in zip(found, boards.tolist(), strict=True):
        stage = twin.stage(tuple(cells))
        weights = [twin.weight(stage, feature) for feature in twin.features(tuple(cells))]
        assert abs(value - sum(weights)) <= TOLERANCE * sum(map(abs, weights))
    figure(f"{COUNT} updates of {method} on {name}: equal to 1e-6")


def assert_near(found: NDArray[Any], expected: NDArray[Any]) -> None:
    """Equal to 1e-6 of the largest, and untouched in the same places."""
    largest = np.nanmax(np.abs(expected))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * largest)
    assert np.array_equal(found == 0, expected == 0)


@pytest.mark.promise("R10")
@pytest.mark.parametrize("shape", [(4, 4), (3, 3), (2, 2), (3, 4), (2, 3), (4, 1)])
def test_symmetric_boards_have_equal_values(
    shape: tuple[int, int], figure: Callable[[str], None]
) -> None:
    cells = shape[0] * shape[1]
    rng = np.random.default_rng(cells)
    network = Network(f"{'0123456789abcdef'[: min(cells, 5)]} 02 13", shape)
    network.weights[:] = rng.normal(10, 5, network.weights.shape)
    for board in rng.integers(0, 16, (200, cells)).tolist():
        turned = symmetric(tuple(board), shape)
        values = network.values(Board(cells, shape) for cells in turned)
        assert len(values) == network.symmetries
        assert np.ptp(values) <= TOLERANCE * np.abs(values).max()
    figure(f"{network.symmetries} symmetries of 200 boards of {shape}: equal to 1e-6")
