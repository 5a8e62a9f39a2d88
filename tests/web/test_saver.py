"""Games are saved regularly, and none is lost."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.web.page import Listener
from tests.web.playing import Writes, begin, ended, let_play, move, wait_until_saved
from twofold.errors import ResourceError
from twofold.game.board import Board
from twofold.game.rules import STANDARD
from twofold.games.live_game import SAVE_SECONDS
from twofold.games.store import GameStore, NotFound
from twofold.web.page_game import Asker
from twofold.web.protocol import GameState, RefusedReply
from twofold.web.table import RETRY_SECONDS, PageTable


def test_a_game_that_changes_is_written_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener()
    with closing(GameStore(tmp_path)) as store:
        writes = Writes(store, monkeypatch)
        with closing(PageTable(store)) as table:
            live = begin(table, listener)
            assert time.monotonic() < live.save_due <= time.monotonic() + SAVE_SECONDS
            live.save_due = float("inf")
            for _ in range(6):
                move(live, listener)
            table._save(live)
            assert writes.moves == []
            live.save_due = 0.0
            writes.wait(1)
            wait_until_saved(live)
            assert live.save_due > time.monotonic()
            live.save_due = float("inf")
            move(live, listener)
            assert writes.moves == [6]
            table.leave(live, listener)  # the last one: at once
            writes.wait(2)
        assert writes.moves == [6, 7]


def test_a_game_that_ends_is_written_at_once(tmp_path: Path) -> None:
    listener = Listener()
    with closing(GameStore(tmp_path)) as store:
        with closing(PageTable(store)) as table:
            live = begin(table, listener, STANDARD)
            live.save_due = float("inf")
            let_play(live, listener, "greedy")
            assert ended(listener).reason == "over"
            wait_until_saved(live)
        assert store.read(live.name).record == live.record()
        assert store.games()[0].info.status == "over"


def test_games_without_a_move_are_not_written(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener)
    table.leave(live, listener)
    assert table.last() == live.name
    assert table.find(live.name) is live
    table.close()
    assert table.infos() == []


def test_games_that_are_not_kept_are_never_written(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener, keep=False)
    assert not listener.wait(GameState).kept
    move(live, listener)
    assert table.record(live.name).moves
    assert table.infos() == []
    with pytest.raises(NotFound):
        table.delete(live.name)
    table.leave(live, listener)
    with pytest.raises(NotFound):
        table.find(live.name)
    table.close()
    assert table.store.games() == []


def test_a_full_disk_is_told_once_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = Listener()
    with closing(GameStore(tmp_path)) as store:
        writes = Writes(store, monkeypatch)
        writes.error = ResourceError("cannot write 100 bytes to 'x': No space left on device")
        with closing(PageTable(store)) as table:
            live = begin(table, listener)
            move(live, listener)
            told = listener.wait(RefusedReply)
            assert live.save_due > time.monotonic() + RETRY_SECONDS / 2
            assert (told.kind, told.ref) == ("ResourceError", 0)
            assert "it cannot be saved: cannot write 100 bytes" in told.message
            for count in (2, 3):
                move(live, listener)
                table.save_at_once(live)
                writes.wait(count)
            assert len(listener.all(RefusedReply)) == 1
            table.leave(live, listener)  # it stays in memory
            assert table.find(live.name) is live
            writes.error = None
            table.save_at_once(live)
            wait_until_saved(live)
        assert len(store.read(live.name).record.moves) == 3


def test_an_internal_error_does_not_stop_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listener = Listener()
    with closing(GameStore(tmp_path)) as store:
        writes = Writes(store, monkeypatch)
        writes.error = ZeroDivisionError("oops")
        with closing(PageTable(store)) as table:
            live = begin(table, listener)
            move(live, listener)
            assert listener.wait(RefusedReply).kind == "InternalError"
            writes.error = None
            other = begin(table, listener)
            move(other, listener)
            wait_until_saved(other)
    assert "ZeroDivisionError" in caplog.text
    with closing(GameStore(tmp_path)) as store:
        assert len(store.read(live.name).record.moves) == 1  # at the end it is tried once more


def test_best_scores_are_those_of_kept_games(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener)
    now = move(live, listener).now
    while not now.score:
        now = move(live, listener).now
    assert now.best == now.score
    live.undo(Asker(listener, 3))
    assert live.now().best == live.now().score < now.best  # an undone score does not stay
    live.redo(Asker(listener, 4))
    assert live.now().best == now.best
    live.save()
    race = begin(table, listener, keep=False)
    while race.now().score <= now.best:
        move(race, listener)
    assert race.now().best == now.best
    given = begin(table, listener, board=Board([20] * 2 + [0] * 34, (6, 6)))
    assert move(given, listener).now.best == live.now().best
