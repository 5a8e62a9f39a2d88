"""Games are saved regularly, and none is lost."""

import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.web.page import Listener
from tests.web.playing import Writes, begin, ended, let_play, move, wait_until_saved
from twofold.errors import ResourceError
from twofold.game.rules import STANDARD
from twofold.games.live_game import SAVE_SECONDS
from twofold.games.store import GameStore
from twofold.web.protocol import RefusedReply
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
