"""Autoplay at any pace, and its end."""

import math
import threading
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.web import own_players
from tests.web.own_players import GATE
from tests.web.page import PATIENCE, Listener
from tests.web.playing import LARGE, begin, ended, let_play, move
from twofold.errors import LimitExceeded
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.rules import STANDARD, Move, Rules
from twofold.games.mover import Mover
from twofold.games.store import GameStore
from twofold.players import make_player, play_game
from twofold.search.budget import Stop
from twofold.web import page_game as autoplay
from twofold.web import table as module
from twofold.web.page_game import STEPS_PER_SECOND, Asker, PageGame, StaleMove, Wish
from twofold.web.protocol import FrameReply, RefusedReply, StepReply
from twofold.web.table import PageTable


def test_slow_players_are_shown_step_by_step(table: PageTable) -> None:
    one, other = Listener(), Listener()
    live = begin(table, one)
    live.join(Asker(other, 9))
    let_play(live, one, "greedy", moves_per_second=STEPS_PER_SECOND, moves=4)
    end = ended(one)
    assert (end.reason, end.ref, end.now.move_number, end.now.autoplay) == ("moves", 5, 4, "")
    steps = one.all(StepReply)
    assert [step.now.move_number for step in steps] == [1, 2, 3, 4]
    assert {(step.by, step.ref, step.now.autoplay) for step in steps} == {("greedy", 5, "greedy")}
    assert [(step.now, step.ref) for step in other.all(StepReply)] == [(s.now, 0) for s in steps]
    assert ended(other).ref == 0
    assert not one.all(FrameReply)
    result = play_game(make_player("greedy"), LARGE, 1, keep_moves=True)
    assert result is not None
    assert "".join(step.move for step in steps) == result.letters[:4]
    assert live.state().player == "greedy"


@pytest.mark.parametrize(("spec", "rules"), [
    ("greedy", "4x4"), ("greedy", "5x5"), ("random", "3x3"), ("expectimax:ply=1", "4x4"),
    (own_players.FIRST, "4x4"),
])  # fmt: skip
def test_fast_players_are_shown_in_frames(
    table: PageTable, listener: Listener, spec: str, rules: str
) -> None:
    """The moves are those that the player makes elsewhere."""
    live = begin(table, listener, Rules.parse(rules))
    let_play(live, listener, spec, moves=150)
    end = ended(listener)
    result = play_game(make_player(spec), Rules.parse(rules), 1, keep_moves=True)
    assert result is not None
    most = min(result.moves, 150)
    assert end.reason == ("over" if result.moves <= 150 else "moves")
    assert live.game.letters == result.letters[:most]
    assert end.now.move_number == most
    numbers = [frame.now.move_number for frame in listener.all(FrameReply)]
    assert numbers == sorted(numbers)
    assert numbers[-1] == most
    assert not listener.all(StepReply)
    again = Game(live.game.rules, 1)
    for letter in live.game.letters:
        again.play(Move.parse(letter))
    assert (again.board, again.score) == (live.game.board, live.game.score)
    live.undo(Asker(listener, 9))
    assert live.game.board == again.at(most - 1).board


