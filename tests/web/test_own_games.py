"""All saved games: statistics, search, export and import."""

import os
import sqlite3
from contextlib import closing

import pytest

from tests.games.kept_games import overwrite, record_of
from tests.web.driver import Client
from tests.web.page import Page, add_record, wait_until
from twofold.game.formats import format_game
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.games import store
from twofold.games.kept import games_in
from twofold.games.store import GameStore
from twofold.web import own_games, protocol
from twofold.web.hub import Hub
from twofold.web.table import Added, PageTable


def keep(hub: Hub, *games: Record) -> list[str]:
    return [add_record(hub, str(one)) for one in games]


def test_the_accuracy_of_a_judged_game_is_kept(client: Client, hub: Hub) -> None:
    (game,) = keep(hub, record_of(9))
    assert client.get("/api/accuracies").json == {}
    Page(hub).ask(protocol.ReviewRequest(game=game, player="greedy"), protocol.Reviewed)
    (found,) = client.get("/api/accuracies").json.values()
    assert found["moves"] == 9
    assert 0 < found["percent"] <= 100


def test_what_is_exported_can_be_imported(client: Client, hub: Hub) -> None:
    games = [record_of(moves, seed=moves) for moves in (3, 5, 8)]
    ids = keep(hub, *games)
    answer = client.get("/api/export")
    assert "twofold-games.jsonl" in answer.headers["content-disposition"]
    assert len(list(games_in(answer.body))) == 3
    assert client.post("/api/import", answer.body).json == {
        "added": 0, "known": 3, "failed": 0, "unread": [],
    }  # fmt: skip
    before = {one.info.game: one.played for one in hub.table.saved().games()}
    for game in ids:
        hub.table.delete(game)
    assert client.post("/api/import", answer.body).json["added"] == 3
    after = [one.played for one in hub.table.saved().games()]
    assert after == pytest.approx(sorted(before.values(), reverse=True), abs=0.001)


def test_a_damaged_game_is_left_out_of_an_export_and_named(
    client: Client, hub: Hub, caplog: pytest.LogCaptureFixture
) -> None:
    _, damaged, unlisted = keep(hub, *(record_of(moves, seed=moves) for moves in (3, 5, 8)))
    with closing(sqlite3.connect(hub.table.saved().path)) as connection:
        connection.execute("UPDATE game SET record = 'garbage' WHERE game = ?", [damaged])
        connection.execute("UPDATE game SET rules = 'nonsense' WHERE game = ?", [unlisted])
        connection.commit()
    assert len(list(games_in(client.get("/api/export").body))) == 2
    assert f"game {damaged} is not exported: " in caplog.text


def test_an_import_lists_unreadable_games(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_games, "MAX_UNREAD", 2)
    good = format_game(record_of(4), "jsonl")
    wrong = '{"schema": 1, "rules": "0x0"}\n'
    done = client.post("/api/import", (3 * wrong + good).encode()).json
    assert (done["added"], done["known"], done["failed"]) == (1, 0, 3)
    assert [one["line"] for one in done["unread"]] == [1, 2]
    assert "expected" in done["unread"][0]["error"]


def test_an_import_flushes_its_games_together(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two flushes a game made an import of thousands slow on a busy disk."""
    games = [format_game(record_of(4, seed=seed), "jsonl") for seed in range(1, 13)]
    flushes: list[int] = []
    monkeypatch.setattr(os, "fsync", flushes.append)
    assert client.post("/api/import", "".join(games).encode()).json["added"] == 12
    assert len(flushes) < 12


def test_an_import_that_stops_says_how_many_games_it_has_saved(
    client: Client, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_GAMES", 2)
    games = [format_game(record_of(4, seed=seed), "jsonl") for seed in range(1, 5)]
    answer = client.post("/api/import", "".join(games).encode())
    assert answer.json["error"].endswith(
        "Delete some to begin another one. 2 games saved before that"
    )
    assert len(hub.table.saved().games()) == 2


def test_two_servers_that_import_a_game_at_once_save_it_once(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GameStore, "find", lambda *_: "")  # each has looked before the other saved
    with closing(GameStore(hub.table.store.folder)) as other, closing(PageTable(other)) as table:
        first = hub.table.take_in(record_of(4))
        assert table.take_in(record_of(4)) == Added(first.game, False)
        overwrite(other.folder, first.game, record_of(6))
        assert table.take_in(record_of(4)).is_new  # that game goes on: this is another


def test_hints_of_a_page_are_counted(hub: Hub) -> None:
    """Once for each position of the game, and for its forks; other analyses do not count."""
    page = Page(hub)
    state = page.new()
    now = page.play(state, 2)

    def ask(board: str, game: str) -> int | None:
        asked = protocol.AnalyseRequest(board=board, game=game, ply=1)
        return page.ask(asked, protocol.AnalysisReply).hints

    assert ask(now.board, "") is None
    assert ask(state.now.board, state.game) == 0
    assert page.open(state.game).now.hints == 0
    for _ in range(2):
        assert ask(now.board, state.game) == 1
    now = page.move(state.game, now.legal[0], now.move_number).now
    ask(now.board, state.game)
    assert page.open(state.game).now.hints == 2
    (entry,) = hub.table.saved().games()
    assert (entry.info.hints, entry.info.kind) == (2, "helped")
    fork = page.new(source=state.game, move_number=2)
    assert fork.now.hints == 2
    store = hub.table.saved()
    assert [store.read(game).record.hints for game in (state.game, fork.game)] == [2, 2]


@pytest.mark.promise("R81")
def test_a_game_that_was_opened_from_a_file_is_not_ones_own(client: Client, hub: Hub) -> None:
    """Somebody else may have played it."""
    history = Game(Rules.parse("2x2"), 7)
    while history.legal_moves():
        history.play(history.legal_moves()[0])
    record = Record.from_game(history, player="me")
    added = client.post("/api/games", str(record)).json
    again = {"game": added["game"], "is_new": False}
    assert (added["is_new"], client.post("/api/games", str(record)).json) == (True, again)
    (rules,) = client.get("/api/statistics").json["rules"]
    assert [(one["kind"], one["games"]) for one in rules["kinds"]] == [("file", 1)]
    assert rules["leaders"] == []
    assert hub.table.store.best(str(record.rules)) == 0
    page = Page(hub)
    page.play(page.new(source=added["game"], move_number=2), 1)
    wait_until(lambda: len(hub.table.saved().games()) == 2)
    kinds = {one.info.kind for one in hub.table.saved().games()}
    assert kinds == {"file"}
    exported = client.get("/api/export").body
    for entry in hub.table.saved().games():
        hub.table.delete(entry.info.game)
    assert client.post("/api/import", exported).json["added"] == 2
    assert {one.info.kind for one in hub.table.saved().games()} == {"file"}
