"""Pages in a real Chromium where an endgame table chooses the move."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser import Served, Visit, serve
from tests.support.endgame_tables import table_files as table_files  # a fixture
from twofold import Game, Record
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Move

PLAYER = "ntuple:net=tiny,ply=1,tables=442-16"
BOARD = "ebdc/11a9/0130/3002"
"""Right has 95.9 % there and up 81.6 %; left and down shift a large tile."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, table_files: Path) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TWOFOLD_STATE_DIR", str(table_files))
        with serve(tmp_path_factory.mktemp("games"), PLAYER) as found:
            yield found


@pytest.mark.promise("R72")
def test_an_analysis_names_the_table(laptop: Visit, phone: Visit, served: Served) -> None:
    for visit in (laptop, phone):
        visit.open(f"/analyse#board={BOARD}", "table")
        fact = visit.page.locator(".analysis-table")
        expect(fact).to_have_text("Endgame table442-16: 95.9 % to make 16")
        expect(visit.page.locator(".analysis-chance")).to_contain_text(
            "Chance of 16 with best play 95.9 %"
        )
        behind = visit.page.locator("td.analysis-behind")
        expect(behind).to_have_text(["−14 % chance", "", "", ""])
        expect(visit.page.locator("tr.is-best .analysis-label")).to_contain_text("best")
        expect(behind.first).to_be_visible()
        for cell in visit.page.locator(".analysis-moves tbody td:not(.analysis-track)").all():
            wide = cell.evaluate("one => [one.scrollWidth, one.clientWidth, one.textContent]")
            assert wide[0] <= wide[1], wide
        visit.page.locator(".analysis-details summary").click()
        points = visit.page.locator("td.analysis-value")
        expect(points.first).to_be_visible()
        expect(points.first).to_have_text(re.compile(r"^[0-9,.]+$"))
        assert not visit.is_too_wide()
        assert visit.violations() == []


def test_all_tiles_to_set_and_the_name_of_the_player_are_seen(
    laptop: Visit, phone: Visit, served: Served
) -> None:
    for visit in (laptop, phone):
        visit.open(f"/analyse#board={BOARD}", "table")
        visit.page.get_by_role("button", name="Set up").click()
        palette = visit.page.locator(".palette")
        assert palette.evaluate("one => one.scrollWidth <= one.clientWidth")
        side = visit.page.locator(".analysis-asked").bounding_box()
        select = visit.page.locator(".analysis-asked .choice select").first.bounding_box()
        assert side is not None
        assert select is not None
        assert select["width"] == pytest.approx(side["width"], abs=1)


def test_a_board_without_a_table_says_nothing_of_one(laptop: Visit, served: Served) -> None:
    laptop.open("/analyse#board=0012/0124/1356/2479", "table")
    expect(laptop.page.locator("tr.is-best")).to_have_count(1)
    expect(laptop.page.locator(".analysis-table")).to_be_hidden()


def test_a_review_goes_by_the_chances(laptop: Visit, served: Served) -> None:
    game = Game.from_board(Board.parse(BOARD), STANDARD, 1)
    for move in (Move.UP, *[Move.LEFT] * 3):
        if move in game.legal_moves():
            game.play(move)
    kept = served.keep(str(Record.from_game(game)))
    laptop.open(f"/analyse?game={kept}&player={PLAYER.replace('=', '%3D')}", ".tile")
    verdict = laptop.page.locator(".analysis-words")
    expect(verdict).to_contain_text("of the chance that right has to make 16, says table 442-16")
    expect(laptop.page.locator(".analysis-behind").first).to_have_text("−14 % chance")
