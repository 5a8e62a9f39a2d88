"""The page in each language: its words, and numbers that are formatted correctly."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import LAPTOP, Served, Visit, drawn, visit

NEW_GAME = {"de": "Neues Spiel", "es": "Nueva partida", "zh": "新游戏"}
NUMBER = {"de": "1.234.567,5", "es": "1.234.567,5", "zh": "1,234,567.5"}


@pytest.fixture(scope="module", params=NEW_GAME)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def abroad(browser: Browser, served: Served, language: str) -> Iterator[Visit]:
    """A page in a browser of another language."""
    with visit(browser, served, {**LAPTOP, "locale": language}) as found:
        yield found


def test_the_page_speaks_the_language_of_the_browser(abroad: Visit, language: str) -> None:
    abroad.open("/", ".tile")
    expect(abroad.page.get_by_role("button", name=NEW_GAME[language], exact=True)).to_be_visible()
    assert abroad.page.evaluate("document.documentElement.lang") == language
    write = "import('/static/js/text.js').then(({ fixed }) => fixed(1234567.5, 1))"
    assert abroad.page.evaluate(write) == NUMBER[language]
    abroad.page.set_viewport_size({"width": 320, "height": 640})
    for path in ("/", "/analyse", "/practice", "/games", "/lab"):
        abroad.open(path, "h1")
        assert not abroad.is_too_wide(), path
    abroad.open("/analyse#board=0012/0124/1356/2479", ".is-best")
    assert not abroad.is_too_wide()
    abroad.page.set_viewport_size(LAPTOP["viewport"])
    assert abroad.faults == []


def test_a_chosen_language_comes_before_that_of_the_browser(laptop: Visit) -> None:
    laptop.open("/", ".tile")
    choose = "localStorage['twofold.settings'] = JSON.stringify({ language: 'de' })"
    laptop.page.evaluate(choose)
    laptop.open("/", ".tile")
    expect(laptop.page.get_by_role("button", name=NEW_GAME["de"], exact=True)).to_be_visible()
    laptop.page.evaluate("localStorage.removeItem('twofold.settings')")


NAMES = """async (specs) => {
    const { playerName } = await import('/static/js/player_names.js');
    return specs.map(playerName);
}"""


PLAYERS = {
    "de": ["gierig", "normal", "geordnete Zeilen", "Netz, Tiefe 2, mit Tabellen"],
    "es": ["voraz", "normal", "filas ordenadas", "red, 2 niveles, con tablas"],
    "zh": ["贪心", "普通", "行列有序", "网络，2 层，带残局库"],
}
SPECS = [
    "greedy",
    "ntuple:ply=3/2@3,tables=auto",
    "expectimax:cut=0,ply=auto,time=none",
    "ntuple:net=default,ply=2,tables=441-512+442-1024/64-256,tables_sha256=bcf8,threads=1",
]
REFUSED = {"de": "auf Englisch: Expected", "es": "en inglés: Expected", "zh": "英文说明：Expected"}


def test_players_and_refusals_are_in_the_language_of_the_page(abroad: Visit, language: str) -> None:
    abroad.open("/", ".tile")
    assert abroad.page.evaluate(NAMES, SPECS) == PLAYERS[language]
    refused = """async () => (await import('/static/js/refusals.js'))
        .refusalText('InvalidSpec', 'expected a player')"""
    assert REFUSED[language] in abroad.page.evaluate(refused)
    joined = "async () => (await import('/static/js/text.js')).joined(['2', '4'])"
    assert abroad.page.evaluate(joined) == ("2，4" if language == "zh" else "2, 4")
    abroad.open("/analyse#board=3x3:123/100/000", "table")
    options = abroad.page.locator(".player-picker option").all_text_contents()
    assert not [one for one in options if "(rows)" in one or "greedy" in one]


ENGLISH = {"de": "auf Englisch", "es": "en inglés", "zh": "英文"}


def test_lessons_say_that_they_are_in_english(abroad: Visit, language: str) -> None:
    abroad.open("/learn", "h1")
    expect(abroad.page.locator(".learn > p")).to_contain_text(ENGLISH[language])
    assert abroad.page.locator("article").get_attribute("lang") == "en"


WIDTHS = [390, 641, 768, 900, 993]


def test_the_head_fits_a_window_of_any_width(abroad: Visit) -> None:
    abroad.open("/", ".tile")
    for width in WIDTHS:
        abroad.page.set_viewport_size({"width": width, "height": 800})
        drawn(abroad.page)
        assert abroad.page.evaluate("document.documentElement.scrollWidth") <= width
        right = "document.querySelector('.site-tools').getBoundingClientRect().right"
        assert abroad.page.evaluate(right) <= width
    abroad.page.set_viewport_size(LAPTOP["viewport"])


CELLS = {
    "de": ["mean score: Ø Punkte", "4.575,5 bis 12.035", "−3,2", "64,0 (57,1–70,3)"],
    "es": ["mean score: puntuación media", "4.575,5 a 12.035", "−3,2", "64,0 (57,1–70,3)"],
    "zh": ["mean score: 平均分", "4,575.5 至 12,035", "−3.2", "64.0 (57.1–70.3)"],
}


def test_tables_of_the_lab_are_in_the_language_of_the_page(abroad: Visit, language: str) -> None:
    abroad.open("/", ".tile")
    words = """async (cells) => {
        const { cellWords, headingWords } = await import('/static/js/lab/data_table.js');
        return [`mean score: ${headingWords('mean score')}`, ...cells.map(cellWords)];
    }"""
    cells = ["4,575.5 to 12,035", "−3.2", "64.0 (57.1–70.3)"]
    assert abroad.page.evaluate(words, cells) == CELLS[language]
