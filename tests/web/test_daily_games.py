"""The daily game on the server: one try, without help, for all programs on the folder."""

import re
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.web.driver import Client
from tests.web.page import Page, add_record
from twofold.game.record import Record
from twofold.games import daily
from twofold.games.store import GameStore
from twofold.web import protocol
from twofold.web.hub import Hub

DAY = date(2026, 11, 23)
NAME = "daily-2026-11-23"


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "today", lambda: DAY)


def begin(client: Client, day: date = DAY) -> str:
    return str(client.post("/api/daily", {"day": str(day)}).json["game"])


def test_two_servers_have_one_try(tmp_path: Path) -> None:
    """The second server finds the game of the first; other moves are no second try."""
    hubs = [Hub(tmp_path, "greedy", warm_up=False) for _ in range(2)]
    pages = [Page(hub) for hub in hubs]
    names = [hub.table.begin_daily(DAY) for hub in hubs]
    assert names == [NAME, NAME]
    states = [page.open(NAME) for page in pages]
    legal = states[0].now.legal
    first, second = legal[0], legal[1]
    pages[0].move(NAME, first, 0)
    hubs[0].close()
    pages[1].move(NAME, second, 0)
    parted = pages[1].wait(protocol.GameState, lambda state: state.note == "parted")
    assert (parted.daily, parted.was) == ("", NAME)
    assert parted.game != NAME
    hubs[1].close()
    with closing(GameStore(tmp_path / "games")) as store:
        assert store.read(NAME).record.moves[0].letter == first
        other = store.read(parted.game).record
    assert (daily.day_of_record(other), other.moves[0].letter) == ("", second)


def test_no_undo_no_hints_no_autoplay(client: Client, hub: Hub) -> None:
    page = Page(hub)
    now = page.play(page.open(begin(client)), 2)
    assert not now.can_undo
    refused: list[tuple[protocol.AnyRequest, str]] = [
        (protocol.UndoRequest(game=NAME), "undo"),
        (protocol.AutoplayRequest(game=NAME), "autoplay"),
        (protocol.AutoplayRequest(game=NAME, moves=1), "autoplay"),
        (protocol.AnalyseRequest(game=NAME, board=now.board), "hints"),
    ]
    for request, what in refused:
        sentence = f"the daily game is played without {what}: there is one try a day"
        assert page.refusal(request) == ("DailyRule", sentence)
    after = page.open(NAME).now
    assert (after.move_number, after.undos, after.hints) == (2, 0, 0)


def test_the_try_of_today_cannot_be_deleted(
    client: Client, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page(hub)
    page.play(page.open(begin(client)), 2)
    answer = client.ask("DELETE", f"/api/games/{NAME}")
    assert answer.json == {
        "kind": "DailyRule",
        "error": "the daily game of today cannot be deleted: there is one try",
    }
    monkeypatch.setattr(daily, "today", lambda: DAY + timedelta(days=1))
    assert client.ask("DELETE", f"/api/games/{NAME}").status == 200
    assert client.get("/api/daily").json["tries"] == []


def test_an_imported_try_is_the_try_of_its_day(client: Client, hub: Hub) -> None:
    """If there is none yet; otherwise it is an ordinary game."""
    record = daily.new_record(DAY, "2026-11-23T10:00:00+00:00")
    games = []
    for count in (3, 4):
        game = record.resume()
        for move in game.legal_moves()[count - 3 :][:1]:
            game.play(move)
        for _ in range(count):
            game.play(game.legal_moves()[0])
        games.append(Record.from_game(game, player="me", date=record.date, tags=record.tags))
    assert add_record(hub, str(games[0])) == NAME
    assert add_record(hub, str(games[0])) == NAME
    other = add_record(hub, str(games[1]))
    assert other != NAME
    assert add_record(hub, str(games[1])) == other
    assert [one["game"]["moves"] for one in client.get("/api/daily").json["tries"]] == [4]


@pytest.mark.parametrize(
    "tag",
    [
        '[Undos "1"]',
        '[Hints "3"]',
        '[Player "me + greedy"]',
        '[Date "2026-11-22"]\n[Seed "20261124"]\n[Daily "2026-11-24"]',  # tomorrow
    ],
)
def test_a_game_with_help_or_of_a_day_to_come_is_no_try(client: Client, hub: Hub, tag: str) -> None:
    tags = {"Twofold": "1", "Seed": "20261123", "Player": "me", "Daily": str(DAY)}
    tags |= dict(re.findall(r'\[(\w+) "([^"]*)"\]', tag))
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    assert client.post("/api/import", f"{text}\n").json["added"] == 1
    assert client.get("/api/daily").json["tries"] == []


@pytest.mark.promise("R81")
def test_a_daily_game_that_was_opened_from_a_file_is_no_try(client: Client) -> None:
    """A friend's game does not take the day's only try."""
    record = daily.new_record(DAY, "2026-11-23T10:00:00+00:00")
    assert client.post("/api/games", str(record)).status == 201
    assert client.get("/api/daily").json["tries"] == []


def test_the_try_of_today_is_reviewed_once_it_is_over(client: Client, hub: Hub) -> None:
    page = Page(hub)
    page.play(page.open(begin(client)), 3)
    refused = page.ask(protocol.ReviewRequest(game=NAME), protocol.RefusedReply)
    assert refused.message == "the daily game of today can be reviewed once it is over"
