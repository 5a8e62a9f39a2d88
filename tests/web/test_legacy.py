"""The two routes that another page may call."""

from pathlib import Path

import pytest

from tests.web.driver import HOST, PORT, Answer, ask_async, run
from twofold import Board, make_player
from twofold.rules import Move
from twofold.search.analysis import Analysis
from twofold.web.app import create_app
from twofold.web.gate import Gate
from twofold.web.hub import Hub
from twofold.web.legacy import judgement
from twofold.web.security import Access

ORIGIN = "https://example.org"
DOWN_IS_BEST = "1000100010000000"  # three tiles in a column


@pytest.fixture
def app(hub: Hub, tmp_path: Path) -> Gate:
    return create_app(hub, Access(PORT, legacy_origin=ORIGIN), tmp_path)


def ask(app: Gate, method: str, target: str, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return run(ask_async(app, method, target, {"host": HOST, "origin": ORIGIN, **named}))


@pytest.mark.parametrize(
    ("board", "letter"),
    [
        ("1100000000000000", "r"),
        ("1000100000000000", "u"),
        ("EDC1BA9187611111", "u"),  # the one in the documentation of the original
        ("G000000000000G00", "u"),  # two tiles 65536
        ("1212212112122121", "g"),
    ],
)
def test_a_move_is_a_letter(app: Gate, board: str, letter: str) -> None:
    answer = ask(app, "GET", f"/move?board={board}")
    assert (answer.status, answer.text) == (200, letter)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "target",
    [
        "/move",
        "/move?board=",
        "/move?board=12",
        "/move?board=00000000000000000",
        "/move?board=0012/0013/0024/13",
        "/move?board=000000000000000%C3%A9",
        "/move?board=3x4:000000000000",
        "/move?bord=1100000000000000",
    ],
)
def test_an_invalid_board_is_refused(app: Gate, target: str) -> None:
    answer = ask(app, "GET", target)
    assert answer.status == 400
    assert answer.text.startswith("expected a board of 16 digits")
    assert answer.headers["access-control-allow-origin"] == ORIGIN


def test_a_move_of_the_person_is_judged(app: Gate) -> None:
    best = ask(app, "POST", "/analyze?board=1100000000000000&move=r")
    assert (best.status, best.text) == (200, "right is the best move")
    other = ask(app, "POST", "/analyze?board=1100000000000000&move=d")
    assert other.status == 200
    assert other.text.startswith("right is better")


@pytest.mark.parametrize("query", ["move=u", "move=x", "move=", "", "move=%00"])
def test_an_illegal_move_is_refused(app: Gate, query: str) -> None:
    answer = ask(app, "POST", f"/analyze?board=1100000000000000&{query}")
    assert answer.status == 400


def test_the_words_of_a_judgement() -> None:
    with make_player("expectimax:ply=1") as player:
        analysis = player.analyse(Board.parse("0012/0013/0024/1357"))
    best = analysis.best
    other = next(one.move for one in analysis.moves if one.legal and one.move != best)
    assert judgement(analysis, best) == f"{best.name.lower()} is the best move"
    value, most = analysis[other].value, analysis.value
    assert value is not None
    assert most is not None
    assert judgement(analysis, other) == (
        f"{best.name.lower()} is better: {other.name.lower()} is worth {value / most:.3f} of it"
    )


def test_a_player_without_values_judges_too() -> None:
    board = Board.parse("1100/0000/0000/0000")
    with make_player("corner") as player:
        analysis: Analysis = player.analyse(board)
    assert judgement(analysis, Move.RIGHT).endswith("is better than right")


def test_preflight_requests_are_answered(app: Gate) -> None:
    """Browsers send them before a public page calls a server on the user's machine."""
    private = {"access_control_request_private_network": "true"}
    for path, method in [("/move", "GET"), ("/analyze", "POST")]:
        answer = ask(app, "OPTIONS", path, access_control_request_method=method, **private)
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["access-control-allow-methods"] == method
        assert answer.headers["access-control-allow-private-network"] == "true"
        assert answer.headers["access-control-allow-origin"] == ORIGIN
        plain = ask(app, "OPTIONS", path)
        assert "access-control-allow-private-network" not in plain.headers


def test_each_route_has_its_method(app: Gate) -> None:
    assert ask(app, "POST", "/move?board=1100000000000000").status == 405
    assert ask(app, "GET", "/analyze?board=1100000000000000&move=r").status == 405


def test_without_the_option_they_are_not_there(hub: Hub, tmp_path: Path) -> None:
    access = Access(PORT)
    headers = {"host": HOST, "authorization": f"Bearer {access.token}"}
    app = create_app(hub, access, tmp_path)
    for path, method in [("/move", "GET"), ("/analyze", "POST")]:
        assert run(ask_async(app, method, path, headers)).status == 404
