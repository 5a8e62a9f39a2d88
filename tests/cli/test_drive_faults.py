"""The driver on real pages, right and faulty: it plays on, or one sentence says why."""

import asyncio
import re
from typing import Any, Final
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from playwright.async_api import Page

from tests.cli.stage import Played, Stage
from twofold import Budget
from twofold.cli.browser import ORIGINAL, ByMove, Selectors, find_game, read_selectors
from twofold.cli.drive import PageFollower
from twofold.errors import PageError

pytestmark = pytest.mark.promise("R23c")


def is_whole(played: Played) -> bool:
    """True if a move of the driver explained every board of the game."""
    return played.error == "" and played.follower.breaks == played.follower.followed == 0


IMPATIENT: Final = {"stop_at": 8, "patience": 0.1}
LATE: Final = {"player": "expectimax:eval=rows,ply=1", "stop_at": 8, "budget": Budget(nodes=100)}

WHOLE: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "original.html?seed=3&size=2": ({}, "no move is left"),
    "original.html?seed=3&size=2&hostile": ({}, "no move is left"),
    "original.html?seed=3&goal=8": ({"stop_at": 32}, "the tile 32 is reached"),
    "original.html?seed=3&lag=30": (LATE, "the tile 8 is reached"),
    "original.html?seed=3&popup=notice": (IMPATIENT, "the tile 8 is reached"),
    "original.html?seed=3&popup=consent": (IMPATIENT, "the tile 8 is reached"),
    "original.html?seed=3&popup=dialog": (IMPATIENT, "the tile 8 is reached"),
    "original.html?seed=3&over=3": ({}, "the page says that the game is over"),
    "framed.html?game=original.html?seed=3": ({"stop_at": 8}, "the tile 8 is reached"),
    "framed.html?game=http://localhost:PORT/original.html?seed=3": (
        {"stop_at": 8}, "the tile 8 is reached",
    ),
}  # fmt: skip
"""Pages whose every board is explained, with options of the driver, and the end of the game."""


@pytest.mark.parametrize("page", WHOLE)
def test_a_page_is_played_to_its_end(stage: Stage, page: str) -> None:
    options, ending = WHOLE[page]
    found = stage.play(page.replace("PORT", stage.site.rpartition(":")[2]), **options)
    assert is_whole(found)
    assert found.driver.page.kind == "original"
    assert found.driver.ending == ending
    assert len(found.driver.page.popups) == ("popup" in page)
    assert found.title != "agreed"
    if "framed" not in page and "hostile" not in page:
        assert found.points == str(found.follower.score)


BROKEN: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "popup=stranger": (IMPATIENT, "expected the board to change after .*; the board is covered by "
                       "'<div#advert.popup> Buy now"),
    "deaf=0": ({"patience": 0.1}, "expected the board to change after .*, got no change in 0.1 s$"),
    "mad": ({"patience": 0.3}, "expected a stable board, got one that keeps changing, for 0.3 s"),
    "torn=3": ({"patience": 0.2}, "expected tiles in 4 rows and 4 columns, got one in row 9, "
               "column 9, for 0.2 s"),
    "goal=8&stuck": ({"patience": 0.2}, "expected the page to continue after the win, got no"),
    "hang=3": ({"own": True, "answer_seconds": 5.0},
               "expected an answer from the page within 5 s, got none"),
    "size=5": ({"player": "it3105-snake"}, ".*5x5"),
}  # fmt: skip
"""Faults of a page, with options of the driver, and the sentence."""


@pytest.mark.parametrize("fault", BROKEN)
def test_a_fault_ends_play_with_one_sentence(stage: Stage, fault: str) -> None:
    options, says = BROKEN[fault]
    found = stage.play(f"original.html?seed=3&{fault}", **options)
    assert re.match(says, found.error), found.error
    assert found.error.isprintable()
    if fault == "hang=3":
        assert found.follower.made == 2


@pytest.mark.parametrize("page", ["wild=3", "reload=4"])
def test_a_page_that_changes_by_itself_is_followed(stage: Stage, page: str) -> None:
    found = stage.play(f"original.html?seed=3&{page}", stop_at=16)
    assert (found.error, found.driver.ending) == ("", "the tile 16 is reached")
    assert page != "wild=3" or found.follower.breaks == 1
    assert found.follower.game.can_undo


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


NAMES = ("up", "right", "down", "left")
KEYS = [f"keys.{name}={key}" for name, key in zip(NAMES, "wdsa", strict=True)]
BUTTONS = [f"buttons.{name}=[data-go='{key}']" for name, key in zip(NAMES, "0123", strict=True)]


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
    (Selectors(tiles="no,,such"), "expected CSS in --selector"),
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
