"""Gate: every request passes it first, and every response passes it last."""

import asyncio
from dataclasses import dataclass
from typing import Final

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.web.plain_pages import error_page, sign_in_page, style_source
from twofold.web.security import (
    Access,
    AskedRequest,
    HttpRefusal,
    SignIn,
    TokenEntry,
    response_headers,
)

MAX_FORM_BYTES: Final = 4_096
"""Maximum size of a form in bytes; a form is read before the token is checked."""

FORM_SECONDS: Final = 30.0
"""Seconds for a form to arrive."""

VISITOR: Final = "visitor"
"""Key of the `Visitor` in the state of a connection."""

_ANSWERS: Final = ("http.response.start", "websocket.http.response.start", "websocket.accept")


@dataclass(slots=True)
class Visitor:
    """A connection: its number, and whether it has sent the token."""

    number: int
    known: bool = False


class Gate:
    """Passes the owner's requests to `app`, refuses others, and adds headers to all responses."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = AskedRequest.from_scope(scope)
        verdict = self.access.judge(asked)
        if isinstance(verdict, SignIn):
            verdict = self.access.sign_in(asked, await _read_form(receive))
        host = asked.value("host").lower()
        own = host if self.access.is_own_host(host) else ""
        guarded = _with_headers(send, own)
        if not isinstance(verdict, HttpRefusal):
            _introduce(scope)
        if isinstance(verdict, HttpRefusal):
            await _refuse(scope, receive, guarded, asked, verdict)
        elif isinstance(verdict, TokenEntry):
            headers = {"location": verdict.location, "set-cookie": verdict.cookie}
            await Response(status_code=303, headers=headers)(scope, receive, guarded)
        else:
            await self.app(scope, receive, guarded)


def _introduce(scope: Scope) -> None:
    visitor = scope.get("state", {}).get(VISITOR)
    if visitor is not None:
        visitor.known = True


def _with_headers(send: Send, host: str) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] in _ANSWERS:
            headers = MutableHeaders(raw=list(message.get("headers", [])))
            style = style_source() if message.get("status", 0) >= 400 else ""
            headers.update(response_headers(host, headers, style))
            message = {**message, "headers": headers.raw}
        await send(message)

    return send_more


def error_body(message: str, kind: str) -> bytes:
    """An error in the form of the API."""
    return msgspec.json.encode({"error": message, "kind": kind})


def wants_page(asked: AskedRequest) -> bool:
    """True if a browser asked for a page."""
    return not asked.path.startswith("/api/") and "text/html" in asked.value("accept")


async def _read_form(receive: Receive) -> bytes:
    """The body of a request; empty if it is too long or too slow."""
    body, more = b"", True
    try:
        async with asyncio.timeout(FORM_SECONDS):
            while more and len(body) <= MAX_FORM_BYTES:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        return b""
    return body if len(body) <= MAX_FORM_BYTES else b""


async def _refuse(
    scope: Scope, receive: Receive, send: Send, asked: AskedRequest, refusal: HttpRefusal
) -> None:
    if asked.socket:
        await receive()  # websocket.connect
        if "websocket.http.response" not in (scope.get("extensions") or ()):
            await send({"type": "websocket.close", "code": 1008})
            return
    if wants_page(asked) and not asked.socket:
        response = Response(_page(asked, refusal), refusal.status, media_type="text/html")
    else:
        body = error_body(refusal.message, refusal.kind)
        response = Response(body, refusal.status, media_type="application/json")
    await response(scope, receive, send)


def _page(asked: AskedRequest, refusal: HttpRefusal) -> bytes:
    if refusal.kind != "NoToken":
        return error_page(refusal.status, refusal.message)
    return sign_in_page(asked.target, wrong=refusal.wrong, again=refusal.again)
