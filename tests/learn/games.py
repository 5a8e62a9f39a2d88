"""Settings and boards of training runs."""

from typing import Any

import numpy as np

from twofold.game.rules import Rules
from twofold.learn.settings import TrainingSettings, parse_schedule
from twofold.learn.training import Training

PATTERNS = {
    # Few cells, but so placed that only boards that are symmetric are worth the same.
    (4, 4): "01256 0459a",
    (3, 4): "01245 5689",
    (3, 3): "01345 2467",
    (2, 3): "0134 015",
    (2, 2): "013",
}


def settings_of(
    shape: tuple[int, int], schedule: str, start_tiles: int = 2, spawn: Any = None, **more: Any
) -> TrainingSettings:
    rules = Rules(*shape, spawn or Rules().spawn, start_tiles)
    usual: dict[str, Any] = {"patterns": PATTERNS[shape]}
    return TrainingSettings(rules=rules, schedule=parse_schedule(schedule), **(usual | more))


def random_start(training: Training) -> None:
    weights = training.network.weights
    weights[0] = np.random.default_rng(1).normal(20, 10, weights.shape[1])
