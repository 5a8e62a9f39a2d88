"""Gate: every request passes it first, and every response passes it last."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.web.plain_pages import error_page, sign_in_page, style_source
from twofold.web.security import (
    Access,
    Admitted,
    AskedRequest,
    HttpRefusal,
    SignIn,
    TokenEntry,
    Verdict,
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
        guarded = _with_headers(send, own, verdict)
        if not isinstance(verdict, HttpRefusal) and not _is_legacy(verdict):
            _introduce(scope)
        if isinstance(verdict, HttpRefusal):
            await _refuse(scope, receive, guarded, asked, verdict)
        elif isinstance(verdict, TokenEntry):
            headers = {"location": verdict.location, "set-cookie": verdict.cookie}
            await answer(guarded, 303, headers)
        else:
            await self.app(scope, receive, guarded)


def _is_legacy(verdict: Verdict) -> bool:
    return isinstance(verdict, Admitted) and bool(verdict.cross_origin)


def _introduce(scope: Scope) -> None:
    visitor = scope.get("state", {}).get(VISITOR)
    if visitor is not None:
        visitor.known = True


def _with_headers(send: Send, host: str, verdict: Verdict) -> Send:
    async def send_more(message: Message) -> None:
        if message["type"] in _ANSWERS:
            own = list(message.get("headers", []))
            names = [name.decode("latin-1").lower() for name, _ in own]
            style = style_source() if message.get("status", 0) >= 400 else ""
            more = response_headers(host, names, verdict, style)
            kept = [pair for pair, name in zip(own, names, strict=True) if name not in more]
            message = {**message, "headers": kept + encode_headers(more)}
        await send(message)

    return send_more


def encode_headers(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Headers in ASGI form."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def answer(
    send: Send, status: int, headers: Mapping[str, str], body: bytes = b"", *, prefix: str = ""
) -> None:
    """Send a complete response; `prefix` is `websocket.` to refuse a WebSocket."""
    whole = {"content-length": str(len(body)), **headers}
    start = {"type": f"{prefix}http.response.start", "status": status}
    await send({**start, "headers": encode_headers(whole)})
    await send({"type": f"{prefix}http.response.body", "body": body})


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
        await _refuse_socket(scope, receive, send, refusal)
        return
    if wants_page(asked):
        kind = "text/html; charset=utf-8"
        body = _page(asked, refusal)
    else:
        kind, body = "application/json", error_body(refusal.message, refusal.kind)
    await answer(send, refusal.status, {"content-type": kind}, body)


def _page(asked: AskedRequest, refusal: HttpRefusal) -> bytes:
    if refusal.kind != "NoToken":
        return error_page(refusal.status, refusal.message)
    return sign_in_page(asked.target, wrong=refusal.wrong, again=refusal.again)


async def _refuse_socket(scope: Scope, receive: Receive, send: Send, refusal: HttpRefusal) -> None:
    await receive()  # websocket.connect
    extensions: Iterable[Any] = scope.get("extensions") or ()
    if "websocket.http.response" not in extensions:
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = {"content-type": "application/json"}
    body = error_body(refusal.message, refusal.kind)
    await answer(send, refusal.status, headers, body, prefix="websocket.")
