"""The application: all routes of `twofold serve` behind one gate."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from twofold.web.api import operations
from twofold.web.connection import Sockets
from twofold.web.hub import Hub
from twofold.web.jobs.operations import job_operations
from twofold.web.lab.laboratory import lab_operations
from twofold.web.operations import Operation, error_body, openapi, routes_of
from twofold.web.pages import page_routes
from twofold.web.plain_pages import error_page
from twofold.web.security import Access, Gate, wants_page


def create_app(hub: Hub, access: Access, folder: Path) -> Gate:
    """The application; the caller closes the hub. `folder` has the studies and training runs."""
    app = Starlette(
        routes=all_routes(hub, folder, jobs=access.is_local),
        middleware=[Middleware(GZipMiddleware, compresslevel=6)],
        exception_handlers={HTTPException: _no_answer, 500: _failed},
    )
    app.router.redirect_slashes = False
    return Gate(app, access)


def all_routes(hub: Hub, folder: Path, *, jobs: bool) -> list[BaseRoute]:
    """All routes."""
    known = [*operations(hub), *job_operations(hub.jobs, folder, allowed=jobs)]
    known += lab_operations(folder)
    return [
        *page_routes(),
        WebSocketRoute("/ws", Sockets(hub)),
        *routes_of(known),
        Route("/openapi.json", _document(known)),
    ]


def _document(known: list[Operation]) -> Callable[[Request], Awaitable[Response]]:
    async def serve(_: Request) -> Response:
        document = await to_thread.run_sync(openapi, known)
        return Response(msgspec.json.encode(document), media_type="application/json")

    return serve


async def _no_answer(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    messages = {
        404: "there is no such address",
        405: f"this address does not take {request.method}",
    }
    message = messages.get(error.status_code, error.detail)
    return _error(request, error.status_code, message, "NotFound", dict(error.headers or {}))


async def _failed(request: Request, error: Exception) -> Response:
    message = f"internal error ({type(error).__name__}). The server's log says more"
    return _error(request, 500, message, "Fault", {})


def _error(
    request: Request, status: int, message: str, kind: str, headers: dict[str, str]
) -> Response:
    if wants_page(request):
        return Response(error_page(status, message), status, headers, "text/html")
    return Response(error_body(message, kind), status, headers, "application/json")
