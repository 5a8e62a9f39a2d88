"""The server: a socket that listens, and uvicorn within bounds."""

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
"""How many ports from the default one on are tried before the system chooses."""

MAX_SOCKETS: Final = 128
"""Most connections of any kind. For one more, the oldest that has not shown the token is dropped.
When all of them send something at once, it takes less than 0.1 s until it is the owner's turn."""

REQUEST_SECONDS: Final = 5.0
"""How long a connection may take to send the head of a request."""

MAX_READ: Final = 8_192
"""Bytes of a WebSocket that are read at a time: some 400 of the smallest messages. What is read is
taken apart at once, and the others wait meanwhile."""

MAX_AFTER_CLOSE: Final = 65_536
"""Bytes that may still come from a WebSocket that we have closed."""

STOP_SECONDS: Final = 1
"""How long answers under way may take once the server is to stop."""

BACKLOG: Final = 128
"""Connections that wait to be accepted."""

ACCEPTED_AT_ONCE: Final = 16
"""How many are accepted before it is the others' turn."""

_CONTROLS: Final = (Opcode.PING, Opcode.PONG)

_NO_MESSAGE: Final[Any] = {"type": "websocket.receive"}
"""What the application hears of a frame that ends no message."""


_numbers: Final = itertools.count()


class PatientProtocol(H11Protocol):
    """HTTP whose patience ends: a connection that sends no whole request is dropped.

    uvicorn itself would wait for ever; some hundred such connections would lock the owner out.
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
        """Make room, and begin to wait."""
        super().connection_made(transport)
        if len(self.connections) > MAX_SOCKETS:
            _make_room(self.connections)
        self._look = self.loop.call_later(REQUEST_SECONDS, self._lose_patience)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP; nothing more can be sent, by the application neither."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        with contextlib.suppress(LocalProtocolError):  # its answer had begun
            super().send_400_response(msg)
        self.transport.close()

    def _lose_patience(self) -> None:
        """Close the connection if no request has come, or been answered, since the last look."""
        if self.transport.get_protocol() is not self:
            return  # it is a WebSocket by now
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._looked_at:
            self.transport.abort()
            return
        self._looked_at = self.cycle
        self._look = self.loop.call_later(REQUEST_SECONDS, self._lose_patience)


def _make_room(connections: Iterable[Any]) -> None:
    """Drop the oldest connection that has not shown the token; the newest has not yet."""
    held = [one for one in connections if not one.transport.is_closing()]
    if len(held) > MAX_SOCKETS:
        strangers = (one for one in held if not one.app_state[VISITOR].known)
        oldest = min(strangers, key=lambda one: one.app_state[VISITOR].number, default=None)
        if oldest is not None:
            oldest.transport.abort()


class BoundedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that cannot keep the server busy with what nobody reads.

    uvicorn reads up to 256 KiB at a time, goes on for seconds after a close, keeps pings to
    itself, and prints where a text is no UTF-8 or the application refuses a WebSocket. Here every
    frame reaches the application, which counts them: a frame that ends no message as an empty
    event.
    """

    _after_close = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Read a little at a time."""
        super().connection_made(transport)
        transport.max_size = MAX_READ  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Take what has come; end the connection where too much comes after its close."""
        if self.close_sent:
            self._after_close += len(data)
        if self._after_close > MAX_AFTER_CLOSE:
            self.transport.abort()
        else:
            super().data_received(data)

    def handle_events(self) -> None:
        """Tell the application of frames that end no message, then take up all that has come."""
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
        """Send; a refusal that is sent is a handshake that has ended."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True

    def send_receive_event_to_app(self) -> None:
        """Hand a message over as bytes; the application says what is wrong with them."""
        self.curr_msg_data_type = "bytes"
        super().send_receive_event_to_app()


class Server(uvicorn.Server):
    """uvicorn with our bounds, stopped by Ctrl-C, SIGTERM or `stop`.

    Args:
        app: what answers.
        quiet: whether nothing is logged.
    """

    def __init__(self, app: ASGIApp, *, quiet: bool = False) -> None:
        self.signal: int | None = None
        """The signal that ended it, if one did."""
        # Of what strangers cause, uvicorn only warns.
        logs = {"log_config": None} if quiet else {"log_level": "error"}
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=PatientProtocol,
                ws=BoundedSocket,
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # it costs memory, and nothing here is far away
                lifespan="off",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=ACCEPTED_AT_ONCE,  # asyncio makes it the length of the queue as well ...
                timeout_graceful_shutdown=STOP_SECONDS,
                **logs,
            )
        )

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until it is to stop."""
        with _signals(self._ask):
            self.run(sockets=[listener])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(BACKLOG)  # ... which should be longer

    def stop(self) -> None:
        """End it soon; may be called from any thread."""
        self.should_exit = True

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
    """Have Ctrl-C and SIGTERM call a function, where this is the thread that gets them."""
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, ask)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- where it listens


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host, given by address or name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_every_address(host: str) -> bool:
    """Whether a host stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def in_url(host: str) -> str:
    """A host as a URL has it."""
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens.

    Args:
        host: address or name.
        port: 0 for any free one; None for the default one, or the next that is free.

    Raises:
        InvalidInput: the host is no address of this machine.
        LimitExceeded: there is no such port.
        ResourceError: the port is in use, or not ours to use.
    """
    if port is not None:
        return _listen(host, check_limit("a port", port, 0, 65_535))
    for candidate in (*range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED), 0):
        with contextlib.suppress(ResourceError):
            return _listen(host, candidate)
    raise ResourceError(f"expected a free port on {host}, got none")


def _listen(host: str, port: int) -> socket.socket:
    family, address = _resolve(host, port)
    # asyncio sends small answers at once only where the protocol is named (else 40 ms later).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # else two programs could have the same port
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
    """The family and the address to bind to."""
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
