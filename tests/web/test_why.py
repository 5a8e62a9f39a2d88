"""The operation that explains a bad move."""

import pytest

from tests.web.driver import Client

ASKED = {"board": "0000/0000/1001/89ab", "played": "u", "best": "l"}


def test_it_names_what_differs(client: Client) -> None:
    found = client.post("/api/why", ASKED).json
    assert found["moves"] > 0
    assert found["reasons"][0]["kind"] == "corner"
    assert found["reasons"][0]["played"] < found["reasons"][0]["best"]


@pytest.mark.parametrize("rules", ["", "3x4"])
def test_other_shapes_are_compared(client: Client, rules: str) -> None:
    asked = {"board": "3x4:0012/0124/1356", "played": "u", "best": "l", "rules": rules}
    assert client.post("/api/why", asked).status == 200


@pytest.mark.parametrize(
    "change",
    [{"played": "d"}, {"board": "x"}, {"best": "q"}, {"rules": "3x3"}, {"player": "greedy"}],
)
def test_invalid_comparisons_are_refused(client: Client, change: dict[str, str]) -> None:
    board = "0000/0000/0000/0010" if change == {"played": "d"} else ASKED["board"]
    answer = client.post("/api/why", {**ASKED, "board": board, **change})
    assert answer.status == 400
    assert answer.json["error"]
