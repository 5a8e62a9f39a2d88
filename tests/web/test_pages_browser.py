"""All pages in a real Chromium: everybody can read them, on every screen and in four languages.

Layout depends on the size of text: a window 1280 wide with text of twice the usual size is laid out
like one of 640. So small windows also test large text.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import LAPTOP, PHONE, SCRIPTS, Served, Visit, box_of, drawn, visit
from twofold import Board, Game
from twofold.arena import stats, tables
from twofold.arena.stats import reach_heading
from twofold.players import make_player
from twofold.web.pages import read_file
from twofold.web.roster import Roster

DOCS = Path(__file__).parents[2] / "docs"
LESSONS = sorted((DOCS / "learn").glob("*.md"))
BOARD = "0012/0124/1356/2479"
PAGES = {
    "/": ".tile",
    "/watch?stop=64&speed=max": ".tile",
    f"/analyse#board={BOARD}": "table",
    "/practice": ".tile",
    "/games": "h1",
    "/daily": ".daily-intro",
    "/lab": "h1",
}


# ---- every screen

WINDOWS = {
    "text 1.5 times as large on a phone": (260, 560),
    "a small phone": (320, 640),
    "zoomed to 200 % on a laptop": (640, 430),
    "a tablet": (768, 800),
    "a narrow laptop": (993, 800),
    "a large screen": (1920, 1080),
}
CUT = """() => [...document.querySelectorAll("button, .button, .score, .analysis-value, output")]
    .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1)
    .map(one => one.textContent.trim())"""
"""The texts of controls and figures that are wider than their boxes."""
OVERLAP = """([first, second]) => {
    const [a, b] = [first, second].map(one => document.querySelector(one).getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}"""
TOAST = f"""async () => {{
    const {{ toast }} = await import('{SCRIPTS}/announce.js');
    toast('With this hint the game no longer counts as played by hand.');
}}"""
FRAME = """() => {
    const left = (name) => {
        const one = document.querySelector(name);
        return one.getBoundingClientRect().left + parseFloat(getComputedStyle(one).paddingLeft);
    };
    return [left(".site-head"), left("main")];
}"""
"""Where the head and the content begin."""


@pytest.mark.parametrize("path", PAGES)
def test_everybody_can_read_every_page(path: str, laptop: Visit, phone: Visit) -> None:
    """Large and dark, small and light; nothing is cut off on any screen that a page opens on."""
    phone.open(path, PAGES[path])
    phone.check()
    page = laptop.page
    page.set_viewport_size({"width": 320, "height": 640})
    laptop.open(path, PAGES[path])
    for name, (width, height) in WINDOWS.items():
        page.set_viewport_size({"width": width, "height": height})
        drawn(page)
        laptop.rest()
        assert not laptop.is_too_wide(), name
        assert page.evaluate(CUT) == [], name
        if path == "/":
            assert not page.evaluate(OVERLAP, [".play-title", ".scores"]), name
            assert not page.evaluate(OVERLAP, [".controls", ".board"]), name
    head, main = page.evaluate(FRAME)
    assert head == main
    page.set_viewport_size(LAPTOP["viewport"])
    laptop.check()


LYING = [(740, 360), (844, 390), (667, 375)]
"""Phones that lie on their side."""
BESIDE = {
    "/": ".play-head",
    f"/analyse#board={BOARD}": "section.analysis-move",
    "/practice?part=stream": ".question",
    "/practice?part=puzzle": ".question",
    "/watch?player=greedy": ".lane-info",
    "/watch": ".lane:nth-child(3) .board",
}
"""What stands beside the board of a page."""


@pytest.mark.parametrize("path", BESIDE)
def test_a_phone_that_lies_on_its_side_shows_the_whole_board(path: str, phone: Visit) -> None:
    """What belongs to the board stands beside it, and so does a message."""
    page = phone.page
    try:
        for width, height in LYING:
            page.set_viewport_size({"width": width, "height": height})
            phone.open(path, ".tile")
            board, side = box_of(page.locator(".board").first), box_of(page.locator(BESIDE[path]))
            assert board["height"] > height / 2
            assert board["y"] + board["height"] <= height
            assert side["x"] >= board["x"] + board["width"]
            assert side["y"] < board["y"] + board["height"]
            page.evaluate(TOAST)
            toast = box_of(page.locator(".toast"))
            assert path == "/watch" or toast["x"] >= board["x"] + board["width"]
            assert not phone.is_too_wide()
    finally:
        page.set_viewport_size(PHONE["viewport"])


@pytest.mark.parametrize("height", [540, 700])
def test_the_bar_of_an_analysis_stands_at_its_board(height: int, laptop: Visit) -> None:
    page = laptop.page
    try:
        page.set_viewport_size({"width": 960, "height": height})
        laptop.open(f"/analyse#board={BOARD}", ".analysis-stage .tile")
        bar, board = (
            box_of(page.locator(f".analysis-stage .{one}")) for one in ("eval-bar", "board")
        )
        assert 0 <= board["x"] - (bar["x"] + bar["width"]) <= 12
    finally:
        page.set_viewport_size(LAPTOP["viewport"])


# ---- the students' pages


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_made_from_its_page(lesson: Path) -> None:
    """Each names the digest of its source, and of the script that made it."""
    digest = hashlib.sha256((DOCS / "learn_pages.py").read_bytes() + lesson.read_bytes())
    first = read_file(f"learn/{lesson.stem}.html").decode().partition("\n")[0]
    assert digest.hexdigest()[:16] in first, "run python docs/learn_pages.py"


def test_lessons_are_read_and_their_boards_analysed(laptop: Visit, phone: Visit) -> None:
    phone.open("/learn?page=expectimax", "math")
    phone.check()
    page, heading = laptop.page, laptop.page.get_by_role("heading", level=1)
    laptop.open("/watch", ".tile")
    page.get_by_role("link", name="Help").click()
    expect(page).to_have_url(re.compile(r"/learn\?page=heuristics$"))
    expect(heading).to_have_text("2. Heuristics")
    picture = page.locator("article img").first
    page.wait_for_function("one => one.naturalWidth > 0", arg=picture.element_handle())
    laptop.check()
    page.get_by_role("link", name="Next", exact=True).click()
    expect(heading).to_have_text("3. Expectimax")
    page.get_by_role("link", name="All lessons").click()
    page.get_by_role("link", name="The game", exact=True).click()
    page.get_by_role("link", name="Analyse 1123/0012/0000/0000").click()
    expect(page.locator(".board .tile").first).to_be_visible()


# ---- four languages


LANGUAGES: dict[str, dict[str, Any]] = {
    "de": {
        "new": "Neues Spiel",
        "lessons": "auf Englisch",
        "words": ["gierig", "Netz, Tiefe 2, mit Tabellen", "4.575,5 bis 12.035", "2, 4"],
    },
    "es": {
        "new": "Nueva partida",
        "lessons": "en inglés",
        "words": ["voraz", "red, 2 niveles, con tablas", "4.575,5 a 12.035", "2, 4"],
    },
    "zh": {
        "new": "新游戏",
        "lessons": "英文",
        "words": ["贪心", "网络，2 层，带残局库", "4,575.5 至 12,035", "2，4"],
    },
}
WORDS = f"""async () => {{
    const {{ joined }} = await import('{SCRIPTS}/text.js');
    const {{ playerName }} = await import('{SCRIPTS}/player_names.js');
    const {{ cellWords }} = await import('{SCRIPTS}/lab/data_table.js');
    return [playerName('greedy'), playerName('ntuple:net=default,ply=2,tables=441-512'),
        cellWords('4,575.5 to 12,035'), joined(['2', '4'])];
}}"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_speaks_the_language_of_the_browser(
    browser: Browser, served: Served, language: str
) -> None:
    """Its words fit, its numbers are formatted correctly, and a player's name has any length."""
    wanted = LANGUAGES[language]
    served.keep(Game(seed=3), player="W" * 1_900)
    look = {**PHONE, "viewport": {"width": 320, "height": 640}, "locale": language}
    with visit(browser, served, look) as found:
        page = found.page
        found.open("/", ".tile")
        new = page.get_by_role("button", name=wanted["new"], exact=True)
        expect(new).to_be_visible()
        assert page.evaluate("document.documentElement.lang") == language
        assert page.evaluate(WORDS) == wanted["words"]
        for path in ("/", "/analyse", "/practice", "/games", "/lab", "/watch"):
            found.open(path, "h1")
            assert not found.is_too_wide(), path
            assert page.evaluate(CUT) == [], path
        for width in (390, 641, 993):  # the head fits
            page.set_viewport_size({"width": width, "height": 800})
            drawn(page)
            assert not found.is_too_wide()
        found.open("/learn", "h1")
        expect(page.locator(".learn > p")).to_contain_text(wanted["lessons"])
        assert page.locator("article").get_attribute("lang") == "en"
        found.open("/games", ".game")
        page.locator(".chip").last.click()  # all games
        expect(page.get_by_text("W" * 119 + "…").first).to_be_visible()
        page.evaluate("localStorage['twofold.settings'] = JSON.stringify({ language: 'en' })")
        page.goto(served.url)  # a chosen language comes before that of the browser
        expect(page.get_by_role("button", name="New game", exact=True)).to_be_visible()
        assert found.faults == []


