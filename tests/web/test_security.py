"""Access control: token, origin, host."""

import base64
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.web.driver import HOST, ORIGIN, PORT, Answer, ask_async, cookie, run, upgrade
from twofold.errors import InvalidInput
from twofold.web.hub import Hub
from twofold.web.pages import address
from twofold.web.security import LOOPBACK, Access, Gate, kept_token
from twofold.web.security import TOKEN_FILE as FILE
from twofold.web.server import create_app

REFUSED = "1008"  # before it is accepted: the status of the handshake is 403
SCRIPT = f'<script src="{address("js/again.js")}"></script>'

FOREIGN_ORIGINS = [
    "null", "", "*", "file://", "http://", "https://evil.com", "http://evil.com",
    f"http://evil.com:{PORT}", "http://127.0.0.1", "http://127.0.0.1:80",
    f"http://127.0.0.1:{PORT + 1}", f"http://127.0.0.1:{PORT}0", f"http://127.0.0.1:0{PORT}",
    "http://127.0.0.1:204", f"https://127.0.0.1:{PORT}", f"ws://127.0.0.1:{PORT}",
    f"HTTP://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}/", f"http://127.0.0.1:{PORT}/watch",
    f"http://127.0.0.1:{PORT}?", f"http://127.0.0.1:{PORT}#",
    f"http://127.0.0.1:{PORT}.evil.com", f"http://127.0.0.1:{PORT}@evil.com",
    f"http://evil.com@127.0.0.1:{PORT}", f"http://user:word@127.0.0.1:{PORT}",
    f"http://127.0.0.1.evil.com:{PORT}", f"http://evil.com/127.0.0.1:{PORT}",
    f"http://127.0.0.2:{PORT}", f"http://127.1:{PORT}", f"http://2130706433:{PORT}",
    f"http://0x7f000001:{PORT}", f"http://0.0.0.0:{PORT}", f"http://[::ffff:127.0.0.1]:{PORT}",
    f"http://localhost.evil.com:{PORT}", f"http://LOCALHOST:{PORT}",
    f"http://localhost.:{PORT}", f"http://localhost:{PORT}", f"http://[::1]:{PORT}",
    f"http://127.0.0.1:{PORT} https://evil.com", f"http://127.0.0.1:{PORT}, http://evil.com",
    f"http://127.0.0.1:{PORT}\x00", f"http://127.0.0.1:{PORT}\xff",
    "chrome-extension://abcdefghijklmnop", "data:text/html,x",
]  # fmt: skip

FOREIGN_HOSTS = [
    "", "evil.com", f"evil.com:{PORT}", f"127.0.0.1.evil.com:{PORT}",
    f"localhost.evil.com:{PORT}", f"localhost.:{PORT}", "127.0.0.1", "localhost", "[::1]",
    "::1", f"::1:{PORT}", f"127.0.0.1:{PORT + 1}", f"127.0.0.1:{PORT}0", f"127.0.0.1:0{PORT}",
    f"127.0.0.1:{PORT}:{PORT}", f"127.0.0.1:{PORT}/", f"user@127.0.0.1:{PORT}",
    f"0.0.0.0:{PORT}", f"192.168.0.7:{PORT}", f"127.0.0.2:{PORT}", f":{PORT}",
    f"127.0.0.1:{PORT}\xff",
]  # fmt: skip


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    folder = tmp_path_factory.mktemp("hub")
    with closing(Hub(folder, "greedy", warm_up=False)) as hub:
        yield create_app(hub, Access(PORT), folder)


