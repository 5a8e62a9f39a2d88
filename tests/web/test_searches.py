"""Analyses: limits, their number at a time, and their end when cancelled."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.web import own_players
from tests.web.own_players import GATE, First
from tests.web.page import PATIENCE, Listener, start, wait_until
from twofold.errors import ResourceError
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_PLY
from twofold.players import Player, PlayerSpec, make_player
from twofold.search.budget import Budget, Stop
from twofold.web import searches as module
from twofold.web.protocol import AnalysisReply, RefusedReply
from twofold.web.searches import (
    IDLE_PLAYERS,
    MAX_NODES,
    MAX_SECONDS,
    AnalysisOrder,
    Searches,
    clamped,
)

BOARD = Board.parse("1234/2345/3456/0010")
GREEDY = PlayerSpec.parse("greedy")


class Counted(First):
    """What is made for `greedy`; it says whether it was closed."""

    made: list["Counted"]

    def __init__(self) -> None:
        self.is_closed = False
        Counted.made.append(self)

    def close(self) -> None:
        self.is_closed = True


def make(spec: PlayerSpec) -> Player:
    return Counted() if spec.name == "greedy" else make_player(spec)


@pytest.fixture
def searches() -> Iterator[Searches]:
    GATE.reset()
    Counted.made = []
    with closing(Searches(make, at_once=2)) as searches:
        yield searches
        GATE.opened.set()


def question(spec: str = "expectimax", board: Board = BOARD, **limits: Any) -> AnalysisOrder:
    return AnalysisOrder(PlayerSpec.parse(spec), board, Rules(*board.shape), None, Budget(**limits))


def asked(searches: Searches, listener: Listener, what: AnalysisOrder, ref: int = 1) -> Stop:
    work = lambda stop, send: searches.send(what, stop, send)  # noqa: E731
    return start(searches.threads, work, listener, ref)


def final(listener: Listener, ref: int = 1) -> AnalysisReply:
    return listener.wait(AnalysisReply, lambda reply: reply.final and reply.ref == ref)


@pytest.mark.parametrize(("limits", "budget"), [
    ({}, Budget()), ({"seconds": 1e9}, Budget(seconds=MAX_SECONDS)),
    ({"seconds": 0.25}, Budget(seconds=0.25)),
    ({"ply": 100}, Budget(ply=MAX_PLY, seconds=MAX_SECONDS)),
    ({"ply": 3}, Budget(ply=3, seconds=MAX_SECONDS)),
    ({"nodes": 10**15}, Budget(nodes=MAX_NODES, seconds=MAX_SECONDS)),
    ({"nodes": 5, "ply": 2, "seconds": 1.0}, Budget(nodes=5, ply=2, seconds=1.0)),
])  # fmt: skip
@pytest.mark.promise("R29b")
def test_limits_are_clamped(limits: dict[str, Any], budget: Budget) -> None:
    assert clamped(**limits) == budget


@pytest.mark.promise("R29b")
def test_a_player_without_limits_ends_in_time(
    searches: Searches, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", 0.02)
    asked(searches, listener, question("expectimax:ply=12"))
    assert final(listener).depth != "12 plies"


def test_every_ply_is_sent(searches: Searches, listener: Listener) -> None:
    asked(searches, listener, question(ply=3, seconds=60.0))
    last = final(listener)
    replies = listener.all(AnalysisReply)
    assert [reply.depth for reply in replies] == ["1 ply", "2 plies", "3 plies", "3 plies"]
    assert [reply.final for reply in replies] == [False, False, False, True]
    assert (last.player, last.board) == ("expectimax", str(BOARD))


def test_players_are_reused(searches: Searches) -> None:
    """Under the same rules; some wait for that, the others are closed."""
    for rules in (STANDARD, STANDARD, Rules(3, 3)):
        with searches.player(GREEDY, rules):
            pass
    assert len(Counted.made) == 2
    for cols in range(1, 1 + IDLE_PLAYERS):
        with searches.player(GREEDY, Rules(2, cols)):
            pass
    assert [player.is_closed for player in Counted.made] == [True] * 2 + [False] * IDLE_PLAYERS
    with searches.player(GREEDY, STANDARD):
        searches.close()
        assert [player.is_closed for player in Counted.made[2:]] == [True] * IDLE_PLAYERS + [False]
    assert Counted.made[-1].is_closed


def test_a_failed_player_is_not_reused(searches: Searches, listener: Listener) -> None:
    asked(searches, listener, question(own_players.BROKEN))
    assert listener.wait(RefusedReply).kind == "InternalError"
    asked(searches, listener, question(own_players.EXITING))
    listener.wait(RefusedReply, lambda reply: "SystemExit: 3" in reply.message)
    with pytest.raises(ZeroDivisionError), searches.player(GREEDY, STANDARD):
        raise ZeroDivisionError
    assert Counted.made[0].is_closed


@pytest.mark.parametrize("spec", ["expectimax", own_players.PATIENT])
@pytest.mark.promise("R29b")
def test_a_stopped_analysis_sends_its_result(
    searches: Searches, listener: Listener, spec: str
) -> None:
    stop = asked(searches, listener, question(spec, seconds=60.0))
    if spec == "expectimax":
        listener.wait(AnalysisReply)
    else:
        assert GATE.reached.wait(PATIENCE)
    stop.raise_flag()
    assert final(listener).best
    wait_until(lambda: not searches.threads._ends)


@pytest.mark.promise("R29b")
def test_the_number_of_simultaneous_analyses_is_limited(
    searches: Searches, listener: Listener
) -> None:
    """A third one is queued. Closing ends them all."""
    first = asked(searches, listener, question(seconds=60.0), 1)
    asked(searches, listener, question(seconds=60.0), 2)
    for ref in (1, 2):
        listener.wait(AnalysisReply, lambda reply, ref=ref: reply.ref == ref)  # type: ignore[misc]
    asked(searches, listener, question(ply=1), 3)
    assert {reply.ref for reply in listener.all(AnalysisReply)} == {1, 2}
    first.raise_flag()
    final(listener, 3)
    searches.close()
    assert "twofold-search" not in [thread.name for thread in threading.enumerate()]
    with pytest.raises(ResourceError, match="shutting down"):
        searches.threads.start(lambda: None)


@pytest.mark.promise("R29b")
def test_a_short_analysis_does_not_wait_for_long_ones(listener: Listener) -> None:
    with closing(Searches(make)) as searches:
        for ref in range(1, 11):
            asked(searches, listener, question(seconds=60.0), ref)
        asked(searches, listener, question(ply=1), 11)
        final(listener, 11)
        assert not [reply for reply in listener.all(AnalysisReply) if reply.final][1:]
