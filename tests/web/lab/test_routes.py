"""The routes of the laboratory."""

import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import quote

import anyio
import httpx
import msgspec
import pytest
from starlette.applications import Starlette

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.web.lab.made_lab import OUTSIDE, make_run
from tests.web.lab.made_lab import example as example  # a fixture
from tests.web.lab.made_lab import folder as folder  # a fixture
from twofold.arena.export import csv_parts
from twofold.arena.study import Study
from twofold.errors import InvalidInput
from twofold.learn.curve_files import run
from twofold.web import lab as lab
from twofold.web.lab import Lab
from twofold.web.operations import operations_of, routes_of

Get = Callable[..., httpx.Response]


@contextlib.asynccontextmanager
async def asked(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(Starlette(routes=routes_of(operations_of(Lab(folder)))))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def get(folder: Path) -> Get:
    """Send a request to new routes."""

    async def ask(path: str, headers: dict[str, str]) -> httpx.Response:
        async with asked(folder) as client:
            return await client.get(path, headers=headers)

    return lambda path, **headers: anyio.run(
        ask, path, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def test_routes_answer_json(get: Get, folder: Path) -> None:
    assert [one["name"] for one in get("/api/studies").json()] == ["a.db", "sub/b.db"]
    assert get("/api/studies/sub/b.db").json()["games"] == 8
    assert get("/api/studies/sub%2Fb.db").json()["games"] == 8
    assert [one["name"] for one in get("/api/runs").json()] == ["net.csv", "sub/other.csv"]
    assert get("/api/runs/net.csv").json() == msgspec.to_builtins(run(folder, "net.csv"))


def test_games_are_a_csv_file(get: Get, folder: Path) -> None:
    answer = get("/api/studies/sub/b.db/games.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="b.csv"'
    with Study(folder / "sub" / "b.db", read_only=True) as opened:
        assert answer.content == b"".join(csv_parts(opened))
    Study(folder / "none.db").close()
    refused = get("/api/studies/none.db/games.csv")
    assert (refused.status_code, "without any" in refused.json()["error"]) == (400, True)
    assert str(folder) not in refused.json()["error"]
    assert get("/api/studies/nothing.db/games.csv").status_code == 404


def test_figures_are_those_of_the_command(get: Get, folder: Path, cli: Cli) -> None:
    answer = get("/api/studies/a.db/figure?plot=scores&form=svg&section=1")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    file = folder.parent / "scores.svg"
    assert cli("report", str(folder / "a.db"), "--plot", "scores", "--picture", str(file)).code == 0
    assert answer.content == file.read_bytes()
    make_run(folder / "more.csv", points=2)
    curve, other = str(folder / "net.csv"), str(folder / "more.csv")
    file = folder.parent / "curves.pdf"
    curves = ("--curves", curve, "--curves", other, "--axis", "moves")
    assert cli("report", *curves, "--picture", str(file)).code == 0
    asked = "/api/curves?run=net.csv&run=more.csv&axis=moves&form=pdf"
    assert get(asked).content == file.read_bytes()
    assert get(asked).headers["content-disposition"].endswith('"curves.pdf"')
    refused = get("/api/curves?run=net.csv&tile=3")
    assert (refused.status_code, "reached_3" in refused.json()["error"]) == (400, True)
    assert str(folder) not in refused.json()["error"]
    assert "with points" in get("/api/curves?run=sub/other.csv").json()["error"]
    assert get("/api/curves?run=none.csv").status_code == 404
    for words in ("section=9", "section=-1", "section=x", "plot=none", "form=gif"):
        assert get(f"/api/studies/a.db/figure?{words}").status_code == 400, words
    for name in ("no.db", "..%2Fa.db", "net.csv"):
        assert get(f"/api/studies/{name}/figure").status_code == 404, name


def test_cached_responses_are_not_sent_again(get: Get) -> None:
    for path in ("/api/studies", "/api/studies/a.db", "/api/runs", "/api/runs/net.csv"):
        tag = get(path).headers["etag"]
        answer = get(path, If_None_Match=tag)
        assert (answer.status_code, answer.content) == (304, b"")
        assert get(path, If_None_Match='"other"').status_code == 200


def test_routes_lead_nowhere_else(folder: Path) -> None:
    async def statuses() -> set[int]:
        paths = [
            f"{kind}/{quote(name, safe='')}" for kind in ("studies", "runs") for name in OUTSIDE
        ]
        async with asked(folder) as client:
            return {(await client.get(f"/api/{path}")).status_code for path in paths}

    assert anyio.run(statuses) <= {307, 404}


@pytest.mark.promise("R62")
def test_hung_requests_leave_the_rest_of_the_server_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 requests wait for the list of studies; other pages and threads still respond."""
    go = threading.Event()

    def hang(*_: object) -> list[object]:
        assert go.wait(60)
        return []

    async def crowd() -> list[int]:
        answers = []

        async def one(path: str) -> None:
            answers.append((await client.get(path, timeout=60)).status_code)

        async with asked(folder) as client, anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(one, "/api/studies")
            await anyio.wait_all_tasks_blocked()
            for path in ("/api/runs", "/api/runs/net.csv", "/api/studies/a.db"):
                await one(path)
            assert await anyio.to_thread.run_sync(lambda: 5) == 5
            assert answers == [200] * 3
            go.set()
        return answers

    monkeypatch.setattr(lab, "find", hang)
    assert anyio.run(crowd) == [200] * 43


@pytest.mark.promise("R62")
def test_a_query_of_the_lab_has_a_deadline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "QUERY_SECONDS", -1.0)
    monkeypatch.setattr("twofold.storage.database._STEPS", 1)
    assert "The file is damaged or too large" in Lab(folder).studies()[0].error
    with pytest.raises(InvalidInput, match=r"no answer from 'a\.db' within"):
        Lab(folder).study("a.db")
