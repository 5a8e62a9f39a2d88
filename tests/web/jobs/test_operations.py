"""Jobs over HTTP, and one real bench from the request to its page."""

from pathlib import Path

from tests.web.driver import PORT, Client
from tests.web.jobs.seen_jobs import until
from twofold.game.rules import Rules
from twofold.learn.checkpoint import load, save
from twofold.learn.settings import TrainingSettings
from twofold.learn.training import Training
from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import create_app

TRAINING = {"kind": "train", "network": "0123", "name": "tiny", "seconds": 1, "threads": 1}
BENCH = {"kind": "bench", "players": ["greedy", "random"], "games": 20, "name": "small"}


def test_a_bench_is_started_and_its_study_is_shown(client: Client, tmp_path: Path) -> None:
    answer = client.post("/api/jobs", BENCH)
    assert answer.status == 201
    until(client.hub.jobs, answer.json["job"], state="done")
    (info,) = client.get("/api/jobs").json
    command = "twofold bench greedy random --games 20 --seed 1 --out small.db"
    assert info["command"] == command
    assert (info["kind"], info["title"], info["progress"]) == ("bench", "small.db", 1)
    assert (info["result"], info["resumable"]) == ("/lab?study=small.db", False)
    assert client.get("/api/studies/small.db").json["games"] == 40
    again = client.post("/api/jobs", BENCH)
    assert (again.status, "already" in again.json["error"]) == (400, True)
    assert client.ask("DELETE", f"/api/jobs/{info['id']}").status == 200
    assert client.get("/api/jobs").json == []
    assert (tmp_path / "small.db").is_file()


def test_a_finished_training_goes_on_with_its_own_network(client: Client, tmp_path: Path) -> None:
    job = client.post("/api/jobs", TRAINING).json["job"]
    again = f"/api/jobs/{job}/lengthen"
    assert client.post(again).status == 400  # before it has ended
    until(client.hub.jobs, job, state="done")
    (info,) = client.get("/api/jobs").json
    assert (info["lengthenable"], info["resumable"]) == (True, False)
    file, curve = tmp_path / "tiny.safetensors", (tmp_path / "tiny.csv").read_bytes()
    mine = file.rename(tmp_path / "mine")
    answer = client.post(again)
    assert (answer.status, "start a new job" in answer.json["error"]) == (400, True)
    save(Training(TrainingSettings(patterns="01", rules=Rules(3, 3)), games=1), file)
    assert client.post(again).status == 200
    until(client.hub.jobs, job, state="failed")
    (info,) = client.get("/api/jobs").json
    assert "as in tiny.safetensors" in info["message"]
    assert (tmp_path / "tiny.csv").read_bytes() == curve
    mine.rename(file)
    assert client.post(f"/api/jobs/{job}/resume").status == 200
    until(client.hub.jobs, job, state="done")
    (info,) = client.get("/api/jobs").json
    assert "--time 2s" in info["command"]
    assert load(file).seconds > 1


def test_a_job_is_checked_without_being_started(client: Client) -> None:
    found = client.post("/api/jobs/check", BENCH).json
    assert found["command"].startswith("twofold bench greedy random")
    refused = client.post("/api/jobs/check", BENCH | {"players": ["own.py:Mine"]}).json
    assert "code" in refused["error"]
    table = client.post("/api/jobs/check", {"kind": "table", "table": "442-256"}).json
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