# ---- functions of the scripts

STARS = """
    const view = new module.AnalysisView({});
    const moves = [...'urdl'].map((move) => ({ move, legal: true, value: 9, ratio: 1, reward: 0,
        tried: true, label: 'best', reason: null }));
    view.show({ board: '1100/0000/0000/0000', rules: '4x4', final: true, best: 'l', unit: 'points',
        table: null, moves, player: '', depth: '', nodes: 0, seconds: 0, source: '', line: [],
        bar: null, bar_kind: '' });
    return [...view.element.querySelectorAll('.analysis-label')].map((one) => one.textContent);"""
"""Four moves that are equally good: a review calls each of them best, too."""

KEPT = """
    const view = (state) => module.render(place,
        module.h('p', { class: state.kind, text: state.words }),
        state.isShown && module.h('hr'),
        module.h('input', { 'aria-label': 'name', value: state.value }));
    view({ kind: 'a', words: 'one', value: '' });
    const [paragraph, field] = place.children;
    field.focus();
    field.value = 'typed';
    view({ kind: 'b', words: 'two', isShown: true, value: '' });
    return [place.children[0] === paragraph, paragraph.className, paragraph.textContent,
        place.children[2] === field, document.activeElement === field, field.value];"""
KEYED = """
    const told = [];
    const view = (names, word) => module.render(place, names.map((name) =>
        module.h('button', { key: name, onclick: () => told.push(word + name) }, name)));
    view(['a', 'b', 'c'], 'old ');
    const [a, b, c] = place.children;
    view(['c', 'a', 'd'], 'new ');
    for (const one of place.children) one.click();
    b.click();
    return [place.textContent, place.children[0] === c, place.children[1] === a, told];"""
