"""Accuracy of moves and games."""

import pytest

from twofold.games.judge import (
    MAX_STAKE,
    MIN_STAKE,
    GameAccuracy,
    game_accuracy,
    label_of,
    move_accuracy,
    stake_of,
)


@pytest.mark.parametrize(
    ("ratio", "label"),
    [
        (1 - 1e-10, "best"),
        (1 - 1e-9, "fine"),
        (0.99, "fine"),
        (0.975, "inaccuracy"),
        (0.9, "mistake"),
        (0.8999, "blunder"),
    ],
)
def test_labels(ratio: float, label: str) -> None:
    assert label_of(ratio) == label


def test_accuracy_of_a_move_ends_where_moves_are_terrible() -> None:
    assert move_accuracy(1.0) == pytest.approx(100)
    assert move_accuracy(0.75) == pytest.approx(0, abs=1e-9)
    assert move_accuracy(0.5) == 0
    falling = [move_accuracy(1 - lost / 100) for lost in range(25)]
    assert falling == sorted(falling, reverse=True)
    assert 40 < move_accuracy(0.95) < 60


def test_the_stake_is_what_a_random_move_loses() -> None:
    assert stake_of([1.0, 0.9]) == pytest.approx(5)
    assert stake_of([1.0, 1.0, 1.0]) == MIN_STAKE
    assert stake_of([1.0, 0.1]) == MAX_STAKE


def test_accuracy_of_a_game() -> None:
    assert game_accuracy([(100.0, 1.0)] * 5) == pytest.approx(100)
    assert game_accuracy([(80.0, 1.0), (80.0, 12.0)]) == pytest.approx(80)
    weighted, harmonic = (100 * 1 + 50 * 3) / 4, 2 / (1 / 100 + 1 / 50)
    assert game_accuracy([(100.0, 1.0), (50.0, 3.0)]) == pytest.approx((weighted + harmonic) / 2)


def test_the_accuracy_of_a_game_grows_move_by_move() -> None:
    game = GameAccuracy()
    assert game.percent is None
    moves = [(100.0, 0.5), (37.5, 12.0), (0.0, 3.0), (99.9, 1.0)]
    for count, (accuracy, stake) in enumerate(moves, 1):
        game.add(accuracy, stake)
        assert game.percent == game_accuracy(moves[:count])
    assert game_accuracy([(100.0, 0.7)] * 12_345) == 100