def ask(app: Gate, target: str, method: str = "GET", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return run(ask_async(app, method, target, {"host": HOST, **named}))


# ---- R24


@pytest.mark.promise("R24")
def test_unknown_routes_need_the_token(app: Gate) -> None:
    for path in ("/nothing", "/static/x/app.js", "/api/nothing", "/favicon.ico", "*"):
        assert ask(app, path).status == 403
        assert ask(app, path, cookie=cookie(app.access)).status == 404


@pytest.mark.promise("R24")
@pytest.mark.parametrize(
    "query",
    ["token=wrong", "token=", "token", "Token={}", "token={} ", "token={}x", "xtoken={}", "a={}"],
)
def test_only_the_token_itself_opens_the_page(app: Gate, query: str) -> None:
    assert ask(app, f"/?{query.format(app.access.token)}").status == 403


@pytest.mark.promise("R24")
def test_the_url_with_the_token_becomes_a_cookie(app: Gate) -> None:
    token = app.access.token
    assert len(token) >= 43
    answer = ask(app, f"/watch?player=a%26b&token={token}&x=1")
    assert (answer.status, answer.body) == (303, b"")
    assert answer.headers["location"] == "/watch?player=a%26b&x=1"
    assert answer.headers["set-cookie"] == (
        f"twofold-2048={token}; Path=/; HttpOnly; SameSite=Strict"
    )
    assert answer.headers["cache-control"] == "no-store"
    assert ask(app, f"/?token={token}").headers["location"] == "/"
    assert ask(app, "/nothing", cookie=f"a=b; twofold-2048={token};c=d").status == 404


@pytest.mark.promise("R24")
def test_the_token_in_a_url_opens_nothing_but_the_page(app: Gate) -> None:
    token = app.access.token
    for path in ["/api/players", address("index.html"), "/openapi.json", "/nothing"]:
        assert ask(app, f"{path}?token={token}").status == 403
    assert ask(app, f"/?token={token}", "POST").status == 403
    assert upgrade(app, {"host": HOST, "origin": ORIGIN}) == REFUSED


@pytest.mark.promise("R24")
def test_the_token_that_starts_the_browser_is_valid_once(app: Gate) -> None:
    once = app.access.token_once()
    assert once != app.access.token
    assert ask(app, "/", cookie=f"twofold-2048={once}").status == 403
    first = ask(app, f"/?token={once}")
    assert first.status == 303
    assert app.access.token in first.headers["set-cookie"]
    assert ask(app, f"/?token={once}").status == 403


FORM = {"content-type": "application/x-www-form-urlencoded", "origin": ORIGIN}


def sign_in(
    app: Gate, text: str, target: str = "/", change: Mapping[str, str | None] = FORM
) -> Answer:
    """Paste a text into the form of a page."""
    body = urlencode({"token": text}).encode()
    headers = {"host": HOST, "accept": "text/html", **FORM, **change}
    sent = {name: value for name, value in headers.items() if value is not None}
    return run(ask_async(app, "POST", target, sent, [body[:5], body[5:]]))


@pytest.mark.promise("R24")
def test_the_token_can_be_pasted_into_a_form(app: Gate) -> None:
    token = app.access.token
    for text in [token, f" {token}\n", f"{ORIGIN}/?token={token}", f"{ORIGIN}/a?b=c&token={token}"]:
        answer = sign_in(app, text, "/lab?study=a%26b&token=old")
        assert (answer.status, answer.headers["location"]) == (303, "/lab?study=a%26b")
        assert answer.headers["set-cookie"].startswith(f"twofold-2048={token}; Path=/; HttpOnly;")
    once = app.access.token_once()
    assert (sign_in(app, once).status, sign_in(app, once).status) == (303, 403)


@pytest.mark.promise("R24")
def test_a_form_without_the_token_gets_a_form(app: Gate) -> None:
    wrong = sign_in(app, "wrong", '/lab?a="><script>')
    assert wrong.status == 403
    assert "This is not the token of this server." in wrong.text
    assert "<script" not in wrong.text
    assert "action" not in wrong.text.partition("<form")[2]  # its own address, with what follows #
    long = sign_in(app, " " * 5_000 + app.access.token)
    assert (long.status, "set-cookie" in long.headers) == (403, False)


@pytest.mark.promise("R24")
@pytest.mark.parametrize("change", [
    {"origin": None}, {"origin": "null"}, {"origin": "http://evil.com"},
    {"content-type": "text/plain"}, {"content-type": None}, {"host": "evil.com"},
])  # fmt: skip
def test_only_a_form_of_our_own_page_signs_in(app: Gate, change: dict[str, str | None]) -> None:
    answer = sign_in(app, app.access.token, change=change)
    assert answer.status in (400, 403)
    assert "set-cookie" not in answer.headers


@pytest.mark.promise("R24")
def test_a_form_signs_in_to_pages_alone(app: Gate) -> None:
    for target in ["/api/games", "/nothing", address("index.html")]:
        assert sign_in(app, app.access.token, target).status == 403
    assert 'action="/"' in ask(app, "/nothing", accept="text/html").text


def test_a_page_for_strangers_brings_its_own_style(app: Gate) -> None:
    answer = ask(app, "/", accept="text/html")
    policy = answer.headers["content-security-policy"]
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'self' 'sha256-{digest}';" in policy
    assert "--page:" in style
    owner = ask(app, "/", cookie=cookie(app.access))
    assert "style-src" not in owner.headers["content-security-policy"]


@pytest.mark.promise("R24")
def test_scripts_send_the_token_as_a_header(app: Gate) -> None:
    token = app.access.token
    assert ask(app, "/nothing", authorization=f"Bearer {token}").status == 404
    assert ask(app, "/nothing", authorization=f"bearer {token}").status == 404
    for value in [token, f"Basic {token}", f"Bearer {token}x", "Bearer", f"Bearer é{token}"]:
        assert ask(app, "/nothing", authorization=value).status == 403


@pytest.mark.promise("R24")
def test_a_refusal_says_how_to_sign_in(app: Gate) -> None:
    page = ask(app, "/", accept="text/html,*/*")
    assert page.status == 403
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "twofold serve" in page.text
    assert SCRIPT not in page.text
    german = ask(app, "/", accept="text/html", accept_language="fr, de-AT;q=0.8, en;q=0.5").text
    assert '<html lang="de">' in german
    assert ">Anmelden</button>" in german
    foreign = ask(app, "/", accept="text/html", accept_language="<script>, ../en, ;q=1").text
    assert '<html lang="en">' in foreign
    answer = ask(app, "/api/players", accept="text/html,*/*")
    assert answer.json == {
        "error": "expected the token: open the address that 'twofold serve' has printed",
        "kind": "NoToken",
    }


def test_a_link_from_elsewhere_asks_again_from_our_own_page(app: Gate) -> None:
    """Browsers omit a strict cookie after a link on another page."""
    link = {"accept": "text/html", "sec_fetch_mode": "navigate", "sec_fetch_site": "cross-site"}
    assert SCRIPT in ask(app, "/analyse", **link).text
    again = link | {"sec_fetch_site": "same-origin"}
    assert SCRIPT not in ask(app, "/analyse", **again).text
    assert SCRIPT not in ask(app, "/nothing", **link).text
    assert SCRIPT not in ask(app, "/analyse", **link | {"sec_fetch_mode": "no-cors"}).text


# ---- R25


@pytest.mark.promise("R25")
@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_no_other_origin_passes(app: Gate, origin: str) -> None:
    owner = {"cookie": cookie(app.access), "origin": origin}
    script = {"authorization": f"Bearer {app.access.token}", "origin": origin}
    for headers in (owner, script):
        assert ask(app, "/", **headers).status == 403
        assert ask(app, "/api/games", "POST", **headers).status == 403
        assert ask(app, f"/?token={app.access.token}", **headers).status == 403
        assert upgrade(app, {"host": HOST, **headers}) == REFUSED


@pytest.mark.promise("R25", "R26")
@pytest.mark.parametrize("name", [*LOOPBACK, "LocalHost"])
def test_the_own_names_and_origins_pass(app: Gate, name: str) -> None:
    host = f"{name}:{PORT}".lower()
    bare = {"host": f"{name}:{PORT}", "cookie": cookie(app.access)}
    assert run(ask_async(app, "GET", "/nothing", bare)).status == 404
    headers = {"host": host, "origin": f"http://{host}", "cookie": cookie(app.access)}
    assert run(ask_async(app, "GET", "/nothing", headers)).status == 404
    assert run(ask_async(app, "POST", "/nothing", headers)).status == 404
    assert upgrade(app, headers) == "welcome"


@pytest.mark.promise("R25")
def test_a_cookie_alone_changes_nothing(app: Gate) -> None:
    """Another server on this machine is the same site, so its pages send our cookie."""
    mine = {"cookie": cookie(app.access)}
    assert ask(app, "/nothing", "POST", **mine).status == 403
    assert ask(app, "/nothing", "POST", **mine, origin=ORIGIN).status == 404
    for site in ["same-site", "cross-site"]:
        assert ask(app, "/nothing", "POST", **mine, sec_fetch_site=site).status == 403
        assert ask(app, "/api/games", **mine, sec_fetch_site=site).status == 403
        assert ask(app, "/", **mine, sec_fetch_site=site).status != 403  # a link to our page
    assert ask(app, "/nothing", **mine, sec_fetch_site="none").status == 404


@pytest.mark.promise("R25")
def test_a_websocket_with_a_cookie_needs_an_origin(app: Gate) -> None:
    mine = {"host": HOST, "cookie": cookie(app.access)}
    assert upgrade(app, mine) == REFUSED
    script = {"host": HOST, "authorization": f"Bearer {app.access.token}"}
    assert upgrade(app, script) == "welcome"


# ---- R26


@pytest.mark.promise("R26")
@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_no_foreign_host_passes(app: Gate, host: str) -> None:
    """DNS rebinding: an attacker's name that resolves to 127.0.0.1."""
    for origin in [{"origin": f"http://{host}"}, {"origin": ORIGIN}, {}]:
        headers = {"host": host, "cookie": cookie(app.access), **origin}
        assert run(ask_async(app, "GET", "/", headers)).status == 400
        assert run(ask_async(app, "POST", "/api/games", headers)).status == 400
        assert upgrade(app, headers) == REFUSED


@pytest.mark.promise("R26")
def test_the_default_port_may_be_omitted() -> None:
    access = Access(80)
    for host in ["127.0.0.1", "localhost", "[::1]", "localhost:80", "[::1]:80"]:
        assert access.is_own_host(host)
    for host in ["localhost:81", "evil.com", "", ":80", "::1"]:
        assert not access.is_own_host(host)


@pytest.mark.promise("R26")
def test_on_all_addresses_numbers_pass_and_names_do_not() -> None:
    access = Access(PORT, names=(*LOOPBACK, "mybox"), any_address=True)
    for name in ["192.168.0.7", "[fe80::1]", "mybox", "127.0.0.1"]:
        assert access.is_own_host(f"{name}:{PORT}")
    for name in ["evil.com", "192.168.0.7.evil.com", "fe80::1", "[192.168.0.7]", "[x]", "", "[]"]:
        assert not access.is_own_host(f"{name}:{PORT}")


# ---- the file of the token

POSIX = pytest.mark.skipif(os.name != "posix", reason="other systems have no permissions like that")


@pytest.mark.promise("R24")
def test_a_folder_has_one_token_until_another_is_wanted(tmp_path: Path) -> None:
    """Nobody else can read it."""
    before = os.umask(0)
    try:
        first = kept_token(tmp_path)
    finally:
        os.umask(before)
    assert len(first) == 43
    assert kept_token(tmp_path) == first
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    second = kept_token(tmp_path, new=True)
    assert second != first
    assert kept_token(tmp_path) == second
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.promise("R24")
def test_servers_that_start_at_once_have_one_token(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: kept_token(tmp_path), range(16)))
    assert len(set(found)) == 1


@pytest.mark.promise("R24")
@POSIX
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_token_that_others_can_read_is_refused(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kept_token(tmp_path)
    (tmp_path / FILE).chmod(mode)
    with pytest.raises(InvalidInput, match=r"other users can read the token in .*--new-token"):
        kept_token(tmp_path)
    assert kept_token(tmp_path, new=True) != first
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)  # the file of another user
    with pytest.raises(InvalidInput, match="other users can read the token"):
        kept_token(tmp_path)


@pytest.mark.promise("R24")
@pytest.mark.parametrize("text", ["", "a" * 42, "a" * 44, "a" * 42 + "!"])
def test_an_invalid_token_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="there is no valid token in "):
        kept_token(tmp_path)
    assert path.read_text() == text
