"""Watching in the app: pause, steps, looking back, pace, taking over."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.cli.driving import Driven, drive, note_of, plays, text_of, until, until_shown
from tests.support.asked import Failing, Last
from twofold import Analysis, Board, Game, Player, Rules
from twofold.cli.tui.game_screen import PlayScreen, WatchScreen
from twofold.cli.tui.picture import ENDS
from twofold.games.live_game import LiveGame
from twofold.games.shared_game import SharedGame

pytestmark = pytest.mark.usefixtures("folder")


def sum_of(board: Board) -> int:
    return sum(map(sum, board.tiles))


class Counting(Last):
    """Says as many nodes as the sum of the tiles, which tells positions apart."""

    def analyse(self, board: Board, *_: Any, **__: Any) -> Analysis:
        return replace(super().analyse(board), nodes=sum_of(board))


def watching(
    game: Game | None = None, player: Callable[[], Player] = Last, pace: float | None = 60.0
) -> WatchScreen:
    live = LiveGame(game or Game(Rules.parse("6x6"), seed=1), None)  # it goes on for long
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
        await pilot.press("left", "right")
        assert number_of(pilot) == number + 2
        await pilot.press("space")
        await until(pilot, lambda: number_of(pilot) > number + 2)

    drive(screen, act)


def test_looking_back_shows_the_values_and_changes_nothing() -> None:
    screen = watching(player=Counting)

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: number_of(pilot) > 5)
        await pilot.press("left")
        with screen.shared.held() as game:
            last, board, looked_at = game.move_number, game.board, game.steps[-4].board
        assert f"{last - 1:,} of {last:,}" in text_of(pilot)
        walk = screen._walk
        await pilot.press("left", "left")
        assert screen._walk is walk, "a long game would be copied at every key"
        text = text_of(pilot)
        assert f"{last - 3:,} of {last:,}" in text
        assert f"1 ply, {sum_of(looked_at)} nodes" in text
        assert "values, points" in text
        await pilot.press("right")
        assert f"{last - 2:,} of {last:,}" in text_of(pilot)
        await pilot.press("end")
        assert number_of(pilot) == last
        with screen.shared.held() as game:
            assert (game.board, game.undos) == (board, 0)

    drive(screen, act)


def test_the_review_begins_at_the_position_looked_at() -> None:
    screen = watching()

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: number_of(pilot) > 5)
        await pilot.press("left", "left")
        with screen.shared.held() as game:
            last = game.move_number
        await pilot.press("r")
        await until_shown(pilot, "twofold  review")
        assert f"{last - 2:,} of {last:,}" in text_of(pilot)

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
        await pilot.press("left")
        assert "0 of 1" in text_of(pilot)

    drive(watching(Game.from_board(Board.parse("1x3:122"), Rules.parse("1x3"), 1)), act)


def test_taking_over_from_a_position_looked_at() -> None:
    screen = watching()

    async def act(pilot: Driven) -> None:
        await until(pilot, lambda: number_of(pilot) > 5)
        await pilot.press("left", "left")
        with screen.shared.held() as game:
            number = game.move_number - 2
        await pilot.press("t")
        await until_shown(pilot, "twofold  play")
        assert number_of(pilot) == number
        played = pilot.app.screen
        assert isinstance(played, PlayScreen)
        await pilot.press("p")
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
