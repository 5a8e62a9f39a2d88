"""The driver on correct pages: one like the original, and others."""

import asyncio

import pytest
from playwright.async_api import Page

from tests.cli.stage import Played, Stage
from twofold import Budget
from twofold.cli.browser import read_selectors
from twofold.cli.drive import PageFollower

PLAYER = "expectimax:eval=rows,ply=1"
NAMES = ("up", "right", "down", "left")
KEYS = [f"keys.{name}={key}" for name, key in zip(NAMES, "wdsa", strict=True)]
BUTTONS = [f"buttons.{name}=[data-go='{key}']" for name, key in zip(NAMES, "0123", strict=True)]


def is_whole(played: Played) -> bool:
    """True if a move of the driver explained every board of the game."""
    return played.error == "" and played.follower.breaks == played.follower.followed == 0


@pytest.mark.parametrize("fault", ["", "hostile"])
def test_a_game_is_played_to_its_end(stage: Stage, fault: str) -> None:
    found = stage.play(f"original.html?seed=3&size=2&{fault}")
    assert is_whole(found)
    assert found.driver.page.kind == "original"
    assert found.driver.ending == "no move is left"
    assert found.follower.board.is_over
    if fault != "hostile":
        assert found.points == str(found.follower.score)


def test_play_goes_on_after_the_win_and_stops_at_a_tile(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&goal=8", stop_at=32)
    assert is_whole(found)
    assert found.driver.ending == "the tile 32 is reached"


def test_a_page_that_answers_late_is_waited_for(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&lag=30", PLAYER, stop_at=8, budget=Budget(nodes=100))
    assert is_whole(found)


def test_the_pace_is_kept(stage: Stage) -> None:
    found = stage.play("original.html?seed=3", stop_at=8, pace=20)
    assert is_whole(found)
    seconds = found.driver.last_at - found.driver.first_at
    assert seconds >= (found.follower.made - 1) / 20


def test_a_move_made_by_hand_is_followed(stage: Stage) -> None:
    async def touch(page: Page, follower: PageFollower) -> None:
        while follower.made < 2:
            await asyncio.sleep(0.01)
        moves = follower.board.legal_moves()
        await page.keyboard.press(f"Arrow{moves[0].name.capitalize()}")

    found = stage.play("original.html?seed=3", meanwhile=touch, stop_at=16, pace=1)
    assert (found.error, found.follower.followed, found.follower.breaks) == ("", 1, 0)


def test_a_new_game_by_hand_is_followed(stage: Stage) -> None:
    async def restart(page: Page, follower: PageFollower) -> None:
        while follower.made < 3:
            await asyncio.sleep(0.01)
        await page.evaluate("localStorage.clear(); score = 0; moves = 0; begin()")

    found = stage.play("original.html?seed=3", meanwhile=restart, stop_at=16, pace=20)
    assert (found.error, found.follower.breaks) == ("", 1)
    assert (found.follower.score or 0) < 100


def test_a_page_that_loads_itself_anew_is_read_again(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&reload=4", stop_at=16)
    assert found.error == ""
    assert found.driver.ending == "the tile 16 is reached"


def test_a_game_in_a_frame_of_another_site_is_found(stage: Stage) -> None:
    game = f"{stage.site.replace('127.0.0.1', 'localhost')}/original.html?seed=3"
    for address in (game, "original.html?seed=3"):
        found = stage.play(f"framed.html?game={address}", stop_at=8)
        assert is_whole(found)


@pytest.mark.parametrize(
    "more",
    [
        [],
        ["value=attribute:data-exponent", "numbers=exponents"],
        ["value=class:n", "numbers=exponents", *BUTTONS],
        ["tiles=#floor .brick", "place=box", "board=#floor"],
    ],
    ids=["text", "attribute", "class and buttons", "boxes"],
)
def test_a_page_of_any_make_is_played_by_selectors(stage: Stage, more: list[str]) -> None:
    usual = ["tiles=#cells .cell", "score=#points", "over=#end", "won=#hurray", "keep_going=#more"]
    told = read_selectors([*usual, *KEYS, *more])
    found = stage.play("cells.html?seed=3&goal=2", told=told, stop_at=8)
    assert is_whole(found)
    assert found.follower.score


def test_a_board_of_another_shape_is_played_to_its_end(stage: Stage) -> None:
    shape = ["tiles=#cells .cell", "rows=3", "cols=2"]
    told = read_selectors([*shape, "over=#end"])
    found = stage.play("cells.html?rows=3&cols=2", told=told, patience=0.1)
    assert "expected the board to change after" in found.error  # arrows are not its keys
    told = read_selectors([*shape, *KEYS])
    found = stage.play("cells.html?rows=3&cols=2&seed=2", told=told)
    assert is_whole(found)
    assert found.follower.board.shape == (3, 2)
    assert found.follower.board.is_over
    assert found.follower.score is None
