"""The HTTP operations of the Practice page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.endgame_tables import table_files as table_files  # fixtures
from tests.support.endgame_tables import tables_here as tables_here
from tests.web.driver import Client
from tests.web.page import Page
from twofold.games.daily import FIRST_DAY
from twofold.games.puzzles import puzzle_of
from twofold.web import practice, protocol

TABLE = "442-16"


def posted(client: Client, path: str, **body: Any) -> Any:
    answer = client.post(path, body)
    assert answer.status == 200, answer.text
    return answer.json


def begun(client: Client, **body: Any) -> Any:
    return posted(client, "/api/practice/endgame", **{"table": TABLE, "seed": "3"} | body)


def worst_of(position: dict[str, Any]) -> str:
    """The letter of the worst legal move."""
    legal = [(chance, letter) for chance, letter in zip(position["chances"], "urdl", strict=True)
             if chance is not None]  # fmt: skip
    return min(legal)[1]


def test_the_tables_that_are_built_are_listed(client: Client, tables_here: Path) -> None:
    (tables_here / "442-512_32-128.twofold-table").write_text("damaged")
    answer = client.get("/api/practice/tables").json
    (tables_here / "442-512_32-128.twofold-table").unlink()
    found, (damaged,) = answer["tables"], answer["damaged"].items()
    assert damaged[0] == "442-512/32-128"
    assert damaged[1].startswith("expected a safetensors file, got another kind of file")
    assert [(one["name"], one["target"], one["large"]) for one in found] == [
        ("44-16", 16, 8),
        ("442-16", 16, 6),
    ]
    assert found[0]["bytes"] == (tables_here / "44-16.twofold-table").stat().st_size


def test_tables_that_could_be_built_have_their_requirements(
    client: Client, tables_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice, "OFFERED", ("442-64", "442-16"))
    monkeypatch.setattr(practice, "_rate", lambda: 1e6)
    (offer,) = client.get("/api/practice/offers").json
    assert offer["name"] == "442-64"
    assert offer["seconds"] == pytest.approx(offer["boards"] / 1e6)
    assert offer["done"] is None


def test_a_practice_game_is_a_function_of_seed_and_moves(client: Client, tables_here: Path) -> None:
    first = begun(client)
    (start,) = first["positions"]
    assert (first["target"], start["status"], start["cell"]) == (16, "going", None)
    assert begun(client) == first
    moves = worst_of(start)
    after = begun(client, moves=moves)["positions"]
    assert after[0] == start
    assert begun(client, moves=moves, known=1)["positions"] == after[1:]
    same = begun(client, board=start["board"], moves=moves)["positions"]
    assert same == after


def test_a_mistake_in_an_endgame_comes_into_the_notebook(client: Client, tables_here: Path) -> None:
    for seed in map(str, range(20)):
        (start,) = begun(client, seed=seed)["positions"]
        body = {"table": TABLE, "seed": seed, "moves": worst_of(start)}
        if posted(client, "/api/practice/mistake", **body)["added"]:
            break
    assert client.get("/api/notebook").json == {"open": 1, "solved": 0, "row": 2}
    assert not posted(client, "/api/practice/mistake", **body)["added"]  # it is there
    position = posted(client, "/api/notebook/next")["position"]
    assert (position["board"], position["unit"]) == (start["board"], "chance")
    assert position["source"]["seed"] == seed
    assert client.post("/api/practice/mistake", {"table": TABLE, "seed": "3"}).status == 400


@pytest.fixture
def page(client: Client) -> Iterator[Page]:
    found = Page(client.hub)
    yield found
    found.close()


def test_the_mistakes_of_a_reviewed_game_are_solved(client: Client, page: Page) -> None:
    state = page.new(seed="5", keep=True)
    page.play(state, 80)
    judge = "ntuple:net=tiny,ply=1"
    page.ask(protocol.ReviewRequest(game=state.game, player=judge), protocol.Reviewed)
    counts = client.get("/api/notebook").json
    assert counts["open"] > 1
    asked = posted(client, "/api/notebook/next")
    position = asked["position"]
    assert asked["counts"] == counts
    assert position["source"]["game"] == state.game
    for row in (1, 2):
        answer = posted(client, "/api/notebook/answer", id=position["id"], move=position["best"])
        assert answer["position"]["row"] == row
    assert answer["counts"]["solved"] == 1
    other = posted(client, "/api/notebook/next", after=position["id"])["position"]
    dropped = posted(client, "/api/notebook/answer", id=other["id"], move=None)
    assert dropped["counts"]["solved"] == 2
    assert client.post("/api/notebook/answer", {"id": "f" * 16, "move": "u"}).status == 404


def test_a_puzzle_is_asked_and_answered(client: Client) -> None:
    days = client.get("/api/puzzles").json
    assert (days["answers"], days["streak"], days["first"]) == ({}, 0, FIRST_DAY.isoformat())
    path = f"/api/puzzles/{days['today']}"
    puzzle = client.get(path).json
    assert puzzle["board"] == str(puzzle_of(FIRST_DAY.fromisoformat(days["today"])).board)
    answered = posted(client, path, move=puzzle["best"])
    assert answered["streak"] == 1
    assert answered["answers"] == {
        days["today"]: {"move": puzzle["best"], "right": True, "on_time": True}
    }
    assert client.get("/api/puzzles/2099-01-01").status == 404
    assert client.post(path, {"move": "x"}).status == 400
