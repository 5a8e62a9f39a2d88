"""Watching in the app: pause, steps, pace, taking over."""

import re
from collections.abc import Callable

import pytest

from tests.cli.driving import Driven, drive, note_of, plays, text_of, until, until_shown
from tests.support.asked import Failing, Last
from twofold import Board, Game, Player, Rules
from twofold.cli.tui.game_screen import PlayScreen, WatchScreen
from twofold.cli.tui.picture import ENDS
from twofold.games.live_game import LiveGame
from twofold.games.shared_game import SharedGame

pytestmark = pytest.mark.usefixtures("folder")


def watching(
    game: Game | None = None, player: Callable[[], Player] = Last, pace: float | None = 60.0
) -> WatchScreen:
    live = LiveGame(game or Game(Rules.parse("6x6"), seed=1))  # it goes on for long
    return WatchScreen(SharedGame(live, lambda _: player(), pace, "last:of=all"))


def number_of(pilot: Driven) -> int:
    """The move number on the screen."""
    found = re.search(r"move +([\d,]+)", text_of(pilot))
    assert found, text_of(pilot)
    return int(found[1].replace(",", ""))


def test_the_player_plays_at_once_pauses_and_goes_on() -> None:
    screen = watching()

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: number_of(pilot) > 3)
        text = text_of(pilot)
        assert text.startswith("twofold  last:of=all")
        for word in ("score", "largest", "elapsed", "moves/s", "values, points", "1 ply"):
            assert word in text
        assert note_of(pilot) == ENDS
        await pilot.press("space")
        await until_shown(pilot, "paused; Space goes on")
        with screen.shared.held() as game:
            number = game.move_number
        await pilot.pause(0.05)
        assert number_of(pilot) == number
        assert re.search(r"pace +60 moves/s", text_of(pilot))
        for step in (1, 2):
            await pilot.press("right")
            await until(pilot, lambda step=step: number_of(pilot) == number + step)  # type: ignore[misc]
        await pilot.press("left")
        await until_shown(pilot, "twofold  review")
        assert f"{number + 1:,} of {number + 2:,}" in text_of(pilot)
        await pilot.press("escape", "space")
        await until(pilot, lambda: number_of(pilot) > number + 2)

    drive(screen, act)


def test_faster_slower_and_as_fast_as_it_can() -> None:
    screen = watching(Game(seed=1))

    async def act(pilot: Driven) -> None:
        paces = []
        for key in ("minus", "plus", "equals_sign", "f", "f", "f"):
            await pilot.press(key)
            paces.append(screen.shared.pace)
        assert paces == [40.0, 80.0, 150.0, None, 150.0, None]
        await until(pilot, lambda: screen.shared.now.is_finished)

    drive(screen, act)


def test_the_end_is_announced() -> None:
    async def act(pilot: Driven) -> None:
        await until_shown(pilot, "game over: 8 points. Q ends with a summary.")

    drive(watching(Game.from_board(Board.parse("1x3:122"), Rules.parse("1x3"), 1)), act)


def test_taking_over() -> None:
    screen = watching()

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: number_of(pilot) > 5)
        await pilot.press("t")
        await until_shown(pilot, "twofold  play")
        played = pilot.app.screen
        assert isinstance(played, PlayScreen)
        await pilot.press("u", "p")
        assert plays(screen)
        await pilot.press("left", "up", "right", "down")
        assert not plays(screen)
        assert played.kept.player == "last:of=all + me"

    drive(screen, act)


def test_a_player_that_fails_ends_it() -> None:
    screen = watching(player=Failing)

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: pilot.app.return_value is not None)

    assert drive(screen, act).return_value is False
