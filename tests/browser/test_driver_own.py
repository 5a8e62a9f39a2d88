"""The driver on the page of `twofold serve`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import stage as stage_module
from tests.browser.stage import Played, Stage, play_page
from tests.play.kept_games import record_of
from tests.support.browser import PATIENCE_MS, Served, serve
from twofold.browser.pages import kinds
from twofold.errors import PageError


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of the web app."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serve(folder, "greedy") as found:
        yield found


def play(stage: Stage, served: Served, rules: str) -> Played:
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
    found = play(stage, served, "2x2 goal=8")
    assert found.error == ""
    assert found.driver.page.name == "twofold"
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
    found = play(stage, served, "2x3 goal=8 stop=goal")
    assert found.error == ""
    assert found.ending == "the page says that the game is over"
    assert found.follower.board.max_tile == 8
