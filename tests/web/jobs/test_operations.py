"""Jobs over HTTP, but for those that are started: `test_browser.py` has a real bench."""

from pathlib import Path

from tests.web.driver import PORT, Client
from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import create_app

BENCH = {"kind": "bench", "players": ["greedy", "random"], "games": 20, "name": "small"}


def test_a_job_is_checked_without_being_started(client: Client) -> None:
    found = client.post("/api/jobs/check", BENCH).json
    assert found["command"].startswith("twofold bench greedy random")
    refused = client.post("/api/jobs/check", BENCH | {"players": ["own.py:Mine"]}).json
    assert "code" in refused["error"]
    table = client.post("/api/jobs/check", {"kind": "table", "table": " 442-256 "}).json
    assert table["command"] == "twofold tables build 442-256"
    assert table["disk"] > table["memory"] > 10**8
    assert client.get("/api/jobs").json == []


def test_jobs_are_for_this_machine_alone(hub: Hub, tmp_path: Path) -> None:
    """If other machines can reach the server, it neither starts nor lists jobs."""
    access = Access(PORT, names=(*Access(PORT).names, "192.0.2.1"))
    client = Client(create_app(hub, access, tmp_path), access, hub)
    answer = client.post("/api/jobs", BENCH)
    assert (answer.status, "without --host" in answer.json["error"]) == (400, True)
    assert "without --host" in client.post("/api/jobs/check", BENCH).json["error"]
    assert client.get("/api/jobs/limits").json["allowed"] is False
    assert client.get("/api/jobs").json == []
    assert Access(PORT).is_local
    assert not Access(PORT, any_address=True).is_local
