"""Replays: one page with a game and without network access."""

import base64
import html
import json
import re
import zlib
from typing import Any

import pytest

from tests.attacks.records import NAMES
from twofold import Game, Record, Rules
from twofold.errors import InvalidInput, LimitExceeded
from twofold.game.notation import DIGITS
from twofold.notebook import replay


def played(rules: Rules | None = None, moves: int = 30) -> Game:
    game = Game(rules or Rules(), seed=3)
    for _ in range(moves):
        if legal := game.legal_moves():
            game.play(legal[-1])
    return game


def data_of(page: str) -> dict[str, Any]:
    """The data of a page's script."""
    packed = re.search('id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert packed
    found: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    return found


def test_a_page_holds_the_game() -> None:
    game = played()
    data = data_of(replay(game).html)
    boards = [game.start_board, *(step.board for step in game.steps)]
    size = 16
    found = [data["boards"][at : at + size] for at in range(0, len(data["boards"]), size)]
    assert found == ["".join(DIGITS[e] for e in board.exponents) for board in boards]
    assert data["moves"] == "".join(move.letter for move in game.moves)
    assert data["cells"] == [step.cell for step in game.steps]
    assert (data["scores"][0], data["scores"][-1]) == (0, game.score)
    assert (data["rows"], data["cols"], data["first"]) == (4, 4, 0)


def test_a_part_of_a_game() -> None:
    game = played()
    data = data_of(replay(game, first=10, last=12).html)
    assert data["first"] == 10
    assert len(data["scores"]) == 3
    assert data["moves"] == "".join(move.letter for move in game.moves[10:12])
    assert len(data["boards"]) == 48
    assert data_of(replay(game, first=30).html)["moves"] == ""


def test_a_record_brings_its_player_and_comments() -> None:
    record = Record.from_game(played(), player="me", comments={0: "so", 12: "<b>oh</b>"})
    found = replay(record)
    assert data_of(found.html)["comments"] == {"0": "so", "12": "<b>oh</b>"}
    assert found.title.startswith("2048 game by me: ")
    assert repr(found) == f"<Replay: {found.title}>"
    assert data_of(replay(record, first=5).html)["comments"] == {"12": "<b>oh</b>"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_and_comments_are_only_text(name: str) -> None:
    record = Record.from_game(played(moves=2), player=name, comments={0: name})
    page = replay(record).html
    assert page.count("<script") == 2
    assert page.count("</script>") == 2
    assert "alert(" not in page.replace(html.escape(name), "")
    assert data_of(page)["comments"]["0"] == name
    frame = replay(record)._repr_html_()
    assert frame.count("<") == 2
    assert html.unescape(frame.partition('srcdoc="')[2].partition('" width')[0]) == page


def test_a_page_has_no_external_references() -> None:
    page = replay(played()).html
    assert not re.findall(r"(?:https?:)?//[a-z]|\bsrc=|\bhref=|@import|url\(", page)
    assert "default-src 'none'" in page
    frame = replay(played())._repr_html_()
    assert 'sandbox="allow-scripts"' in frame
    assert "allow-same-origin" not in frame


def test_themes_and_sizes() -> None:
    game = played(Rules(3, 5))
    assert ":root{color-scheme:light dark}" in replay(game).html
    assert ":root{color-scheme:dark}" in replay(game, theme="dark").html
    small, large = replay(game, scale=0.4), replay(game, scale=1.0)
    assert (small.width, large.width) == (264, 572)
    assert large.height - small.height == round(348 * 1.0) - round(348 * 0.4)
    with pytest.raises(InvalidInput, match="expected a theme"):
        replay(game, theme="sepia")
    with pytest.raises(InvalidInput, match="expected a scale"):
        replay(game, scale=100)
    with pytest.raises(InvalidInput, match="expected a game or a record, got"):
        replay("x")  # type: ignore[arg-type]


def test_too_many_moves_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twofold.games.pictures.MAX_REPLAY_MOVES", 20)
    with pytest.raises(LimitExceeded, match="expected a number of moves in a replay from 0 to 20"):
        replay(played())
    assert data_of(replay(played(), last=20).html)["first"] == 0
