"""After its server is stopped or killed and restarted, a page continues; no move is lost."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.games.kept_games import overwrite, saved
from tests.support.browser import (
    ARROWS,
    LAPTOP,
    PATIENCE_MS,
    Served,
    Visit,
    drawn,
    replayed,
    serve,
    visit,
)
from tests.support.servers import running
from twofold.games.store import GameStore
from twofold.web.security import kept_token

LETTERS = "lurd" * 6


@pytest.mark.promise("R69")
def test_a_page_goes_on_where_it_was(browser: Browser, tmp_path: Path, stack: ExitStack) -> None:
    """After its server was killed; and where none of its game had been saved."""
    process, access, _ = stack.enter_context(running(tmp_path, "--player", "greedy"))
    first = Served(f"http://127.0.0.1:{access.port}", access.token, tmp_path)
    found = stack.enter_context(visit(browser, first, LAPTOP))
    found.open("/", ".tile")
    game, folder = found.game, tmp_path / "games"
    for letter in LETTERS:
        found.page.keyboard.press(ARROWS[letter])
    letters = replayed(LETTERS, first.ask(f"/api/games/{game}")["seed"])
    wait_for_moves(found, first, letters)
    while saved(folder, game) is None:
        drawn(found.page)
    process.kill()
    process.wait()
    assert kept_token(tmp_path) == first.token  # so that nobody has to sign in
    lose_moves(folder, game, keep=3)
    with serve(tmp_path, "greedy", first) as second:
        wait_for_moves(found, second, letters)
        assert found.game == game
    GameStore(folder).delete(game)  # as if none of it had been saved
    with serve(tmp_path, "greedy", first) as third:
        wait_for_moves(found, third, letters)
    assert found.game != game


def lose_moves(folder: Path, game: str, keep: int) -> None:
    """Shorten the record of a game by some moves, as after a crash."""
    record = saved(folder, game)
    assert record is not None
    less = replace(record, moves=record.moves[:keep], final=None, score=None, result="")
    overwrite(folder, game, less)


def wait_for_moves(found: Visit, served: Served, letters: str) -> None:
    """Wait until the server has these moves of the page's game."""
    page = found.page
    page.evaluate("window.dispatchEvent(new Event('online'))")  # so that it tries at once
    end = time.monotonic() + PATIENCE_MS / 1000
    made = ""
    while made != letters:
        assert time.monotonic() < end, f"expected {letters}, got {made}"
        drawn(page)
        game, games = found.game, {one["game"] for one in served.ask("/api/games")}
        made = str(served.ask(f"/api/games/{game}")["moves"]) if game in games else ""


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Holds what stays until the end of a test, beside a server that ends before."""
    with ExitStack() as found:
        yield found


def served_page(
    browser: Browser, folder: Path, stack: ExitStack
) -> tuple[ExitStack, Served, Visit]:
    """A server that ends when the first of the three is closed, and a page of it that stays."""
    server = stack.enter_context(ExitStack())
    served = server.enter_context(serve(folder, "greedy"))
    found = stack.enter_context(visit(browser, served, LAPTOP))
    found.open("/", ".tile")
    return server, served, found


def test_moves_that_waited_are_neither_told_nor_hinted_at(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    server, first, found = served_page(browser, tmp_path, stack)
    page = found.page
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    seed = first.ask(f"/api/games/{found.game}")["seed"]
    wait_for_moves(found, first, replayed("lu", seed))
    page.keyboard.press("i")
    wait_for_hints(found, first, 1)
    server.close()
    expect(page.locator(".status-line")).to_be_visible()
    for key in ARROWS.values():
        page.keyboard.press(key)
    second = server.enter_context(serve(tmp_path, "greedy", first))
    wait_for_moves(found, second, replayed("lulurd", seed))
    score = page.locator(".score dd").first.inner_text()
    said = page.locator("div[role=status][aria-live]")
    expect(said).to_contain_text(f"Board of 4 rows and 4 columns. Score {score},")
    wait_for_hints(found, second, 2)
    server.close()
    answers: list[str | bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda one: answers.append(one)))
    third = server.enter_context(serve(tmp_path, "greedy", first))
    wait_for_moves(found, third, replayed("lulurd", seed))
    while not any('"type":"analysis"' in str(one) for one in answers):
        drawn(page)
    wait_for_hints(found, third, 2)  # the board is the same


def test_moves_alone_count_as_moves_that_wait(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    """An undo or a new game that waits for the server is said, too."""
    server, _, found = served_page(browser, tmp_path, stack)
    page, line = found.page, found.page.locator(".play-line")
    server.close()
    expect(page.locator(".status-line")).to_be_visible()
    other = "No connection: this is done once the server is back."
    for key, words in (
        ("u", other),
        ("ArrowLeft", "No connection: one move is waiting."),
        ("n", other),
    ):
        page.keyboard.press(key)
        expect(line).to_have_text(words)


def test_a_player_that_ended_with_its_server_is_told(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    server, first, found = served_page(browser, tmp_path, stack)
    page = found.page
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


def wait_for_hints(found: Visit, served: Served, count: int) -> None:
    """Wait until the page's game has this number of positions with hints, not more."""
    game, hints = found.game, -1
    end = time.monotonic() + PATIENCE_MS / 1000
    while hints < count:
        assert time.monotonic() < end, f"expected {count}, got {hints}"
        drawn(found.page)
        hints = {one["game"]: one["hints"] for one in served.ask("/api/games")}.get(game, -1)
    assert hints == count


