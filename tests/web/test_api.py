"""The HTTP API for scripts: boards, analyses, games, chances and pictures."""

import asyncio
import json
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.commands import cli as cli  # a fixture
from tests.web.driver import PATIENCE, PORT, Client, ask_async, run
from tests.web.own_players import GATE, PATIENT
from twofold import Game, Record, Rules
from twofold.web import own_games
from twofold.web.hub import Hub
from twofold.web.security import Access
from twofold.web.server import create_app

BOARD = "0012/0013/0024/1357"


def played(seed: int = 7, moves: int = 20) -> Record:
    game = Game(Rules(), seed=seed)
    for _ in range(moves):
        game.play(game.legal_moves()[0])
    return Record.from_game(game, player="me", date="2048-01-31", comments={3: "<b>why</b>"})


# ---- analyses


def test_an_analysis_is_that_of_the_command(client: Client, cli: Cli) -> None:
    player = "expectimax:ply=2"
    answer = client.post("/api/analyse", {"board": BOARD, "player": player, "ply": 2})
    assert answer.status == 200
    said = json.loads(cli("analyse", BOARD, "--player", player, "--ply", "2", "--json").out)
    both = [field for field in answer.json if field != "timing"]
    assert {field: answer.json[field] for field in both} == {field: said[field] for field in both}
    assert set(said) - set(both) == {"command", "machine", "timing", "reproducible", "interrupted"}
    assert answer.json["timing"]["seconds"] > 0


@pytest.mark.promise("R29b")
def test_a_search_ends_when_a_script_goes_away(
    own_hub: Hub, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    access = Access(PORT)
    client = Client(create_app(own_hub, access, tmp_path), access, own_hub)

    async def leave_early() -> float:
        leaves = asyncio.Event()
        data = json.dumps({"board": BOARD, "player": PATIENT}).encode()
        answer = ask_async(client.app, "POST", "/api/analyse", client.headers, data, leaves=leaves)
        task = asyncio.ensure_future(answer)
        await asyncio.to_thread(GATE.reached.wait, PATIENCE)
        leaves.set()
        began = time.perf_counter()
        assert await asyncio.to_thread(GATE.left.wait, PATIENCE)
        taken = time.perf_counter() - began
        await task
        return taken

    figure(f"a search ended {1000 * run(leave_early()):.0f} ms after its connection")


# ---- games


def test_a_game_is_kept_and_comes_back_with_all_its_positions(client: Client) -> None:
    record = played()
    answer = client.post("/api/games", str(record))
    assert answer.status == 201
    (listed,) = client.get("/api/games").json
    game = listed["game"]
    assert (game, listed["score"], listed["moves"]) == (answer.json["game"], record.score, 20)
    back = client.get(f"/api/games/{game}/record")
    assert back.headers["content-disposition"] == f'attachment; filename="twofold-{game}.2048"'
    assert back.headers["content-type"] == "text/plain; charset=utf-8"
    kept = Record.parse(back.text)
    assert (kept.moves, kept.seed, kept.comments) == (record.moves, 7, record.comments)
    found = client.get(f"/api/games/{game}").json
    steps = record.replay().steps
    assert found["moves"] == "".join(step.move.letter for step in steps)
    assert found["boards"] == [str(record.replay().start_board), *(str(s.board) for s in steps)]
    assert (found["scores"][0], found["scores"][-1]) == (0, record.score)
    assert len(found["scores"]) == len(found["boards"]) == 21
    assert (found["game"], found["seed"], found["first"]) == (game, "7", 0)
    assert (found["player"], found["date"]) == ("me", "2048-01-31")
    assert found["comments"] == {"3": "<b>why</b>"}


def test_a_very_long_game_comes_as_a_record_alone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = keep(client, 20)
    monkeypatch.setattr(own_games, "MAX_WHOLE_MOVES", 19)
    answer = client.get(f"/api/games/{game}")
    assert (answer.status, answer.json["kind"]) == (400, "LimitExceeded")
    assert "expected a game of at most 19 moves, got 20" in answer.json["error"]
    assert client.get(f"/api/games/{game}/record").status == 200


def test_a_board_is_read(client: Client) -> None:
    info = client.post("/api/board", {"text": "2x2: 2 4 / 0 8"}).json
    assert (info["board"], info["tiles"], info["legal"]) == ("2x2:12/03", [2, 4, 0, 8], "dl")
    assert (info["max_tile"], info["score"]) == (8, None)
    saved = '{"grid":{"cells":[[0,2],["4",0]]},"score":12.0}'
    info = client.post("/api/board", {"text": saved}).json
    assert (info["board"], info["score"]) == ("2x2:02/10", 12)


def keep(client: Client, moves: int = 30) -> str:
    """Save a game; returns its id."""
    return str(client.post("/api/games", str(played(moves=moves))).json["game"])


def test_a_game_as_a_page_cannot_act_in_our_name(client: Client) -> None:
    game = keep(client)
    answer = client.get(f"/api/games/{game}/replay")
    assert answer.headers["content-disposition"] == f'attachment; filename="2048-{game}.html"'
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.text.startswith("<!DOCTYPE html>")


def test_a_board_as_svg(client: Client) -> None:
    drawn = client.get(f"/api/pictures/board.svg?board={BOARD}&score=1234&move=56&shade=dark")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "1,234 points · move 56" in "".join(ET.fromstring(drawn.body).itertext())
    assert "light-dark" not in drawn.text


# ---- chances

LATE_BOARD = "2468/1357/2461/1350"


def test_each_question_adds_games_and_narrows_the_interval(client: Client) -> None:
    body = {"board": LATE_BOARD}
    first = client.post("/api/chance", body).json
    assert (first["tile"], first["player"]) == (2048, "ntuple:ply=1")
    assert 0 < first["games"] <= 100
    assert first["low"] <= first["reached"] / first["games"] <= first["high"]
    assert client.post("/api/chance", body).json["reached"] == first["reached"]
    now, asked = first, 1
    while not now["done"] and asked < 60:
        counted = {"games": now["games"], "reached": now["reached"]}
        now, asked = client.post("/api/chance", body | counted).json, asked + 1
    assert now["games"] == 1_000
    assert now["high"] - now["low"] < first["high"] - first["low"]


@pytest.mark.parametrize(
    ("board", "rules", "tile"),
    [("3x3:012/003/045", "", 64), ("2x3:012/003", "2x3 goal=32", 32), ("5x5", "", 256)],
)
def test_other_boards_have_chances(client: Client, board: str, rules: str, tile: int) -> None:
    board = "5x5:00012/00013/00024/01357/00000" if board == "5x5" else board
    found = client.post("/api/chance", {"board": board, "rules": rules}).json
    assert found["tile"] == tile
    assert found["games"] > 0
