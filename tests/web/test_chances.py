"""The operation that counts how often a fast player makes the next large tile."""

import pytest

from tests.web.driver import Client

BOARD = "2468/1357/2461/1350"


def test_each_question_adds_games_and_narrows_the_interval(client: Client) -> None:
    body = {"board": BOARD}
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