PARTS = """
    const board = module.part(module.h('div', { class: 'board' }, 'own'));
    module.render(place, module.h('div', { class: 'first' }, 'one'), board);
    board.textContent = 'changed';
    module.render(place, board, module.h('div', { class: 'second' }, 'two'));
    module.render(place, module.h('section', null, board));
    return place.innerHTML;"""
FOCUS = """
    const own = module.part(module.h('div', null, module.h('button', null, 'own')));
    const view = () => module.render(place, module.h('section', null, own));
    view();
    own.firstChild.focus();
    view();
    return document.activeElement === own.firstChild;"""
"""A part inside a new element leaves the page for a moment."""
GONE = """
    const view = (...names) => module.render(place, names.map((name) =>
        module.h('section', { key: name }, module.h('button', null, name))));
    view('a', 'b');
    place.lastChild.firstChild.focus();
    view('a');
    return document.activeElement.textContent;"""
"""What has the focus goes: its neighbour gets it."""
SCROLLED = """
    const style = { height: '20px', overflow: 'auto' };
    const own = module.part(module.h('div', { style },
        module.h('p', { style: { height: '500px' } })));
    const view = () => module.render(place, module.h('section', null, own));
    view();
    own.scrollTop = 50;
    view();
    return own.scrollTop;"""
