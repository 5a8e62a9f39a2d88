"""Gate: the one way into the application. Every request and every answer passes through it."""

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
"""Largest form that is read, and it comes before the token."""

FORM_SECONDS: Final = 30.0
"""How long it may take to arrive."""

VISITOR: Final = "visitor"
"""Under this name the state of a connection holds its `Visitor`, where a server keeps one."""

_ANSWERS: Final = ("http.response.start", "websocket.http.response.start", "websocket.accept")


@dataclass(slots=True)
class Visitor:
    """Who is at the other end of a connection.

    Attributes:
        number: counts the connections.
        known: whether it has shown the token.
    """

    number: int
    known: bool = False


class Gate:
    """Lets the owner's requests pass, answers all others, and adds headers to every answer.

    Args:
        app: what is behind it.
        access: the rules.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one WebSocket."""
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
    """Note that who sends this knows the token."""
    visitor = scope.get("state", {}).get(VISITOR)
    if visitor is not None:
        visitor.known = True


def _with_headers(send: Send, host: str, verdict: Verdict) -> Send:
    """`send` that adds the headers of security to the start of an answer."""

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
    """Headers as ASGI has them."""
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]


async def answer(
    send: Send, status: int, headers: Mapping[str, str], body: bytes = b"", *, prefix: str = ""
) -> None:
    """Send a whole answer; `prefix` is `websocket.` where a WebSocket is refused."""
    whole = {"content-length": str(len(body)), **headers}
    start = {"type": f"{prefix}http.response.start", "status": status}
    await send({**start, "headers": encode_headers(whole)})
    await send({"type": f"{prefix}http.response.body", "body": body})


def error_body(message: str, kind: str) -> bytes:
    """An error as every route of the API answers it."""
    return msgspec.json.encode({"error": message, "kind": kind})


def wants_page(asked: AskedRequest) -> bool:
    """Whether a person will read the answer."""
    return not asked.path.startswith("/api/") and "text/html" in asked.value("accept")


async def _read_form(receive: Receive) -> bytes:
    """The body of a request; nothing of one that is too long or too slow."""
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
    """Refuse a WebSocket before it is one, so that nothing can be sent over it."""
    await receive()  # websocket.connect
    extensions: Iterable[Any] = scope.get("extensions") or ()
    if "websocket.http.response" not in extensions:
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = {"content-type": "application/json"}
    body = error_body(refusal.message, refusal.kind)
    await answer(send, refusal.status, headers, body, prefix="websocket.")
