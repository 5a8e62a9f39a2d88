"""The analysis of a policy network in a real Chromium."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import LAPTOP, Served, Visit, serve, visit
from tests.support.policies import make_policy, write
from twofold import Game, Record, make_player
from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.values.policy_network import probabilities

BOARD = Board.parse("0012/0124/1356/2479")
"""Only up and left are legal."""

LENGTHS = "all => all.map(one => new DOMMatrix(getComputedStyle(one).transform).a)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("games")
    with serve(folder, f"policy:net={write(folder / 'net.safetensors')}") as found:
        yield found


def test_probabilities_are_in_percent_and_drawn_from_0_to_100(laptop: Visit, phone: Visit) -> None:
    legal = [move in BOARD.legal_moves() for move in Move]
    chances = probabilities(make_policy().think(BOARD).logits, legal)
    words = [f"{chance:.0%}".replace("%", " %") if chance else "–" for chance in chances]
    for view in (laptop, phone):
        view.open(f"/analyse#board={BOARD}", "table")
        expect(view.page.locator(".analysis-values thead")).to_contain_text("probability")
        expect(view.page.locator("td.analysis-value")).to_have_text(words)
        behind = view.page.locator("td.analysis-behind")
        expect(behind).to_have_text([re.compile(r"^(illegal|about the same|)$")] * 4)
        if view is laptop:  # a phone has no room for bars
            drawn = view.page.locator(".analysis-fill").evaluate_all(LENGTHS)
            assert drawn == pytest.approx(chances, abs=1e-3)
        assert not view.is_too_wide()


def test_what_only_a_search_has_is_not_offered(laptop: Visit) -> None:
    laptop.open(f"/analyse#board={BOARD}&limit=5ply", "table")
    page = laptop.page
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


@pytest.mark.parametrize(
    ("player", "words"),
    [("policy", "does not look ahead"), ("policy:ply=1", "looks a little ahead")],
)
def test_a_race_says_how_a_network_thinks(laptop: Visit, player: str, words: str) -> None:
    laptop.open(f"/watch?player={player}&seed=1", ".tile")
    expect(laptop.page.get_by_text(words)).to_be_visible()


@pytest.mark.parametrize(
    ("reward", "words", "unit"),
    [
        ("points", "For this player later points count less", "points"),
        ("exponents", "This player’s values are not points", "own unit"),
        ("large", "This player’s values are not points", "own unit"),
    ],
)
def test_a_search_names_the_unit_of_its_values(
    reward: str, words: str, unit: str, browser: Browser, tmp_path: Path
) -> None:
    path = write(tmp_path / "net.safetensors", make_policy(reward=reward, discount=0.9))
    game = Game(seed=5)
    for _ in range(4):
        game.play(game.legal_moves()[0])
    with (
        serve(tmp_path, f"policy:net={path},ply=1") as served,
        visit(browser, served, LAPTOP) as laptop,
    ):
        kept = served.keep(str(Record.from_game(game, player="me")))
        laptop.open(f"/analyse?game={kept}", ".tile")
        expect(laptop.page.get_by_text(words)).to_be_visible()
        laptop.open(f"/analyse#board={BOARD}", "table")
        expect(laptop.page.locator("div.analysis-unit")).to_contain_text(unit)
        assert laptop.faults == []


def test_a_judged_game_has_percent_and_no_depth(laptop: Visit, served: Served) -> None:
    game = Game(seed=5)
    for _ in range(8):
        game.play(game.legal_moves()[0])
    kept = served.keep(str(Record.from_game(game, player="me")))
    laptop.open(f"/analyse?game={kept}&move=3", ".is-best")
    page = laptop.page
    expect(page.locator(".analysis-values thead")).to_contain_text("probability")
    words = re.compile(r"^(–|[<>]?\d+ %)$")
    expect(page.locator("td.analysis-value")).to_have_text([words] * 4)
    behind = re.compile(r"^(illegal|about the same|)$")
    expect(page.locator("td.analysis-behind")).to_have_text([behind] * 4)
    ticks = page.locator(".chart-tick-left")
    expect(ticks.first).to_have_text("0 %")
    expect(ticks.last).to_have_text("100 %")
    expect(page.locator(".chart-legend")).to_contain_text("probability of the best move")
    graph = page.get_by_role("slider", name="Graph of the game")
    expect(graph).to_have_attribute("aria-valuetext", re.compile(r"best move [<>]?\d+ %"))
    expect(page.get_by_text("The policy network with 1 ply judges better")).to_be_visible()
    page.locator(".judged-by summary").click()
    limit, deeper = page.get_by_label("Limit"), page.get_by_text("A deeper search judges better")
    expect(limit).to_be_hidden()
    expect(deeper).to_be_hidden()
    page.get_by_label("Player", exact=True).select_option("expectimax")
    expect(limit).to_be_visible()
    expect(deeper).to_be_visible()


def untried() -> tuple[Board, list[str]]:
    """A board of a game, and the texts beside its moves, one of which has a value too high."""
    with make_player("policy:ply=1") as player, make_player("random") as other:
        for seed in range(100):
            game = Game(seed=seed)
            while game.legal_moves():
                found = player.analyse(game.board)
                best = found.value
                assert best is not None
                high = [one.value is not None and one.value > best for one in found.moves]
                if any(high):
                    return game.board, ["not tried" if one else "" for one in high]
                game.play(other.choose(game.board, move_number=game.move_number))
    raise AssertionError("every move was tried")


def test_a_move_that_a_search_left_out_is_named(laptop: Visit, phone: Visit) -> None:
    board, words = untried()
    for view in (laptop, phone):
        view.open(f"/analyse#board={board}&player=policy:ply=1", "table")
        behind = view.page.locator("td.analysis-behind")
        patterns = [re.compile(word or "^(illegal|about the same|−.+|)$") for word in words]
        expect(behind).to_have_text(patterns)
        if view is laptop:
            fills = view.page.locator(".analysis-fill").evaluate_all(LENGTHS)
            left = [length for length, word in zip(fills, words, strict=True) if word]
            assert set(left) == {0}
        past = "all => all.some(one => one.scrollWidth > one.clientWidth + 1)"
        assert not behind.evaluate_all(past)