def test_a_player_that_cannot_keep_its_pace_does_not_race_later(
    live: PageGame, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(autoplay, "time", SimpleNamespace(monotonic=lambda: now[0]))
    player = autoplay.Autoplay(
        live, "greedy", lambda: make_player("greedy"), Wish(100.0), Asker(listener, 1)
    )
    now[0] += 0.0555
    assert player._turn().most == 5
    now[0] += 60.0
    assert player._turn().most == 1
    assert player._due() <= now[0]
    now[0] += 0.0305
    assert player._turn().most == 4


def test_moves_under_way_do_not_count_for_the_next_wish(live: PageGame, listener: Listener) -> None:
    """Also if it asks for as many as the one before."""
    with make_player("greedy") as greedy:
        greedy.start(live.game.rules, live.game.seed)
        mover = Mover(greedy, live.game.copy(), Stop())
        player = autoplay.Autoplay(
            live, "greedy", lambda: greedy, Wish(moves=10), Asker(listener, 1)
        )
        under_way = player._turn()
        with live.turn:
            player.change(Wish(moves=10), Asker(listener, 2))
        player._take(under_way, *mover.play(4, math.inf))
    assert live.game.move_number == 4
    assert player._turn().most == 10


def test_a_tile_stops_it(table: PageTable, listener: Listener) -> None:
    live = begin(table, listener, STANDARD)
    let_play(live, listener, "expectimax:ply=1", stop_tile=64)
    end = ended(listener)
    assert end.reason == "tile"
    assert max(end.now.tiles) == 64
    assert live.game.at(end.now.move_number - 1).board.max_tile == 32
    start = len(listener.replies)
    let_play(live, listener, "expectimax:ply=1", stop_tile=64, moves=3)  # it is there already
    assert ended(listener, start).reason == "moves"
    start = len(listener.replies)
    let_play(live, listener, "expectimax:ply=1", stop_tile=128, moves_per_second=30.0)
    let_play(live, listener, "expectimax:ply=1", stop_tile=128)
    assert max(ended(listener, start).now.tiles) == 128


@pytest.mark.parametrize("act", ["undo", "redo", "stale"])
def test_undo_and_redo_take_over(live: PageGame, listener: Listener, act: str) -> None:
    move(live, listener)
    move(live, listener)
    live.undo(Asker(listener, 3))
    let_play(live, listener, own_players.HELD)
    assert GATE.reached.wait(PATIENCE)
    if act == "stale":
        with pytest.raises(StaleMove):
            live.move("u", 9, Asker(listener, 4))
    else:
        getattr(live, act)(Asker(listener, 4))
    assert ended(listener).reason == "paused"
    assert live.game.move_number == {"undo": 0, "redo": 2, "stale": 1}[act]


@pytest.mark.parametrize("spec", ["expectimax:ply=12", "alphabeta:depth=24", own_players.HELD])
def test_a_pause_ends_a_long_thought(table: PageTable, spec: str) -> None:
    listener, other = Listener(), Listener()
    live = begin(table, listener, STANDARD, board=Board.parse("1234/2345/3456/0010"))
    live.join(Asker(other, 2))
    let_play(live, listener, spec)
    while not live.now().autoplay:
        threading.Event().wait(0.001)
    live.pause(Asker(other, 8))
    assert (ended(other).ref, ended(other).reason) == (8, "paused")
    assert ended(listener).ref == 0
    GATE.opened.set()
    table.close()  # and no thread is left thinking
    assert "twofold-autoplay" not in [thread.name for thread in threading.enumerate()]
    assert live.game.move_number == 0


def test_another_player_takes_its_place_when_it_is_ready(
    live: PageGame, listener: Listener
) -> None:
    let_play(live, listener, "greedy", moves_per_second=30.0)
    listener.wait(StepReply)
    let_play(live, listener, own_players.LATE, ref=6, moves=3)
    assert GATE.reached.wait(PATIENCE)
    start = len(listener.replies)
    assert listener.wait(StepReply, start=start).by == "greedy"  # it plays on meanwhile
    let_play(live, listener, own_players.LATE, ref=7, moves=2)  # a change of mind
    GATE.opened.set()
    end = ended(listener)
    assert (end.reason, end.ref) == ("moves", 7)
    assert live.state().player == f"greedy + {own_players.LATE}"
    assert live.now().autoplay == ""


def test_the_player_that_plays_is_wanted_once_more(
    live: PageGame, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = threading.Event()
    monkeypatch.setattr(own_players.Late, "close", lambda _: closed.set())
    let_play(live, listener, "greedy", moves_per_second=30.0)
    listener.wait(StepReply)
    let_play(live, listener, own_players.LATE, ref=6)
    assert GATE.reached.wait(PATIENCE)
    let_play(live, listener, "greedy", ref=7, moves=1)
    assert ended(listener).ref == 7
    GATE.opened.set()
    assert closed.wait(PATIENCE)
    assert live.state().player == "greedy + me"  # one move is a hint


@pytest.mark.parametrize(("spec", "kind", "words"), [
    ("nobody", "InvalidSpec", "expected a player"),
    (own_players.UNSTARTED, "UnsupportedRules", "expected other rules"),
    ("tests.web.own_players:GATE", "InvalidSpec", "expected a Player class"),
])  # fmt: skip
def test_a_player_that_cannot_begin_is_refused(
    live: PageGame, listener: Listener, spec: str, kind: str, words: str
) -> None:
    other = Listener()
    live.join(Asker(other, 2))
    let_play(live, listener, "greedy", moves_per_second=1e-6)
    listener.wait(StepReply)
    let_play(live, listener, spec, ref=6)
    found = listener.wait(RefusedReply)
    assert (found.ref, found.kind) == (6, kind)
    assert words in found.message
    assert live.now().autoplay == "greedy"
    assert not other.all(RefusedReply)


@pytest.mark.parametrize(("spec", "words"), [
    (own_players.BROKEN, r"RuntimeError: broken \x1b[2J"), (own_players.EXITING, "SystemExit: 3"),
    (own_players.WRONG, "a legal move"),
])  # fmt: skip
def test_a_failed_player_is_reported_to_all(
    table: PageTable, listener: Listener, spec: str, words: str
) -> None:
    board = Board.parse("1234/0000/0000/0000")
    live = begin(table, listener, STANDARD, board=board)
    let_play(live, listener, spec)
    end = ended(listener)
    assert (end.reason, end.ref, end.now.move_number) == ("failed", 5, 0)
    assert words in end.message


def test_the_number_of_players_is_limited(
    listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PLAYERS", 2)
    with closing(GameStore(tmp_path)) as store, closing(PageTable(store)) as table:
        games = [begin(table, listener) for _ in range(3)]
        for live in games[:2]:
            let_play(live, listener, own_players.HELD)
        with pytest.raises(LimitExceeded, match="2 players are playing"):
            let_play(games[2], listener, "greedy")
        with pytest.raises(LimitExceeded):  # nothing is left half begun
            let_play(games[2], listener, "greedy")
        GATE.opened.set()
