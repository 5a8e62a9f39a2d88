"""Gate: the one way into the application. Every request and every answer passes through it."""

import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from twofold.web.security import Access, Admitted, Asked, Entry, Refusal, Verdict, response_headers

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{script}<title>twofold</title>
</head>
<body>
<h1>twofold: {status}</h1>
<p>{message}</p>
</body>
</html>
"""

_AGAIN: Final = '<script src="/static/js/again.js"></script>\n'
"""Loads the page again, now from our own address, so that the cookie comes along. The script needs
the cookie itself: a browser without one does not get it. Nothing else keeps what follows a `#`."""

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
        asked = Asked.from_scope(scope)
        verdict = self.access.judge(asked)
        host = asked.value("host").lower()
        own = host if self.access.is_own_host(host) else ""
        guarded = _with_headers(send, own, verdict)
        if not isinstance(verdict, Refusal) and not _is_legacy(verdict):
            _introduce(scope)
        if isinstance(verdict, Refusal):
            await _refuse(scope, receive, guarded, asked, verdict)
        elif isinstance(verdict, Entry):
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
            more = response_headers(host, names, verdict)
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


def wants_page(asked: Asked) -> bool:
    """Whether a person will read the answer."""
    return not asked.path.startswith("/api/") and "text/html" in asked.value("accept")


def error_page(status: int, message: str, *, again: bool = False) -> bytes:
    """An error as a plain page."""
    script = _AGAIN if again else ""
    return _PAGE.format(script=script, status=status, message=html.escape(message)).encode()


async def _refuse(
    scope: Scope, receive: Receive, send: Send, asked: Asked, refusal: Refusal
) -> None:
    if asked.socket:
        await _refuse_socket(scope, receive, send, refusal)
        return
    if wants_page(asked):
        kind = "text/html; charset=utf-8"
        body = error_page(refusal.status, refusal.message, again=refusal.again)
    else:
        kind, body = "application/json", error_body(refusal.message, refusal.kind)
    await answer(send, refusal.status, {"content-type": kind}, body)


async def _refuse_socket(scope: Scope, receive: Receive, send: Send, refusal: Refusal) -> None:
    """Refuse a WebSocket before it is one, so that nothing can be sent over it."""
    await receive()  # websocket.connect
    extensions: Iterable[Any] = scope.get("extensions") or ()
    if "websocket.http.response" not in extensions:
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = {"content-type": "application/json"}
    body = error_body(refusal.message, refusal.kind)
    await answer(send, refusal.status, headers, body, prefix="websocket.")
