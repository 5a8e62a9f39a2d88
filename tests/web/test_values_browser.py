"""Values on the pages in a real Chromium: of solved games, policy networks, endgame tables."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import SCRIPTS, Served, Visit, box_of, first_moves, serve
from tests.support.endgame_tables import table_files as table_files  # a fixture
from tests.support.policies import make_policy, write
from twofold import Game
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Move
from twofold.tables.problem import Problem
from twofold.tables.solver import Solver
from twofold.tables.store import LayerStore
from twofold.values.policy_network import probabilities

BOARD = Board.parse("0012/0124/1356/2479")
"""Only up and left are legal."""

TABLE_BOARD = "ebdc/11a9/0130/3002"
"""Right has 95.9 % there and up 81.6 %; left and down shift a large tile."""

TABLE_PLAYER = "ntuple:net=tiny,ply=1,tables=442-16"
LENGTHS = "all => all.map(one => new DOMMatrix(getComputedStyle(one).transform).a)"
BEHIND = re.compile(r"^(illegal|about the same|)$")
REWARDS = {
    "points": ("For this player later points count less", "points"),
    "exponents": ("This player’s values are not points", "own unit"),
}


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Specs of policy networks: one as trained by default, and one for each reward."""
    folder = tmp_path_factory.mktemp("networks")
    specs = {"": f"policy:net={write(folder / 'net.safetensors')}"}
    for reward in REWARDS:
        network = make_policy(reward=reward, discount=0.9)
        specs[reward] = f"policy:net={write(folder / f'{reward}.safetensors', network)},ply=1"
    return specs


@pytest.fixture(scope="module")
def served(
    tmp_path_factory: pytest.TempPathFactory, table_files: Path, policies: dict[str, str]
) -> Iterator[Served]:
    """An owner who has solved 2x3, with policy networks and endgame tables."""
    folder = tmp_path_factory.mktemp("solved")
    store = LayerStore(Problem.parse("2x3"))
    Solver(store.problem, store).run()
    store.write(folder / "2x3.table")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(table_files))
        players = [TABLE_PLAYER, *policies.values()]
        with serve(folder, f"exact:table={folder / '2x3.table'}", players=players) as found:
            yield found


def analysis(board: object, player: str) -> str:
    return f"/analyse#board={board}&player={player}"


# ---- a solved game


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
        one.check()


ENTER = """(field, texts) => {
    for (const text of texts) {
        field.value = text;
        field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    }
}"""
"""Types texts and enters them, before the server answers."""

ANSWERED = f"""async () => {{
    const {{ net }} = await import("{SCRIPTS}/net.js");
    await net.post("/api/board", {{ text: "2x2:12/34" }});
}}"""
"""Waits for the answers to all earlier questions: they come in order."""


def test_of_field_and_board_what_is_done_last_counts(laptop: Visit) -> None:
    """Whatever the server answers late; a text that is being typed is not overwritten."""
    page = laptop.page
    laptop.open("/analyse#board=2x3:123/401", ".outcomes-face")
    page.get_by_role("button", name="Set up").click()
    field = page.get_by_label("Board as text")
    error = page.locator("#analyse-notation-error")
    field.evaluate(f"(field) => {{ ({ENTER})(field, ['2x3:123/450']); field.value = '2x3:12'; }}")
    page.wait_for_url("**123/450**")
    expect(field).to_have_value("2x3:12")
    field.evaluate(ENTER, ["2x3:123/451", "2x3:123/460"])
    page.wait_for_url("**123/460**")
    expect(field).to_have_value("2x3:123/460")
    for words in ("2x3:123/470", "2x3:"):  # one is read, the other refused
        field.evaluate(f"""(field) => {{
            ({ENTER})(field, ['{words}']);
            document.querySelector(".setup > button:nth-of-type(2)").click();
        }}""")
        page.evaluate(ANSWERED)
        expect(field).to_have_value("2x3:000/000")
        expect(error).to_be_empty()
    laptop.faults.clear()  # the answer 400 is one in the console
    outcomes = page.get_by_role("region", name="How games end from here")
    for board, shown in (("2x3:123/450", True), ("2x3:123/456", False), ("3x3:211/010/000", False)):
        field.fill(board)
        field.press("Enter")
        expect(outcomes).to_be_visible() if shown else expect(outcomes).to_be_hidden()


# ---- policy networks


def test_probabilities_are_in_percent_and_drawn_from_0_to_100(
    laptop: Visit, phone: Visit, policies: dict[str, str]
) -> None:
    """What only a search has is not offered."""
    legal = [move in BOARD.legal_moves() for move in Move]
    chances = probabilities(make_policy().think(BOARD).logits, legal)
    words = [f"{chance:.0%}".replace("%", " %") if chance else "–" for chance in chances]
    for view in (phone, laptop):
        page = view.page
        view.open(analysis(BOARD, policies[""]) + "&limit=5ply", "table")
        expect(page.locator(".analysis-values thead")).to_contain_text("probability")
        expect(page.locator("td.analysis-value")).to_have_text(words)
        expect(page.locator("td.analysis-behind")).to_have_text([BEHIND] * 4)
        assert not view.is_too_wide()
    drawn = page.locator(".analysis-fill").evaluate_all(LENGTHS)  # a phone has no room for bars
    assert drawn == pytest.approx(chances, abs=1e-3)
    expect(page.locator(".analysis[data-state=final]")).to_be_visible()
    page.locator(".analysis-details summary").click()
    for name in ("depth", "nodes", "speed", "time", "line"):
        expect(page.locator(f"div.analysis-{name}")).to_be_hidden()
    expect(page.locator("div.analysis-unit")).to_be_visible()
    expect(page.get_by_label("Limit")).to_be_hidden()
    expect(page).not_to_have_url(re.compile("limit"))
    page.get_by_label("Player", exact=True).select_option("expectimax")
    expect(page.get_by_label("Limit")).to_be_visible()
    for name in ("depth", "nodes", "line"):
        expect(page.locator(f"div.analysis-{name}")).to_be_visible()


