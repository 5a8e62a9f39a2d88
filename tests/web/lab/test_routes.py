"""The routes of the laboratory."""

import asyncio
import threading
from pathlib import Path

import anyio
import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.web.driver import PORT, Client, ask_async
from tests.web.driver import run as run_async
from tests.web.lab.made_lab import OUTSIDE, make_run
from tests.web.lab.made_lab import example as example  # a fixture
from tests.web.lab.made_lab import folder as folder  # a fixture
from twofold.arena.export import csv_parts
from twofold.arena.study import Study
from twofold.errors import InvalidInput
from twofold.web import lab as lab
from twofold.web.hub import Hub
from twofold.web.lab import Lab
from twofold.web.operations import AT_ONCE
from twofold.web.security import Access
from twofold.web.server import create_app


@pytest.fixture
def client(hub: Hub, folder: Path) -> Client:
    """The browser of the owner of that folder."""
    access = Access(PORT)
    return Client(create_app(hub, access, folder), access, hub)


def test_games_are_a_csv_file(client: Client, folder: Path) -> None:
    answer = client.get("/api/studies/sub/b.db/games.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="b.csv"'
    with Study(folder / "sub" / "b.db", read_only=True) as opened:
        assert answer.body == b"".join(csv_parts(opened))
    Study(folder / "none.db").close()
    refused = client.get("/api/studies/none.db/games.csv")
    assert (refused.status, "without any" in refused.json["error"]) == (400, True)
    assert str(folder) not in refused.json["error"]
    assert client.get("/api/studies/nothing.db/games.csv").status == 404


def test_figures_are_those_of_the_command(client: Client, folder: Path, cli: Cli) -> None:
    answer = client.get("/api/studies/a.db/figure?plot=scores&form=svg&section=1")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    file = folder.parent / "scores.svg"
    assert cli("report", str(folder / "a.db"), "--plot", "scores", "--picture", str(file)).code == 0
    assert answer.body == file.read_bytes()
    make_run(folder / "more.csv", points=2)
    curve, other = str(folder / "net.csv"), str(folder / "more.csv")
    file = folder.parent / "curves.pdf"
    curves = ("--curves", curve, "--curves", other, "--axis", "moves")
    assert cli("report", *curves, "--picture", str(file)).code == 0
    asked = "/api/curves?run=net.csv&run=more.csv&axis=moves&form=pdf"
    assert client.get(asked).body == file.read_bytes()
    assert client.get(asked).headers["content-disposition"].endswith('"curves.pdf"')
    refused = client.get("/api/curves?run=net.csv&tile=3")
    assert (refused.status, "reached_3" in refused.json["error"]) == (400, True)
    assert str(folder) not in refused.json["error"]
    assert "with points" in client.get("/api/curves?run=sub/other.csv").json["error"]
    assert client.get("/api/curves?run=none.csv").status == 404
    for words in ("section=9", "section=-1", "section=x", "plot=none", "form=gif"):
        assert client.get(f"/api/studies/a.db/figure?{words}").status == 400, words
    for name in ("no.db", "..%2Fa.db", "net.csv"):
        assert client.get(f"/api/studies/{name}/figure").status == 404, name


def test_cached_responses_are_not_sent_again(client: Client) -> None:
    for path in ("/api/studies", "/api/studies/a.db", "/api/runs", "/api/runs/net.csv"):
        client.headers["if-none-match"] = '"other"'
        client.headers["if-none-match"] = client.get(path).headers["etag"]
        answer = client.get(path)
        assert (answer.status, answer.body) == (304, b"")


def test_routes_lead_nowhere_else(client: Client) -> None:
    for path in (f"/api/{kind}/{name}" for kind in ("studies", "runs") for name in OUTSIDE):
        assert client.get(path).status == 404, path


@pytest.mark.promise("R62")
def test_hung_requests_leave_the_rest_of_the_server_alone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 requests wait for the list of studies; other pages and threads still respond."""
    go, hung = threading.Event(), threading.Semaphore(0)

    def hang(*_: object) -> list[object]:
        hung.release()
        assert go.wait(60)
        return []

    async def status(path: str) -> int:
        return (await ask_async(client.app, "GET", path, client.headers)).status

    async def crowd() -> list[int]:
        waiting = [asyncio.ensure_future(status("/api/studies")) for _ in range(40)]
        for _ in range(AT_ONCE):
            await asyncio.to_thread(hung.acquire)
        for path in ("/api/runs", "/api/runs/net.csv", "/api/studies/a.db"):
            assert await status(path) == 200
        assert await anyio.to_thread.run_sync(lambda: 5) == 5
        go.set()
        return await asyncio.gather(*waiting)

    monkeypatch.setattr(lab, "find", hang)
    assert run_async(crowd()) == [200] * 40


@pytest.mark.promise("R62")
def test_a_query_of_the_lab_has_a_deadline(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "QUERY_SECONDS", -1.0)
    monkeypatch.setattr("twofold.storage.database._STEPS", 1)
    assert "The file is damaged or too large" in Lab(folder).studies()[0].error
    with pytest.raises(InvalidInput, match=r"no answer from 'a\.db' within"):
        Lab(folder).study("a.db")
