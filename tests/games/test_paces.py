"""Paces of autoplay."""

from types import SimpleNamespace

import pytest

from twofold.games import mover
from twofold.games.mover import PACES, SpeedWindow, faster, next_due, slower


def test_paces_go_up_and_down() -> None:
    assert faster(8.0) == 12.0
    assert slower(8.0) == 6.0
    assert faster(PACES[-1]) is None
    assert faster(None) is None
    assert slower(None) == PACES[-1]
    assert slower(PACES[0]) == PACES[0]
    assert faster(7.0) == 8.0


def test_missed_moves_are_skipped() -> None:
    assert next_due(10.0, 4.0, 10.1) == 10.25
    assert next_due(10.0, 4.0, 99.0) == 99.0


def test_the_speed_is_that_of_the_last_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(mover, "time", SimpleNamespace(monotonic=lambda: now))
    window = SpeedWindow()
    assert window.speed == 0.0
    for number in range(41):
        now = 100.0 + number * (0.1 if number <= 20 else 0.05)
        window.mark(number)
        if number == 20:
            assert window.speed == pytest.approx(10)
    window.clear()
    window.mark(50)
    assert window.speed == 0.0
