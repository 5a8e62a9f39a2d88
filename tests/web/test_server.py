"""The server: addresses, timeouts, shutdown, crowds."""

import contextlib
import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from tests.support.servers import opened, running, until
from tests.web.crowd_process import answer_times, crowd_of, wait_until_ready
from tests.web.driver import free_listener, serving
from twofold.errors import InvalidInput, LimitExceeded, ResourceError
from twofold.web import server as module
from twofold.web.app import create_app
from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import Server, in_url, is_every_address, is_loopback, listen


@pytest.fixture
def access(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Access]:
    """A real server with a short timeout."""
    monkeypatch.setattr(module, "REQUEST_SECONDS", 0.1)
    listener = free_listener()
    access = Access(listener.getsockname()[1])
    with serving(create_app(hub, access, tmp_path), listener):
        yield access


def connected(access: Access) -> socket.socket:
    return socket.create_connection(("127.0.0.1", access.port), timeout=60)


def is_dropped(one: socket.socket) -> bool:
    """Wait and return True if the server closes a connection."""
    try:
        return one.recv(65_536) == b""
    except ConnectionError:
        return True


# ---- patience


@pytest.mark.promise("R29")
@pytest.mark.parametrize("path", ["/", "/api/games"])
def test_invalid_http_prints_nothing(
    access: Access, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{access.port}\r\n"
    with connected(access) as one:
        one.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\nZZZ\r\n".encode())
        assert one.recv(65_536).startswith(b"HTTP/1.1 400 ")
        while not is_dropped(one):
            pass
    assert [one for one in caplog.records if one.levelname == "ERROR"] == []


@pytest.mark.promise("R29")
@pytest.mark.parametrize("begins", [b"", b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x"])
def test_an_incomplete_request_is_dropped(access: Access, begins: bytes) -> None:
    with connected(access) as one:
        one.sendall(begins)
        assert is_dropped(one)


def test_an_incomplete_second_request_is_dropped(access: Access) -> None:
    with connected(access) as one:
        one.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{access.port}\r\n\r\nGET /".encode())
        while b"403" not in one.recv(65_536):
            pass
        while not is_dropped(one):
            pass


def test_a_slow_response_is_not_dropped(access: Access) -> None:
    asks = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
    headers = {"Authorization": f"Bearer {access.token}"}
    body = json.dumps({"player": "expectimax:ply=8", "seconds": 0.5, "seed": 1})
    asks.request("POST", "/api/play", body, headers)
    assert asks.getresponse().read()
    asks.close()


def test_a_websocket_is_not_dropped(access: Access) -> None:
    with opened(access) as page:
        assert len(answer_times(page, 25)) == 25  # half a second


@pytest.mark.promise("R67")
def test_connections_without_a_token_are_dropped_first(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest one for each new connection; the owner's connections stay."""
    monkeypatch.setattr(module, "MAX_SOCKETS", 4)
    monkeypatch.setattr(module, "REQUEST_SECONDS", 600.0)
    owner = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
    with contextlib.closing(owner), opened(access) as page, contextlib.ExitStack() as stack:
        assert answer_of(owner, access) == 200
        idle = [stack.enter_context(connected(access)) for _ in range(6)]
        assert all(map(is_dropped, idle[:4]))
        assert status(access) == 403  # another one that is answered, and drops one
        assert is_dropped(idle[4])
        assert answer_of(owner, access) == 200
        assert len(answer_times(page, 1)) == 1


@pytest.mark.promise("R67")
def test_the_newest_is_dropped_if_all_have_the_token(
    access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_SOCKETS", 2)
    with opened(access) as one, opened(access) as other:
        with connected(access) as third:
            assert is_dropped(third)
        assert len(answer_times(one, 1)) == len(answer_times(other, 1)) == 1


def answer_of(asks: http.client.HTTPConnection, access: Access) -> int:
    """The status of a response to the owner."""
    asks.request("GET", "/api/players", headers={"Authorization": f"Bearer {access.token}"})
    answer = asks.getresponse()
    answer.read()
    return answer.status


def status(access: Access) -> int:
    asks = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
    with contextlib.closing(asks), contextlib.suppress(OSError, http.client.HTTPException):
        asks.request("GET", "/")
        return asks.getresponse().status
    return 0


# ---- R29


@pytest.mark.promise("R29")
@pytest.mark.long
def test_a_crowd_does_not_delay_the_owner(tmp_path: Path, figure: Callable[[str], None]) -> None:
    with running(tmp_path, "--player", "greedy") as (process, access, _):
        wait_until_ready(access)
        before = memory(process.pid)
        with opened(access) as page, crowd_of(access, "hold=2000", "slow=500") as crowd:
            times = answer_times(page, 500)
            assert crowd.poll() is None, "the crowd has gone too soon"
            grown = memory(process.pid) - before
            summary = crowd.communicate(timeout=60)[0].strip()
        left = time.monotonic()
        wait_for_a_place(access)
        recovered = time.monotonic() - left
    figure(
        f"p99 {1000 * times[494]:.0f} ms, memory +{grown / 2**20:.0f} MB, "
        f"a new page after {recovered:.1f} s; the crowd: {summary}"
    )
    assert times[494] < 0.2
    assert grown < 150 * 2**20
    assert recovered < 5


@pytest.mark.promise("R67")
@pytest.mark.long
def test_the_owner_is_answered_beside_a_crowd_without_the_token(
    tmp_path: Path, figure: Callable[[str], None]
) -> None:
    """200 connections that send nothing, each reopened when it is dropped."""
    times = []
    with running(tmp_path, "--player", "greedy") as (_, access, _):
        wait_until_ready(access)
        with crowd_of(access, "idle=200") as crowd:
            for _ in range(300):
                began = time.perf_counter()
                asks = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
                with contextlib.closing(asks):
                    assert answer_of(asks, access) == 200
                times.append(time.perf_counter() - began)
                time.sleep(0.02)
            assert crowd.poll() is None, "the crowd has gone too soon"
            summary = crowd.communicate(timeout=60)[0].strip()
    figure(f"300 requests, the slowest {1000 * max(times):.0f} ms beside {summary}")
    assert max(times) < 0.2


def memory(pid: int) -> int:
    """Memory of a process, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def wait_for_a_place(access: Access) -> None:
    """Wait until a new page gets its welcome."""
    while True:
        with contextlib.suppress(OSError, WebSocketException, TimeoutError), opened(access) as page:
            until(page, "welcome")
            return


# ---- where it listens


@pytest.mark.parametrize(
    ("host", "loopback", "every"),
    [
        ("127.0.0.1", True, False),
        ("127.9.9.9", True, False),
        ("::1", True, False),
        ("localhost", True, False),
        ("0.0.0.0", False, True),
        ("::", False, True),
        ("192.0.2.1", False, False),
        ("example.org", False, False),
    ],
)
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
    assert tried == [*range(2048, 2148), 0]


# ---- how it ends


def test_a_signal_ends_it_and_a_second_one_at_once(hub: Hub, tmp_path: Path) -> None:
    server = Server(create_app(hub, Access(1), tmp_path), quiet=True)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with module._signals(server._ask):
        signal.raise_signal(signal.SIGTERM)
        assert (server.should_exit, server.force_exit, server.signal) == (True, False, 15)
        signal.raise_signal(signal.SIGINT)
        assert (server.should_exit, server.force_exit, server.signal) == (True, True, 2)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_it_ends_with_pages_open_and_a_game_going_on(hub: Hub, tmp_path: Path) -> None:
    listener = free_listener()
    access = Access(listener.getsockname()[1])
    headers = {"Authorization": f"Bearer {access.token}"}
    ended: list[ClientConnection] = []
    with contextlib.ExitStack() as stack:
        with serving(create_app(hub, access, tmp_path), listener):
            for _ in range(3):
                address = f"ws://127.0.0.1:{access.port}/ws"
                page = stack.enter_context(connect(address, additional_headers=headers))
                page.send('{"type":"new","ref":1}')
                game = until(page, "game")["game"]
                page.send(json.dumps({"type": "autoplay", "game": game, "player": "greedy"}))
                ended.append(page)
        for page in ended:
            with pytest.raises(WebSocketException):  # noqa: PT012 - until it is closed
                while True:
                    page.recv(timeout=60)
    assert threading.active_count() < 50