def test_a_policy_network_says_how_it_thinks_and_in_which_unit(
    laptop: Visit, policies: dict[str, str]
) -> None:
    page, kept = laptop.page, laptop.served.keep(first_moves(4, seed=5))
    for player, words in (("policy", "does not look ahead"), ("policy:ply=1", "looks a little")):
        laptop.open(f"/watch?player={player}&seed=1", ".tile")
        expect(page.get_by_text(words)).to_be_visible()
    for reward, (words, unit) in REWARDS.items():
        laptop.open(f"/analyse?game={kept}&player={policies[reward]}", ".tile")
        expect(page.get_by_text(words)).to_be_visible()
        laptop.open(analysis(BOARD, policies[reward]), "table")
        expect(page.locator("div.analysis-unit")).to_contain_text(unit)


def test_a_judged_game_has_percent_and_no_depth(laptop: Visit, policies: dict[str, str]) -> None:
    page, kept = laptop.page, laptop.served.keep(first_moves(8, seed=5))
    laptop.open(f"/analyse?game={kept}&move=3&player={policies['']}", ".is-best")
    expect(page.locator(".analysis-values thead")).to_contain_text("probability")
    words = re.compile(r"^(–|[<>]?\d+\s%)$")
    expect(page.locator("td.analysis-value")).to_have_text([words] * 4)
    expect(page.locator("td.analysis-behind")).to_have_text([BEHIND] * 4)
    ticks = page.locator(".chart-tick-left")
    expect(ticks.first).to_have_text("0 %")
    expect(ticks.last).to_have_text("100 %")
    expect(page.locator(".chart-legend")).to_contain_text("probability of the best move")
    graph = page.get_by_role("slider", name="Graph of the game")
    expect(graph).to_have_attribute("aria-valuetext", re.compile(r"best move [<>]?\d+\s%"))
    expect(page.get_by_text("The policy network with 1 ply judges better")).to_be_visible()
    page.locator(".judged-by summary").click()
    limit, deeper = page.get_by_label("Limit"), page.get_by_text("A deeper search judges better")
    expect(limit).to_be_hidden()
    expect(deeper).to_be_hidden()
    page.get_by_label("Player", exact=True).select_option("expectimax")
    expect(limit).to_be_visible()
    expect(deeper).to_be_visible()


# ---- endgame tables


@pytest.mark.promise("R72")
def test_an_analysis_names_the_table(laptop: Visit, phone: Visit) -> None:
    for view in (laptop, phone):
        page = view.page
        view.open(analysis(TABLE_BOARD, TABLE_PLAYER), "table")
        fact = page.locator(".analysis-table")
        expect(fact).to_have_text("Endgame table442-16: 95.9 % to make 16")
        expect(page.locator(".analysis-chance")).to_contain_text(
            "Chance of 16 with best play 95.9 %"
        )
        behind = page.locator("td.analysis-behind")
        expect(behind).to_have_text(["−14 % chance", "", "", ""])
        expect(page.locator("tr.is-best .analysis-label")).to_contain_text("best")
        expect(behind.first).to_be_visible()
        for cell in page.locator(".analysis-moves tbody td:not(.analysis-track)").all():
            wide = cell.evaluate("one => [one.scrollWidth, one.clientWidth, one.textContent]")
            assert wide[0] <= wide[1], wide
        page.locator(".analysis-details summary").click()
        points = page.locator("td.analysis-value")
        expect(points.first).to_be_visible()
        expect(points.first).to_have_text(re.compile(r"^[0-9,.]+$"))
        view.check()
        page.get_by_role("button", name="Set up").click()
        palette = page.locator(".palette")  # all tiles and the player's name are seen
        assert palette.evaluate("one => one.scrollWidth <= one.clientWidth")
        side = box_of(page.locator(".analysis-asked"))
        select = box_of(page.locator(".analysis-asked .choice select").first)
        assert select["width"] == pytest.approx(side["width"], abs=1)


def test_a_review_goes_by_the_chances_where_a_table_has_the_board(laptop: Visit) -> None:
    page, game = laptop.page, Game.from_board(Board.parse(TABLE_BOARD), STANDARD, 1)
    for move in (Move.UP, *[Move.LEFT] * 3):
        if move in game.legal_moves():
            game.play(move)
    kept = laptop.served.keep(game)
    laptop.open(f"/analyse?game={kept}&player={TABLE_PLAYER.replace('=', '%3D')}", ".tile")
    verdict = page.locator(".analysis-words")
    expect(verdict).to_contain_text("of the chance that right has to make 16, says table 442-16")
    expect(page.locator(".analysis-behind").first).to_have_text("−14 % chance")
    laptop.open(analysis(BOARD, TABLE_PLAYER), "table")
    expect(page.locator("tr.is-best")).to_have_count(1)
    expect(page.locator(".analysis-table")).to_be_hidden()
