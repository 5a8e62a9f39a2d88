"""Messages: they round-trip, and invalid ones are refused."""

import json
from typing import Any

import msgspec
import pytest

from tests.web.page import AnyReply, parse_reply
from twofold.game.game import TileSlide
from twofold.games.kept import GameInfo
from twofold.web import protocol
from twofold.web.protocol import (
    MAX_MESSAGE_BYTES,
    InvalidMessage,
    Reply,
    Request,
    format_message,
    parse_request,
)

NOW = protocol.GameNow(
    board="1000/0000/0000/0001",
    tiles=[2] + [0] * 14 + [2],
    score=0,
    move_number=0,
    status="going",
    legal="urdl",
    can_undo=False,
    can_redo=False,
    undos=0,
    best=2**60,
    autoplay="",
)
RULES = protocol.RulesInfo("4x4", 4, 4, 2048, False, 2, [(2, 0.9), (4, 0.1)])
INFO = GameInfo("k3", "4x4", "1000", 0, 0, 2, "going", "me", "2048-01-31", 0)
VALUE = protocol.MoveValueInfo("u", True, 1.5, 1.0, 4, 3, 100)
JUDGEMENT = protocol.JudgementInfo(
    0, "u", "l", [1.0, None, None, 2.0], 0.5, 50.0, "severe blunder", "points"
)

REQUESTS: list[Request] = [
    protocol.OpenRequest(),
    protocol.OpenRequest(ref=2**53, game="k-3_A"),
    protocol.NewRequest(rules="3x4", seed="18446744073709551615", keep=False),
    protocol.NewRequest(source="k3", move_number=12),
    protocol.MoveRequest(ref=7, game="k3", move="u", move_number=0),
    protocol.UndoRequest(game="k3"),
    protocol.RedoRequest(game="k3"),
    protocol.ViewRequest(game="k3", move_number=3),
    protocol.CloseRequest(game="k3"),
    protocol.GamesRequest(),
    protocol.DeleteRequest(game="k3"),
    protocol.AutoplayRequest(game="k3", player="greedy", moves_per_second=0.5, stop_tile=2048),
    protocol.AutoplayRequest(game="k3", moves=1),
    protocol.PauseRequest(game="k3"),
    protocol.BoardRequest(text="2 4 8 16"),
    protocol.AnalyseRequest(board="1" * 16, score="123", seconds=1.5, nodes=1, ply=3),
    protocol.StopRequest(),
    protocol.ReviewRequest(game="k3", player="ntuple", ply=2),
]
REPLIES: list[Reply] = [
    protocol.Welcome(
        version="1", players=[protocol.PlayerInfo("a", "b", "c", True)], ready=False, max_side=8
    ),
    protocol.Ready(),
    protocol.RefusedReply(ref=3, message="expected a move", kind="IllegalMove"),
    protocol.GameState(
        game="k3", rules=RULES, seed="1", kept=True, player="me", date="", first=0, now=NOW
    ),
    protocol.StepReply(
        game="k3",
        move="u",
        reward=4,
        slides=[TileSlide(0, 1, True)],
        cell=3,
        tile=2,
        by="",
        goal_reached=False,
        now=NOW,
    ),
    protocol.FrameReply(game="k3", now=NOW, moves_per_second=1e6),
    protocol.PositionReply(
        game="k3", board="1", tiles=[2], score=0, move_number=0, last=3, next_move="u"
    ),
    protocol.AutoplayEnded(game="k3", reason="tile", now=NOW),
    protocol.GamesReply(games=[INFO]),
    protocol.BoardInfo(board="1", tiles=[2], rows=1, cols=1, legal="", max_tile=2),
    protocol.AnalysisReply(
        board="1",
        final=True,
        player="greedy",
        best="u",
        moves=[VALUE],
        unit="points",
        depth="3 plies",
        nodes=1,
        seconds=0.5,
        source="rows",
        line=["l@5:2"],
        bar=None,
    ),
    protocol.OutcomesReply(
        board="2x2:11/10",
        final=True,
        done=1.0,
        tiles=[protocol.TileChance(8, 0.25, 1.0), protocol.TileChance(16, 0.75, 0.75)],
        moves=9.5,
    ),
    protocol.Judged(game="k3", judgements=[JUDGEMENT], done=1, total=2, accuracy=99.5),
    protocol.Reviewed(game="k3", player="greedy", unit="points", complete=True),
]


def name(message: Any) -> str:
    return type(message).__name__


@pytest.mark.parametrize("request_", REQUESTS, ids=name)
def test_requests_read_back(request_: Request) -> None:
    assert parse_request(format_message(request_)) == request_
    assert parse_request(format_message(request_).decode()) == request_


@pytest.mark.parametrize("reply", REPLIES, ids=name)
def test_replies_read_back(reply: Reply) -> None:
    assert parse_reply(format_message(reply)) == reply


def test_every_message_is_here() -> None:
    assert {type(one) for one in REQUESTS} == set(protocol.AnyRequest.__args__)
    assert {type(one) for one in REPLIES} == set(AnyReply.__args__)


def test_a_slide_is_a_list() -> None:
    assert json.loads(msgspec.json.encode(TileSlide(4, 0, False))) == [4, 0, False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"type":"fly"}',
        '{"type":"open","game":"../etc"}',
        '{"type":"open","game":"' + "a" * 65 + '"}',
        '{"type":"open","more":1}',
        '{"type":"open","ref":-1}',
        '{"type":"open","ref":1.5}',
        '{"type":"move","game":"k","move":"x","move_number":0}',
        '{"type":"move","game":"k","move":"u"}',
        '{"type":"move","game":"k","move":"u","move_number":1e300}',
        '{"type":"autoplay","game":"k","moves_per_second":0}',
        '{"type":"autoplay","game":"k","moves_per_second":NaN}',
        '{"type":"analyse","board":"1","score":"-1"}',
        '{"type":"analyse","board":"1","ply":101}',
        '{"type":"board","text":"' + "1" * 4001 + '"}',
        '{"type":"board","text":"\\ud800"}',
        "[" * 10_000,
        '{"type":"board","text":' + "[" * 5_000,
    ],
)
def test_invalid_requests_are_refused(text: str) -> None:
    with pytest.raises(InvalidMessage, match=r"^expected a request"):
        parse_request(text)
    with pytest.raises(InvalidMessage):
        parse_request(text.encode(errors="surrogatepass"))


def test_long_messages_are_refused() -> None:
    with pytest.raises(InvalidMessage, match="16384 bytes"):
        parse_request(b" " * (MAX_MESSAGE_BYTES + 1))


def test_invalid_utf_8_is_refused() -> None:
    with pytest.raises(InvalidMessage):
        parse_request(b'{"type":"board","text":"\xff"}')
