"""One page: every request is answered or refused, also analyses and reviews."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Page, wait_until
from twofold.web import protocol
from twofold.web import session as module
from twofold.web.hub import Hub
from twofold.web.page_game import PageGame
from twofold.web.protocol import AnalysisReply, GameState, RefusedReply, Reviewed, StepReply


@pytest.fixture
def hub(own_hub: Hub) -> Hub:
    return own_hub


# ---- games


def test_a_fork(hub: Hub, page: Page) -> None:
    source = page.new(seed="7")
    page.play(source, 6)
    fork = page.new(source=source.game, move_number=4)
    assert fork.game != source.game
    assert (fork.seed, fork.now.move_number, fork.now.can_undo) == ("7", 4, True)
    assert str(hub.table.find(source.game).game.at(4).board) == fork.now.board
    race = page.new(source=source.game, move_number=0, keep=False)
    assert (race.kept, race.now.move_number) == (False, 0)
    request = protocol.NewRequest(source=source.game, move_number=7)
    assert page.refusal(request)[0] == "LimitExceeded"


def test_a_game_of_another_page_has_to_be_opened(hub: Hub, page: Page) -> None:
    state = page.new()
    other = Page(hub)
    request = protocol.MoveRequest(game=state.game, move="u", move_number=0)
    kind, message = other.refusal(request)
    assert (kind, message) == ("NotFound", f"this page has not opened the game '{state.game}'")
    other.open(state.game)
    step = other.move(state.game, state.now.legal[0], 0)
    assert page.wait(StepReply).now == step.now
    assert page.wait(StepReply).ref == 0
    stale = protocol.MoveRequest(game=state.game, move="u", move_number=0)
    assert page.refusal(stale)[0] == "StaleMove"
    other.tell(protocol.CloseRequest(game=state.game))
    other.tell(protocol.CloseRequest(game=state.game))
    assert other.refusal(request)[0] == "NotFound"
    count = len(other.replies)
    page.play(page.open(state.game), 1)
    assert len(other.replies) == count


def test_the_number_of_open_games_is_limited(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FOLLOWED", 2)
    first, _ = page.new(), page.new()
    assert page.refusal(protocol.NewRequest())[0] == "LimitExceeded"
    page.open(first.game)  # again
    page.tell(protocol.CloseRequest(game=first.game))
    page.new()


# ---- the end


def test_a_closed_session_sends_nothing(hub: Hub, page: Page) -> None:
    state = page.new()
    other = Page(hub)
    other.open(state.game)
    page.close()
    page.close()
    count = len(page.replies)
    other.play(state, 1)
    page.tell(protocol.MoveRequest(game=state.game, move="u", move_number=1))
    assert len(page.replies) == count


def test_a_page_may_move_as_soon_as_it_is_told_of_a_game(hub: Hub) -> None:
    class Hasty(Page):
        """Moves as soon as it gets the game."""

        def send(self, reply: protocol.Reply) -> None:
            super().send(reply)
            if isinstance(reply, GameState):
                move: Any = reply.now.legal[0]
                number = reply.now.move_number
                self.tell(protocol.MoveRequest(game=reply.game, move=move, move_number=number))

    page = Hasty(hub)
    game = page.open().game
    assert page.wait(StepReply).now.move_number == 1
    other = Hasty(hub)
    other.open(game)
    assert other.wait(StepReply).now.move_number == 2
    assert not page.all(RefusedReply) + other.all(RefusedReply)


@pytest.mark.parametrize("is_early", [True, False])
def test_a_game_that_is_read_for_a_page_that_left_is_left_too(
    hub: Hub, page: Page, monkeypatch: pytest.MonkeyPatch, is_early: bool
) -> None:
    """The page leaves while the game is read, or while it joins."""
    state = page.new()
    other = Page(hub)
    join, found = hub.table.join, threading.Event()

    def held(*args: Any) -> PageGame:
        if is_early:
            other.close()
        live = join(*args)
        if not is_early:
            other.close()
        found.set()
        return live

    monkeypatch.setattr(hub.table, "join", held)
    other.tell(protocol.OpenRequest(game=state.game))
    assert found.wait(PATIENCE)
    page.close()
    live = hub.table.find(state.game)
    wait_until(lambda: not live.is_followed)


def test_an_internal_error_does_not_end_the_session(
    hub: Hub, page: Page, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def oops(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops \x1b")

    monkeypatch.setattr(hub.table, "begin", oops)
    monkeypatch.setattr(hub.table, "find_last", oops)
    for request in (protocol.NewRequest(), protocol.OpenRequest()):
        kind, message = page.refusal(request)
        assert kind == "InternalError"
        assert message == r"something went wrong inside twofold: ZeroDivisionError: oops \x1b"
    assert "Traceback" in caplog.text
    monkeypatch.undo()
    page.new()


# ---- analyses and reviews

DEEP = "1234/2345/3456/0010"
"""A board on which a search does not come to its end."""


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
