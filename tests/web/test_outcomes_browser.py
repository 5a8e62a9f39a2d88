"""How games end, on the Analyse page of an owner who has solved a game."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import LAPTOP, Served, Visit, serve, visit
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("solved")
    store = LayerStore(Problem.parse("2x3"))
    Solver(store.problem, store).run()
    store.write(folder / "2x3.table")
    with serve(folder, f"exact:table={folder / '2x3.table'}") as found:
        yield found


def test_how_games_end_is_shown_and_can_be_read(laptop: Visit, phone: Visit) -> None:
    for one in (laptop, phone):
        one.open("/analyse#board=2x3:123/401", ".outcomes-face")
        rows = one.page.locator(".outcomes tbody tr")
        expect(rows).to_have_count(4)
        expect(rows.nth(2)).to_have_text("6479.64 %84.53 %")
        expect(rows.nth(2)).to_have_class("is-likeliest")
        expect(one.page.locator(".outcomes-note")).to_have_text(
            "Optimal play of 2x3, expected score: 378.46 points more expected, "
            "36.8 moves to the end on average."
        )
        assert one.violations() == []
        assert not one.is_too_wide()


def test_other_boards_and_the_end(laptop: Visit) -> None:
    """On 4x4 the shipped network answers, without outcomes."""
    laptop.open("/analyse#board=2x3:123/401", ".outcomes-face")
    laptop.page.get_by_role("button", name="Set up").click()
    field = laptop.page.get_by_label("Board as text")
    outcomes = laptop.page.get_by_role("region", name="How games end from here")
    for board, shown in (("2x3:123/450", True), ("2x3:123/456", False), ("3x3:211/010/000", False)):
        field.fill(board)
        field.press("Enter")
        expect(outcomes).to_be_visible() if shown else expect(outcomes).to_be_hidden()
    laptop.open("/analyse#board=0012/0013/0024/1357", ".is-best")
    expect(outcomes).to_be_hidden()


ENTER = """(field, texts) => {
    for (const text of texts) {
        field.value = text;
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    }
}"""
"""Types texts and enters them, before the server answers."""

ANSWERED = """async () => {
    const { net } = await import("/static/js/net.js");
    await net.post("/api/board", { text: "2x2:12/34" });
}"""
"""Waits for the answers to all earlier questions: they come in order."""


def test_a_board_that_is_being_typed_is_not_overwritten(laptop: Visit) -> None:
    laptop.open("/analyse#board=2x3:123/401", ".outcomes-face")
    laptop.page.get_by_role("button", name="Set up").click()
    field = laptop.page.get_by_label("Board as text")
    field.evaluate(f"(field) => {{ ({ENTER})(field, ['2x3:123/450']); field.value = '2x3:12'; }}")
    laptop.page.wait_for_url("**123/450**")
    expect(field).to_have_value("2x3:12")
    field.fill("2x3:123/451")
    field.press("Enter")
    laptop.page.wait_for_url("**123/451**")


def test_what_is_done_last_counts(laptop: Visit) -> None:
    """Field and board agree, whatever the server answers late."""
    laptop.open("/analyse#board=2x3:123/401", ".outcomes-face")
    laptop.page.get_by_role("button", name="Set up").click()
    field = laptop.page.get_by_label("Board as text")
    error = laptop.page.locator("#analyse-notation-error")
    field.evaluate(ENTER, ["2x3:123/450", "2x3:123/460"])
    laptop.page.wait_for_url("**123/460**")
    expect(field).to_have_value("2x3:123/460")
    for words in ("2x3:123/470", "2x3:"):  # one is read, the other refused
        field.evaluate(f"""(field) => {{
            ({ENTER})(field, ['{words}']);
            document.querySelector(".setup > button:nth-of-type(2)").click();
        }}""")
        laptop.page.evaluate(ANSWERED)
        expect(field).to_have_value("2x3:000/000")
        expect(error).to_be_empty()
    laptop.faults.clear()  # the answer 400 is one in the console
    field.evaluate(f"""(field) => {{
        ({ENTER})(field, ['2x3:123/480']);
        field.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Escape" }}));
    }}""")
    laptop.page.evaluate(ANSWERED)
    expect(field).to_have_value("2x3:000/000")
    laptop.page.wait_for_url("**000/000**")


def test_an_analysis_is_in_the_language_of_the_page(browser: Browser, served: Served) -> None:
    with visit(browser, served, {**LAPTOP, "locale": "de"}) as found:
        found.open("/analyse#board=2x3:123/401", ".outcomes-face")
        facts = found.page.locator(".analysis-facts")
        expect(facts).to_contain_text("Punkte mehr")
        expect(facts).not_to_contain_text("points")
        expect(found.page.locator(".outcomes-note")).to_have_text(
            "Optimales Spiel von 2x3, erwartete Punktzahl: 378,46 weitere Punkte erwartet, "
            "im Mittel 36,8 Züge bis zum Ende."
        )
