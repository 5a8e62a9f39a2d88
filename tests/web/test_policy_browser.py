"""The analysis of a policy network in a real Chromium."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.support.browser import PATIENCE_MS, Served, Visit, serve
from tests.support.policies import make_policy, write
from twofold.board import Board
from twofold.networks.policy import probabilities
from twofold.rules import Move

BOARD = Board.parse("0012/0124/1356/2479")
"""Only up and left are legal."""

LENGTHS = "all => all.map(one => new DOMMatrix(getComputedStyle(one).transform).a)"

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("games")
    with serve(folder, f"policy:net={write(folder / 'net.safetensors')}") as found:
        yield found


def test_probabilities_are_in_percent_and_drawn_from_0_to_100(laptop: Visit, phone: Visit) -> None:
    legal = [move in BOARD.legal_moves() for move in Move]
    chances = probabilities(make_policy().think(BOARD).logits, legal)
    words = [f"{chance:.0%}".replace("%", " %") if chance else "–" for chance in chances]
    for visit in (laptop, phone):
        visit.open(f"/analyse#board={BOARD}", "table")
        expect(visit.page.locator("th.analysis-value")).to_have_text("probability")
        expect(visit.page.locator("td.analysis-value")).to_have_text(words)
        behind = visit.page.locator("td.analysis-behind")
        expect(behind).to_have_text([re.compile(r"^(best|illegal|−\d+ %)$")] * 4)
        drawn = visit.page.locator(".analysis-fill").evaluate_all(LENGTHS)
        assert drawn == pytest.approx(chances, abs=1e-3)
        assert not visit.is_too_wide()
