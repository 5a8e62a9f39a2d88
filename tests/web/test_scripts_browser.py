"""Functions of the page's scripts, each called in a real Chromium with arguments and its result."""

from typing import Any

import pytest

from tests.support.browser import Visit
from twofold import Board
from twofold.arena import stats, tables
from twofold.arena.stats import reach_heading
from twofold.players import make_player
from twofold.web.roster import Roster

STARS = """
    const view = new module.AnalysisView({ line: false, chance: false });
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

SHORT = "return argument.map(module.shortFormat(argument));"
TIMES = "return argument.map(module.formatDuration);"
VALUES = "return argument.map(module.valueFormat(argument));"
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
    ("analysis_view", STARS, None, ["★best"] * 4),
    ("dom", KEPT, None, [True, "b", "two", True, True, "typed"]),
    ("dom", KEYED, None, ["cad", True, True, ["new c", "new a", "new d", "old b"]]),
    ("dom", FOCUS, None, True),
    ("dom", GONE, None, "a"),
    ("dom", SCROLLED, None, 50),
    ("dom", PARTS, None, '<section><div class="board">changed</div></section>'),
    ("dom", BARE, None, [True, 0, ["class"]]),
]  # fmt: skip


def call(visit: Visit, module: str, body: str, argument: Any = None) -> Any:
    """The result of statements that have a `module`, an `argument` and `place`, an element."""
    if not visit.page.url.endswith("/daily"):
        visit.open("/daily", "h1")
    return visit.page.evaluate(
        f"""async (argument) => {{
            const module = await import('/static/js/{module}.js');
            const place = document.createElement('div');
            document.querySelector('main').append(place);
            {body}
        }}""",
        argument,
    )


@pytest.mark.parametrize(("module", "body", "argument", "result"), CALLS)
def test_a_function_has_this_result(
    module: str, body: str, argument: Any, result: Any, large: Visit
) -> None:
    assert call(large, module, body, argument) == result
    assert large.faults == []


def test_a_random_board_leaves_a_choice(large: Visit) -> None:
    boards = "return Array.from({ length: 200 }, () => module.randomBoard(4, 4));"
    for text in call(large, "analysis/tree", boards):
        assert text.count("0") >= 4
        assert len(Board.parse(text).legal_moves()) > 1


def test_the_evaluation_bar_says_what_chance(large: Visit) -> None:
    points = {"bar": 0.999, "bar_kind": "about", "bar_amount": 218_000}
    chance = {"bar": 0.965, "bar_kind": "tile", "bar_amount": 512}
    label = "return argument.map(module.barLabel);"
    assert call(large, "analysis_texts", label, [points, chance]) in (["", "96%"], ["", "97%"])


def test_a_player_has_the_name_of_the_list(large: Visit) -> None:
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
    found = call(large, "player_names", "return argument.map(module.playerName);", list(names))
    assert found == list(names.values())


def test_every_heading_of_the_lab_has_its_words(large: Visit) -> None:
    headings = {*tables.LEAGUE, *stats.BAND_HEADER}
    headings |= {reach_heading(from_boards) for from_boards in (False, True)}
    unknown = "return argument.filter((title) => !module.isKnown(title));"
    assert call(large, "lab/data_table", unknown, sorted(headings)) == []
