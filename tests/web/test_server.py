"""The server: hostile connections, addresses, shutdown."""

import contextlib
import json
import os
import signal
import socket
import threading
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection

from tests.support.servers import opened, until
from tests.web.driver import frame, free_listener, served, serving
from twofold.errors import InvalidInput, LimitExceeded, ResourceError
from twofold.web import server as module
from twofold.web.hub import Hub
from twofold.web.pages import address
from twofold.web.security import Access
from twofold.web.server import Server, create_app, in_url, is_every_address, is_loopback, listen

# ---- hostile connections

PAGE = "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n"
HANDSHAKE = (
    PAGE + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
CHUNKED = "POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nTransfer-Encoding: chunked\r\n\r\n"

HOSTILE = {
    "silence": ("", b""),
    "no HTTP": ("", b"\x00\xff" * 5_000),
    "a request that does not end": ("GET / HTTP/1.1\r\n", b""),
    "a head without end": ("GET / HTTP/1.1\r\nX: ", b"x" * 200_000),
    "many requests at once": ("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", b""),
    "a chunk of no size": (CHUNKED, b"ZZZ\r\n"),
    "a handshake without the token": (HANDSHAKE.replace("{token}", "x"), frame(b"{}")),
    "messages": (HANDSHAKE, frame(b'{"type":"stop"}') * 2_000),
    "no messages": (HANDSHAKE, frame(b"[" * 16_000)),
    "large messages": (HANDSHAKE, frame(b"x" * 60_000)),
    "no text": (HANDSHAKE, frame(b"\xff\xfe")),
    "pings": (HANDSHAKE, bytes([0x89, 0x80, 0, 0, 0, 0]) * 2_000),
    "no reading": (PAGE.replace("/ws", address("texts/de.json")) + "\r\n", b""),
    "parts": (HANDSHAKE, frame(b"", last=False) + frame(b"", first=False, last=False) * 2_000),
}
"""Beginning of a connection, and the bytes after it."""


@pytest.mark.promise("R29")
@pytest.mark.parametrize("name", HOSTILE)
def test_the_owner_plays_on_beside_hostile_connections(hub: Hub, tmp_path: Path, name: str) -> None:
    listener = free_listener()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # less than a large file
    access = Access(listener.getsockname()[1])
    head, body = HOSTILE[name]
    data = head.format(port=access.port, token=access.token).encode() + body
    with contextlib.ExitStack() as stack:
        with serving(create_app(hub, access, tmp_path), listener) as server, opened(access) as page:
            for _ in range(25):
                one = stack.enter_context(socket.socket())
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                one.connect(listener.getsockname())
                one.setblocking(False)
                with contextlib.suppress(OSError):
                    one.send(data)
            assert is_answered(page)
            with opened(access) as another:
                assert is_answered(another)
        assert not server.server_state.connections


@pytest.mark.promise("R29")
@pytest.mark.skipif(os.name != "posix", reason="other systems have no such limit")
def test_silent_connections_do_not_use_up_the_open_files(hub: Hub, tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        with contextlib.ExitStack() as stack:
            access = stack.enter_context(served(hub, tmp_path))
            with opened(access) as page:  # the limit is raised by now
                for _ in range(300):
                    stack.enter_context(socket.create_connection(("127.0.0.1", access.port)))
                assert is_answered(page)
                assert is_answered(stack.enter_context(opened(access)))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def is_answered(page: ClientConnection) -> bool:
    page.send('{"type":"undo","game":"x","ref":7}')
    return bool(until(page, "refused")["ref"] == 7)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("is_owner", [True, False])
def test_a_chunk_of_no_size_leaves_no_trace_in_the_log(
    hub: Hub, tmp_path: Path, caplog: pytest.LogCaptureFixture, at_once: bool, is_owner: bool
) -> None:
    """It comes with the head of the request, or once that was answered."""
    with (
        served(hub, tmp_path) as access,
        socket.create_connection(("127.0.0.1", access.port), 60) as one,
    ):
        head = CHUNKED.format(port=access.port)
        if is_owner:
            head = head.replace("\r\n\r\n", f"\r\nAuthorization: Bearer {access.token}\r\n\r\n")
        one.sendall(head.encode() + b"ZZZ\r\n" * at_once)
        if not (at_once or is_owner):
            assert one.recv(99).startswith(b"HTTP/1.1 403")
        if not at_once:
            with contextlib.suppress(OSError):  # it may be closed already
                one.sendall(b"ZZZ\r\n")
        with contextlib.suppress(OSError):
            while one.recv(9_999):
                pass
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []


# ---- where it listens


@pytest.mark.parametrize(("host", "loopback", "every"), [
    ("127.0.0.1", True, False), ("127.9.9.9", True, False), ("::1", True, False),
    ("localhost", True, False), ("0.0.0.0", False, True), ("::", False, True),
    ("192.0.2.1", False, False), ("example.org", False, False),
])  # fmt: skip
def test_hosts(host: str, loopback: bool, every: bool) -> None:
    assert (is_loopback(host), is_every_address(host)) == (loopback, every)


def test_a_host_in_a_url() -> None:
    assert (in_url("127.0.0.1"), in_url("::1")) == ("127.0.0.1", "[::1]")


def test_a_port_that_is_asked_for_is_taken_or_refused() -> None:
    with listen("127.0.0.1", 0) as first:
        address, port = first.getsockname()
        assert address == "127.0.0.1"
        with pytest.raises(ResourceError, match=f"got {port}, which another program uses"):
            listen("127.0.0.1", port)
    with listen("127.0.0.1", port) as again:
        assert again.getsockname()[1] == port


def test_invalid_addresses_and_ports_are_refused() -> None:
    with pytest.raises(LimitExceeded):
        listen("127.0.0.1", 65_536)
    for host in ["192.0.2.1", "nowhere.invalid", "a" * 100, ""]:
        with pytest.raises(InvalidInput):
            listen(host, 0).close()


def test_no_free_port_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(host: str, port: int) -> socket.socket:
        tried.append(port)
        raise ResourceError("taken")

    monkeypatch.setattr(module, "_listen", refuse)
    with pytest.raises(ResourceError, match=r"no free port on 127\.0\.0\.1"):
        listen("127.0.0.1", None)
    assert tried == [2048, *range(2050, 2148), 0]  # browsers block 2049


# ---- how it ends


def test_a_signal_ends_it_and_a_second_one_at_once(hub: Hub, tmp_path: Path) -> None:
    server = Server(create_app(hub, Access(1), tmp_path), quiet=True)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with server.capture_signals():
        signal.raise_signal(signal.SIGTERM)
        assert (server.should_exit, server.force_exit, server.signal) == (True, False, 15)
        signal.raise_signal(signal.SIGINT)
        assert (server.should_exit, server.force_exit, server.signal) == (True, True, 2)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_it_ends_with_pages_open_and_a_game_going_on(hub: Hub, tmp_path: Path) -> None:
    pages = []
    with contextlib.ExitStack() as stack:
        with served(hub, tmp_path) as access:
            for _ in range(3):
                page = stack.enter_context(opened(access))
                page.send('{"type":"new","ref":1}')
                game = until(page, "game")["game"]
                page.send(json.dumps({"type": "autoplay", "game": game, "player": "greedy"}))
                pages.append(page)
        for page in pages:
            with pytest.raises(WebSocketException):  # noqa: PT012 - until it is closed
                while True:
                    page.recv(timeout=60)
    assert threading.active_count() < 50
