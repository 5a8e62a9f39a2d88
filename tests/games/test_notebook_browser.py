"""A replay in Chromium."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.support.browser import PATIENCE_MS, Chromium, violations
from twofold import Game, Record
from twofold.notebook import replay

expect.set_options(timeout=PATIENCE_MS)


def opened(browser: Browser, path: Path, page_html: str) -> Page:
    """A page with this content; any request fails."""
    path.write_text(page_html, encoding="utf-8")
    page = browser.new_page(color_scheme="dark", viewport={"width": 500, "height": 700})
    page.set_default_timeout(PATIENCE_MS)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    page.on("request", lambda one: faults.append(one.url))
    page.goto(path.as_uri())
    assert faults == [path.as_uri()]
    return page


def record() -> Record:
    game = Game(seed=3)
    for _ in range(40):
        game.play(game.legal_moves()[-1])
    comment = "<img src=x onerror=document.title='broken'>"
    return Record.from_game(game, player="<b>me</b>", comments={2: comment})


NOTE_MOVES = """() => {
    const facts = document.querySelector("#facts");
    window.shown = [];
    const note = () => window.shown.push(facts.textContent.split(" ")[1]);
    new MutationObserver(note).observe(facts, { childList: true });
}"""
"""Notes the number of each move that is shown from now on."""


def test_a_replay_is_walked_through(chromium: Chromium, tmp_path: Path) -> None:
    with chromium.lent() as browser:
        page = opened(browser, tmp_path / "game.html", replay(record()).html)
        walk(page, record().replay())
        page.close()


def walk(page: Page, game: Game) -> None:
    """Press every button, the keys and the slider."""
    facts, comment = page.locator("#facts"), page.locator("#comment")
    expect(facts).to_have_text("move 0 of 40 · start · 0 points")
    page.get_by_role("button", name="One move on").click()
    page.get_by_role("button", name="One move on").click()
    expect(facts).to_contain_text(f"move 2 of 40 · {game.moves[1].name.lower()} · ")
    expect(comment).to_have_text("<img src=x onerror=document.title='broken'>")
    tiles = [str(tile) for row in game.steps[1].board.tiles for tile in row if tile]
    assert [one for one in page.locator("#board text").all_text_contents() if one] == tiles
    slider = page.get_by_role("slider", name="Move number")
    slider.press("End")
    expect(facts).to_have_text(f"move 40 of 40 · left · {game.score} points")
    expect(page.get_by_role("button", name="End", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(facts).to_contain_text(re.compile(r"move ([1-9]|[123]\d) of 40"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Start", exact=True).click()
    expect(facts).to_contain_text("move 0 of 40")
    speed = page.get_by_label("Speed")
    speed.select_option("16x")
    page.keyboard.press("+")
    expect(speed).to_have_value("64")
    page.evaluate(NOTE_MOVES)
    page.get_by_role("button", name="Play").click()
    expect(facts).to_contain_text("move 40 of 40")
    assert page.evaluate("shown") == ["16", "32", "40"]  # boards of 16 moves each
    page.keyboard.press("-")
    expect(speed).to_have_value("16")
    assert violations(page) == []
    assert page.title().startswith("2048 game by <b>me</b>")
