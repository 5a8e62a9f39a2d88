"""The server: a listening socket, and uvicorn with limits."""

import asyncio
import contextlib
import errno
import ipaddress
import itertools
import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any, Final

import uvicorn
from h11 import LocalProtocolError
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from twofold.errors import InvalidInput, ResourceError
from twofold.limits import check_limit
from twofold.notation import shown
from twofold.web.gate import VISITOR, Visitor
from twofold.web.protocol import MAX_MESSAGE_BYTES

DEFAULT_PORT: Final = 2048

PORTS_TRIED: Final = 100
"""Number of ports to try from the default one before the system chooses."""

MAX_SOCKETS: Final = 128
"""Maximum number of connections. For one more, the oldest without a token is dropped. If all of
them send at the same time, the owner's request waits less than 0.1 s."""

REQUEST_SECONDS: Final = 5.0
"""Seconds for the head of a request to arrive."""

MAX_READ: Final = 8_192
"""Bytes read from a WebSocket at a time, about 400 of the smallest messages. They are parsed in one
go, while all other connections wait."""

MAX_AFTER_CLOSE: Final = 65_536
"""Maximum number of bytes to accept from a WebSocket after the server has closed it."""

STOP_SECONDS: Final = 1
"""Seconds for pending responses when the server stops."""

BACKLOG: Final = 128
"""Length of the queue of connections to be accepted."""

ACCEPTED_AT_ONCE: Final = 16
"""Number of connections accepted before other tasks run."""

_CONTROLS: Final = (Opcode.PING, Opcode.PONG)

_NO_MESSAGE: Final[Any] = {"type": "websocket.receive"}
"""Event for the application after a frame that ends no message."""


_numbers: Final = itertools.count()


class PatientProtocol(H11Protocol):
    """HTTP that drops connections without a complete request.

    uvicorn waits without limit, so that a hundred such connections would lock out the owner.
    """

    _looked_at: object = None
    _look: asyncio.TimerHandle | None = None

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        visited = {**app_state, VISITOR: Visitor(next(_numbers))}
        super().__init__(config, server_state, visited, _loop)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Drop an old connection if there are too many, and start the timer."""
        super().connection_made(transport)
        if len(self.connections) > MAX_SOCKETS:
            _make_room(self.connections)
        self._look = self.loop.call_later(REQUEST_SECONDS, self._lose_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP, and close; the application cannot send any more."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        with contextlib.suppress(LocalProtocolError):  # a response had begun
            super().send_400_response(msg)
        self.transport.close()

    def _lose_patience(self) -> None:
        """Close the connection if it is idle and has had no new request since the last call."""
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._looked_at:
            self.transport.abort()
            return
        self._looked_at = self.cycle
        self._look = self.loop.call_later(REQUEST_SECONDS, self._lose_patience)


def _make_room(connections: Iterable[Any]) -> None:
    held = [one for one in connections if not one.transport.is_closing()]
    if len(held) > MAX_SOCKETS:
        strangers = (one for one in held if not one.app_state[VISITOR].known)
        oldest = min(strangers, key=lambda one: one.app_state[VISITOR].number, default=None)
        if oldest is not None:
            oldest.transport.abort()


class BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket whose input is bounded.

    uvicorn reads 256 KiB at a time, reads on after a close, hides pings, and logs invalid UTF-8 and
    refusals. Here the application gets an event for every frame, empty unless it ends a message.
    """

    _after_close = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Limit the size of a read."""
        super().connection_made(transport)
        transport.max_size = MAX_READ  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Parse input; abort the connection if too much arrives after its close."""
        if self.close_sent:
            self._after_close += len(data)
        if self._after_close > MAX_AFTER_CLOSE:
            self.transport.abort()
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        """Send the application an event for each frame that ends no message, then handle all."""
        for event in self.conn.events:
            if isinstance(event, Frame) and (event.opcode in _CONTROLS or not event.fin):
                self._tell_of_frame()
        super().handle_events()

    def _tell_of_frame(self) -> None:
        if self.close_sent:
            return
        self.queue.put_nowait(_NO_MESSAGE)
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    async def send(self, message: Any) -> None:
        """Send; a refusal ends the handshake."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True

    def send_receive_event_to_app(self) -> None:
        """Pass a message on as bytes; the application validates them."""
        self.curr_msg_data_type = "bytes"
        super().send_receive_event_to_app()


class Server(uvicorn.Server):
    """uvicorn with limits, stopped by Ctrl-C, SIGTERM or `stop`; `quiet` turns off its log."""

    def __init__(self, app: ASGIApp, *, quiet: bool = False) -> None:
        self.signal: int | None = None
        """The signal that ended it, if any."""
        # uvicorn logs invalid requests as warnings only.
        logs = {"log_config": None} if quiet else {"log_level": "error"}
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=PatientProtocol,
                ws=BoundedSocket,
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # costs memory, and most connections are local
                lifespan="off",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=ACCEPTED_AT_ONCE,  # asyncio also uses it as the length of the queue ...
                timeout_graceful_shutdown=STOP_SECONDS,
                **logs,
            )
        )

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until stopped."""
        with _signals(self._ask):
            self.run(sockets=[listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # ... which is set here

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        self.force_exit = self.should_exit  # the second time
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `serve_on`; uvicorn would end the process before games are saved."""
        yield


@contextlib.contextmanager
def _signals(ask: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM by a function, if this is the main thread."""
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- addresses


def is_loopback(host: str) -> bool:
    """True if only this machine can reach a host, given by address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_every_address(host: str) -> bool:
    """True if a host stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def in_url(host: str) -> str:
    """A host in the form for URLs."""
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket.

    Port 0 means any free port, None the default one or the next free one. Raises InvalidInput for a
    host that is not this machine, LimitExceeded, or ResourceError if the port is not free.
    """
    if port is not None:
        return _listen(host, check_limit("a port", port, 0, 65_535))
    for candidate in (*range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED), 0):
        with contextlib.suppress(ResourceError):
            return _listen(host, candidate)
    raise ResourceError(f"there is no free port on {host}")


def _listen(host: str, port: int) -> socket.socket:
    family, address = _resolve(host, port)
    # asyncio disables the 40 ms delay of small packets (Nagle) only if the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows two programs could then use the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise _no_host(host) from None
        reason = "another program uses" if error.errno == errno.EADDRINUSE else "cannot be used"
        raise ResourceError(f"expected a free port, got {port}, which {reason}") from None
    return listener


def _resolve(host: str, port: int) -> tuple[int, tuple[str, int]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        found = []
    if not (host and found):
        raise _no_host(host)
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    return family, (str(address[0]), int(address[1]))


def _no_host(host: str) -> InvalidInput:
    return InvalidInput(f"expected an address of this machine as host, got {shown(host)}")
