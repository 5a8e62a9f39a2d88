"""Keys: what each does, and how the screens name them."""

import pytest

from twofold.cli.tui.screen import (
    COMMON_KEYS,
    PLAY_KEYS,
    REVIEW_KEYS,
    WATCH_KEYS,
    ScreenKey,
    fitting,
    help_rows,
)
from twofold.game.rules import Move


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_no_key_does_two_things(keys: tuple[ScreenKey, ...]) -> None:
    every = [key for one in keys for key in one.every]
    assert len(every) == len(set(every))


def test_letters_work_in_both_cases() -> None:
    (left,) = [key for key in PLAY_KEYS if key.action == f"move('{Move.LEFT.letter}')"]
    assert list(left.every) == ["left", "a", "A", "h", "H"]


def test_the_help_names_each_thing_once() -> None:
    rows = help_rows(PLAY_KEYS)
    assert len(rows) == len(set(rows))
    assert rows[0] == ("arrows, WASD, HJKL", "move")


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_the_help_names_every_key(keys: tuple[ScreenKey, ...]) -> None:
    """But those for moves, `=` for `+`, and a key that few terminals can tell from Ctrl-Z."""
    for one in keys:
        named = set(one.keys.split(",")) - {"equals_sign", "ctrl+shift+z"}
        assert one.action.startswith("move") or len(named) == len(one.shown.split(", "))


@pytest.mark.parametrize("width", [10, 20, 40, 80, 200])
@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_as_many_keys_are_named_as_fit(keys: tuple[ScreenKey, ...], width: int) -> None:
    chosen = fitting(keys, width)
    text = "  ".join(f"{key.shown.partition(',')[0]} {key.brief}" for key in chosen)
    assert len(text) <= width
    if width >= 20:
        assert {key for key in COMMON_KEYS if key.brief} <= set(chosen)
