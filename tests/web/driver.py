"""Clients of the application, without a socket and with real ones."""

import asyncio
import atexit
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message

from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import Server, create_app, listen

PORT = 2048
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"

PATIENCE = 60.0
"""Seconds after which something hangs."""

Headers = Mapping[str, str] | Sequence[tuple[str, str]]
Result = TypeVar("Result")

_RUNNER = asyncio.Runner()
atexit.register(_RUNNER.close)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine, always in the same loop, since creating one is slow."""
    return _RUNNER.run(work)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; of several headers with one name, the last."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def encode(headers: Headers) -> list[tuple[bytes, bytes]]:
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in pairs]


def decode(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in headers}


def scope_of(kind: str, method: str, target: str, headers: Headers) -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "type": kind,
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "scheme": "ws" if kind == "websocket" else "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode("latin-1"),
        "headers": encode(headers),
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", PORT),
        "state": {},
    }


async def ask_async(
    app: ASGIApp,
    method: str,
    target: str,
    headers: Headers = (),
    body: bytes | Sequence[bytes] = b"",
    *,
    leaves: asyncio.Event | None = None,
) -> Answer:
    """One HTTP request; `target` is decoded, and the client disconnects at the event `leaves`."""
    parts = [body] if isinstance(body, bytes) else list(body)
    incoming: list[Message] = [
        {"type": "http.request", "body": part, "more_body": number < len(parts)}
        for number, part in enumerate(parts, 1)
    ]
    sent: list[Message] = []

    async def receive() -> Message:
        if incoming:
            return incoming.pop(0)
        await (leaves or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope_of("http", method, target, headers), receive, send)
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(sent[0]["status"], decode(sent[0]["headers"]), body)


class Client:
    """Sends requests as the owner's browser does, with the cookie of `access`."""

    def __init__(self, app: ASGIApp, access: Access, hub: Hub) -> None:
        self.app = app
        self.hub = hub
        self.headers = {"host": HOST, "origin": ORIGIN, "cookie": cookie(access)}

    def ask(self, method: str, target: str, body: bytes | str | dict[str, Any] = b"") -> Answer:
        data = json.dumps(body) if isinstance(body, dict) else body
        data = data.encode() if isinstance(data, str) else data
        return run(ask_async(self.app, method, target, self.headers, data))

    def get(self, target: str) -> Answer:
        return self.ask("GET", target)

    def post(self, target: str, body: bytes | str | dict[str, Any] = b"") -> Answer:
        return self.ask("POST", target, body)


def cookie(access: Access) -> str:
    return f"{access.cookie_name}={access.token}"


# ---- WebSockets


class Closed(Exception):
    """The server closed the WebSocket, or refused it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Socket:
    """The page's end of a WebSocket, without a socket; it reads only while `reads` is set."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Message] = asyncio.Queue()
        self.outgoing: asyncio.Queue[Message] = asyncio.Queue()
        self.handshake: asyncio.Queue[Message] = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()
        self.incoming.put_nowait({"type": "websocket.connect"})

    async def _send(self, message: Message) -> None:
        if message["type"] in ("websocket.accept", "websocket.close"):
            self.handshake.put_nowait(message)
        else:
            await self.reads.wait()
        self.outgoing.put_nowait(message)

    def send(self, message: str | bytes | dict[str, Any]) -> None:
        if isinstance(message, dict):
            message = json.dumps(message)
        kind = "bytes" if isinstance(message, bytes) else "text"
        self.incoming.put_nowait({"type": "websocket.receive", kind: message})

    def leave(self) -> None:
        self.incoming.put_nowait({"type": "websocket.disconnect", "code": 1001})

    async def first(self) -> Message:
        """The server's response to the handshake."""
        return await asyncio.wait_for(self.handshake.get(), PATIENCE)

    async def receive(self) -> Any:
        """The next message; raises `Closed` if there is none."""
        while True:
            message = await asyncio.wait_for(self.outgoing.get(), PATIENCE)
            if message["type"] == "websocket.send":
                return json.loads(message["text"])
            if message["type"] == "websocket.close":
                raise Closed(message["code"])

    async def until(self, kind: str) -> Any:
        """The next message of a type."""
        while (message := await self.receive())["type"] != kind:
            pass
        return message

    async def closed(self) -> int:
        """The code with which the server closes it."""
        try:
            while True:
                await self.receive()
        except Closed as close:
            return close.code


@contextlib.asynccontextmanager
async def connected(app: ASGIApp, headers: Headers, target: str = "/ws") -> AsyncIterator[Socket]:
    """A WebSocket that is closed at the end; then the application must end, too."""
    socket = Socket()
    scope = scope_of("websocket", "GET", target, headers)
    task = asyncio.ensure_future(app(scope, socket.incoming.get, socket._send))
    try:
        yield socket
    finally:
        socket.leave()
        socket.reads.set()
        await asyncio.wait_for(task, PATIENCE)


def upgrade(app: ASGIApp, headers: Headers) -> str:
    """The result of opening a WebSocket: `welcome`, or the close code."""

    async def look() -> str:
        async with connected(app, headers) as socket:
            try:
                return str((await socket.receive())["type"])
            except Closed as closed:
                return str(closed.code)

    return run(look())


def frame(text: bytes, first: bool = True, last: bool = True) -> bytes:
    """A message or fragment in the format of WebSockets (RFC 6455, 5.2), masked with zeros."""
    start = bytes([0x80 * last | first])
    size = bytes([0x80 | len(text)]) if len(text) < 126 else b"\xfe" + len(text).to_bytes(2, "big")
    return start + size + b"\0\0\0\0" + text


# ---- a real server


@contextlib.contextmanager
def serving(app: ASGIApp, listener: Any) -> Iterator[Server]:
    """The application behind a real socket, in a thread."""
    server = Server(app, quiet=True)
    thread = threading.Thread(target=server.serve_on, args=(listener,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()
        assert not thread.is_alive()


def free_listener() -> Any:
    return listen("127.0.0.1", 0)


@contextlib.contextmanager
def served(hub: Hub, folder: Path) -> Iterator[Access]:
    """A hub behind a real socket, and what its owner knows."""
    listener = free_listener()
    access = Access(listener.getsockname()[1])
    with serving(create_app(hub, access, folder), listener):
        yield access