def test_analysis_without_its_server_shows_no_values_of_another_position(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    server, first, found = served_page(browser, tmp_path, stack)
    page = found.page
    found.open("/analyse#board=0012/0124/1356/2479", ".analysis[data-state=final]")
    grades, note = page.locator(".analysis-moves [data-grade]"), page.locator(".analysis-note")
    expect(grades).not_to_have_count(0)
    server.close()
    expect(page.locator(".status-line")).to_be_visible()
    page.keyboard.press("Shift+ArrowLeft")
    expect(note).to_have_text("Connection lost. Reconnecting…")
    expect(grades).to_have_count(0)
    for name in (".analysis-thinking", ".analysis-line"):
        expect(page.locator(name)).to_be_hidden()
    server.enter_context(serve(tmp_path, "greedy", first))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(grades).not_to_have_count(0)
    expect(note).to_have_count(0)


def test_what_failed_is_done_once_the_server_is_back(
    browser: Browser, tmp_path: Path, stack: ExitStack
) -> None:
    """An answer of a puzzle, the check of a new job, and the page that is opened meanwhile."""
    server, first, found = served_page(browser, tmp_path, stack)
    practice, lab, games = (stack.enter_context(visit(browser, first, LAPTOP)) for _ in range(3))
    practice.open("/practice", ".quiz-move:not(:disabled)")
    lab.open("/lab", ".jobs")
    lab.page.get_by_role("button", name="New job").click()
    command = lab.page.locator(".jobs-command pre")
    expect(command).to_be_visible()
    games.open("/", ".tile")
    server.close()
    for one in (practice, lab, games):
        expect(one.page.locator(".status-line")).to_be_visible()
    practice.page.locator(".quiz-move:not(:disabled)").first.click()
    lab.page.get_by_label("Seed").fill("7")
    lost = "The connection to the server was lost. Try again in a moment."
    faults = [one.page.get_by_text(lost) for one in (practice, lab)]
    for fault in faults:
        expect(fault).to_be_visible()
    games.page.locator(".site-nav a[href='/games']").click()
    said = games.page.locator("div[role=status][aria-live]")
    expect(said).to_have_text("The twofold server is not running")
    server.enter_context(serve(tmp_path, "greedy", first))
    for one in (practice, lab, games):
        one.page.evaluate("window.dispatchEvent(new Event('online'))")
    for fault in faults:
        expect(fault).to_have_count(0)
    expect(practice.page.locator(".quiz-verdict")).to_be_visible()
    expect(command).to_contain_text("--seed 7")
    expect(said).to_be_empty()
    expect(found.page.locator(".status-line")).to_be_hidden()
