"""The Practice page in a real Chromium."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.support.browser import ARROWS, Served, Visit, box_of, drawn, serve
from tests.support.endgame_tables import table_files as table_files  # a fixture
from twofold.games.mistakes import NAME, Mistake, MistakeList
from twofold.games.store import GAMES, GameStore
from twofold.tables import library

TABLE = "442-16"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, table_files: Path) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(table_files))
        with serve(tmp_path_factory.mktemp("games"), "greedy") as found:
            yield found


def endgame(served: Served, seed: int, moves: str = "") -> dict[str, Any]:
    """The last position of a practice game."""
    body = {"table": TABLE, "seed": str(seed), "moves": moves}
    found = served.ask("/api/practice/endgame", json.dumps(body).encode())
    position: dict[str, Any] = found["positions"][-1]
    return position


def with_mistake(served: Served) -> tuple[int, str, str]:
    """A seed whose first board has a bad move that does not end play; that and the best move."""
    for seed in range(200):
        chances = zip(endgame(served, seed)["chances"], "urdl", strict=True)
        legal = sorted((one, letter) for one, letter in chances if one)
        (least, bad), (most, best) = legal[0], legal[-1]
        if least < 0.9 * most and endgame(served, seed, bad)["status"] == "going":
            return seed, bad, best
    raise AssertionError("no board with a bad move")


def grid(page: Page) -> list[str]:
    """The cells of the board, as screen readers read them."""
    return [one.get_attribute("aria-label") or "" for one in page.get_by_role("gridcell").all()]


def expect_board(page: Page, board: str) -> None:
    """Wait for the board, as screen readers read it."""
    for cell, digit in enumerate(board.replace("/", "")):
        tile = "empty" if digit == "0" else str(2 ** int(digit, 36))
        words = f"row {cell // 4 + 1}, column {cell % 4 + 1}: {tile}"
        expect(page.get_by_role("gridcell").nth(cell)).to_have_attribute("aria-label", words)


def figure(page: Page, name: str) -> Locator:
    return page.locator(f".review-figure:has(dt:text-is('{name}')) dd")


def test_an_endgame_is_played_and_a_mistake_taken_back(
    laptop: Visit, phone: Visit, served: Served
) -> None:
    seed, bad, best = with_mistake(served)
    for visit in (phone, laptop):
        visit.open(f"/practice?part=endgames&table={TABLE}&seed={seed}", ".tile")
        page = visit.page
        expect(page.locator(".practice-state")).to_contain_text("Best play makes it with a chance")
        visit.check()
    page.keyboard.press(ARROWS[bad])
    expect(page.locator(".practice-mistakes li")).to_have_count(1)
    expect(page.locator(".practice-state")).to_contain_text("lowered the chance")
    expect(figure(page, "Best moves")).to_have_text("0 %")
    expect(figure(page, "Goodness of fit")).to_have_text(re.compile(r"^0\.[0-9]{3}$"))
    expect(page.locator(".chance-row.is-best .chance-value")).to_have_text(re.compile(r"%$"))
    laptop.check()
    page.get_by_role("button", name="Try again from move 1").click()
    expect(page.locator(".practice-mistakes li")).to_have_count(0)
    expect_board(page, endgame(served, seed)["board"])
    page.keyboard.press(ARROWS[best])
    expect(figure(page, "In a row")).to_have_text("1")
    page.goto(f"{served.url}/practice?part=endgames")  # it goes on where it was left
    expect(figure(page, "In a row")).to_have_text("1")
    expect_board(page, endgame(served, seed, best)["board"])


def test_chances_are_shown_when_the_person_wants_them(laptop: Visit, served: Served) -> None:
    seed, bad, _ = with_mistake(served)
    laptop.open(f"/practice?part=endgames&table={TABLE}&seed={seed}", ".tile")
    page, best = laptop.page, laptop.page.locator(".chance-row.is-best")
    expect(best).to_have_count(0)
    page.get_by_label("Show the chances").select_option("before each move")
    expect(best).not_to_have_count(0)
    page.get_by_label("Show the chances").select_option("at the end only")
    page.locator("h1").click()
    page.keyboard.press(ARROWS[bad])
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(best).to_have_count(0)
    expect(page.locator(".practice-mistakes li")).to_have_count(0)
    while page.locator(".practice-state.good, .practice-state.bad").count() == 0:
        # None may be enabled, for the answer to the last one may be about to end it.
        page.evaluate("document.querySelector('.chance-row:enabled')?.click()")
        laptop.rest()
    expect(page.locator(".practice-mistakes li")).not_to_have_count(0)  # now it is told


def test_mistakes_come_back_until_they_are_solved(
    laptop: Visit, phone: Visit, served: Served
) -> None:
    seed, bad, _ = with_mistake(served)
    body = {"table": TABLE, "seed": str(seed), "moves": bad}
    served.ask("/api/practice/mistake", json.dumps(body).encode())
    for visit in (phone, laptop):
        visit.open("/practice?part=mistakes", ".tile")
        expect(visit.page.locator(".quiz-prompt")).to_have_text("Your move?")
        visit.check()
    page, left = laptop.page, int(served.ask("/api/notebook")["open"])
    for _ in range(2 * left):
        shown = "".join(one.rpartition(": ")[2].rjust(6) for one in grid(page))
        asked = next(one for one in mistakes(served) if shown_as(one.board) == shown)
        page.keyboard.press(ARROWS[asked.best])
        expect(page.locator(".quiz-verdict.good")).to_contain_text("is the best move")
        page.get_by_role("button", name="Next position").click()
        expect(page.get_by_role("button", name="Next position")).to_be_hidden()
    assert served.ask("/api/notebook")["open"] == 0 < left
    expect(page.get_by_text("All solved. Well done!")).to_be_visible()
    laptop.check()


def mistakes(served: Served) -> list[Mistake]:
    with closing(GameStore(served.folder / GAMES)) as store:
        return store.practised(NAME, MistakeList).mistakes


def shown_as(board: str) -> str:
    tiles = ["empty" if one == "0" else str(2 ** int(one, 36)) for one in board.replace("/", "")]
    return "".join(tile.rjust(6) for tile in tiles)


def test_the_puzzle_of_the_day_is_solved_once(laptop: Visit, phone: Visit, served: Served) -> None:
    today = served.ask("/api/puzzles")["today"]
    puzzle = served.ask(f"/api/puzzles/{today}")
    laptop.open("/practice#day", ".tile")
    laptop.page.keyboard.press(ARROWS[puzzle["best"]])
    expect(laptop.page.locator(".quiz-verdict.good")).to_contain_text("Correct: ")
    expect(laptop.page.locator(".practice-streak")).to_have_text("1 day in a row")
    laptop.check()
    phone.open("/practice?part=puzzle", ".tile")
    expect(phone.page.locator(".quiz-verdict.good")).to_be_visible()
    phone.page.get_by_role("button", name="Day before").click()
    expect(phone.page.locator(".quiz-prompt")).to_have_text("Your move?")
    moves = phone.page.get_by_role("group", name="Choose a move").get_by_role("button")
    assert len({box_of(one)["y"] for one in moves.all()}) == 1
    phone.check()


def test_puzzles_come_one_after_the_other_with_a_rating(
    laptop: Visit, phone: Visit, served: Served
) -> None:
    for visit in (phone, laptop):
        visit.open("/practice", ".tile")
        expect(visit.page.locator(".practice-progress")).to_contain_text("1200")
        visit.check()
    page, first = laptop.page, served.ask("/api/puzzle")["puzzle"]
    page.keyboard.press(ARROWS[first["best"]])
    expect(page.locator(".quiz-verdict.good")).to_contain_text("Correct: ")
    expect(page.locator(".practice-progress")).to_contain_text("1 right in a row")
    laptop.check()
    page.get_by_role("button", name="Next puzzle").click()
    expect(page.locator(".quiz-prompt")).to_have_text("Your move?")
    second = served.ask("/api/puzzle")["puzzle"]
    assert second["number"] != first["number"]
    wrong = next(
        letter
        for letter, value in zip("urdl", second["values"], strict=True)
        if value is not None and letter != second["best"]
    )
    page.keyboard.press(ARROWS[wrong])
    expect(page.locator(".quiz-verdict.bad")).to_contain_text("is better: ")
    for said in page.locator(".quiz-values li").all():
        expect(said).to_contain_text(re.compile("best|points$|about the same$"))
    expect(page.locator(".practice-progress")).to_contain_text("1 of 2 solved, longest streak 1")
    page.get_by_role("button", name="What is this: Your rating?").click()
    expect(page.get_by_text("Puzzles and you have ratings")).to_be_visible()


def test_a_table_is_built_from_the_page(laptop: Visit) -> None:
    page, posted = laptop.page, list[Any]()
    job: dict[str, Any] = {
        "id": "j1",
        "kind": "table",
        "title": "Endgame table 442-64",
        "command": "",
    }
    job |= {"state": "running", "progress": 0.5, "left": None, "stopping": False}

    def answer(route: Route) -> None:
        if route.request.url.endswith("/limits"):
            route.fallback()
        elif route.request.method == "POST":
            posted.append(route.request.post_data_json)
            route.fulfill(json={"job": "j1"})
        else:
            route.fulfill(json=[job] if posted else [])

    page.route("**/api/jobs**", answer)
    laptop.open("/practice?part=endgames", "summary")
    page.get_by_text("Build a table").click()
    page.get_by_role("button", name="Build 442-64").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.5")
    expect(page.get_by_role("button", name="Stop")).to_be_focused()
    assert posted == [{"kind": "table", "table": "442-64"}]
    laptop.check()
    page.unroute("**/api/jobs**")


def test_what_is_wrong_or_not_ready_is_said(laptop: Visit) -> None:
    """A board that cannot be read; a table that is still opened, and those that are damaged."""
    page = laptop.page
    laptop.open(f"/practice?part=endgames&table={TABLE}&seed=1&board=xyz", "main")
    told = page.get_by_text("The board in this link cannot be read: xyz. This is not a board")
    expect(told).to_be_visible()
    laptop.faults.clear()  # the browser's own note of the refusal
    held = list[Route]()
    page.route("**/api/practice/endgame", lambda route: held.append(route))
    laptop.open(f"/practice?part=endgames&table={TABLE}&seed=1", ".practice-state")
    expect(page.locator(".practice-state")).to_contain_text("Getting ready")
    while not held:
        drawn(page)
    held[0].continue_()
    page.unroute("**/api/practice/endgame")
    expect(page.locator(".practice-state")).to_contain_text("Best play makes it with a chance")
    damaged = library.tables_folder() / "442-64.twofold-table"
    damaged.write_text("no table")
    laptop.open("/practice?part=endgames", ".tile")
    notice = page.locator(".error", has_text="The endgame table 442-64 cannot be used")
    expect(notice).to_contain_text("twofold tables remove 442-64")
    laptop.check()
    damaged.unlink()
