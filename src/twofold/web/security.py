"""Access control: only the owner, and pages that this server has sent.

Every program on this machine can reach a local port, and every page in the browser can send
requests to it. So each request needs:

* *Host*: an address of this server, against DNS rebinding.
* *Origin*: that same address, if it is sent; browsers send it with every WebSocket and every
  request that may change something.
* *Token*: the server's random token, as a cookie, which the printed URL or the form sets, or as
  `Authorization: Bearer TOKEN` for scripts.
"""

import asyncio
import hmac
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from twofold.errors import InvalidInput
from twofold.game.notation import shown
from twofold.storage.files import alone, atomic_write
from twofold.web.operations import TooLarge, error_body, read_body
from twofold.web.pages import PAGES, error_page, sign_in_page, style_source

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine for itself."""

FORM_TYPE: Final = "application/x-www-form-urlencoded"
"""Content type of forms."""

MAX_FORM_BYTES: Final = 4_096
"""Maximum size of a form in bytes; a form is read before the token is checked."""

TOKEN_BYTES: Final = 32
"""Number of random bytes in a token."""

TOKEN_FILE: Final = "token"
"""Name of the file in the data folder that keeps the token, so that pages stay signed in."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
_LOCK_SECONDS: Final = 10.0

_SAFE: Final = ("GET", "HEAD")

HEADERS: Final[Mapping[str, str]] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every response."""


class Refusal(NamedTuple):
    """A refused request."""

    status: int
    message: str
    kind: str


_FOREIGN_HOST: Final = Refusal(400, "expected the address of this server as Host", "ForeignHost")
_FOREIGN_ORIGIN: Final = Refusal(
    403, "expected a request from this server's own page, got another origin", "ForeignOrigin"
)
_NO_TOKEN: Final = Refusal(
    403, "expected the token: open the address that 'twofold serve' has printed", "NoToken"
)


@dataclass(frozen=True, slots=True)
class Access:
    """The access rules of a server.

    Attributes:
        token: what the owner knows.
        names: names and addresses of this server, without port.
        any_address: True if it listens on all addresses; then any numeric address is accepted.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES), repr=False)
    names: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    _once: set[str] = field(default_factory=set, repr=False)

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach the server."""
        return not self.any_address and set(self.names) <= set(LOOPBACK)

    @property
    def cookie_name(self) -> str:
        """Differs by port, since all servers of a machine share their cookies."""
        return f"twofold-{self.port}"

    @property
    def cookie(self) -> str:
        """The header that sets the cookie."""
        return f"{self.cookie_name}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def token_once(self) -> str:
        """A new token that is valid once, in a URL.

        A browser is started with it, and all users of the machine can read command lines.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._once.add(token)
        return token

    def foreign(self, asked: HTTPConnection) -> Refusal | None:
        """Why a request may not come from a page of this server; None if it may."""
        host, origins = asked.headers.get("host", "").lower(), asked.headers.getlist("origin")
        if not self.is_own_host(host):
            return _FOREIGN_HOST
        return _FOREIGN_ORIGIN if origins and origins != [f"http://{host}"] else None

    def refusal(self, asked: HTTPConnection) -> Refusal | None:
        """Why a request is refused; None if it is the owner's.

        Another server on this machine has another origin but the same *site*, so its pages send the
        cookie, too: what may change something needs our origin, or the token in a header.
        """
        if foreign := self.foreign(asked):
            return foreign
        scheme, _, bearer = asked.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _equal(bearer.strip(), self.token):
            return None
        if not _equal(asked.cookies.get(self.cookie_name, ""), self.token):
            return _NO_TOKEN
        if "origin" in asked.headers:
            return None
        reads = asked.scope["type"] == "http" and asked.scope["method"] in _SAFE
        is_link = asked.scope["path"] in PAGES or not _is_from_elsewhere(asked)
        return None if reads and is_link else _FOREIGN_ORIGIN

    def is_own_host(self, host: str) -> bool:
        """True if a lower-case `Host` is an address of this server."""
        name, colon, port = host.rpartition(":")
        if self.port == 80 and not port.isdecimal():
            name, colon, port = host, ":", "80"  # browsers omit the default port
        if not colon or port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def takes(self, text: str) -> bool:
        """True if a text of a URL or a form is the token; one that is valid once is used up."""
        once = next((token for token in self._once if _equal(text, token)), None)
        self._once.discard(once or "")
        return once is not None or _equal(text, self.token)


def _is_from_elsewhere(asked: HTTPConnection) -> bool:
    return asked.headers.get("sec-fetch-site") in ("same-site", "cross-site")


