"""The application: pages, files, headers, and no use of other servers."""

import gzip
import http.client
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.web.driver import HOST, Answer, Client, ask_async, free_listener, run, served, serving
from tests.web.used import FILES, STATIC
from twofold.web.hub import Hub
from twofold.web.pages import LASTING, PAGES, STYLES, TYPES, address, tile_colours
from twofold.web.security import Gate

PROMISED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def policy(answer: Answer) -> dict[str, str]:
    parts = answer.headers["content-security-policy"].split("; ")
    return {name: value for name, _, value in (part.partition(" ") for part in parts)}


# ---- R27: headers


@pytest.mark.promise("R27")
def test_every_answer_has_the_headers(client: Client) -> None:
    game = client.post("/api/games", RECORD).json["game"]
    answers = [
        client.get("/"),
        client.get(address(FILES[0])),
        client.get(address("nothing.js")),
        client.get("/nothing"),
        client.get("/api/players"),
        client.get(f"/api/games/{game}/record"),
        client.get("/openapi.json"),
        client.post("/api/analyse", "x"),
        client.post("/api/games", b" " * 5_000_000),
        client.ask("HEAD", "/"),
        client.ask("DELETE", "/"),
        run(ask_async(client.app, "GET", "/", {"host": HOST})),
        run(ask_async(client.app, "GET", "/", {"host": HOST, "accept": "text/html"})),
        run(ask_async(client.app, "GET", "/", {"host": "evil.com"})),
        run(ask_async(client.app, "GET", "/", {})),
        run(ask_async(client.app, "GET", "/", client.headers | {"origin": "null"})),
        run(ask_async(client.app, "GET", f"/?{token_of(client)}", {"host": HOST})),
    ]
    statuses = {answer.status for answer in answers}
    assert statuses == {200, 303, 400, 403, 404, 405, 413}
    for answer in answers:
        assert {name: answer.headers[name] for name in PROMISED} == PROMISED
        assert policy(answer)["default-src"] == "'self'"
        assert policy(answer)["frame-ancestors"] == "'none'"
        assert policy(answer)["base-uri"] == "'none'"
        assert policy(answer)["form-action"] == "'self'"
        assert answer.headers["cache-control"] in ("no-store", "no-cache", LASTING)
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "evil.com" not in str(answer.headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]


RECORD = '[Twofold "1"]\n[Seed "1"]\n\n'


def token_of(client: Client) -> str:
    return "token=" + client.headers["cookie"].partition("=")[2]


@pytest.mark.promise("R27")
def test_internal_errors_have_the_headers_too(client: Client) -> None:
    async def fail(_: Request) -> Response:
        raise ZeroDivisionError

    assert isinstance(client.app, Gate)
    assert isinstance(client.app.app, Starlette)
    client.app.app.routes.append(Route("/fault", fail))
    listener = free_listener()
    with serving(client.app, listener):
        asks = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=60)
        asks.request("GET", "/fault", headers=client.headers)
        answer = asks.getresponse()
        assert answer.status == 500
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert json.load(answer) == {
            "error": "internal error (ZeroDivisionError). The server's log says more",
            "kind": "Fault",
        }
        asks.close()


@pytest.mark.promise("R27")
def test_the_policy_names_the_websocket_of_this_address(client: Client) -> None:
    assert policy(client.get("/"))["connect-src"] == f"'self' ws://{HOST}"
    foreign = run(ask_async(client.app, "GET", "/", {"host": "evil.com; script-src *"}))
    assert policy(foreign)["connect-src"] == "'self'"


# ---- R27: paths

UP = [
    "../", "..\\", "..//", "../.", "./../", ".././", "%2e%2e/", "..%2f", "%2e%2e%2f", "..%5c",
    "%252e%252e%252f", "..%c0%af", "..%ef%bc%8f", "....//", "..;/", "..\x00/", "../\x00", ".. /",
    "js/../../", "js/..\\..\\", "\uff0e\uff0e/", "..\u2215", "C:/", "C:", "//", "/", "file:///",
    "~/", "\\\\server\\share\\", "//server/share/", "/proc/self/root/", "//./", "$HOME/", "*/",
]  # fmt: skip

TRAVERSALS = [
    address("") + spelling * times + wanted
    for spelling in UP
    for times, wanted in [(1, "app.py"), (1, "static/index.html"), (8, "etc/passwd")]
] + [
    start + spelling + wanted
    for start in ("/", address("js/"))
    for spelling in UP
    for wanted in ("../app.py", "etc/passwd")
]  # fmt: skip


@pytest.mark.promise("R27")
def test_no_path_leads_out_of_the_folder_through_a_real_server(hub: Hub, tmp_path: Path) -> None:
    for path, status in real_answers(hub, tmp_path):
        # The server itself refuses what is no path at all, before there is an application.
        assert status in (404, 400), path


def real_answers(hub: Hub, folder: Path) -> Iterator[tuple[str, int]]:
    """Responses of a real server to each path, plain and escaped."""
    with served(hub, folder) as access:
        asks = http.client.HTTPConnection("127.0.0.1", access.port, timeout=60)
        for path in TRAVERSALS:
            spelling = quote(path, safe="/%:;,=$*~.\\")
            asks.putrequest("GET", spelling, skip_host=True)
            asks.putheader("Host", f"127.0.0.1:{access.port}")
            asks.putheader("Authorization", f"Bearer {access.token}")
            asks.endheaders()
            answer = asks.getresponse()
            answer.read()
            yield spelling, answer.status
        asks.close()


