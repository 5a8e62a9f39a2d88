"""Who may speak to the server: its owner, and pages that the server itself has sent.

Every program of this machine can reach a local port, and every page in the owner's browser can
send requests to it. So each request has to show three things:

- *Host*: it was sent to an address of this server. A foreign name that resolves to 127.0.0.1
  (DNS rebinding) is refused.
- *Origin*: no other page caused it. Browsers send `Origin` with everything that may change
  something and with every WebSocket; only the address that the request went to will do.
- *Token*: whoever sends it knows the random token of the server: as a cookie, which the URL
  printed at the start sets, or a form into which it is pasted; or as `Authorization: Bearer TOKEN`,
  for scripts.

There is no socket here: `Access.judge` looks at a request and says what is to be done with it.
"""

import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from twofold.errors import InvalidInput
from twofold.notation import shown

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""The names under which this machine reaches itself."""

PAGES: Final = (
    "/", "/watch", "/analyse", "/review", "/practice", "/games", "/daily", "/lab",
)  # fmt: skip
"""The addresses of the one page; it looks at the address to see what to show."""

LEGACY_ROUTES: Final[Mapping[str, str]] = {"/move": "GET", "/analyze": "POST"}
"""What one other origin may call without a token, where the owner allows it."""

FORM_TYPE: Final = "application/x-www-form-urlencoded"
"""What browsers send of a form."""

TOKEN_BYTES: Final = 32
"""Random bytes of a token."""

_SAFE: Final = ("GET", "HEAD")
_ORIGIN: Final = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.ASCII)


def parse_origin(text: str) -> str:
    """An origin as browsers send it, such as `https://example.org`.

    Raises:
        InvalidInput: it is none, or `null`, which any page can have.
    """
    if not _ORIGIN.fullmatch(text):
        raise InvalidInput(
            "expected an origin such as https://example.org, in lower case and without a path, "
            f"got {shown(text)}"
        )
    return text


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """What a request says of itself.

    Attributes:
        socket: whether it wants a WebSocket.
        method: of HTTP; `GET` for a WebSocket.
        path: its path, decoded.
        query: the query, as sent.
        headers: pairs of lower-case name and value.
    """

    socket: bool
    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any]) -> "AskedRequest":
        """The request that an ASGI scope describes."""
        headers = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in scope["headers"]
        )
        query = scope.get("query_string", b"").decode("latin-1")
        socket = scope["type"] == "websocket"
        return cls(socket, scope.get("method", "GET"), scope["path"], query, headers)

    def values(self, name: str) -> list[str]:
        """The values of a header, one for each time that it was sent."""
        return [value for known, value in self.headers if known == name]

    def value(self, name: str) -> str:
        """The value of a header; empty where it was not sent, or more than once."""
        values = self.values(name)
        return values[0] if len(values) == 1 else ""

    def cookies(self, name: str) -> list[str]:
        """The values of a cookie: other servers on this machine may have set the same name."""
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
        """The query, taken apart."""
        return parse_qsl(self.query, keep_blank_values=True, encoding="latin-1")

    @property
    def is_form(self) -> bool:
        """Whether it is a form that was sent to a page."""
        kind = self.value("content-type").partition(";")[0].strip().lower()
        return self.method == "POST" and self.path in PAGES and kind == FORM_TYPE

    @property
    def is_page(self) -> bool:
        """Whether it asks for the page, by any of its addresses."""
        return not self.socket and self.method in _SAFE and self.path in PAGES


@dataclass(frozen=True, slots=True)
class HttpRefusal:
    """A request that is refused.

    Attributes:
        status: of HTTP: 400 for an address that is not ours, else 403.
        kind: `ForeignHost`, `ForeignOrigin` or `NoToken`.
        message: one sentence.
        again: whether the browser may succeed by asking again: a link on another page led
            here, and browsers keep the cookie back on such ways.
        wrong: whether the request is a form with another token.
    """

    status: int
    kind: str
    message: str
    again: bool = False
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """A request with the token in its URL: it gets the cookie and is sent on.

    Attributes:
        location: where to, without the token.
        cookie: the value of `Set-Cookie`.
    """

    location: str
    cookie: str


@dataclass(frozen=True, slots=True)
class SignIn:
    """A form of our own page, which may hold the token: `Access.sign_in` takes its body."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request that may pass.

    Attributes:
        cross_origin: the other origin that may read the answer; empty for none.
    """

    cross_origin: str = ""


Verdict = HttpRefusal | TokenEntry | SignIn | Admitted


@dataclass(frozen=True, slots=True)
class Access:
    """The rules of one server.

    Attributes:
        port: the port that it listens on.
        token: the secret of the server.
        names: the host names and addresses that are its own.
        any_address: whether every address in numbers is its own too: so for a server that
            listens on all of them. A name from elsewhere is refused all the same.
        legacy_origin: the origin that may call `LEGACY_ROUTES`; empty for none.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(TOKEN_BYTES), repr=False)
    names: tuple[str, ...] = LOOPBACK
    any_address: bool = False
    legacy_origin: str = ""
    _once: set[str] = field(default_factory=set, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether this machine alone reaches the server."""
        return not self.any_address and set(self.names) <= set(LOOPBACK)

    @property
    def cookie_name(self) -> str:
        """Two servers on one machine share their cookies, so each has its own name."""
        return f"twofold-{self.port}"

    def token_once(self) -> str:
        """A token that a URL may carry once.

        What starts a browser shows in the list of processes, to all users of the machine.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._once.add(token)
        return token

    def judge(self, asked: AskedRequest) -> Verdict:
        """What is to be done with a request."""
        host = asked.value("host").lower()
        if not self.is_own_host(host):
            return HttpRefusal(400, "ForeignHost", "expected the address of this server as Host")
        if self.legacy_origin and asked.path in LEGACY_ROUTES and not asked.socket:
            return self._judge_legacy(asked)
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
        """Whether a `Host`, in lower case, is an address of this server."""
        name, colon, port = host.rpartition(":")
        if self.port == 80 and not port.isdecimal():
            name, colon, port = host, ":", "80"  # browsers leave out the usual port
        if not colon or port != str(self.port):
            return False
        return name in self.names or (self.any_address and _is_address(name))

    def _judge_legacy(self, asked: AskedRequest) -> Verdict:
        """No token, but this one origin and nothing else."""
        if asked.values("origin") != [self.legacy_origin]:
            return _FOREIGN
        return Admitted(cross_origin=self.legacy_origin)

    def sign_in(self, asked: AskedRequest, form: bytes) -> TokenEntry | HttpRefusal:
        """What a form leads to, into which the token was pasted, or the address that has it."""
        pairs = parse_qsl(form.decode("latin-1"), encoding="latin-1")
        texts = [text.strip().rpartition("token=")[2] for name, text in pairs if name == "token"]
        if any(map(self._is_token_of_url, texts)):
            return TokenEntry(asked.target, self._new_cookie())
        return HttpRefusal(
            403, "NoToken", "expected the token of this server, got another", wrong=True
        )

    def _entry(self, asked: AskedRequest) -> TokenEntry | None:
        """What a URL with the token leads to; None where it has none that is right."""
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
    403, "ForeignOrigin", "expected a request of this server's own page, got one from elsewhere"
)


