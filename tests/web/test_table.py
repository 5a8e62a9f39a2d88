"""Games in play: requests by people, shared, saved regularly, and reopened."""

import threading
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Listener, kept, wait_until
from tests.web.playing import LARGE, begin, ended, let_play, move, saved, wait_until_saved
from twofold.errors import ResourceError
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import STANDARD
from twofold.games.store import GameStore, NotFound
from twofold.web import table as module
from twofold.web.page_game import Asker, PageGame
from twofold.web.protocol import GameState, RefusedReply, Reply, StepReply
from twofold.web.table import RETRY_SECONDS, PageTable


def test_the_number_of_idle_games_is_limited(
    table: PageTable, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_GAMES", 2)
    games = []
    for _ in range(5):
        live = begin(table, listener)
        move(live, listener)
        live.save()
        table.leave(live, listener)
        games.append(live)
    assert [table.find(live.name) is live for live in games] == [False] * 3 + [True] * 2
    again = table.join(table.find(games[0].name), Asker(listener, 9))
    assert again.record() == games[0].record()
    again.replay_to(again.game.move_number)
    again.undo(Asker(listener, 10))
    assert again.game.board == games[0].game.at(0).board


def test_an_imported_game_is_not_the_one_played_last(listener: Listener, tmp_path: Path) -> None:
    """It is not until somebody plays on, whether a page has opened it or not."""
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


def test_points_that_are_not_saved_yet_count_for_the_best_score(
    table: PageTable, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the person's other games, too, until they are undone."""
    monkeypatch.setattr(PageTable, "_save", lambda *_: None)
    one, other = begin(table, listener), begin(table, listener)
    while not one.game.score:
        move(one, listener)
    assert other.now().best == one.now().best == one.game.score
    one.undo(Asker(listener, 5))
    assert other.now().best == one.now().best == 0


def test_deleting_a_game_in_play(table: PageTable, live: PageGame, listener: Listener) -> None:
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


def test_steps_come_in_order(table: PageTable) -> None:
    """For several pages that act and follow."""
    listeners = [Listener() for _ in range(3)]
    live = begin(table, listeners[0])
    for listener in listeners[1:]:
        live.join(Asker(listener, 1))
    let_play(live, listeners[0], "greedy", moves_per_second=30.0)
    listeners[0].wait(StepReply)

    def meddle(listener: Listener) -> None:
        for _ in range(20):
            with live.lock:
                move(live, listener)
                live.undo(Asker(listener, 3))

    threads = [threading.Thread(target=meddle, args=(one,)) for one in listeners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    live.pause(Asker(listeners[0], 9))

    def told(listener: Listener) -> list[int]:
        replies: list[Reply] = [
            one for one in listener.replies if isinstance(one, StepReply | GameState)
        ]
        return [one.now.move_number for one in replies]  # type: ignore[attr-defined]

    first = told(listeners[0])
    for listener in listeners[1:]:
        assert told(listener) == first[-len(told(listener)) :]
    for before, after in pairwise(first):
        assert abs(after - before) <= 1


def test_a_game_that_ends_or_is_left_is_written_at_once(listener: Listener, tmp_path: Path) -> None:
    with closing(GameStore(tmp_path)) as store:
        with closing(PageTable(store)) as table:
            live = begin(table, listener, STANDARD)
            live.save_due = float("inf")
            move(live, listener)
            table.leave(live, listener)
            wait_until_saved(live)
            table.join(live, Asker(listener, 3))
            live.save_due = float("inf")
            let_play(live, listener, "greedy")
            assert ended(listener).reason == "over"
            wait_until_saved(live)
        assert store.read(live.name).record == live.record()
        assert store.games()[0].info.status == "over"


def test_a_full_disk_is_told_once_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, writes = Listener(), []

    def fail(*_: object, **__: object) -> None:
        writes.append("")
        raise ResourceError("cannot write 100 bytes to 'x': No space left on device")

    with closing(GameStore(tmp_path)) as store:
        monkeypatch.setattr(store, "save", fail)
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
                wait_until(lambda count=count: len(writes) >= count)  # type: ignore[misc]
            assert len(listener.all(RefusedReply)) == 1
            table.leave(live, listener)  # it stays in memory
            assert table.find(live.name) is live
            monkeypatch.undo()
            table.save_at_once(live)
            wait_until_saved(live)
        assert len(store.read(live.name).record.moves) == 3
