"""`render` of `dom.js`: elements stay where the state says the same, in a real Chromium."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.browser import Served, Visit, serve

RUN = """async () => {
    const dom = await import(location.origin + '/static/js/dom.js');
    const place = document.createElement('div');
    document.querySelector('main').replaceChildren(place);
    %s
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("games"), "greedy") as found:
        yield found


def run(page: Page, script: str) -> Any:
    """The result of a script that has `dom`, the module, and `place`, an empty element."""
    return page.evaluate(RUN % script)


def test_a_render_keeps_elements_focus_and_what_was_typed(large: Visit) -> None:
    large.open("/daily", "h1")
    found = run(
        large.page,
        """
        const view = (state) => dom.render(place,
            dom.h('p', { class: state.kind, text: state.words }),
            state.isShown && dom.h('hr'),
            dom.h('input', { 'aria-label': 'name', value: state.value }));
        view({ kind: 'a', words: 'one', value: '' });
        const [paragraph, field] = place.children;
        field.focus();
        field.value = 'typed';
        view({ kind: 'b', words: 'two', isShown: true, value: '' });
        return [place.children[0] === paragraph, paragraph.className, paragraph.textContent,
            place.children[2] === field, document.activeElement === field, field.value];
        """,
    )
    assert found == [True, "b", "two", True, True, "typed"]


def test_a_render_follows_keys_and_exchanges_handlers(large: Visit) -> None:
    found = run(
        large.page,
        """
        const told = [];
        const view = (names, word) => dom.render(place, names.map((name) =>
            dom.h('button', { key: name, onclick: () => told.push(word + name) }, name)));
        view(['a', 'b', 'c'], 'old ');
        const [a, b, c] = place.children;
        view(['c', 'a', 'd'], 'new ');
        for (const one of place.children) one.click();
        b.click();
        return [place.textContent, place.children[0] === c, place.children[1] === a, told];
        """,
    )
    assert found == ["cad", True, True, ["new c", "new a", "new d", "old b"]]


def test_a_render_moves_a_part_and_never_changes_it(large: Visit) -> None:
    found = run(
        large.page,
        """
        const board = dom.part(dom.h('div', { class: 'board' }, 'own'));
        dom.render(place, dom.h('div', { class: 'first' }, 'one'), board);
        board.textContent = 'changed';
        dom.render(place, board, dom.h('div', { class: 'second' }, 'two'));
        dom.render(place, dom.h('section', null, board));
        return [place.innerHTML];
        """,
    )
    assert found == ['<section><div class="board">changed</div></section>']


def test_attributes_that_are_gone_are_taken_away(large: Visit) -> None:
    found = run(
        large.page,
        """
        dom.render(place, dom.h('button', { class: 'a', title: 't', disabled: true,
            style: { '--x': '1' }, dataset: { kind: 'k' }, onclick: () => {} }));
        const [made] = place.children;
        dom.render(place, dom.h('button', { class: 'b' }));
        return [place.children[0] === made, made.style.length, made.getAttributeNames()];
        """,
    )
    assert found[:2] == [True, 0]
    assert set(found[2]) <= {"class", "style"}