def _equal(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _is_address(name: str) -> bool:
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        return ipaddress.ip_address(bare).version == (4 if bare == name else 6)
    except ValueError:
        return False


def kept_token(folder: Path, *, new: bool = False) -> str:
    """The token in an existing data folder; created if it is missing, replaced if `new`.

    Raises InvalidInput if other users can read the file or it holds no token, or ResourceError.
    """
    path, again = folder / TOKEN_FILE, "Start once with --new-token, or choose another folder"
    if new or not path.exists():
        with alone(path, "server", patience=_LOCK_SECONDS):
            if new or not path.exists():
                atomic_write(path, f"{secrets.token_urlsafe(TOKEN_BYTES)}\n", mode=0o600)
    try:
        status, text = path.stat(), path.read_text(encoding="latin-1").strip()
    except OSError as error:
        raise InvalidInput(f"cannot read {shown(str(path))}: {error.strerror}") from None
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & 0o077):
        raise InvalidInput(f"other users can read the token in {shown(str(path))}. {again}")
    if not _TOKEN.fullmatch(text):
        raise InvalidInput(f"there is no valid token in {shown(str(path))}. {again}")
    return text


# ---- the gate


class Gate:
    """Passes the owner's requests to `app`, refuses others, and adds headers to all responses."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or WebSocket."""
        if scope["type"] == "websocket":
            refused = self.access.refusal(HTTPConnection(scope)) is not None
            await (WebSocketClose(1008) if refused else self.app)(scope, receive, send)
            return
        asked = Request(scope, receive)
        if "transfer-encoding" in asked.headers:
            await asyncio.sleep(0)  # uvicorn may have answered a chunk that is none, and closed
        answer = await self._answer(asked) or self.app
        await answer(scope, receive, self._with_headers(asked, send))

    async def _answer(self, asked: Request) -> Response | None:
        """A redirect that sets the cookie, or a refusal; None for a request of the owner."""
        is_page = asked.scope["path"] in PAGES and self.access.foreign(asked) is None
        kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
        is_form = (
            is_page and asked.method == "POST" and "origin" in asked.headers and kind == FORM_TYPE
        )
        texts = await _form(asked) if is_form else asked.query_params.getlist("token")
        if (is_form or (is_page and asked.method in _SAFE)) and any(map(self.access.takes, texts)):
            pairs = [pair for pair in asked.query_params.multi_items() if pair[0] != "token"]
            place = asked.scope["path"] + ("?" + urlencode(pairs) if pairs else "")
            headers = {"location": place, "set-cookie": self.access.cookie}
            return Response(status_code=303, headers=headers)
        refusal = self.access.refusal(asked) or (_NO_TOKEN if is_form else None)
        if refusal is not _NO_TOKEN or not wants_page(asked):
            return None if refusal is None else error_response(asked, *refusal)
        # If a link on another page led here, the browser has omitted the strict cookie.
        here = asked.scope["path"] in PAGES
        is_opened = asked.method in _SAFE and asked.headers.get("sec-fetch-mode") == "navigate"
        again = here and is_opened and _is_from_elsewhere(asked)
        languages = asked.headers.get("accept-language", "")
        page = sign_in_page(here=here, wrong=is_form, again=again, languages=languages)
        return Response(page, refusal.status, media_type="text/html")

    def _with_headers(self, asked: Request, send: Send) -> Send:
        """Some browsers do not include WebSockets in `'self'`, so the policy names ours."""
        host = asked.headers.get("host", "").lower()
        connect = f"'self' ws://{host}" if self.access.is_own_host(host) else "'self'"

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message.get("headers", [])))
                style = f"style-src 'self' {style_source()}; " if message["status"] >= 400 else ""
                headers.update(HEADERS)
                headers["content-security-policy"] = (
                    f"default-src 'self'; {style}connect-src {connect}; base-uri 'none'; "
                    "form-action 'self'; frame-ancestors 'none'"
                )
                headers.setdefault("cache-control", "no-store")
                if "transfer-encoding" in asked.headers:
                    headers["connection"] = "close"  # what follows may be no chunk
                message = {**message, "headers": headers.raw}
            await send(message)

        return send_more


async def _form(asked: Request) -> list[str]:
    """The texts of a form with the token, or with the address that contains it."""
    try:
        form = await read_body(asked, MAX_FORM_BYTES)
    except TooLarge:
        return []
    pairs = parse_qsl(form.decode("latin-1"), encoding="latin-1")
    return [text.strip().rpartition("token=")[2] for name, text in pairs if name == "token"]


def wants_page(asked: HTTPConnection) -> bool:
    """True if a browser asked for a page."""
    accepted = asked.headers.get("accept", "")
    return "text/html" in accepted and not asked.scope["path"].startswith("/api/")


def error_response(asked: Request, status: int, message: str, kind: str) -> Response:
    """An error as a page or in the form of the API."""
    if wants_page(asked):
        return Response(error_page(status, message), status, media_type="text/html")
    return Response(error_body(message, kind), status, media_type="application/json")
