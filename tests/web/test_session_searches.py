"""The boards, analyses and reviews that a page asks for."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Page, wait_until
from twofold.web import protocol
from twofold.web.hub import Hub
from twofold.web.protocol import AnalysisReply, Reviewed

DEEP = "1234/2345/3456/0010"
"""A board on which a search does not come to its end."""


@pytest.fixture
def hub(own_hub: Hub) -> Hub:
    return own_hub


def test_one_analysis_a_page(hub: Hub, page: Page) -> None:
    first = page.tell(protocol.AnalyseRequest(board=DEEP, player="expectimax", seconds=60))
    page.wait(AnalysisReply)
    second = page.tell(protocol.AnalyseRequest(board=DEEP, player="expectimax", seconds=60))
    page.wait(AnalysisReply, lambda reply: reply.ref == second)
    page.tell(protocol.StopRequest())
    final = page.wait(AnalysisReply, lambda reply: reply.final)
    assert final.ref == second
    refs = [reply.ref for reply in page.replies]
    assert first not in refs[refs.index(second) :]


@pytest.mark.promise("R29b")
@pytest.mark.parametrize("what", ["analysis", "review", "autoplay"])
def test_a_page_that_leaves_ends_its_searches(
    hub: Hub, page: Page, what: str, figure: Callable[[str], None]
) -> None:
    state = page.new(board=DEEP)
    other = Page(hub)
    if what == "analysis":
        page.tell(protocol.AnalyseRequest(board=DEEP, player="expectimax", seconds=60))
        page.wait(AnalysisReply)
    elif what == "autoplay":
        page.let_play(state, player="expectimax:ply=12")
        live = hub.table.find(state.game)
        wait_until(lambda: live.now().autoplay != "")
    else:
        page.play(state, 3)
        page.tell(protocol.ReviewRequest(game=state.game, player="expectimax:ply=9"))
        wait_until(lambda: "twofold-review" in names())
    began = time.perf_counter()
    page.close()
    wait_until(lambda: not hub.searches.threads._ends and not hub.reviews.threads._ends)
    wait_until(lambda: "twofold-autoplay" not in names())
    taken = time.perf_counter() - began
    figure(f"{what} ended {1000 * taken:.0f} ms after its page left")
    assert taken < 5  # 0.2 s where nothing else runs
    other.open()


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_a_review_and_an_analysis_run_beside_each_other(page: Page) -> None:
    state = page.new()
    page.play(state, 3)
    review = page.tell(protocol.ReviewRequest(game=state.game, player=own_players.PATIENT))
    assert GATE.reached.wait(PATIENCE)
    page.ask(protocol.AnalyseRequest(board=DEEP, player="expectimax", ply=1), AnalysisReply)
    page.tell(protocol.StopRequest())
    found = page.wait(Reviewed)
    assert (found.ref, found.complete) == (review, False)
