"""What people see on every screen: nothing is cut off, a win is announced, a paste is read.

Layout depends on the size of text: a window 1280 wide with text of twice the usual size is laid out
like one of 640. So small windows also test large text.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import (
    COUNT_NOTES,
    LAPTOP,
    PHONE,
    Served,
    Visit,
    drawn,
    press_arrows,
    visit,
)
from twofold import Board, Game, Rules
from twofold.game.record import Record

WINDOWS = {
    "a small phone": (320, 640),
    "text 1.5 times as large on a phone": (260, 560),
    "zoomed to 200 % on a laptop": (640, 430),
    "a large screen": (1920, 1080),
}
PAGES = {
    "/": ".tile",
    "/watch": ".tile",
    "/analyse#board=0012/0124/1356/2479": "table",
    "/games": "h1",
    "/daily": ".daily-day",
    "/lab": "h1",
}
CUT = """() => [...document.querySelectorAll("button, .button, .score, .analysis-value, output")]
    .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1)
    .map(one => one.textContent.trim())"""
"""The texts of controls and figures that are wider than their boxes."""
OVERLAP = """([first, second]) => {
    const [a, b] = [first, second].map(one => document.querySelector(one).getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""


@pytest.fixture
def window(laptop: Visit) -> Iterator[Visit]:
    """A page that may be made larger or smaller."""
    yield laptop
    laptop.page.set_viewport_size(LAPTOP["viewport"])


def resize(visit: Visit, size: tuple[int, int]) -> None:
    """Give the window a size, and wait until the page has taken note of it."""
    visit.page.set_viewport_size({"width": size[0], "height": size[1]})
    drawn(visit.page)


@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_cut_off(path: str, window: Visit) -> None:
    """On the smallest screen when the page opens, and on what it then becomes."""
    smallest, *_ = WINDOWS.values()
    resize(window, smallest)
    window.open(path, PAGES[path])
    for name, size in WINDOWS.items():
        resize(window, size)
        if path != "/watch":  # where tiles never rest
            window.rest()
        assert not window.is_too_wide(), name
        assert window.page.evaluate(CUT) == [], name
        if path == "/":
            assert not window.page.evaluate(OVERLAP, [".play-title", ".scores"]), name
            assert not window.page.evaluate(OVERLAP, [".controls", ".board"]), name


def test_long_words_fit_a_small_phone(browser: Browser, served: Served) -> None:
    """German ones beside each other, and a player's name of any length."""
    look = {**PHONE, "viewport": {"width": 320, "height": 640}, "locale": "de"}
    served.keep(str(Record.from_game(Game(seed=3), player="W" * 1_900)))
    with visit(browser, served, look) as found:
        found.open("/watch", ".tile")
        assert not found.is_too_wide()
        assert found.page.evaluate(CUT) == []
        found.open("/games", ".game")
        found.page.locator(".chip").last.click()  # all games
        expect(found.page.get_by_text("W" * 119 + "…")).to_be_visible()


def test_goals_are_those_that_a_board_can_reach(laptop: Visit) -> None:
    laptop.open("/", ".tile")
    laptop.page.get_by_role("button", name="Rules…").click()
    laptop.page.get_by_text("3×3 to 256").click()
    laptop.page.get_by_label("Rows").fill("2")
    assert laptop.page.get_by_label("Goal", exact=True).input_value() == "128"
    open_ones = "options => options.filter(one => !one.disabled).map(one => one.value)"
    goals = laptop.page.locator("#new-goal option").evaluate_all(open_ones)
    assert goals == ["4", "8", "16", "32", "64", "128"]


def test_who_wins_is_told_at_once_and_after_a_reload(laptop: Visit, served: Served) -> None:
    page, rules = laptop.page, Rules.parse("2x2 goal=4")
    game = served.keep(str(Record.from_game(Game.from_board(Board.parse("2x2:11/00"), rules, 1))))
    laptop.open(f"/?game={game}", ".tile")
    overlay = page.get_by_role("group", name="You win!")
    page.keyboard.press("ArrowLeft")
    expect(overlay).to_contain_text("4 reached with 4 points")
    expect(overlay.get_by_role("button", name="Keep going")).to_be_focused()
    overlay.get_by_role("link", name="Analyse").click()
    page.locator(".analysis-board").wait_for()
    page.locator(".site-nav").get_by_role("link", name="Play").click()
    expect(overlay).to_be_visible()
    page.reload()
    expect(overlay).to_be_visible()
    page.keyboard.press("Enter")
    expect(overlay).to_be_hidden()
    page.reload()
    expect(page.locator(".tile").first).to_be_visible()
    expect(overlay).to_be_hidden()


LAST_MOVE_WINS = {
    "en": ("8 reached, game over", "8 reached. Game over.", "goal reached, over"),
    "de": ("8 erreicht, Spiel vorbei", "8 erreicht. Spiel vorbei.", "Ziel erreicht, vorbei"),
    "es": ("8 alcanzado, fin de la partida", "Has llegado a 8. Fin", "alcanzado, terminada"),
    "zh": ("已合成 8，游戏结束", "合成了 8。游戏结束。", "已达成目标，已结束"),
}


@pytest.mark.parametrize("stop", ["never", "goal"])
def test_a_goal_made_by_the_last_possible_move_is_told_with_the_end(
    laptop: Visit, served: Served, stop: str
) -> None:
    """In the overlay, by sound, in the live region and in My games; after an undo, too."""
    page, game = laptop.page, Game(Rules.parse(f"2x2 goal=8 stop={stop}"), seed=332)
    for letter in "luuu":
        game.play(letter)
    name = served.keep(str(Record.from_game(game)))
    laptop.open("/", ".tile")
    for language, (title, said, status) in LAST_MOVE_WINS.items():
        settings = f"JSON.stringify({{ language: '{language}', sounds: true }})"
        page.evaluate(f"localStorage['twofold.settings'] = {settings}")
        laptop.open(f"/?game={name}", ".tile")
        page.locator("#facts-title").wait_for()
        page.evaluate(COUNT_NOTES)
        overlay = page.locator(".overlay.won")
        expect(overlay).to_be_visible()
        for count in (1, 2):
            page.keyboard.press("u")
            expect(overlay).to_be_hidden()
            page.keyboard.press("ArrowUp")
            expect(overlay).to_be_visible()
            expect(page.get_by_role("status").filter(has_text=said)).to_have_count(1)
            assert page.evaluate("window.notes") == count * (4 if stop == "goal" else 4 + 3)
        if stop == "never":
            expect(overlay).to_have_attribute("aria-label", title)
            laptop.open("/games", ".game")
            page.locator(".chip").last.click()  # all games
            expect(page.locator(".game-facts").filter(has_text=status)).to_have_count(1)
    assert laptop.faults == []


def test_space_held_or_pressed_at_the_end_begins_no_game(laptop: Visit, served: Served) -> None:
    """Space is also the key of the best move; the clock of events is that of the test."""
    page, game = laptop.page, Game(rules=Rules(2, 2), seed=1)
    while game.legal_moves():
        game.play(game.legal_moves()[0])
    laptop.open(f"/?game={served.keep(str(Record.from_game(game)))}", ".tile")
    over = page.get_by_role("group", name="Game over")
    expect(over.get_by_role("button", name="New game")).to_be_focused()
    page.evaluate(
        """() => { window.clicks = 0; window.now = 0;
          window.addEventListener('click', () => { window.clicks += 1; }, true);
          Object.defineProperty(Event.prototype, 'timeStamp', { get: () => window.now }); }"""
    )
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.keyboard.down("Space")
    page.evaluate("window.now = performance.now() + 1000")
    page.keyboard.down("Space")
    page.keyboard.up("Space")
    assert page.evaluate("window.clicks") == 0
    page.keyboard.press("Space")
    expect(over).to_be_hidden()


def test_a_board_that_is_pasted_is_set_up(laptop: Visit) -> None:
    laptop.open("/analyse", "table")
    paste = """words => { const data = new DataTransfer(); data.setData("text", words);
        document.body.dispatchEvent(new ClipboardEvent("paste",
            { clipboardData: data, bubbles: true, cancelable: true })); }"""
    laptop.page.evaluate(paste, "2,4,8,16\n0,0,0,2\n0,0,0,0\n0,0,0,0")
    laptop.page.wait_for_url("**1234/0001/0000/0000")
    laptop.page.evaluate(paste, "no board")
    expect(laptop.page.locator(".toast")).to_contain_text("This is not a board")
    laptop.faults.clear()  # the answer 400 is one in the console
    assert laptop.page.url.endswith("1234/0001/0000/0000")
    game = Game(seed=1)
    game.play(game.legal_moves()[0])
    laptop.page.evaluate(paste, str(Record.from_game(game)))
    laptop.page.wait_for_url("**/analyse?game=*")


def test_the_best_move_of_a_player_without_depth_is_told(laptop: Visit) -> None:
    laptop.open("/analyse#board=0012/0124/1356/2479", "table")
    said = laptop.page.get_by_role("status").filter(has_text="Best:")
    expect(said).to_have_text(re.compile(r"^Best: \w+, \w"))


@pytest.mark.parametrize("size", [(390, 844), (320, 640)])
def test_a_message_covers_neither_score_nor_board(
    browser: Browser, served: Served, size: tuple[int, int]
) -> None:
    """It goes after a while, its button stays below; what a merge adds stays below the head."""
    viewport = dict(zip(("width", "height"), size, strict=True))
    with visit(browser, served, {**PHONE, "viewport": viewport}) as found:
        page, game = found.page, Game.from_board(Board.parse("1100/0000/0000/0000"), seed=1)
        page.clock.install()
        found.open(f"/?game={served.keep(str(Record.from_game(game)))}", ".tile")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".score-gain")).to_have_text("+4")
        head = page.locator(".site-head").bounding_box()
        top = page.evaluate("parseFloat(document.querySelector('.score-gain').style.top)")
        assert head
        assert top - 12 >= head["y"] + head["height"]
        page.get_by_role("button", name="New game", exact=True).click()
        moves = page.locator("dt", has_text="Moves").locator("+ dd")
        expect(moves).to_have_text("0")
        press_arrows(page)
        expect(moves).not_to_have_text("0")
        page.reload()  # all keys have been played
        page.get_by_role("button", name="Best move").first.click()
        toast = page.locator(".toast", has_text="played by hand")
        expect(toast).to_be_visible()
        place, board = toast.bounding_box(), page.locator(".board").first.bounding_box()
        assert place
        assert board
        assert place["y"] >= board["y"] + board["height"]
        page.clock.fast_forward("00:09")
        expect(toast).to_be_hidden()
        page.locator(".facts").get_by_role("button", name="Take back").click()
        expect(page.locator(".facts")).to_contain_text("By hand")
        assert found.faults == []


def test_a_board_that_cannot_be_read_is_no_game_that_is_over(laptop: Visit) -> None:
    laptop.open("/analyse#board=zzz", ".tile, .board-cell")
    expect(laptop.page.get_by_role("status").filter(has_text="zzz")).not_to_have_count(0)
    expect(laptop.page.get_by_text("the game is over")).to_have_count(0)
    laptop.faults.clear()  # the answer 400 is one in the console


@pytest.mark.parametrize("path", ["/", "/analyse"])
def test_a_menu_is_closed_by_escape_and_by_a_click_elsewhere(path: str, laptop: Visit) -> None:
    laptop.open(path, ".tile")
    page = laptop.page
    copy, item = page.locator(".menu summary"), page.get_by_text("Link to this position")
    copy.click()
    expect(item).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(item).to_be_hidden()
    expect(copy).to_be_focused()
    copy.click()
    expect(item).to_be_visible()
    page.locator("h1").first.click()
    expect(item).to_be_hidden()