"""A part inside a new element stays in the page."""
BARE = """
    module.render(place, module.h('button', { class: 'a', title: 't', disabled: true,
        style: { '--x': '1' }, dataset: { kind: 'k' }, onclick: () => {} }));
    const [made] = place.children;
    module.render(place, module.h('button', { class: 'b' }));
    const left = made.getAttributeNames().filter((name) => name !== 'style');
    return [place.children[0] === made, made.style.length, left];"""

EMPTY = """
    const [column, value] = argument;
    const rows = value === undefined ? [] : [[1000, value]];
    return module.whyEmpty([{ columns: ['games', column], rows }], 'reached');"""
"""Why a curve of reach rates has no line."""

MEASURED = """
    const moves = [[[0.8, 0.4, null, null], 'u'], [[0.8, 0.8, 0, null], 'r'],
        [[0.8, 0.4, 0, 0], 'r'], [[null, 0.4, null, null], 'r'], [[0.5, 0.6, null, null], 'r']];
    const found = module.measure(moves.map(([chances, move], place) => (
        module.judged(chances, move, place))));
    const { choices, matches, combo, longest, fit, mistakes: [one] } = found;
    return [choices, matches, combo, longest, fit, `${one.place} ${one.move} ${one.best}`];"""
"""Two best moves, one that keeps half of the chance, a forced one, and a best one."""

PLAIN = ".map((words) => words.replace('\\u00a0', ' '));"
"""A unit is behind a space at which no line ends."""
SHORT = f"return argument.map(module.shortFormat(argument)){PLAIN}"
TIMES = f"return argument.map(module.formatDuration){PLAIN}"
VALUES = f"return argument.map(module.valueFormat(argument)){PLAIN}"
LABEL = "return module.barLabel(argument);"
LOST = "return module.lossWords(...argument[0], argument[1], argument[0][1] / argument[0][0]);"
CALLS: list[tuple[str, str, Any, Any]] = [
    ("figures", VALUES, [1_204_096.25, 1_204_000, -3e6], ["1.2041 M", "1.2040 M", "−3.0000 M"]),
    ("figures", VALUES, [1_204_096, 2_500_000], ["1.20 M", "2.50 M"]),
    ("figures", VALUES, [999_999, 1], ["999,999", "1"]),
    ("figures", SHORT, [0, 500, 1_000, 1_500], ["0", "500", "1,000", "1,500"]),
    ("figures", SHORT, [0, 7_500, 15_000], ["0", "7.5 k", "15.0 k"]),
    ("figures", TIMES, [1e-8, 1e-7, 1e-6, 0.084, 1.25],
     ["10 ns", "100 ns", "1 µs", "84 ms", "1.25 s"]),
    ("figures", SHORT, [0.25, 0.5, 1], ["0.25", "0.50", "1.00"]),
    ("figures", SHORT, [2e6, 3e6], ["2 M", "3 M"]),
    ("analysis_texts", LOST, [[144_612, 143_512], "points"], "−1,100 points"),
    ("analysis_texts", LOST, [[144_612, 144_600], "points"], "about the same"),
    ("analysis_texts", LOST, [[0.5, 0.25], "chance of 2048"], "−25 % chance"),
    ("analysis_texts", LOST, [[3, 2], "own unit"], ""),
    ("analysis_texts", LABEL, {"bar": 0.999, "bar_kind": "about"}, ""),
    ("analysis_texts", LABEL, {"bar": 0.96, "bar_kind": "tile"}, "96%"),
    ("analysis_texts", "return module.lossText({ best: 'l' }, argument);",
     {"move": "u", "legal": True, "tried": False}, "not tried"),
    ("analysis_view", STARS, None, ["★best"] * 4),
    ("practice/endgame_game", MEASURED, None, [4, 3, 1, 2, 0.5, "2 r u"]),
    ("lab/runs", EMPTY, ["mean"], "lab.no_points"),
    ("lab/runs", EMPTY, ["reached_1024", 0], "lab.none_reached"),
    ("dom", KEPT, None, [True, "b", "two", True, True, "typed"]),
    ("dom", KEYED, None, ["cad", True, True, ["new c", "new a", "new d", "old b"]]),
    ("dom", FOCUS, None, True),
    ("dom", GONE, None, "a"),
    ("dom", SCROLLED, None, 50),
    ("dom", PARTS, None, '<section><div class="board">changed</div></section>'),
    ("dom", BARE, None, [True, 0, ["class"]]),
]  # fmt: skip


