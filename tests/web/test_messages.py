"""Messages over the WebSocket: limits, invalid ones, and their effect on others."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.web.driver import Client, connected, frame, run, served
from twofold.web import session
from twofold.web.hub import Hub
from twofold.web.protocol import (
    MAX_MESSAGE_BYTES,
    AnyRequest,
    FrameReply,
    Ready,
    RefusedReply,
    Reply,
)
from twofold.web.session import (
    MESSAGES_AT_ONCE,
    MESSAGES_PER_SECOND,
    POLICY,
    TRY_AGAIN,
    Bucket,
    Outbox,
)

SMALLEST = '{"type":"stop"}'

NO_JSON: dict[str, str | bytes] = {
    "nothing": "", "no JSON": "hello", "half of it": '{"type":"stop"',
    "two values": SMALLEST + SMALLEST, "NaN": '{"type":"analyse","board":"0","seconds":NaN}',
    "deep objects": '{"a":' * 3_000, "surrogate": '{"type":"open","game":"\\ud800"}',
    "zero byte": '{"type":"open","game":"\x00"}', "bytes that are no UTF-8": b"\xff\xfe{}",
    "other encoding": '{"type":"stop"}'.encode("utf-16"),
}  # fmt: skip

UNKNOWN = {
    "deep value": '{"type":"open","game":' + "[" * 8_000 + "]" * 8_000 + "}",
    "unknown, then no JSON": '{"type":"quit",]', "deep lists": "[" * 16_000,
    "infinite time": '{"type":"analyse","board":"0","seconds":1e999}', "a number": "7",
    "a list": "[]", "null": "null", "no type": "{}", "unknown type": '{"type":"quit"}',
    "type of a reply": '{"type":"welcome"}', "type of another kind": '{"type":7}',
    "unknown field": '{"type":"stop","more":1}', "missing field": '{"type":"move","game":"a"}',
    "negative ref": '{"type":"stop","ref":-1}',
    "huge ref": '{"type":"stop","ref":' + "9" * 400 + "}",
    "no move": '{"type":"move","game":"a","move":"up","move_number":0}',
    "a path as id": '{"type":"open","game":"../../etc/passwd"}',
    "no pace": '{"type":"autoplay","game":"a","player":"","moves_per_second":5e-324}',
    "long board": '{"type":"analyse","board":"' + "0" * 4001 + '"}',
}  # fmt: skip
"""JSON that is no request of this version."""


BOARD = "1234/2345/3456/0010"

GOOD: dict[str, tuple[dict[str, Any], str]] = {
    "new": ({"seed": "1"}, "game"),
    "move": ({"move_number": 0}, "step"),
    "undo": ({}, "game"),
    "redo": ({}, "step"),
    "take_back": ({}, "game"),
    "view": ({"move_number": 0}, "position"),
    "pause": ({}, "ended"),
    "autoplay": ({"player": "greedy", "moves": 1}, "ended"),
    "analyse": ({"board": BOARD, "player": "expectimax", "ply": 1}, "analysis"),
    "review": ({"player": "greedy"}, "reviewed"),
    "open": ({}, "game"),
    "stop": ({}, ""),
    "close": ({}, ""),
}
"""Every type of request, in an order in which all are possible, and the type of the reply."""

REFUSED: dict[str, list[dict[str, Any]]] = {
    "InvalidRules": [{"type": "new", "rules": "9x9"}, {"type": "new", "rules": "fly"}],
    "InvalidSeed": [{"type": "new", "seed": "-1"}],
    "InvalidBoard": [
        {"type": "new", "board": "x"}, {"type": "new", "score": 5},
        {"type": "new", "board": "1111/0000/0000/0000", "rules": "3x3"},
        {"type": "analyse", "board": "?"}, {"type": "analyse", "board": BOARD, "rules": "3x3"},
    ],
    "TileTooLarge": [{"type": "new", "board": "zz00/0000/0000/0000"}],
    "GameOver": [{"type": "analyse", "board": "1212/2121/1212/2121"}],
    "LimitExceeded": [
        {"type": "analyse", "board": BOARD, "score": "9" * 20},
        {"type": "view", "move_number": 7},
    ],
    "InvalidBudget": [
        {"type": "analyse", "board": BOARD, "seconds": 0},
        {"type": "analyse", "board": BOARD, "ply": -1},
    ],
    "UnsupportedRules": [
        {"type": "analyse", "board": "3x3:123/000/000", "player": "ntuple:net=tiny"}
    ],
    "InvalidSpec": [{"type": "autoplay", "player": "own.py:Mine"}],
    "NothingToUndo": [{"type": "undo"}],
    "NothingToRedo": [{"type": "redo"}],
    "StaleMove": [{"type": "move", "move": "u", "move_number": 5}],
    "NotFound": [
        {"type": "new", "source": "nothing"},
        {"type": "move", "game": "nothing", "move": "u", "move_number": 0},
        {"type": "view", "game": "nothing", "move_number": 0},
        {"type": "analyse", "game": "nothing", "board": BOARD},
        *(
            {"type": kind, "game": "nothing"}
            for kind in ("open", "undo", "redo", "take_back", "autoplay", "pause", "review")
        ),
    ],
}  # fmt: skip
"""By kind of error: requests that a page with a new game is refused."""


# ---- R28: one connection


def test_every_request_is_answered(client: Client) -> None:
    assert GOOD.keys() == {kind.__struct_config__.tag for kind in get_args(AnyRequest)}

    async def look() -> None:
        game: dict[str, Any] = {}
        move: dict[str, Any] = {}
        async with connected(client.app, client.headers) as socket:
            for ref, (kind, (fields, reply)) in enumerate(GOOD.items(), 1):
                more = {"new": {}, "stop": {}, "move": game | move}.get(kind, game)
                socket.send({"type": kind, "ref": ref} | more | fields)
                if reply:
                    found = await socket.until(reply)
                    assert found["ref"] == ref
                if kind == "new":
                    game, move = {"game": found["game"]}, {"move": found["now"]["legal"][0]}

    run(look())


def test_what_cannot_be_done_is_refused_in_a_sentence(client: Client) -> None:
    async def look() -> None:
        async with connected(client.app, client.headers) as socket:
            socket.send({"type": "new", "ref": 1})
            game = (await socket.until("game"))["game"]
            rows = [(kind, row) for kind, rows in REFUSED.items() for row in rows]
            for ref, (kind, row) in enumerate(rows, 2):
                mine = {} if row["type"] in ("new", "analyse") else {"game": game}
                socket.send({"ref": ref} | mine | row)
                refused = await socket.until("refused")
                assert (refused["kind"], refused["ref"]) == (kind, ref), row

    run(look())


@pytest.mark.promise("R28")
def test_unknown_requests_are_refused_and_the_page_goes_on(client: Client) -> None:
    """The page may be older or newer than the server: it shall not lose its game."""

    async def look() -> None:
        async with connected(client.app, client.headers) as socket:
            socket.send({"type": "new", "ref": 1})
            game = await socket.until("game")
            for text in UNKNOWN.values():
                socket.send(text)
                refused = await socket.until("refused")
                assert (refused["kind"], refused["ref"]) == ("InvalidMessage", 0)
            socket.send({"type": "later", "ref": 7})
            assert (await socket.until("refused"))["ref"] == 7
            move = {"type": "move", "game": game["game"], "move": game["now"]["legal"][0]}
            socket.send(move | {"move_number": 0})
            assert (await socket.until("step"))["now"]["move_number"] == 1

    run(look())


@pytest.mark.promise("R28")
def test_messages_are_counted_by_the_clock() -> None:
    now = 0.0
    bucket = Bucket(MESSAGES_AT_ONCE, MESSAGES_PER_SECOND, lambda: now)
    assert sum(bucket.take() for _ in range(1_000)) == MESSAGES_AT_ONCE
    now = 1.0
    assert sum(bucket.take() for _ in range(1_000)) == MESSAGES_PER_SECOND
    now = 1_000.0
    assert sum(bucket.take() for _ in range(1_000)) == MESSAGES_AT_ONCE


@pytest.mark.promise("R28")
def test_a_flood_does_not_delay_other_pages(client: Client) -> None:
    """Between two messages of one page other tasks run."""

    async def look() -> int:
        headers = client.headers
        async with connected(client.app, headers) as one, connected(client.app, headers) as other:
            await one.receive()
            await other.receive()
            for _ in range(MESSAGES_AT_ONCE - 1):
                one.send({"type": "undo", "game": "x", "ref": 1})
            other.send({"type": "undo", "game": "x", "ref": 2})
            await other.until("refused")
            return one.outgoing.qsize()

    assert run(look()) < MESSAGES_AT_ONCE // 4


# ---- what waits to be sent


def frame_of(game: str, rate: float) -> FrameReply:
    return FrameReply(game=game, now=NOW, moves_per_second=rate)


NOW: Any = msgspec.convert(
    {
        "board": "0" * 16, "tiles": [0] * 16, "score": 0, "move_number": 0, "status": "going",
        "legal": "", "can_undo": False, "can_redo": False, "undos": 0, "best": 0, "autoplay": "",
    },
    type=FrameReply.__annotations__["now"],
)  # fmt: skip


def test_only_the_newest_frame_of_a_game_is_queued() -> None:
    async def look() -> list[Any]:
        outbox = Outbox(asyncio.get_running_loop(), most_bytes=1_000)
        for rate in range(1_000):
            outbox.put(frame_of("a", rate))
            outbox.put(frame_of("b", rate))
            if rate == 500:
                outbox.put(Ready(ref=7))
        return [json.loads(await outbox.get()) for _ in range(3)]

    found = [(one["type"], one.get("moves_per_second")) for one in run(look())]
    assert found == [("ready", None), ("frame", 999), ("frame", 999)]


def test_a_page_that_reads_nothing_is_disconnected(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[Any] = []

    class Talker:
        """A session that sends more than a page can read."""

        def __init__(self, hub: Hub, send: Callable[[Reply], None]) -> None:
            self.closed = 0
            sessions.append(self)
            for _ in range(20):
                send(RefusedReply(message="x" * 2**20, kind="InvalidInput"))

        def close(self) -> None:
            self.closed += 1

    monkeypatch.setattr(session, "Session", Talker)

    async def look() -> int:
        async with connected(client.app, client.headers) as socket:
            socket.reads.clear()
            while not (sessions and sessions[0].closed):
                await asyncio.sleep(0.001)
            socket.reads.set()
            return await socket.closed()

    assert run(look()) == TRY_AGAIN
    assert sessions[0].closed == 1


# ---- through real sockets


@pytest.fixture
def real(hub: Hub, tmp_path: Path) -> Iterator[Callable[[], ClientConnection]]:
    """Opens WebSockets to a new server."""
    with served(hub, tmp_path) as access:
        headers = {"Authorization": f"Bearer {access.token}"}
        url = f"ws://127.0.0.1:{access.port}/ws"
        yield lambda: connect(url, additional_headers=headers, max_queue=None, compression=None)


def close_code(socket: ClientConnection) -> int:
    with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012
        while True:
            socket.recv(timeout=60)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


@pytest.mark.promise("R28")
def test_real_connections_are_closed_with_the_right_code(
    real: Callable[[], ClientConnection],
) -> None:
    half = b"{" * 9_000
    bad = [
        (frame(b"x" * (MAX_MESSAGE_BYTES + 1)), 1009),
        (frame(half, last=False) + frame(half, first=False), 1009),
    ]
    for message, code in bad:
        with real() as socket:
            assert json.loads(socket.recv(timeout=60))["type"] == "welcome"
            socket.socket.sendall(message)  # at once: who still sends may not read why it ended
            assert close_code(socket) == code


@pytest.mark.promise("R28")
def test_a_message_that_is_no_json_ends_the_connection(
    real: Callable[[], ClientConnection],
) -> None:
    for name, message in NO_JSON.items():
        with real() as socket:
            socket.send(SMALLEST)
            socket.send(message)
            assert close_code(socket) == POLICY, name


@pytest.mark.promise("R28")
def test_a_real_flood_is_closed(real: Callable[[], ClientConnection]) -> None:
    with real() as socket, contextlib.suppress(ConnectionClosed):
        for _ in range(MESSAGES_AT_ONCE * 50):
            socket.send(SMALLEST)
    assert socket.close_code in (POLICY, 1006)  # it may be gone before the reason is read
