"""Games in play are shared, and reopened."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Listener, kept
from tests.web.playing import LARGE, begin, ended, let_play, move, saved, wait_until_saved
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.games.store import GameStore, NotFound
from twofold.web import table as module
from twofold.web.page_game import Asker
from twofold.web.protocol import GameState
from twofold.web.table import PageTable


def test_a_game_is_found_again_with_its_redo(table: PageTable) -> None:
    listener, other = Listener(), Listener()
    live = begin(table, listener)
    move(live, listener)
    live.undo(Asker(listener, 3))
    table.leave(live, listener)
    again = table.join(table.find(live.name), Asker(other, 1))
    assert again is live
    assert other.wait(GameState).now.can_redo


def test_the_number_of_idle_games_is_limited(
    table: PageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_GAMES", 2)
    listener = Listener()
    games = []
    for _ in range(5):
        live = begin(table, listener)
        move(live, listener)
        wait_until_saved(live)
        table.leave(live, listener)
        games.append(live)
    assert [table.find(live.name) is live for live in games] == [False] * 3 + [True] * 2
    again = table.join(table.find(games[0].name), Asker(listener, 9))
    assert again.record() == games[0].record()
    again.replay_to(again.game.move_number)
    again.undo(Asker(listener, 10))
    assert again.game.board == games[0].game.at(0).board


def test_the_game_played_last_is_right_after_the_clock_is_set_back(
    table: PageTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([2e9, 2e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9])
    monkeypatch.setattr(time, "time", lambda: next(clock))
    listener = Listener()
    first = begin(table, listener)
    move(first, listener)
    last = begin(table, listener)
    move(last, listener)
    monkeypatch.undo()
    assert last.played >= first.played
    assert table.last() == last.name


def test_an_imported_game_is_not_the_one_played_last(tmp_path: Path) -> None:
    """It is not until somebody plays on, whether a page has opened it or not."""
    listener = Listener()
    with closing(GameStore(tmp_path)) as store, closing(PageTable(store)) as table:
        imported = kept(table, Record.from_game(Game(LARGE, 7)))
        assert (table.last(), table.find_last()) == ("", None)
        mine = begin(table, listener)
        move(mine, listener)
        other = kept(table, Record.from_game(Game(LARGE, 8)))
        assert table.last() == mine.name
        table.join(table.find(imported), Asker(listener, 1))
        assert table.last() == mine.name
        table.delete(other)
    with closing(GameStore(tmp_path)) as store, closing(PageTable(store)) as table:
        assert table.last() == mine.name
        live = table.join(table.find(imported), Asker(listener, 2))
        move(live, listener)
        assert table.last() == imported
        saved(table, live)
    with closing(GameStore(tmp_path)) as store, closing(PageTable(store)) as table:
        assert table.last() == imported


def test_comments_and_tags_of_a_record_stay(table: PageTable) -> None:
    game = Game(LARGE, 1)
    for _ in range(3):
        game.play(game.legal_moves()[0])
    record = Record.from_game(game, player="Ann", comments={2: "here"}, tags={"Of": "mine"})
    name = kept(table, record)
    listener = Listener()
    live = table.join(table.find(name), Asker(listener, 1))
    assert listener.wait(GameState).player == "Ann"
    move(live, listener)
    written = saved(table, live)
    assert (dict(written.comments), written.tags["Of"]) == ({2: "here"}, "mine")
    assert written.player == "Ann + me"


def test_deleting_a_game_in_play(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener)
    move(live, listener)
    wait_until_saved(live)
    let_play(live, listener, own_players.HELD)
    assert GATE.reached.wait(PATIENCE)
    table.delete(live.name)
    assert ended(listener).reason == "paused"
    assert not listener.wait(GameState, lambda state: not state.kept).kept
    assert table.infos() == []
    with pytest.raises(NotFound):
        table.find(live.name)
    move(live, listener)  # those who follow may play on
    GATE.opened.set()
    table.close()
    assert live.name not in table.store