# ---- pages and files


@pytest.mark.parametrize("path", PAGES)
def test_each_page_is_there_and_names_its_modules(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = (STATIC / "index.html").read_text(encoding="utf-8").replace("/static/", address(""))
    before, after = page.split("<!-- modules -->")
    assert answer.text.startswith(before)
    assert answer.text.endswith(after)
    links = f'rel="modulepreload" href="{address("")}([^"]+)"'
    named = re.findall(links, answer.text)
    page = path.strip("/") or "play"
    assert f"js/pages/{page}.js" in named
    assert len(named) == len(set(named))
    for name in named:
        for other in re.findall(r"^[^/*\n]*from '([^']+)'", (STATIC / name).read_text(), re.M):
            imported = (STATIC / name).parent.joinpath(other).resolve()
            assert imported.relative_to(STATIC).as_posix() in named


def test_the_styles_come_in_one(client: Client) -> None:
    assert sorted(STYLES) == sorted(name for name in FILES if name.endswith(".css"))
    style = client.get(address("css/all.css")).text
    assert style == "".join((STATIC / name).read_text() for name in STYLES) + tile_colours()


def test_every_file_is_served_and_kept_under_the_address_of_its_version(client: Client) -> None:
    """An older page gets it too, but does not keep it."""
    assert client.get(f"/static/old/{FILES[0]}").headers["cache-control"] == "no-store"
    for name in FILES:
        answer = client.get(address(name))
        assert answer.status == 200, name
        assert answer.body == (STATIC / name).read_bytes()
        assert answer.headers["cache-control"] == LASTING
        kind = TYPES[name.rpartition(".")[2]]
        assert answer.headers["content-type"].partition(";")[0] == kind


def test_a_cached_file_is_not_sent_again(client: Client) -> None:
    tag = client.get("/").headers["etag"]
    client.headers["if-none-match"] = tag
    again = client.get("/")
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    client.headers["if-none-match"] = '"other"'
    assert client.get("/").status == 200


def test_long_responses_are_compressed(client: Client) -> None:
    whole = client.get(address("js/main.js"))
    assert "content-encoding" not in whole.headers
    client.headers["accept-encoding"] = "gzip"
    packed = client.get(address("js/main.js"))
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert len(packed.body) < len(whole.body)
    assert gzip.decompress(packed.body) == whole.body


def test_a_page_that_is_not_there_is_a_page_for_people(client: Client) -> None:
    client.headers["accept"] = "text/html"
    answer = client.get("/nothing")
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Error 404</h1>" in answer.text
    nothing = client.get("/api/nothing").json
    assert (nothing["kind"], nothing["error"]) == ("NotFound", "there is no such address")


# ---- R29c

FOREIGN = re.compile(r"(?:https?:|wss?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.IGNORECASE)
NAMES_ONLY = (
    "http://www.w3.org/", "https://www.w3.org/", "http://purl.org/", "http://creativecommons.org/",
    "https://matplotlib.org/", "http://127.0.0.1:",
)  # fmt: skip


@pytest.mark.promise("R29c")
def test_no_file_of_the_page_names_another_host() -> None:
    """No CDN, web fonts or telemetry; namespaces of XML are names only."""
    assert not [named for name in FILES for named in foreign_hosts(name)]


def foreign_hosts(name: str) -> Iterator[str]:
    """The lines of a file with an address of another host, outside comments."""
    text = (STATIC / name).read_text(encoding="utf-8", errors="replace")
    for line in map(str.strip, text.splitlines()):
        for match in FOREIGN.finditer(line):
            is_name = line[match.start() :].startswith(NAMES_ONLY)
            if not (is_name or line.startswith(("*", "//", "/*"))):
                yield f"{name}: {line}"


OFFLINE = """
import socket, sys
from pathlib import Path

real = socket.socket.connect
def refuse(self, address):
    assert address[0] in ("127.0.0.1", "::1"), f"a connection to {address}"
    return real(self, address)
socket.socket.connect = refuse
socket.getaddrinfo = lambda host, port, *a, **k: [
    (socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))
] if host == "127.0.0.1" else (_ for _ in ()).throw(AssertionError(f"a question for {host}"))

from tests.web.used import use_it
from twofold.web.hub import Hub
hub = Hub(Path(sys.argv[1]), "expectimax:ply=1")
print(use_it(hub, Path(sys.argv[1])))
hub.close()
"""


@pytest.mark.promise("R29c")
def test_everything_works_without_a_network(tmp_path: Path) -> None:
    """In a process without a network, where Linux allows it, and with connections refused."""
    command = [sys.executable, "-W", "error", "-c", OFFLINE, str(tmp_path)]
    alone = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if can_unshare():
        command = [*alone, *command]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=280, cwd=Path(__file__).parents[2]
    )
    assert done.stdout == "used\n", done.stderr


def can_unshare() -> bool:
    """True if a process may get its own empty network."""
    try:
        trial = ["unshare", "-rn", "sh", "-c", "ip link set lo up"]
        return subprocess.run(trial, capture_output=True, timeout=60).returncode == 0
    except OSError:
        return False


# ---- start


def test_nothing_is_compiled_before_the_first_answer() -> None:
    """Importing Numba takes a second; the page must not wait for it."""
    script = (
        "import sys, twofold.web.server\n"
        "heavy = {'numba', 'scipy', 'matplotlib', 'llvmlite'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stderr
