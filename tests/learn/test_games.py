"""Whole training runs equal naive ones that play the same games from the same dice.

Weights begin at random, so that hardly any two choices are worth the same: rounding then changes
no move. Where it could, a test fails and says so.
"""

from typing import Any

import numpy as np
import pytest

from tests.learn.games import random_start, settings_of
from tests.learn.naive import NaiveTraining, start_of, table_of
from twofold.kernels import updates as at
from twofold.learn.training import Training

TOLERANCE = 3e-6
"""Of weights after many games, relative to the largest."""

CLOSEST = 1e-5
"""Choices are at least so far apart, relative to their size."""


LARGE_SPAWNS = ((2, 0.5), (32768, 0.5))

RUNS: dict[str, dict[str, Any]] = {
    "td": {"shape": (4, 4), "games": 2, "schedule": "td"},
    "backward tc": {
        "shape": (4, 4), "games": 2, "schedule": "tc:0.9", "order": "backward",
    },
    "delayed tc(lambda)": {
        "shape": (3, 3), "games": 6, "schedule": "tc:0.9", "lambda_": 0.5,
    },
    "backward td(lambda)": {
        "shape": (3, 3), "games": 6, "schedule": "td", "lambda_": 0.7, "steps": 3,
        "order": "backward",
    },
    "n-step td": {"shape": (3, 3), "games": 6, "schedule": "td", "lambda_": 1.0},
    "16-step td": {"shape": (3, 3), "games": 6, "schedule": "td", "lambda_": 1.0, "steps": 16},
    "phases with restarts": {
        "shape": (2, 3), "games": 30, "schedule": "tc:0.9@50%,tc:0.8@50%", "restart": 5,
    },
    "restart": {"shape": (3, 4), "games": 4, "schedule": "td", "restart": 10},
    "late backward restart": {
        "shape": (2, 3), "games": 30, "schedule": "tc:0.9", "restart": 6, "restart_at": 0.75,
        "order": "backward",
    },
    "stages": {"shape": (3, 3), "games": 6, "schedule": "td", "stages": (8, 24, 48)},
    "backward stages": {
        "shape": (2, 3), "games": 30, "schedule": "tc:0.9", "stages": (16, 32), "order": "backward",
    },
    "carousel": {
        "shape": (2, 3), "games": 280, "schedule": "td", "stages": (16, 32), "carousel": True,
    },
    "backward carousel": {
        # The last stage is never reached: after the second comes the first again.
        "shape": (2, 2), "games": 500, "schedule": "td", "stages": (8, 128), "carousel": True,
        "order": "backward",
    },
    "bands": {
        "shape": (3, 3), "games": 30, "schedule": "td", "bands": (40, 99, 160, 10_000),
        "band_share": 0.6,
    },
    "backward bands": {
        "shape": (2, 3), "games": 90, "schedule": "tc:0.9", "bands": (20, 40), "stages": (16,),
        "band_share": 1.0, "order": "backward",
    },
    "three start tiles": {"shape": (3, 3), "games": 8, "schedule": "td", "start_tiles": 3},
    "past 32768": {"shape": (2, 2), "games": 150, "schedule": "td", "spawn": LARGE_SPAWNS},
    "backward past 32768": {
        "shape": (2, 2), "games": 150, "schedule": "tc:0.9", "spawn": LARGE_SPAWNS, "lambda_": 0.5,
        "order": "backward",
    },
    "downgraded": {
        "shape": (3, 3), "games": 60, "schedule": "td", "spawn": ((2, 0.5), (256, 0.5)),
        "downgrade": 512,
    },
    "backward downgraded": {
        "shape": (3, 3), "games": 60, "schedule": "tc:0.9", "spawn": ((4, 0.5), (512, 0.5)),
        "downgrade": 768, "order": "backward", "restart": 5,
    },
    "restart past 32768": {
        "shape": (2, 3), "games": 50, "schedule": "td", "spawn": LARGE_SPAWNS, "restart": 3,
        "seed": 3,
    },
}  # fmt: skip


