"""The driver on faulty pages: it continues if it can, else one sentence says why."""

import asyncio
import re
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from playwright.async_api import Page

from tests.cli.stage import Stage
from twofold.cli.browser import ORIGINAL, ByMove, Selectors, find_game
from twofold.cli.drive import PageFollower
from twofold.errors import PageError

pytestmark = pytest.mark.promise("R23c")


@pytest.mark.parametrize("popup", ["notice", "consent", "dialog"])
def test_a_known_popup_is_closed_and_nothing_agreed_to(stage: Stage, popup: str) -> None:
    found = stage.play(f"original.html?seed=3&popup={popup}", stop_at=8, patience=0.1)
    assert found.error == ""
    assert len(found.driver.popups) == 1
    assert found.title != "agreed"
    assert found.follower.breaks == 0


def test_an_unknown_popup_is_named(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&popup=stranger", stop_at=8, patience=0.1)
    assert found.error.startswith("expected the board to change after ")
    assert "the board is covered by '<div#advert.popup> Buy now" in found.error
    assert found.error.isprintable()


def test_a_board_that_changes_by_itself_is_taken_as_it_is(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&wild=3", stop_at=16)
    assert (found.error, found.follower.breaks) == ("", 1)
    assert found.follower.game.can_undo


def test_keys_without_effect_end_play(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&deaf=0", patience=0.1)
    assert re.search("expected the board to change after .*, got no change in 0.1 s$", found.error)


def test_a_board_that_keeps_changing_ends_play(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&mad", patience=0.3)
    assert found.error == ("expected a stable board, got one that keeps changing, for 0.3 s")


def test_a_board_that_disappears_ends_play(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&torn=3", patience=0.2)
    assert found.error == (
        "expected tiles in 4 rows and 4 columns, got one in row 9, column 9, for 0.2 s"
    )


def test_a_page_that_reports_the_end_is_believed(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&over=3")
    assert found.error == ""
    assert found.driver.ending == "the page says that the game is over"
    assert found.follower.made >= 3


def test_a_win_that_cannot_be_left_ends_the_game(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&goal=8&stuck", patience=0.2)
    assert found.error == "expected the page to continue after the win, got no change"


def test_a_tab_that_is_closed_is_lost(stage: Stage) -> None:
    async def close(page: Page, follower: PageFollower) -> None:
        while follower.made < 2:
            await asyncio.sleep(0.01)
        await page.close()

    for pace in (None, 5.0):
        found = stage.play("original.html?seed=3", own=True, meanwhile=close, pace=pace)
        assert found.error == "expected the game to stay open, got a closed tab"
        assert found.follower.game.can_undo


def test_a_page_that_crashes_is_lost(stage: Stage) -> None:
    async def crash(page: Page, follower: PageFollower) -> None:
        while follower.made < 2:
            await asyncio.sleep(0.01)
        session = await page.context.new_cdp_session(page)
        await session.send("Page.crash")

    found = stage.play("original.html?seed=3", own=True, meanwhile=crash, pace=20)
    assert found.error == "expected the game to stay open, got a crash of the page"


def test_a_page_that_hangs_times_out(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&hang=3", own=True, answer_seconds=5.0)
    assert found.error == "expected an answer from the page within 5 s, got none"
    assert found.follower.made == 2


ATTACKS = {
    "alert on each key,print,downloads,permissions": "",
    "the history,leaves for a file,closes itself,rows that grow": "",
    "loads itself at each key": "",
    "another size at each key": "",
    "names that hide functions": "",
    "alerts without end": "expected an answer from the page within 0.5 s, got none",
    "writes without end": "expected an answer from the page within 0.5 s, got none",
    "a form that hides its parent": "expected an answer from the page within 0.5 s, got none",
    "leaves for nowhere": "expected (a board on the page|the board to change)",
    "leaves for another site": "expected a board on the page, got none, for 0.1 s",
    "writes itself away": "expected (a board on the page|the board to change)",
    "ends and does not": "expected the game to continue, got a page that keeps reporting",
    "is won again and again": "expected the (game|page) to continue",
    "tile 3": "expected a tile that is 0 or a power of two from 2 to 2.35, got 3, for 0.1 s",
    "tile 10^30": "expected a number on the page, got '1e.30', for 0.1 s",
}
"""Names of attacks in `pages/attacks.js`, and the error that ends play, if any."""

SEEN_BY_CHANCE = {"ends and does not": "the page says that the game is over"}
"""Another possible end, if each look at the page happens to find the same."""

HEAVY_ATTACKS = [
    "windows",
    "alerts",
    "the console",
    "a loop in a key",
    "loads itself without end",
    "a million nodes",
    "a million tiles",
    "a long text",
    "frames in frames",
    "many frames",
]
"""Attacks that take a browser seconds, or end in one of several ways."""


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_pages_end_play_with_one_sentence_at_most(stage: Stage, attack: str) -> None:
    ends = ATTACKS[attack]
    found = stage.play(
        f"original.html?seed=3&attack={quote(attack)}",
        own=True,
        stop_at=8,
        patience=0.1 if ends else 3.0,
        answer_seconds=0.5 if "answer" in ends else 30.0,
    )
    if attack in SEEN_BY_CHANCE and not found.error:
        assert found.driver.ending == SEEN_BY_CHANCE[attack]
        return
    assert bool(found.error) is bool(ends), found.error
    assert re.match(ends, found.error)
    assert found.error or found.driver.ending == "the tile 8 is reached"


@pytest.mark.long
@pytest.mark.parametrize("attack", HEAVY_ATTACKS)
def test_an_exhausted_browser_ends_with_one_sentence(stage: Stage, attack: str) -> None:
    found = stage.play(
        f"original.html?seed=3&attack={quote(attack)}",
        own=True,
        stop_at=8,
        patience=1.0,
        answer_seconds=3.0,
    )
    assert found.error.startswith("expected ") or found.driver.ending == "the tile 8 is reached"
    assert found.error.isprintable()
    assert len(found.error) < 500


GAMELESS = (
    (ORIGINAL, "with tiles of a class such as tile-position-1-1"),
    (Selectors(tiles=".tile"), "tiles '.tile' on the page within 0 s, got none (expected 16 cells"),
    (Selectors(tiles="no,,such"), "not a valid selector"),
    (Selectors(tiles=".tile", place="box", board="#none"), "(expected a board '#none'"),
)


def test_a_page_without_a_game_is_told_what_was_looked_for(stage: Stage) -> None:
    async def look() -> None:
        async with stage.page("empty.html") as page:
            for told, wanted in GAMELESS:
                with pytest.raises(PageError, match=re.escape(wanted)):
                    await find_game(page, told, 0.0)

    stage.run(look())


def test_unknown_keys_and_buttons_are_reported(stage: Stage) -> None:
    told = Selectors(tiles="#cells .cell")
    for selectors, fault in (
        (replace(told, keys=ByMove(*["no such key"] * 4)), "expected to press the key"),
        (replace(told, buttons=ByMove(*["#none"] * 4)), "expected a button '#none'"),
    ):
        found = stage.play("cells.html", told=selectors)
        assert fault in found.error


def test_an_error_of_the_player_ends_the_game(stage: Stage) -> None:
    found = stage.play("original.html?size=5", "it3105-snake")
    assert "5x5" in found.error
