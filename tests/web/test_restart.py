"""After its server is stopped or killed and restarted, a page continues; no move is lost."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.games.kept_games import saved
from tests.support.browser import LAPTOP, PATIENCE_MS, Served, drawn, serve, serve_apart, visit
from tests.web.replayed import replayed
from twofold.games.store import GameStore

expect.set_options(timeout=PATIENCE_MS)

LETTERS = "lurd" * 6
KEYS = {"l": "ArrowLeft", "u": "ArrowUp", "r": "ArrowRight", "d": "ArrowDown"}


@pytest.mark.promise("R69")
def test_a_page_goes_on_where_it_was(browser: Browser, tmp_path: Path) -> None:
    with serve_apart(tmp_path, "greedy") as first, visit(browser, first, LAPTOP) as found:
        page, port = found.page, int(first.url.rpartition(":")[2])
        found.open("/", ".tile")
        game = game_of(page)
        for letter in LETTERS:
            page.keyboard.press(KEYS[letter])
        letters = replayed(LETTERS, first.ask(f"/api/games/{game}")["seed"])
        wait_for_moves(page, first, letters)
        folder = tmp_path / "games"
        while saved(folder, game) is None:
            drawn(page)
        first.process.kill()
        first.process.wait()
        lose_moves(folder, game, keep=3)
        with serve_apart(tmp_path, "greedy", port) as second:
            assert second.token == first.token  # so that nobody has to sign in
            wait_for_moves(page, second, letters)
            assert game_of(page) == game
            second.process.kill()
            second.process.wait()
        GameStore(folder).delete(game)  # as if none of it had been saved
        with serve(tmp_path, "greedy", second) as third:
            wait_for_moves(page, third, letters)
        assert game_of(page) != game


def lose_moves(folder: Path, game: str, keep: int) -> None:
    """Shorten the record of a game by some moves, as after a crash."""
    row = saved(folder, game)
    assert row is not None
    record = row.read()
    less = replace(record, moves=record.moves[:keep], final=None, score=None, result="")
    assert row.save(less, 1.0, None) is None


def game_of(page: Page) -> str:
    """The id of the game on the page."""
    link = page.get_by_role("link", name="Download").get_attribute("href")
    assert link is not None
    return link.split("/")[3]


def wait_for_moves(page: Page, served: Served, letters: str) -> None:
    """Wait until the server has these moves of the page's game."""
    page.evaluate("window.dispatchEvent(new Event('online'))")  # so that it tries at once
    end = time.monotonic() + PATIENCE_MS / 1000
    while made(page, served) != letters:
        assert time.monotonic() < end, f"expected {letters}, got {made(page, served)}"
        drawn(page)


def made(page: Page, served: Served) -> str:
    game = game_of(page)
    games = {one["game"] for one in served.ask("/api/games")}
    return str(served.ask(f"/api/games/{game}")["moves"]) if game in games else ""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Holds what stays until the end of a test, beside a server that ends before."""
    with ExitStack() as found:
        yield found


def served_page(browser: Browser, folder: Path, stack: ExitStack) -> tuple[ExitStack, Served, Page]:
    """A server that ends when the first of the three is closed, and a page of it that stays."""
    server = stack.enter_context(ExitStack())
    served = server.enter_context(serve(folder, "greedy"))
    found = stack.enter_context(visit(browser, served, LAPTOP))
    found.open("/", ".tile")
    return server, served, found.page


def test_moves_that_waited_are_neither_told_nor_hinted_at(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    server, first, page = served_page(browser, tmp_path, stack)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    seed = first.ask(f"/api/games/{game_of(page)}")["seed"]
    wait_for_moves(page, first, replayed("lu", seed))
    page.keyboard.press("i")
    wait_for_hints(page, first, 1)
    server.close()
    expect(page.locator(".status-line")).to_be_visible()
    for key in KEYS.values():
        page.keyboard.press(key)
    second = server.enter_context(serve(tmp_path, "greedy", first))
    wait_for_moves(page, second, replayed("lulurd", seed))
    score = page.locator(".score dd").first.inner_text()
    said = page.locator("div[role=status][aria-live]")
    expect(said).to_contain_text(f"Board of 4 rows and 4 columns. Score {score},")
    wait_for_hints(page, second, 2)
    server.close()
    answers: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda one: answers.append(one)))
    third = server.enter_context(serve(tmp_path, "greedy", first))
    wait_for_moves(page, third, replayed("lulurd", seed))
    while not any('"type":"analysis"' in str(one) for one in answers):
        drawn(page)
    wait_for_hints(page, third, 2)  # the board is the same


def test_a_player_that_ended_with_its_server_is_told(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    server, first, page = served_page(browser, tmp_path, stack)
    page.get_by_role("button", name="Autoplay").click()
    expect(page.get_by_role("button", name="Take over")).to_be_visible()
    server.close()
    expect(page.locator(".status-line")).to_be_visible()
    server.enter_context(serve(tmp_path, "greedy", first))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    words = "The server was restarted: the player has stopped."
    expect(page.locator(".toast")).to_contain_text(words)
    said = page.locator("div[role=status][aria-live]")
    expect(said).to_contain_text(f"{words} Board of 4 rows")
    expect(page.get_by_role("button", name="Autoplay")).to_be_visible()


def wait_for_hints(page: Page, served: Served, count: int) -> None:
    """Wait until the page's game has this number of positions with hints, not more."""
    game, hints = game_of(page), -1
    end = time.monotonic() + PATIENCE_MS / 1000
    while hints < count:
        assert time.monotonic() < end, f"expected {count}, got {hints}"
        drawn(page)
        hints = {one["game"]: one["hints"] for one in served.ask("/api/games")}.get(game, -1)
    assert hints == count
