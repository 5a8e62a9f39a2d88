"""A game in play: requests by people, and replies to followers."""

import threading
from itertools import pairwise

from tests.web.page import Listener, kept
from tests.web.playing import LARGE, begin, let_play, move
from twofold.game.board import Board
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import STANDARD, Move
from twofold.players import make_player, play_game
from twofold.web.page_game import REPLAY_MOVES, Asker
from twofold.web.protocol import GameState, Reply, StepReply
from twofold.web.table import PageTable


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
    alone.replay_to(last)  # nobody follows
    assert alone.game.known_before(last) == 0
    listener = Listener()
    live = table.join(table.find(name), Asker(listener, 1))
    live.replay_to(last)
    assert live.game.known_before(last) >= last - 64
    live.undo(Asker(listener, 2))
    assert live.game.board == history.at(last - 1).board