def _equal(text: str, secret: str) -> bool:
    """Compare in a time that tells nothing about the secret."""
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _is_address(name: str) -> bool:
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        return ipaddress.ip_address(bare).version == (4 if bare == name else 6)
    except ValueError:
        return False


def _is_from_own_page(asked: AskedRequest) -> bool:
    """Whether a request with the cookie was caused by our page, where that matters.

    A foreign `Origin` is refused before. Another server of this machine is another origin but
    the same *site* for cookies, so the cookie alone proves nothing.
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
    """Whether a link on another page led to ours; the browser then sends no strict cookie."""
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
"""What every answer carries, whatever it is."""


def response_headers(
    host: str, present: Iterable[str], verdict: Verdict, style: str = ""
) -> dict[str, str]:
    """The headers to add to an answer.

    Args:
        host: the `Host` it is for, where it is our own; empty else.
        present: lower-case names of the headers that the answer has.
        verdict: on the request.
        style: a style that the page brings itself, as the policy names it; empty for none.
    """
    headers = {**HEADERS, "content-security-policy": _policy(host, style)}
    if "cache-control" not in present:
        headers["cache-control"] = "no-store"
    if isinstance(verdict, Admitted) and verdict.cross_origin:
        headers |= {"access-control-allow-origin": verdict.cross_origin, "vary": "Origin"}
    return headers


def _policy(host: str, style: str) -> str:
    """The content security policy. Some browsers do not count WebSockets as `'self'`."""
    connect = f"'self' ws://{host}" if host else "'self'"
    styles = f"style-src 'self' {style}; " if style else ""
    return (
        f"default-src 'self'; {styles}connect-src {connect}; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    )
