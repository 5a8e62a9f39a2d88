"""All HTTP routes in one table: what each refuses, and how; and the document that lists them."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Route, WebSocketRoute

from tests.support.endgame_tables import table_files as table_files  # fixtures
from tests.support.endgame_tables import tables_here as tables_here
from tests.web.driver import HOST, ORIGIN, Answer, Client, ask_async, run, upgrade
from twofold import __version__
from twofold.search.budget import Stop
from twofold.web.operations import Operation, routes_of
from twofold.web.pages import PAGES
from twofold.web.security import Gate

BOARD = "0012/0013/0024/1357"

BODIES = ["", "{", "[]", "7", "\xff", "[" * 60_000, '{"board":"\\ud800"}', "NaN", '{"more":1}']
"""What no route takes as a JSON body."""

FIELD = re.compile(r"\{\w+\}")
NAMES = ["nothing", "..", ".", "a.b", "\0", "a b", "é", "x" * 300, "-", "C:a", "/etc/passwd",
         "../../a.db", "..\\a", "a/b/c/d.db"]  # fmt: skip
"""What no game, job, day, study or run is called."""

WRONG: dict[str, dict[str, list[Any]]] = {
    "POST /api/analyse": {
        "InvalidInput": [
            {"board": BOARD, "depth": 3}, {"board": 7}, {"board": "0" * 1001},
            {"board": BOARD, "score": "1e3"}, {"board": BOARD, "nodes": 1e300},
        ],
        "InvalidBoard": [{"board": "12"}, {"board": BOARD, "rules": "3x4"}],
        "InvalidRules": [{"board": BOARD, "rules": "3x"}],
        "GameOver": [{"board": "0" * 16}],
        "InvalidBudget": [{"board": BOARD, "ply": 0}, {"board": BOARD, "seconds": -1}],
        "LimitExceeded": [
            {"board": BOARD, "score": -1}, {"board": BOARD, "score": 2**63},
            {"board": BOARD, "player": "expectimax:threads=1000"},
        ],
        "InvalidSpec": [
            {"board": BOARD, "player": player}
            for player in ("nobody", "os:system", "evil.py:Player", "ntuple:net=/etc/passwd")
        ],
    },
    "POST /api/board": {"InvalidBoard": [{"text": "?"}], "InvalidInput": [{"text": 7}]},
    "POST /api/chance": {
        "InvalidBoard": [{"board": "x"}, {"board": BOARD, "rules": "3x3"}],
        "InvalidInput": [{"board": BOARD, "games": 2_000}],
    },
    "GET /api/pictures/board.svg": {"InvalidInput": [""], "InvalidBoard": ["board=zz"]},
    "GET /api/pictures/board.png": {
        "InvalidInput": [
            f"board={BOARD}&{more}" for more in ("score=-1", "move=x", "scale=9", "shade=pink")
        ]
    },
    "GET /api/game-list": {
        "InvalidInput": ["offset=-1", "count=x", "order=luck", "offset=" + 20 * "9"]
    },
    "POST /api/games": {
        "InvalidRecord": ["", "hello", "[Seed", '[Seed "1"]\n\nuuuuuuuuuuuuuu', "\0"]
    },
    "POST /api/daily": {"InvalidInput": [{"day": "2999-01-01"}, {"day": "x"}]},
    "POST /api/jobs": {
        "InvalidInput": [
            {"kind": "shell"},
            *(
                {"kind": "bench", "players": ["greedy"], "name": "small"} | more
                for more in ({"command": "ls"}, {"games": 10**9}, {"name": "../a"})
            ),
        ]
    },
    "POST /api/practice/endgame": {
        "InvalidTable": [{"table": "/etc/passwd", "seed": "3"}, {"table": "a.table", "seed": "3"}],
        "InvalidSeed": [{"table": "442-16", "seed": "x"}],
        "InvalidBoard": [{"table": "442-16", "seed": "3", "board": "0000/0000/0000/0011"}],
        "InvalidInput": [
            {"table": "442-16", "seed": "3", "moves": "xyz"},
            {"table": "442-16", "seed": "3", "known": -1},
        ],
    },
    "POST /api/practice/mistake": {"InvalidInput": [{"table": "442-16", "seed": "3"}]},
    "GET /api/curves": {"InvalidInput": ["", "run=net.csv&form=gif", "run=net.csv&tile=x"]},
}  # fmt: skip
"""By route and kind of error: bodies, or queries, that it refuses."""


def routes(client: Client) -> Iterator[tuple[str, str]]:
    """A method and an address for each route and method."""
    assert isinstance(client.app, Gate)
    assert isinstance(client.app.app, Starlette)
    for route in client.app.app.routes:
        yield from addresses(route)


def addresses(route: BaseRoute) -> Iterator[tuple[str, str]]:
    assert isinstance(route, Route | WebSocketRoute), route
    methods = sorted(route.methods or ()) if isinstance(route, Route) else ["WEBSOCKET"]
    for method in methods:
        yield method, re.sub(r":path\}", "}", route.path)


def document(client: Client) -> dict[tuple[str, str], Any]:
    """The description of each operation, by method and path."""
    paths = client.get("/openapi.json").json["paths"]
    return {
        (method.upper(), path): operation
        for path, methods in paths.items()
        for method, operation in methods.items()
    }


def refused(answer: Answer, status: int, kind: str = "") -> bool:
    """True for a refusal in one line, in the form of the API."""
    said = answer.json
    assert set(said) == {"error", "kind"}
    return answer.status == status and kind in ("", said["kind"]) and "\n" not in said["error"]


# ---- strangers


@pytest.mark.promise("R24", "R25", "R26")
def test_no_route_answers_strangers(client: Client) -> None:
    walked = [(method, FIELD.sub("x", path)) for method, path in routes(client)]
    assert {path for _, path in walked} >= {*PAGES, "/ws", "/static/x/x", "/openapi.json"}
    mine, bare = client.headers["cookie"], {"host": HOST, "origin": ORIGIN}
    for headers, status in [
        (bare, 403),
        (bare | {"cookie": "twofold-2048=wrong"}, 403),
        (bare | {"authorization": "Bearer wrong"}, 403),
        ({"host": HOST, "origin": "http://evil.com", "cookie": mine}, 403),
        ({"host": "evil.com", "cookie": mine}, 400),
    ]:
        for method, path in [*walked, ("GET", "/nothing"), ("GET", "/favicon.ico")]:
            if method == "WEBSOCKET":
                assert upgrade(client.app, headers) == "1008"
            else:
                answer = run(ask_async(client.app, method, path, headers))
                assert answer.status == status, (method, path, headers)
    for method, path in walked:
        if method in ("POST", "DELETE"):  # a cookie alone changes nothing
            headers = {"host": HOST, "cookie": mine}
            assert run(ask_async(client.app, method, path, headers)).status == 403


# ---- what no route takes


def test_other_methods_are_refused(client: Client) -> None:
    for path in {path for method, path in routes(client) if method != "WEBSOCKET"}:
        answer = client.ask("PATCH", path)
        assert refused(answer, 405)
        assert "PATCH" not in answer.headers["allow"]
        assert answer.json["error"] == "this address does not take PATCH"


def test_bodies_are_checked_before_anything_is_done(client: Client) -> None:
    tried = set()
    for (method, path), described in document(client).items():
        if "requestBody" not in described:
            continue
        path = FIELD.sub("x", path)
        most = int(re.findall(r"\d+", described["responses"]["413"]["description"])[0])
        assert refused(client.ask(method, path, b" " * (most + 1)), 413, "TooLarge"), path
        tried.add(most)
        if "application/json" in described["requestBody"]["content"]:
            for body in BODIES:
                answer = client.ask(method, path, body.encode("latin-1"))
                assert refused(answer, 400, "InvalidInput"), (path, body)
    assert tried == {65_536, 4 * 2**20, 8 * 2**20}


def test_hostile_names_lead_nowhere(client: Client) -> None:
    for method, path in document(client):
        first, *rest = FIELD.split(path)
        body = {"move": "u"} if path == "/api/puzzles/{day}" else b""
        for name in NAMES if rest else []:
            answer = client.ask(method, name.join([first, *rest]), body)
            assert answer.status in ((400, 404) if "{day}" in path else (404, 405)), (path, name)
            if method == "GET":
                target = quote(name, safe="").join([first, *rest])
                assert client.get(target).status in (400, 404), (path, name)


@pytest.mark.parametrize("route", WRONG)
def test_wrong_values_are_refused(client: Client, tables_here: Path, route: str) -> None:
    method, path = route.split()
    assert (method, path) in document(client)
    for kind, rows in WRONG[route].items():
        for row in rows:
            answer = client.get(f"{path}?{row}") if method == "GET" else client.post(path, row)
            assert refused(answer, 400, kind), (route, row, answer.text)


# ---- the document


def test_the_document_lists_every_route_of_the_api(client: Client) -> None:
    answer = client.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    found = answer.json
    assert (found["openapi"], found["info"]["version"]) == ("3.1.0", __version__)
    assert found["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    there = {one for one in routes(client) if one[1].startswith("/api") and one[0] != "HEAD"}
    assert set(document(client)) == there
    assert len(there) >= 40
    references = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(found)))
    assert references == set(found["components"]["schemas"])
    assert {"AnalyseBody", "AnalyseReply", "Refused", "StudyTables"} <= references


def test_every_operation_is_described(client: Client) -> None:
    operations = document(client)
    names = [one["operationId"] for one in operations.values()]
    assert len(set(names)) == len(names)
    for (_, path), one in operations.items():
        assert one["summary"].endswith(".")
        assert {"400", "403", "404"} < set(one["responses"])
        inside = [place["name"] for place in one["parameters"] if place["in"] == "path"]
        assert inside == re.findall(r"\{(\w+)\}", path)


def test_the_examples_work(client: Client) -> None:
    tried = 0
    for (method, path), one in document(client).items():
        content = one.get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            assert client.ask(method, path, example["value"]).status == 200
            tried += 1
    assert tried >= 3


def test_a_request_that_is_cancelled_gets_an_answer() -> None:
    """The server cancels what still runs a second after Ctrl-C."""
    begun, ended = threading.Event(), threading.Event()

    def work(stop: Stop) -> None:
        begun.set()
        while not stop.is_raised:
            ended.wait(0.001)
        ended.set()

    operation = Operation(path="/long", summary="", reply=None, work=work)
    app = Starlette(routes=routes_of([operation]))

    async def cancel() -> tuple[int, str]:
        asked = asyncio.ensure_future(ask_async(app, "GET", "/long"))
        await asyncio.to_thread(begun.wait, 60)
        asked.cancel()
        answer = await asked
        return answer.status, answer.json["error"]

    assert run(cancel()) == (500, "the server was stopped")
    assert ended.wait(60)
