"""Analyses: limits, their number at a time, and their end when cancelled."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Listener
from twofold.errors import ResourceError
from twofold.game.board import Board
from twofold.game.rules import STANDARD, Rules
from twofold.limits import MAX_PLY
from twofold.players import Player, PlayerSpec, make_player
from twofold.search.budget import Budget
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
from twofold.web.session import Asked

BOARD = Board.parse("1234/2345/3456/0010")


class Makes:
    """Makes players, and counts them."""

    def __init__(self) -> None:
        self.made: list[Player] = []
        self.closed: list[Player] = []

    def __call__(self, spec: PlayerSpec) -> Player:
        player = make_player(spec)
        close, start = player.close, player.start
        self.made.append(player)

        def counted() -> None:
            self.closed.append(player)
            close()

        def uncounted(rules: Rules, seed: int) -> None:
            player.close = close  # type: ignore[method-assign] # a search closes the one before
            try:
                start(rules, seed)
            finally:
                player.close = counted  # type: ignore[method-assign]

        player.start = uncounted  # type: ignore[method-assign]
        return player


@pytest.fixture
def makes() -> Makes:
    return Makes()


@pytest.fixture
def searches(makes: Makes) -> Iterator[Searches]:
    GATE.reset()
    with closing(Searches(makes, at_once=2)) as searches:
        yield searches
        GATE.opened.set()


def question(spec: str = "expectimax", board: Board = BOARD, **limits: Any) -> AnalysisOrder:
    return AnalysisOrder(PlayerSpec.parse(spec), board, Rules(*board.shape), None, Budget(**limits))


def asked(searches: Searches, listener: Listener, what: AnalysisOrder, ref: int = 1) -> Asked:
    one = Asked(lambda stop, send: searches.send(what, stop, send), listener.send, ref)
    searches.threads.start(one.run, one.stop.raise_flag)
    return one


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
    searches: Searches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SECONDS", 0.02)
    listener = Listener()
    asked(searches, listener, question("expectimax:ply=12"))
    assert final(listener).depth != "12 plies"


def test_every_ply_is_sent(searches: Searches) -> None:
    listener = Listener()
    asked(searches, listener, question(ply=3, seconds=60.0))
    last = final(listener)
    replies = listener.all(AnalysisReply)
    assert [reply.depth for reply in replies] == ["1 ply", "2 plies", "3 plies", "3 plies"]
    assert [reply.final for reply in replies] == [False, False, False, True]
    assert (last.player, last.board) == ("expectimax", str(BOARD))


def test_players_are_reused(searches: Searches, makes: Makes) -> None:
    listener = Listener()
    for ref in range(1, 4):
        asked(searches, listener, question(ply=1, seconds=60.0), ref)
        final(listener, ref)
        wait_until_idle(searches)
    assert len(makes.made) == 1
    asked(searches, listener, question(board=Board.parse("3x3:123/000/000"), ply=1), 5)
    final(listener, 5)
    assert len(makes.made) == 2
    assert makes.closed == []
    searches.close()
    assert len(makes.closed) == 2


def wait_until_idle(searches: Searches) -> None:
    for _ in range(10_000):
        if not searches.threads._ends:
            return
        threading.Event().wait(0.001)
    raise AssertionError("still searching")


def test_the_number_of_idle_players_is_limited(searches: Searches, makes: Makes) -> None:
    for number in range(IDLE_PLAYERS + 3):
        with searches.player(PlayerSpec.parse(f"expectimax:ply=1,cut=0.{number + 1}"), STANDARD):
            pass
    assert makes.closed == makes.made[:3]


def test_a_failed_player_is_not_reused(searches: Searches, makes: Makes) -> None:
    listener = Listener()
    asked(searches, listener, question(own_players.BROKEN))
    assert listener.wait(RefusedReply).kind == "InternalError"
    assert makes.closed == makes.made


@pytest.mark.parametrize("spec", ["expectimax", own_players.PATIENT])
@pytest.mark.promise("R29b")
def test_a_stopped_analysis_sends_its_result(searches: Searches, spec: str) -> None:
    listener = Listener()
    one = asked(searches, listener, question(spec, seconds=60.0))
    if spec == "expectimax":
        listener.wait(AnalysisReply)
    else:
        assert GATE.reached.wait(PATIENCE)
    one.stop.raise_flag()
    assert final(listener).best
    wait_until_idle(searches)


@pytest.mark.promise("R29b")
def test_after_a_drop_nothing_is_sent(searches: Searches, makes: Makes) -> None:
    listener = Listener()
    one = asked(searches, listener, question(seconds=60.0))
    listener.wait(AnalysisReply)
    one.drop()
    count = len(listener.replies)
    wait_until_idle(searches)
    assert len(listener.replies) == count
    assert makes.closed == []  # it may serve again
    with searches.player(PlayerSpec.parse("expectimax"), STANDARD) as player:
        assert [player] == makes.made
        assert player.analyse(BOARD, Budget(ply=3)).depth == "3 plies"


@pytest.mark.promise("R29b")
def test_the_number_of_simultaneous_analyses_is_limited(searches: Searches) -> None:
    """A third one is queued; if it is dropped from the queue, it never starts."""
    listener = Listener()
    first = asked(searches, listener, question(seconds=60.0), 1)
    second = asked(searches, listener, question(seconds=60.0), 2)
    for ref in (1, 2):
        listener.wait(AnalysisReply, lambda reply, ref=ref: reply.ref == ref)  # type: ignore[misc]
    dropped = asked(searches, listener, question(ply=1), 3)
    asked(searches, listener, question(ply=1), 4)
    dropped.drop()
    assert {reply.ref for reply in listener.all(AnalysisReply)} == {1, 2}
    first.drop()
    final(listener, 4)
    second.stop.raise_flag()
    final(listener, 2)
    assert not [reply for reply in listener.all(AnalysisReply) if reply.ref == 3]


@pytest.mark.promise("R29b")
def test_a_short_analysis_does_not_wait_for_long_ones(makes: Makes) -> None:
    listener = Listener()
    with closing(Searches(makes)) as searches:
        for ref in range(1, 11):
            asked(searches, listener, question(seconds=60.0), ref)
        asked(searches, listener, question(ply=1), 11)
        final(listener, 11)
        assert not [reply for reply in listener.all(AnalysisReply) if reply.final][1:]


def test_closing_ends_all(searches: Searches) -> None:
    listener = Listener()
    for ref in (1, 2, 3):
        asked(searches, listener, question(seconds=60.0), ref)
    listener.wait(AnalysisReply)
    searches.close()
    assert "twofold-search" not in [thread.name for thread in threading.enumerate()]
    with pytest.raises(ResourceError, match="shutting down"):
        searches.threads.start(lambda: None)


def test_a_player_that_comes_back_after_the_end_is_closed(makes: Makes) -> None:
    searches = Searches(makes)
    with searches.player(PlayerSpec.parse("greedy"), STANDARD):
        searches.close()
        assert makes.closed == []
    assert makes.closed == makes.made