@pytest.fixture(scope="module")
def scripts(browser: Browser, served: Served) -> Iterator[Visit]:
    """A page whose scripts are called."""
    with visit(browser, served, LAPTOP) as found:
        found.open("/learn", "h1")
        yield found
        assert found.faults == []


def call(visit: Visit, module: str, body: str, argument: Any = None) -> Any:
    """The result of statements that have a `module`, an `argument` and `place`, an element."""
    return visit.page.evaluate(
        f"""async (argument) => {{
            const module = await import('{SCRIPTS}/{module}.js');
            const place = document.createElement('div');
            document.querySelector('main').append(place);
            {body}
        }}""",
        argument,
    )


@pytest.mark.parametrize(("module", "body", "argument", "result"), CALLS)
def test_a_function_has_this_result(
    module: str, body: str, argument: Any, result: Any, scripts: Visit
) -> None:
    assert call(scripts, module, body, argument) == result


def test_a_random_board_leaves_a_choice(scripts: Visit) -> None:
    boards = "return Array.from({ length: 200 }, () => module.randomBoard(4, 4));"
    for text in call(scripts, "analysis/tree", boards):
        assert text.count("0") >= 4
        assert len(Board.parse(text).legal_moves()) > 1


def test_a_player_has_the_name_of_the_list(scripts: Visit) -> None:
    names = {
        "ntuple:net=/a/b.safetensors,ply=3": "network b, 3 plies",
        "ntuple:ply=2": "network, 2 plies",
        "ntuple:late=600@4,ply=3/2@3": "network, 2 or 3 plies",
        "policy:net=/a/p.safetensors,ply=1": "policy network p, 1 ply",
        "ntuple:ply=3,cut=0.01": "network, 3 plies",
        "mine.py:Mine": "mine.py:Mine",
        "expectimax:eval=rows,ply=5": "rows in order, 5 plies",
        "ntuple:ply=3,tables=442-512,late=600@4": "strong",
    }
    own = {"expectimax": "rows in order", "expectimax:ply=5": "rows in order, 5 plies"}
    own |= {"expectimax:eval=snake": "snake order", "expectimax:eval=smooth": "smooth board"}
    own |= {"quick": "short look ahead"}
    for info in Roster().infos:
        name = info.spec if info.plain else own.get(info.spec, info.name)
        with make_player(info.spec) as player:
            names[player.spec] = names[info.spec] = name
    found = call(scripts, "player_names", "return argument.map(module.playerName);", list(names))
    assert found == list(names.values())


def test_every_heading_of_the_lab_has_its_words(scripts: Visit) -> None:
    headings = {*tables.LEAGUE, *stats.BAND_HEADER}
    headings |= {reach_heading(from_boards) for from_boards in (False, True)}
    unknown = "return argument.filter((title) => !module.isKnown(title));"
    assert call(scripts, "lab/data_table", unknown, sorted(headings)) == []
