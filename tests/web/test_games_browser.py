"""My games and the daily game in a real Chromium."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.games.kept_games import record_of
from tests.support.browser import LAPTOP, Served, Visit, drawn, first_moves
from twofold.game.formats import format_game
from twofold.game.record import Record
from twofold.games import daily
from twofold.games.store import GameStore

PLAYER = "expectimax:eval=rows,ply=1"
DAY = date(2026, 11, 23)
NAME = "daily-2026-11-23"
QUICK = "4x4 goal=16"


SHIFTS = """() => new Promise(done => { let sum = 0;
    new PerformanceObserver(list => list.getEntries().forEach(one => { sum += one.value; }))
        .observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => done(sum))); })"""


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "today", lambda: DAY)


@pytest.fixture
def filled(served: Served) -> Served:
    """A server with some games of every kind, and the daily game but for its last move."""
    for seed in range(6):
        game = first_moves(seed=seed)
        served.keep(Record.from_game(game, player="me", date=f"2026-11-0{seed + 1}"))
    helped = Record.from_game(first_moves(seed=7), player="me", date="2026-11-08", hints=4)
    served.keep(replace(helped, undos=2))
    served.keep(first_moves(seed=8), player="me + greedy")
    for seed in (11, 12):
        served.keep(first_moves(rules=QUICK, seed=seed))
    store = GameStore(served.folder / "games")
    if NAME not in store:
        game = first_moves(seed=daily.seed_of(DAY))
        game.cut(game.move_number - 1)
        begun = daily.new_record(DAY, "2026-11-23T10:00:00+00:00")
        record = Record.from_game(game, player="me", date=begun.date, tags=begun.tags)
        store.save(NAME, record, 1.0)
    return served


def least_shift(one: Visit, path: str) -> float:
    """How far the page moves while it opens, the least of up to three times.

    On a busy machine a frame may be drawn before the style of the page is there; a page that
    moves by itself does so each time.
    """
    least = float(one.page.evaluate(SHIFTS))
    for _ in range(2):
        if least >= 0.02:
            one.page.goto(one.served.url + path)
            one.page.locator(".my-figures").first.wait_for()
            one.rest()
            least = min(least, float(one.page.evaluate(SHIFTS)))
    return least


def test_everybody_can_read_them(laptop: Visit, phone: Visit, filled: Served) -> None:
    for one, path in ((laptop, "/games"), (phone, "/games"), (phone, "/daily")):
        one.open(path, ".my-figures")
        one.check()
        assert least_shift(one, path) < 0.02
    laptop.open("/daily", ".my-figures")
    laptop.page.set_viewport_size({"width": 320, "height": 640})
    assert not laptop.is_too_wide()
    laptop.page.set_viewport_size(LAPTOP["viewport"])


def test_games_are_counted_searched_and_deleted(laptop: Visit, filled: Served) -> None:
    """The figures are those of what is chosen."""
    page = laptop.page
    laptop.open("/games", ".my-figures")
    games = page.locator(".my-figures dt:has-text('Games') + dd")
    expect(games).to_have_text("6")
    for chip in page.locator(".my-choice .chip").all():  # a tab counts what the list shows
        chip.click()
        count = chip.locator(".number").inner_text()
        expect(page.get_by_text(re.compile(f"^{count} games?$"))).to_be_visible()
    page.get_by_label("Rules").select_option(index=1)
    page.locator(".chip", has_text="By hand").click()
    expect(games).to_have_text("2")
    expect(page.locator(".game")).to_have_count(2)
    expect(page.locator(".my-figures dt:has-text('Streak to 16') + dd")).to_have_text("2")
    rates = page.get_by_role("table", name="Reach rates").get_by_role("row")
    expect(rates.last).to_contain_text("100.0 %2")
    page.get_by_label("Rules").select_option(index=0)
    page.locator(".chip", has_text="All saved games").click()
    page.get_by_label("Search").fill("2026-11-03")
    expect(page.locator(".game")).to_have_count(1)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("0 games", exact=True)).to_be_visible()
    page.get_by_label("Search").fill("")
    expect(page.locator(".game")).not_to_have_count(0)
    page.locator(".chip", has_text="By hand").click()
    expect(games).to_have_text("5")
    best = page.locator(".my-figures dt:has-text('Best') + dd").inner_text()
    page.get_by_label("Sort by").select_option(label="Highest score")
    game = page.locator(".game").first
    expect(game).to_contain_text(f"{best} points")
    game.get_by_role("button", name="Delete").click()
    game.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text(f"Best: {best}, in a game that has since been deleted")).to_be_visible()


def test_what_is_exported_is_imported_again(laptop: Visit, filled: Served, tmp_path: Path) -> None:
    page = laptop.page
    laptop.open("/games", ".game")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export all").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == "twofold-games.jsonl"
    lines = path.read_text(encoding="utf-8")
    count = lines.count("\n")
    assert count == len(filled.ask("/api/games"))
    path.write_text(lines + "torn\n" + format_game(record_of(5, seed=99), "jsonl"))
    text = tmp_path / "note.txt"
    text.write_text("hello")
    page.locator("input[type=file]").set_input_files([path, text])
    report = page.get_by_role("status").filter(has_text="game added")
    expect(report).to_contain_text(f"1 game added, {count} already saved. 2 could not be read:")
    expect(
        page.get_by_role("radio", name="All saved games")
    ).to_be_checked()  # the new one is listed
    unread = page.locator(".my-unread").first
    expect(unread).to_contain_text(f"twofold-games.jsonl, line {count + 1}: expected")
    expect(unread).to_contain_text(
        "note.txt, line 1: expected a game or a board in a known form, got"
    )


def test_the_daily_game_is_one_try_without_help(laptop: Visit, filled: Served) -> None:
    page = laptop.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    laptop.open("/daily", "#daily-day")
    expect(page.get_by_text("twofold play --seed 20261123")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("switch", name="Hints")).to_be_disabled()
    expect(page.locator("main")).to_be_focused()  # the space bar begins no other game
    for name in ("Undo", "Best move", "Autoplay"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    expect(page.get_by_label("Hints from")).to_be_disabled()
    expect(page.get_by_role("slider", name="Speed")).to_be_disabled()
    expect(page.locator(".help")).to_contain_text("One try: no undo, no hints, no autoplay.")
    for key in "ipu":
        page.keyboard.press(key)
    expect(page.locator(".toast")).to_contain_text("One try: no undo, no hints, no autoplay.")
    expect(page.get_by_role("switch", name="Hints")).not_to_be_checked()
    overlay = page.get_by_role("group", name="Game over")
    while not overlay.is_visible():
        laptop.press_arrows()
        laptop.rest()
    overlay.get_by_role("link", name="Daily result").click()
    page.get_by_role("button", name="Copy result").click()
    expect(page.locator(".toast")).to_contain_text("The result is copied.")
    (found,) = filled.ask("/api/daily")["tries"]
    assert (found["game"]["undos"], found["game"]["hints"]) == (0, 0)
    title, facts, *squares = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert title == "twofold daily 2026-11-23"
    assert facts.startswith(f"{found['game']['score']:,} points, largest tile")
    assert [len(row) for row in squares] == [4, 4, 4, 4]
    page.get_by_role("button", name="Day before").click()
    page.get_by_label("Date", exact=True).fill("2026-11-21")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".facts dt:has-text('Seed') + dd")).to_have_text("20261121")
    laptop.open("/daily?day=2026-11-21", ".daily-try")
    assert filled.ask("/api/daily")["tries"][1]["day"] == "2026-11-21"
    page.get_by_role("button", name=f"{found['game']['score']:,} points").click()
    expect(page.get_by_role("heading", name="November 23, 2026")).to_be_visible()


def test_a_running_import_counts_is_found_again_and_is_not_left_unasked(
    laptop: Visit, tmp_path: Path
) -> None:
    """After a part of 64 KiB the page counts, and another page does not hide the import."""
    games = "".join(format_game(record_of(5, seed=100 + seed), "jsonl") for seed in range(700))
    (tmp_path / "many.jsonl").write_text(games)
    page, held = laptop.page, list[Route]()

    def hold_the_second(route: Route) -> None:
        held.append(route)
        if len(held) != 2:
            route.continue_()

    page.route("**/api/import", hold_the_second)
    laptop.open("/games", "h1")
    page.locator("input[type=file]").set_input_files(tmp_path / "many.jsonl")
    status = page.locator(".my-games [role=status]").filter(has_text="added")
    counted = re.compile(r"Reading the file … [1-9][0-9]* games added, 0 already saved\.")
    expect(status).to_have_text(counted)
    with page.expect_event("dialog") as asked:
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    laptop.open("/learn", "article")
    laptop.open("/games", "h1")
    expect(status).to_have_text(counted)
    expect(page.get_by_role("button", name="Import")).to_be_disabled()
    laptop.open("/learn", "article")
    while len(held) < 2:
        drawn(page)
    held[1].continue_()
    expect(page.locator(".toast")).to_contain_text("700 games added, 0 already saved.")
    laptop.open("/games", ".my-figures")
    expect(status).to_have_text("700 games added, 0 already saved.")
    expect(page.get_by_role("button", name="Import")).to_be_enabled()
