"""Keys: what each does, and how the screens name them."""

import pytest
from textual.binding import Binding

from twofold.cli.tui.screen import (
    COMMON_KEYS,
    PLAY_KEYS,
    REVIEW_KEYS,
    WATCH_KEYS,
    _sign,
    fitting,
    help_rows,
)
from twofold.game.rules import Move


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_no_key_does_two_things(keys: tuple[Binding, ...]) -> None:
    every = [key for one in keys for key in one.key.split(",")]
    assert len(every) == len(set(every))


def test_letters_work_in_both_cases() -> None:
    (left,) = [key for key in PLAY_KEYS if key.action == f"move('{Move.LEFT.letter}')"]
    assert left.key == "left,a,A,h,H"


def test_the_help_names_each_thing_once() -> None:
    rows = help_rows(PLAY_KEYS)
    assert len(rows) == len(set(rows))
    assert rows[0] == ("arrows, WASD, HJKL", "move")


@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_the_help_names_every_key(keys: tuple[Binding, ...]) -> None:
    """But those for moves, `=` for `+`, and a key that few terminals can tell from Ctrl-Z."""
    for one in keys:
        named = {key.lower() for key in one.key.split(",")} - {"equals_sign", "ctrl+shift+z"}
        shown = (one.key_display or "").split(", ")
        assert one.action.startswith("move") or len(named) == len(shown)


@pytest.mark.parametrize("width", [10, 20, 40, 80, 200])
@pytest.mark.parametrize("keys", [PLAY_KEYS, WATCH_KEYS, REVIEW_KEYS])
def test_as_many_keys_are_named_as_fit(keys: tuple[Binding, ...], width: int) -> None:
    chosen = fitting(keys, width)
    text = "  ".join(f"{_sign(one)} {one.description}" for one in chosen)
    assert len(text) <= width
    if width >= 20:
        assert {one for one in COMMON_KEYS if one.description} <= set(chosen)
