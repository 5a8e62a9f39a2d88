"""Paces and keys."""

import pytest

from twofold.play.paces import PACES, faster, slower
from twofold.rules import Move
from twofold.tui.keys import COMMON_KEYS, PLAY_KEYS, REVIEW_KEYS, WATCH_KEYS, Key, help_rows
from twofold.tui.lines import fitting
from twofold.tui.numbers import format_pace


def test_paces_go_up_and_down() -> None:
    assert faster(8.0) == 12.0
    assert slower(8.0) == 6.0
    assert faster(PACES[-1]) is None
    assert faster(None) is None
    assert slower(None) == PACES[-1]
    assert slower(PACES[0]) == PACES[0]
    assert faster(7.0) == 8.0


def test_a_pace_in_words() -> None:
    assert format_pace(8.0) == "8 moves/s"
    assert format_pace(None) == "as fast as it can"


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_no_key_does_two_things(keys: tuple[Key, ...]) -> None:
    every = [key for one in keys for key in one.every]
    assert len(every) == len(set(every))


def test_letters_work_in_both_cases() -> None:
    (left,) = [key for key in PLAY_KEYS if key.action == f"move('{Move.LEFT.letter}')"]
    assert list(left.every) == ["left", "a", "A", "h", "H"]


def test_the_help_names_each_thing_once() -> None:
    rows = help_rows(PLAY_KEYS)
    assert len(rows) == len(set(rows))
    assert rows[0] == ("arrows, WASD, HJKL", "move")


@pytest.mark.parametrize("width", [10, 20, 40, 80, 200])
@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_as_many_keys_are_named_as_fit(keys: tuple[Key, ...], width: int) -> None:
    chosen = fitting(keys, width)
    text = "  ".join(f"{key.shown.partition(',')[0]} {key.brief}" for key in chosen)
    assert len(text) <= width
    if width >= 20:
        assert {key for key in COMMON_KEYS if key.brief} <= set(chosen)
