"""Pictures of boards and games: files and refusals."""

import io
import json
import xml.etree.ElementTree as ET

import pytest
from PIL import Image

from tests.web.driver import Client
from twofold.games import pictures

BOARD = "0012/0124/1356/2479"


def keep(client: Client, moves: int = 30) -> str:
    """Play and save a game; returns its id."""
    wanted = {"player": "greedy", "seed": "7", "moves": moves}
    record = client.post("/api/play", json.dumps(wanted)).json["record"]
    return str(client.post("/api/games", record).json["game"])


def test_a_board_as_svg(client: Client) -> None:
    answer = client.get(f"/api/pictures/board.svg?board={BOARD}&score=1234&move=56&shade=dark")
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-disposition"] == 'attachment; filename="2048-board.svg"'
    words = "".join(ET.fromstring(answer.body).itertext())
    assert "1,234 points · move 56" in words
    assert "light-dark" not in answer.text


def test_a_board_as_png(client: Client) -> None:
    answer = client.get(f"/api/pictures/board.png?board={BOARD}")
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(answer.body)).size == (920, 920)


@pytest.mark.parametrize("form", ["gif", "webp"])
def test_a_part_of_a_game_as_animation(client: Client, form: str) -> None:
    game = keep(client)
    answer = client.get(f"/api/games/{game}/animation.{form}?first=3&last=8&rate=25&shade=dark")
    assert answer.headers["content-type"] == f"image/{form}"
    assert answer.headers["content-disposition"] == f'attachment; filename="2048-{game}.{form}"'
    assert getattr(Image.open(io.BytesIO(answer.body)), "n_frames", 1) == 6


def test_a_game_as_a_page_that_cannot_act_in_our_name(client: Client) -> None:
    game = keep(client)
    answer = client.get(f"/api/games/{game}/replay")
    assert answer.headers["content-disposition"] == f'attachment; filename="2048-{game}.html"'
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.text.startswith("<!DOCTYPE html>")
    assert 'max="30"' in answer.text


def test_missing_packages_are_listed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    info = client.get("/api/pictures").json
    assert (info["pixels"], info["install"], info["moves"]) == (True, "", 1_000)
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    info = client.get("/api/pictures").json
    assert (info["pixels"], info["install"]) == (False, "pip install 'twofold[share]'")
    answer = client.get(f"/api/pictures/board.png?board={BOARD}")
    assert answer.status == 400
    assert answer.json["kind"] == "MissingExtra"
    assert client.get(f"/api/pictures/board.svg?board={BOARD}").status == 200
