"""After its server is killed and restarted, a page continues, and no move is lost."""

import time
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import LAPTOP, PATIENCE_MS, Served, drawn, serve_apart, visit
from tests.web.replayed import replayed
from twofold.play.game_file import INDEX_TAGS
from twofold.records.record import Record, format_record

LETTERS = "lurd" * 6
KEYS = {"l": "ArrowLeft", "u": "ArrowUp", "r": "ArrowRight", "d": "ArrowDown"}


@pytest.mark.promise("R69")
def test_a_page_goes_on_where_it_was(browser: Browser, tmp_path: Path) -> None:
    with serve_apart(tmp_path, "greedy") as first, visit(browser, first, LAPTOP) as found:
        page, port = found.page, int(first.url.rpartition(":")[2])
        page.locator(".tile").first.wait_for()
        game = game_of(page)
        for letter in LETTERS:
            page.keyboard.press(KEYS[letter])
        letters = replayed(LETTERS, first.ask(f"/api/games/{game}")["seed"])
        wait_for_moves(page, first, letters)
        file = tmp_path / "games" / f"{game}.2048"
        while not file.exists():
            drawn(page)
        first.process.kill()
        first.process.wait()
        lose_moves(file, keep=3)
        with serve_apart(tmp_path, "greedy", port) as second:
            assert second.token == first.token  # so that nobody has to sign in
            wait_for_moves(page, second, letters)
            assert game_of(page) == game
            second.process.kill()
            second.process.wait()
        file.unlink()  # as if none of it had been saved
        with serve_apart(tmp_path, "greedy", port) as third:
            wait_for_moves(page, third, letters)
        assert game_of(page) != game


def lose_moves(file: Path, keep: int) -> None:
    """Shorten the record of a game by some moves, as after a crash."""
    record = Record.parse(file.read_text(encoding="utf-8"))
    tags = {name: text for name, text in record.tags.items() if name not in INDEX_TAGS}
    less = replace(record, moves=record.moves[:keep], final=None, score=None, result="", tags=tags)
    file.write_text(format_record(less), encoding="utf-8")


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
