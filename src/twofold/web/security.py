"""Access control: only the owner, and pages that this server has sent.

Every program on this machine can reach a local port, and every page in the browser can send
requests to it. So each request needs:

* *Host*: an address of this server, against DNS rebinding.
* *Origin*: that same address, if it is sent; browsers send it with every WebSocket and every
  request that may change something.
* *Token*: the server's random token, as a cookie, which the printed URL or the form sets, or as
  `Authorization: Bearer TOKEN` for scripts.

This module has no sockets: `Access.judge` returns a verdict on a request.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""Names of this machine for itself."""

PAGES: Final = (
    "/", "/watch", "/analyse", "/review", "/practice", "/games", "/daily", "/lab",
)  # fmt: skip
"""The addresses of the page, which shows a view for each."""

FORM_TYPE: Final = "application/x-www-form-urlencoded"
"""Content type of forms."""

TOKEN_BYTES: Final = 32
"""Number of random bytes in a token."""

_SAFE: Final = ("GET", "HEAD")


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """The parts of a request that matter for access.

    Attributes:
        socket: True for a WebSocket.
        path: decoded.
        headers: pairs of lower-case name and value.
    """

    socket: bool
    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any]) -> "AskedRequest":
        """The request of an ASGI scope."""
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in scope["headers"]
        )
        query = scope.get("query_string", b"").decode("latin-1")
        socket = scope["type"] == "websocket"
        return cls(socket, scope.get("method", "GET"), scope["path"], query, headers)

    def values(self, name: str) -> list[str]:
        """All values of a header."""
        return [value for known, value in self.headers if known == name]

    def value(self, name: str) -> str:
        """The value of a header; empty unless it was sent exactly once."""
        values = self.values(name)
        return values[0] if len(values) == 1 else ""

    def cookies(self, name: str) -> list[str]:
        """All values of a cookie; other servers on this machine may have set the same name."""
        pairs = (
            pair.strip().partition("=")
            for line in self.values("cookie")
            for pair in line.split(";")
        )
        return [value for known, _, value in pairs if known == name]

    @property
    def target(self) -> str:
        """Path and query of a page, without a token; `/` for everything else."""
        if self.path not in PAGES:
            return "/"
        pairs = [pair for pair in self.pairs if pair[0] != "token"]
        return self.path + ("?" + urlencode(pairs, encoding="latin-1") if pairs else "")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The parsed query."""
        return parse_qsl(self.query, keep_blank_values=True, encoding="latin-1")

    @property
    def is_form(self) -> bool:
        """True for a form sent to a page."""
        kind = self.value("content-type").partition(";")[0].strip().lower()
        return self.method == "POST" and self.path in PAGES and kind == FORM_TYPE

    @property
    def is_page(self) -> bool:
        """True if it requests a page."""
        return not self.socket and self.method in _SAFE and self.path in PAGES


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """A refused request.

    Attributes:
        kind: `ForeignHost`, `ForeignOrigin` or `NoToken`.
        again: True if a reload may succeed: browsers do not send the cookie when a link on another
            page leads here.
        wrong: True for a form with a wrong token.
    """

    status: int
    kind: str
    message: str
    again: bool = False
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """A request with a valid token: redirect to `location`, and set `cookie`."""

    location: str
    cookie: str


@dataclass(frozen=True, slots=True)
class SignIn:
    """A form that may hold the token; pass its body to `Access.sign_in`."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """An accepted request."""


Verdict = HttpRefusal | TokenEntry | SignIn | Admitted


@dataclass(frozen=True, slots=True)
class Access:
    """The access rules of a server.

    Attributes:
        names: its host names and addresses.
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

    def token_once(self) -> str:
        """A new token that is valid once, in a URL.

        A browser is started with it, and all users of the machine can read command lines.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._once.add(token)
        return token

    def judge(self, asked: AskedRequest) -> Verdict:
        """The verdict on a request."""
        host = asked.value("host").lower()
        if not self.is_own_host(host):
            return HttpRefusal(400, "ForeignHost", "expected the address of this server as Host")
        origins = asked.values("origin")
        if origins and origins != [f"http://{host}"]:
            return _FOREIGN
        if asked.is_page and (entry := self._entry(asked)):
            return entry
        if asked.is_form and origins:
            return SignIn()
        if self._has_bearer(asked):
            return Admitted()
        if not self._has_cookie(asked):
            return HttpRefusal(403, "NoToken", _HOW_TO_GET_IN, again=_came_from_elsewhere(asked))
        return Admitted() if _is_from_own_page(asked) else _FOREIGN

    def is_own_host(self, host: str) -> bool:
        """True if a lower-case `Host` is an address of this server."""
        name, colon, port = host.rpartition(":")
        if self.port == 80 and not port.isdecimal():
            name, colon, port = host, ":", "80"  # browsers omit the default port
        if not colon or port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def sign_in(self, asked: AskedRequest, form: bytes) -> TokenEntry | HttpRefusal:
        """Check a form with the token, or with the address that contains it."""
        pairs = parse_qsl(form.decode("latin-1"), encoding="latin-1")
        texts = [text.strip().rpartition("token=")[2] for name, text in pairs if name == "token"]
        if any(map(self._is_token_of_url, texts)):
            return TokenEntry(asked.target, self._new_cookie())
        return HttpRefusal(
            403, "NoToken", "expected the token of this server, got another", wrong=True
        )

    def _entry(self, asked: AskedRequest) -> TokenEntry | None:
        if not any(key == "token" and self._is_token_of_url(value) for key, value in asked.pairs):
            return None
        return TokenEntry(asked.target, self._new_cookie())

    def _new_cookie(self) -> str:
        return f"{self.cookie_name}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def _is_token_of_url(self, text: str) -> bool:
        once = next((token for token in self._once if _equal(text, token)), None)
        self._once.discard(once or "")
        return once is not None or _equal(text, self.token)

    def _has_bearer(self, asked: AskedRequest) -> bool:
        scheme, _, text = asked.value("authorization").partition(" ")
        return scheme.lower() == "bearer" and _equal(text.strip(), self.token)

    def _has_cookie(self, asked: AskedRequest) -> bool:
        return any(_equal(value, self.token) for value in asked.cookies(self.cookie_name))


_HOW_TO_GET_IN: Final = "expected the token: open the address that 'twofold serve' has printed"

_FOREIGN: Final = HttpRefusal(
    403, "ForeignOrigin", "expected a request from this server's own page, got another origin"
)


def _equal(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _is_address(name: str) -> bool:
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        return ipaddress.ip_address(bare).version == (4 if bare == name else 6)
    except ValueError:
        return False


def _is_from_own_page(asked: AskedRequest) -> bool:
    """True if a request with the cookie came from our page, or need not.

    A foreign `Origin` is refused before. Another server on this machine has another origin but the
    same *site*, so its pages send the cookie, too.
    """
    if asked.values("origin"):
        return True
    site = asked.value("sec-fetch-site")
    if asked.socket:
        return False
    if asked.method not in _SAFE:
        return site == "same-origin"
    return site in ("", "same-origin", "none") or asked.is_page


def _came_from_elsewhere(asked: AskedRequest) -> bool:
    """True if a link on another page led here: the browser then omits the strict cookie."""
    site, mode = asked.value("sec-fetch-site"), asked.value("sec-fetch-mode")
    return asked.is_page and mode == "navigate" and site in ("cross-site", "same-site")


# ---- headers

HEADERS: Final[Mapping[str, str]] = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every response."""


def response_headers(host: str, present: Iterable[str], style: str = "") -> dict[str, str]:
    """The headers to add to a response that has the headers `present`.

    `host` is empty if it is foreign; `style` is the source of an inline style, or empty.
    """
    headers = {**HEADERS, "content-security-policy": _policy(host, style)}
    if "cache-control" not in present:
        headers["cache-control"] = "no-store"
    return headers


def _policy(host: str, style: str) -> str:
    """The content security policy. Some browsers do not include WebSockets in `'self'`."""
    connect = f"'self' ws://{host}" if host else "'self'"
    styles = f"style-src 'self' {style}; " if style else ""
    return (
        f"default-src 'self'; {styles}connect-src {connect}; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
