"""The server: all routes of `twofold serve` behind one gate, a socket, and uvicorn with limits."""

import contextlib
import errno
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec
import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp

from twofold.errors import InvalidInput, ResourceError
from twofold.game.notation import shown
from twofold.limits import check_limit
from twofold.web.api import Api
from twofold.web.hub import Hub
from twofold.web.lab import Lab
from twofold.web.operations import openapi, operations_of, routes_of
from twofold.web.own_games import OwnGames
from twofold.web.pages import page_routes
from twofold.web.practice import Practice
from twofold.web.protocol import MAX_MESSAGE_BYTES
from twofold.web.security import Access, Gate, error_response
from twofold.web.session import Sockets


def create_app(hub: Hub, access: Access, folder: Path) -> Gate:
    """The application; the caller closes the hub.

    `folder` has the studies and training runs, whose networks are players.
    """
    hub.roster.folder = hub.jobs.folder = folder
    hub.jobs.allowed = access.is_local
    own_games, practice = OwnGames(hub.table), Practice(hub.notebook, hub.table.store)
    owners = (own_games, Api(hub), practice, hub.jobs, Lab(folder))
    operations = [one for owner in owners for one in operations_of(owner)]

    async def document(_: Request) -> Response:
        found = await to_thread.run_sync(openapi, operations)
        return Response(msgspec.json.encode(found), media_type="application/json")

    app = Starlette(
        routes=[
            *page_routes(),
            WebSocketRoute("/ws", Sockets(hub)),
            *routes_of(operations),
            Route("/openapi.json", document),
        ],
        middleware=[Middleware(GZipMiddleware, compresslevel=6)],
        exception_handlers={HTTPException: _no_answer, 500: _failed},
    )
    app.router.redirect_slashes = False
    return Gate(app, access)


async def _no_answer(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {
        404: "there is no such address",
        405: f"this address does not take {request.method}",
    }
    status = error.status_code
    answer = error_response(request, status, messages.get(status, error.detail), "NotFound")
    answer.headers.update(error.headers or {})
    return answer


async def _failed(request: Request, error: Exception) -> Response:
    message = f"internal error ({type(error).__name__}). The server's log says more"
    return error_response(request, 500, message, "Fault")


DEFAULT_PORT: Final = 2048

UNSAFE_PORTS: Final = frozenset({
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
    103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
    512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
    995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
    6669, 6679, 6697, 10080,
})  # fmt: skip
"""Ports of other services that no browser opens. Source: Fetch standard, "bad port"."""

PORTS_TRIED: Final = 100
"""Number of ports to try from the default one before the system chooses."""

STOP_SECONDS: Final = 1
"""Seconds for pending responses when the server stops."""

_NO_HOST: Final = "expected an address of this machine as host, got {}"

MAX_FILES: Final = 10_240
"""Open files to ask the system for; many give 1,024 or 256, and each connection is one."""

BACKLOG: Final = 128
"""Length of the queue of connections to be accepted."""


class Server(uvicorn.Server):
    """uvicorn with limits, stopped by Ctrl-C or SIGTERM; `quiet` turns off its log."""

    def __init__(self, app: ASGIApp, *, quiet: bool = False) -> None:
        self.signal: int | None = None
        """The signal that ended it, if any."""
        # uvicorn logs invalid requests as warnings only.
        logs = {"log_config": None} if quiet else {"log_level": "error"}
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http="h11",
                ws="websockets-sansio",
                ws_max_size=MAX_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # costs memory, and most connections are local
                lifespan="off",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_graceful_shutdown=STOP_SECONDS,
                **logs,
            )
        )

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until stopped; idle connections of others must not use up the open files."""
        if sys.platform != "win32":
            import resource

            soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            wanted = MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_FILES)
            if soft != resource.RLIM_INFINITY and soft < wanted:
                with contextlib.suppress(OSError, ValueError):
                    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        self.run(sockets=[listener])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and close the connections that uvicorn leaves open.

        Those are the ones whose peer does not read, and the ones accepted in the last moment.
        """
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal; uvicorn would end the process before games are saved."""
        is_main = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()
        before = {number: signal.signal(number, self._ask) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _ask(self, number: int, _frame: FrameType | None) -> None:
        self.signal = number
        self.force_exit = self.should_exit  # the second time
        self.should_exit = True


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
    if port in UNSAFE_PORTS:
        raise InvalidInput(
            f"expected a port that browsers open, such as {DEFAULT_PORT}, got {port}, which they "
            "block as unsafe"
        )
    if port is not None:
        return _listen(host, check_limit("a port", port, 0, 65_535))
    tried = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED)
    for candidate in (*sorted({*tried} - UNSAFE_PORTS), 0):
        with contextlib.suppress(ResourceError):
            return _listen(host, candidate)
    raise ResourceError(f"there is no free port on {host}")


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        found = []
    if not (host and found):
        raise InvalidInput(_NO_HOST.format(shown(host)))
    family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    # asyncio disables the 40 ms delay of small packets (Nagle) only if the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # on Windows two programs could then use the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address[:2])
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise InvalidInput(_NO_HOST.format(shown(host))) from None
        reason = "another program uses" if error.errno == errno.EADDRINUSE else "cannot be used"
        raise ResourceError(f"expected a free port, got {port}, which {reason}") from None
    return listener