@pytest.mark.promise("R10")
@pytest.mark.parametrize("name", RUNS)
def test_training_equals_the_naive_one(name: str) -> None:
    run = dict(RUNS[name])
    games = run.pop("games")
    settings = settings_of(**run)
    training = Training(settings, games=games)
    random_start(training)
    twin = NaiveTraining(settings, games, start_of(training.network))
    if settings.carousel:  # soon another stage's turn
        training.workers[0].words[at.CAROUSEL_LEFT] = twin.turn_left = 30
    training.run()
    twin.run()
    assert twin.closest > CLOSEST, "rounding could have changed a move: choose another seed"
    compare(training, twin)


def compare(training: Training, twin: NaiveTraining) -> None:
    """The same games, weights and sums."""
    assert training.is_finished
    assert list(training.curve.recent) == [(score, top) for score, _, top in twin.results]
    assert training.moves == twin.moves
    assert training.updates == twin.learner.updates
    network = training.network
    largest = max(abs(weight) for table in twin.network.weights for weight in table.values())
    for stage, table in enumerate(twin.network.weights):
        for (pattern, seen), weight in table.items():
            found = table_of(network, pattern, stage)[seen]
            assert abs(found - weight) <= TOLERANCE * largest
        assert stage == 0 or np.isfinite(network.weights[stage]).sum() == len(table)
    sums = twin.learner.sums
    assert (training.memory[:, 1] != 0).sum() == len(sums)
    largest = max([sizes for _, sizes in sums.values()], default=0.0)
    for (stage, (pattern, seen)), both in sums.items():
        start = network.offsets[pattern] + stage * network.stage_size
        sums_of_table = training.memory[start : start + network.patterns[pattern].size]
        found_sums = sums_of_table.reshape(*table_of(network, pattern).shape, 2)[seen]
        assert np.abs(found_sums - both).max() <= TOLERANCE * largest


def test_optimism_is_the_value_of_every_board_at_first() -> None:
    settings = settings_of((3, 3), "td", optimism=1234.5)
    training = Training(settings, games=3)
    assert (training.network.weights == np.float32(1234.5 / 16)).all()
    noise = np.random.default_rng(1).normal(0, 1, training.network.stage_size)
    training.network.weights[0] += noise.astype(np.float32)
    twin = NaiveTraining(settings, 3, start_of(training.network))
    training.run()
    twin.run()
    assert twin.closest > CLOSEST
    compare(training, twin)


def test_learning_from_nothing_equals_the_naive_one() -> None:
    """All boards have the value 0 at first: the first of equal moves is made."""
    settings = settings_of((4, 4), "td")
    training, twin = Training(settings, games=2), NaiveTraining(settings, 2)
    training.run()
    twin.run()
    compare(training, twin)


@pytest.mark.parametrize("carousel_count", [1, 999, 1000, 2345])
def test_games_begin_from_the_last_thousand_afterstates(carousel_count: int) -> None:
    settings = settings_of((2, 3), "td", stages=(16,), carousel=True)
    training = Training(settings, games=30)
    random_start(training)
    twin = NaiveTraining(settings, 30, start_of(training.network))
    rng = np.random.default_rng(carousel_count)
    kept = [(*rng.integers(0, 3, 4).tolist(), 4, 0) for _ in range(carousel_count)]
    ring = training.carousel[1]
    ring[0] = carousel_count
    for number, cells in enumerate(kept):
        ring[1 + number % at.CAROUSEL_SIZE] = bits_of(cells)
    twin.kept[1] = list(kept)
    training.workers[0].words[at.CAROUSEL_LEFT] = twin.turn_left = 1
    training.run()
    twin.run()
    compare(training, twin)
    assert ring[0] == len(twin.kept[1])
    assert len(twin.results) < 30


def bits_of(cells: tuple[int, ...]) -> int:
    """The 64 bits of a board of 2x3."""
    places = [60 - 4 * (4 * (cell // 3) + cell % 3) for cell in range(6)]
    return sum(exponent << place for exponent, place in zip(cells, places, strict=True))
