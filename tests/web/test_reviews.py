"""Reviews: judgements come in order, are cached, and end when they are cancelled."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.web.own_players import GATE
from tests.web.page import Listener, start
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import STANDARD, Move
from twofold.games.judge import Judge
from twofold.games.mistakes import MistakeBook
from twofold.games.review import judge, review
from twofold.games.store import GameStore
from twofold.players import PlayerSpec, make_player
from twofold.search.budget import Stop
from twofold.web import reviews as module
from twofold.web.protocol import Judged, JudgementInfo, Reviewed, SendReply
from twofold.web.reviews import Reviews

SPEC = "ntuple:net=tiny,ply=1"


def game(moves: int, last: int = 0) -> Record:
    """A game of first legal moves; `last` is the index of the last move."""
    history = Game(STANDARD, 5)
    for number in range(moves):
        history.play(history.legal_moves()[last if number == moves - 1 else 0])
    return Record.from_game(history)


@pytest.fixture
def reviews(tmp_path: Path) -> Iterator[Reviews]:
    GATE.reset()
    store = GameStore(tmp_path)
    with closing(Reviews(make_player, MistakeBook(store), store)) as reviews:
        yield reviews
        GATE.opened.set()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The move numbers that were judged."""
    numbers: list[int] = []
    judgement = Judge.judgement

    def counted(self: Judge, move_number: int, *args: Any) -> Any:
        numbers.append(move_number)
        return judgement(self, move_number, *args)

    monkeypatch.setattr(Judge, "judgement", counted)
    return numbers


def asked(
    reviews: Reviews,
    listener: Listener,
    record: Record,
    spec: str = SPEC,
    ref: int = 1,
    ply: int | None = None,
    first: int = 0,
) -> Stop:
    judge = PlayerSpec.parse(spec)

    def work(stop: Stop, send: SendReply) -> None:
        reviews.review("k3", record, judge, ply, stop, send, first)

    return start(reviews.threads, work, listener, ref)


def end(listener: Listener, ref: int = 1) -> Reviewed:
    return listener.wait(Reviewed, lambda reply: reply.ref == ref)


def judgements(listener: Listener, ref: int = 1) -> list[JudgementInfo]:
    return [one for reply in listener.all(Judged) if reply.ref == ref for one in reply.judgements]


def test_every_move_is_judged(reviews: Reviews, listener: Listener) -> None:
    record = game(30)
    asked(reviews, listener, record)
    found = end(listener)
    expected = list(judge(record, make_player(SPEC)))
    whole = review(expected)
    assert [one.move for one in judgements(listener)] == [one.move.letter for one in expected]
    assert [one.values for one in judgements(listener)] == [list(one.values) for one in expected]
    assert [one.move_number for one in judgements(listener)] == list(range(30))
    assert (found.game, found.player, found.unit) == ("k3", SPEC, "points")
    assert found.complete
    last = listener.all(Judged)[-1]
    assert (last.done, last.total, last.accuracy) == (30, 30, whole.accuracy)
    for one in listener.all(Judged):
        assert one.accuracy == review(expected[: one.done]).accuracy


def test_judgements_come_in_parts(
    reviews: Reviews, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_IN_MESSAGE", 8)
    monkeypatch.setattr(module, "SEND_SECONDS", 1e9)
    asked(reviews, listener, game(20))
    end(listener)
    assert [len(reply.judgements) for reply in listener.all(Judged)] == [8, 8, 4]
    asked(reviews, listener, game(20), ref=2)
    end(listener, 2)
    again = [reply for reply in listener.all(Judged) if reply.ref == 2]
    assert [reply.done for reply in again] == [8, 16, 20]


def test_the_moves_from_a_place_on_are_judged_first(
    reviews: Reviews, listener: Listener, judged: list[int]
) -> None:
    asked(reviews, listener, game(20), first=15)
    found = end(listener)
    assert judged == [*range(15, 20), *range(15)]
    assert [one.move_number for one in judgements(listener)] == judged
    with make_player(SPEC) as player:
        known = reviews.known(game(20), player.spec, None)
    assert [one.move_number for one in known] == list(range(20))
    assert found.complete


def test_judgements_are_kept(reviews: Reviews, listener: Listener, judged: list[int]) -> None:
    """Also those of the first moves of a game that continued, in the same way or another."""
    asked(reviews, listener, game(20))
    end(listener)
    first = listener.all(Judged)[-1]
    asked(reviews, listener, game(20), ref=2)
    end(listener, 2)
    assert listener.all(Judged)[-1].accuracy == first.accuracy
    assert judgements(listener, 2) == judgements(listener)
    assert judged == list(range(20))
    asked(reviews, listener, game(25), ref=3)
    end(listener, 3)
    assert judged == list(range(25))
    asked(reviews, listener, game(20, last=1), ref=4)
    end(listener, 4)
    assert judged == [*range(25), 19]
    assert judgements(listener, 4)[-1].move != judgements(listener)[-1].move
    asked(reviews, listener, game(20), "ntuple:net=tiny,ply=2", ref=5)
    end(listener, 5)
    assert len(judged) == 46


def test_judgements_of_another_depth_or_score_are_made_anew(
    reviews: Reviews, judged: list[int]
) -> None:
    listener, first = Listener(), Board.parse("1230/0000/0000/0000")
    games = [Game.from_board(first, STANDARD, 5, score=score) for score in (0, 1_000)]
    for one in games:
        one.play(one.legal_moves()[0])
    records = [Record.from_game(one) for one in games]
    orders = [(records[0], 1), (records[0], 2), (records[1], 1), (records[0], 1)]
    for ref, (record, ply) in enumerate(orders, 1):
        asked(reviews, listener, record, "ntuple:net=tiny", ref, ply)
        end(listener, ref)
    assert len(judged) == 3


def test_kept_judgements_are_those_of_the_same_boards(reviews: Reviews, listener: Listener) -> None:
    record = game(20)
    asked(reviews, listener, record)
    end(listener)
    with make_player(SPEC) as player:
        spec = player.spec
    known = reviews.known(record, spec, None)
    assert len(known) == 20
    sixth = Move((record.moves[5] + 1) % 4)
    other = replace(record, moves=(*record.moves[:5], sixth, *record.moves[6:]))
    assert reviews.known(other, spec, None) == known[:5]
    given, elsewhere = (replace(record, spawns={4: (cell, 1)}) for cell in (0, 15))
    reviews.keep(given, spec, None, known)
    assert reviews.known(given, spec, None) == known
    assert reviews.known(elsewhere, spec, None) == []


def test_the_oldest_judgements_are_forgotten(
    reviews: Reviews, listener: Listener, judged: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 25)
    for ref, spec in enumerate([SPEC, "ntuple:net=tiny,ply=2", SPEC], 1):
        asked(reviews, listener, game(20), spec, ref)
        end(listener, ref)
    assert len(judged) == 60
