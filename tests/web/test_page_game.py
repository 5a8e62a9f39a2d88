"""A game in play: requests by people, and replies to followers."""

import threading
from itertools import pairwise

import pytest

from tests.web.page import Listener, kept
from tests.web.playing import LARGE, begin, let_play, move
from twofold.errors import GameOver, IllegalMove, NothingToRedo, NothingToUndo
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import STANDARD, Move
from twofold.players import make_player, play_game
from twofold.web.page_game import REPLAY_MOVES, Asker, StaleMove
from twofold.web.protocol import GameState, Reply, StepReply
from twofold.web.table import PageTable


def test_a_move_is_told_to_all(table: PageTable) -> None:
    one, other = Listener(), Listener()
    live = begin(table, one, STANDARD)
    table.join(table.find(live.name), Asker(other, 3))
    state = other.wait(GameState)
    assert (state.ref, state.game, state.player, state.kept) == (3, live.name, "me", True)
    assert (state.seed, state.rules.text, state.first) == ("1", str(STANDARD), 0)
    step = move(live, one)
    assert (step.ref, step.by, step.now.move_number) == (2, "", 1)
    there = other.wait(StepReply)
    assert (there.ref, there.now) == (0, step.now)
    game = Game(seed=1)
    made = game.play(game.legal_moves()[0])
    assert (step.cell, step.tile, step.reward) == (made.cell, made.tile, made.reward)
    assert step.now.board == str(game.board)
    assert step.now.tiles == [tile for row in game.board.tiles for tile in row]


def test_a_move_for_another_board_is_refused(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener)
    move(live, listener)
    with pytest.raises(StaleMove, match="after 1 moves, got one for the board after 0"):
        live.move("u", 0, Asker(listener, 9))
    assert live.game.move_number == 1


def test_an_illegal_move_is_refused(table: PageTable) -> None:
    listener = Listener()
    live = begin(table, listener, STANDARD, board=Board.parse("1234/0000/0000/0000"))
    with pytest.raises(IllegalMove):
        live.move("u", 0, Asker(listener, 9))
    over = begin(table, listener, STANDARD, board=Board.parse("1212/2121/1212/2121"))
    with pytest.raises(GameOver):
        over.move("u", 0, Asker(listener, 9))
    with pytest.raises(GameOver):
        let_play(over, listener, "greedy")


def test_undo_and_redo(table: PageTable) -> None:
    one, other = Listener(), Listener()
    live = begin(table, one)
    live.join(Asker(other, 3))
    with pytest.raises(NothingToUndo):
        live.undo(Asker(one, 4))
    first, second = move(live, one), move(live, one)
    live.undo(Asker(one, 5))
    state = one.wait(GameState, lambda state: state.ref == 5)
    assert (state.undone, state.now.undos) == (second.move, 1)
    assert state.now.board == first.now.board
    assert (state.now.can_undo, state.now.can_redo) == (True, True)
    assert other.wait(GameState, lambda state: state.undone != "").now == state.now
    live.redo(Asker(other, 6))
    again = other.wait(StepReply, lambda step: step.ref == 6)
    assert (again.cell, again.tile, again.now.board) == (second.cell, second.tile, second.now.board)
    with pytest.raises(NothingToRedo):
        live.redo(Asker(other, 7))


def test_the_goal_is_announced_once(table: PageTable) -> None:
    listener = Listener()
    board = Board.parse("aa11/0000/0000/0000")
    live = begin(table, listener, STANDARD, board=board)
    live.move("l", 0, Asker(listener, 2))
    step = listener.wait(StepReply)
    assert (step.goal_reached, step.now.status) == (True, "won")
    assert not move(live, listener).goal_reached


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


def test_looking_back_at_a_long_game(table: PageTable) -> None:
    """Positions are replayed in batches while a page waits."""
    record = play_game(make_player("greedy"), LARGE, 1, keep_moves=True)
    assert record is not None
    history = Game(LARGE, 1)
    for letter in record.letters[:700]:
        history.play(Move.parse(letter))
    last = history.move_number
    assert last > REPLAY_MOVES + 100
    name = kept(table, Record.from_game(history))
    alone = table.find(name)
    alone.replay()  # nobody follows
    assert alone.game.known_before(last) == 0
    listener = Listener()
    live = table.join(table.find(name), Asker(listener, 1))
    live.replay()
    assert live.game.known_before(last) >= last - 64
    live.undo(Asker(listener, 2))
    assert live.game.board == history.at(last - 1).board
