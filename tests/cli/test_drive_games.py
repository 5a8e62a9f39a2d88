"""The driver on correct pages: one like the original, the page of `twofold serve`, and others."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.cli import stage as stage_module
from tests.cli.stage import BUSY_SECONDS, Played, Stage, play_page
from tests.games.kept_games import record_of
from tests.support.browser import PATIENCE_MS, Served, serve
from twofold.cli._driver import Driver, PageFollower
from twofold.cli.browser import kinds, read_selectors
from twofold.errors import PageError
from twofold.game.record import read_record, write_record

NAMES = ("up", "right", "down", "left")
KEYS = [f"keys.{name}={key}" for name, key in zip(NAMES, "wdsa", strict=True)]
BUTTONS = [f"buttons.{name}=[data-go='{key}']" for name, key in zip(NAMES, "0123", strict=True)]


def is_whole(played: Played) -> bool:
    """True if a move of the driver explained every board of the game."""
    return played.error == "" and played.follower.breaks == played.follower.followed == 0


@pytest.mark.parametrize("fault", ["", "unsaved", "undrawn", "hostile"])
def test_a_game_is_played_to_its_end(stage: Stage, fault: str) -> None:
    patience = 1.0 if fault == "undrawn" else BUSY_SECONDS
    found = stage.play(f"original.html?seed=3&size=2&{fault}", patience=patience)
    assert is_whole(found)
    assert found.driver.page.kind.name == "original"
    if fault == "undrawn":  # the original forgets a game that has ended
        assert found.ending == "no move is left on the board that the page shows"
        return
    assert found.ending == "no move is left"
    assert found.follower.board.is_over
    if fault != "hostile":
        assert found.points == str(found.follower.score)


def test_play_goes_on_after_the_win_and_stops_at_a_tile(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&goal=8", stop_at=32)
    assert is_whole(found)
    assert found.ending == "the tile 32 is reached"


def test_the_moves_seen_make_a_record(stage: Stage, tmp_path: Path) -> None:
    found = stage.play("original.html?seed=5&size=2&unsaved")
    record = found.follower.record(player="greedy", date="2048-01-31", tags={"Page": "here"})
    assert record is not None
    write_record(tmp_path / "game.2048", record)
    kept = read_record(tmp_path / "game.2048")
    assert (kept.seed, kept.score, kept.rules.shape) == (None, found.follower.score, (2, 2))
    assert kept.final == found.follower.board
    assert len(kept.spawns) == len(kept.moves) == found.follower.made


def test_a_page_that_answers_late_is_waited_for(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&lag=30", stop_at=8)
    assert is_whole(found)


def test_the_pace_is_kept(stage: Stage) -> None:
    found = stage.play("original.html?seed=3", stop_at=8, moves_per_second=20)
    assert is_whole(found)
    seconds = found.driver.last_at - found.driver.first_at
    assert seconds >= (found.follower.made - 1) / 20


def test_a_move_made_by_hand_is_followed(stage: Stage) -> None:
    async def touch(page: Page, driver: Driver, follower: PageFollower) -> None:
        while follower.made < 2:
            await asyncio.sleep(0.01)
        moves = follower.board.legal_moves()
        await page.keyboard.press(f"Arrow{moves[0].name.capitalize()}")

    found = stage.play("original.html?seed=3", meanwhile=touch, stop_at=16, moves_per_second=1)
    assert (found.error, found.follower.followed, found.follower.breaks) == ("", 1, 0)


def test_a_new_game_by_hand_is_followed(stage: Stage) -> None:
    async def restart(page: Page, driver: Driver, follower: PageFollower) -> None:
        while follower.made < 3:
            await asyncio.sleep(0.01)
        await page.evaluate("localStorage.clear(); score = 0; moves = 0; begin()")

    found = stage.play("original.html?seed=3", meanwhile=restart, stop_at=16, moves_per_second=20)
    assert (found.error, found.follower.breaks) == ("", 1)
    assert (found.follower.score or 0) < 100


def test_a_page_that_loads_itself_anew_is_read_again(stage: Stage) -> None:
    found = stage.play("original.html?seed=3&reload=4", stop_at=16)
    assert found.error == ""
    assert found.ending == "the tile 16 is reached"


def test_another_game_saved_by_the_same_site_is_not_believed(stage: Stage) -> None:
    cells = [[{"position": {"x": 0, "y": y}, "value": 4} for y in range(4)]] * 4
    other = json.dumps({"grid": {"size": 4, "cells": cells}, "score": 7})
    found = stage.play(f"original.html?seed=3&stale={other}", stop_at=8)
    assert is_whole(found)
    assert found.driver.page.source == "the tiles"


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
    told = read_selectors(None, [*usual, *KEYS, *more])
    found = stage.play("cells.html?seed=3&goal=2", wanted=tuple(kinds(selectors=told)), stop_at=8)
    assert is_whole(found)
    assert found.follower.score


def test_a_board_of_another_shape_is_played_to_its_end(stage: Stage) -> None:
    shape = ["tiles=#cells .cell", "rows=3", "cols=2"]
    told = read_selectors(None, [*shape, "over=#end"])
    found = stage.play(
        "cells.html?rows=3&cols=2", wanted=tuple(kinds(selectors=told)), patience=0.1
    )
    assert "expected the board to change after" in found.error  # arrows are not its keys
    told = read_selectors(None, [*shape, *KEYS])
    found = stage.play("cells.html?rows=3&cols=2&seed=2", wanted=tuple(kinds(selectors=told)))
    assert is_whole(found)
    assert found.follower.board.shape == (3, 2)
    assert found.follower.board.is_over
    assert found.follower.score is None


# ---- the page of `twofold serve`


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the web app."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serve(folder, "greedy") as found:
        yield found


def play_ours(stage: Stage, served: Served, rules: str) -> Played:
    """Play a game that begins under these rules."""
    game = served.keep(f'[Twofold "1"]\n[Rules "{rules}"]\n[Seed "7"]\n\n')

    async def drive() -> Played:
        async with stage.page("empty.html") as page:
            await page.goto(f"{served.url}/?token={served.token}")
            await page.goto(f"{served.url}/?game={game}")
            await page.locator(".board-tiles .tile").first.wait_for(timeout=PATIENCE_MS)
            return await play_page(page, wanted=tuple(kinds()))

    return stage.run(drive())


def test_our_own_page_is_played_past_the_win_to_the_end(stage: Stage, served: Served) -> None:
    found = play_ours(stage, served, "2x2 goal=8")
    assert found.error == ""
    assert found.driver.page.kind.name == "twofold"
    assert found.ending == "no move is left"
    assert found.follower.breaks == 0
    assert found.follower.score in [game["score"] for game in served.ask("/api/games")]


def test_a_kept_game_is_left_alone_and_the_player_is_named(stage: Stage, served: Served) -> None:
    kept = served.keep(str(record_of(1, rules="2x2 goal=8")))

    async def drive() -> str:
        async with stage.page("empty.html") as page:
            await page.goto(f"{served.url}/?token={served.token}")
            await page.goto(f"{served.url}/?game={kept}")
            await page.locator(".board-tiles .tile").first.wait_for(timeout=PATIENCE_MS)
            return (await play_page(page, wanted=tuple(kinds()), begin=True)).error

    assert stage.run(drive()) == ""
    games = {game["game"]: game for game in served.ask("/api/games")}
    assert games.pop(kept)["moves"] == 1
    driven = next(iter(games.values()))  # last played first
    assert (driven["player"], driven["kind"]) == ("greedy", "player")


def test_a_page_that_asks_for_the_token_says_so(
    stage: Stage, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage_module, "FIND_SECONDS", 0.0)

    async def drive() -> None:
        async with stage.page("empty.html") as page:
            await page.context.clear_cookies()
            await page.goto(served.url)
            await play_page(page, wanted=tuple(kinds()))

    with pytest.raises(PageError, match="asks for the token of its server"):
        stage.run(drive())


def test_a_game_that_stops_at_the_goal_is_over(stage: Stage, served: Served) -> None:
    found = play_ours(stage, served, "2x3 goal=8 stop=goal")
    assert found.error == ""
    assert found.ending == "the page says that the game is over"
    assert found.follower.board.max_tile == 8
