"""Games of the web tests, and how to wait for them."""

import threading
from typing import Any

from tests.web.page import Listener
from twofold.game.game import Game
from twofold.game.record import Record
from twofold.game.rules import Rules
from twofold.players import make_player
from twofold.web.page_game import Asker, PageGame, Wish
from twofold.web.protocol import AutoplayEnded, StepReply
from twofold.web.table import PageTable

LARGE = Rules(6, 6)


def begin(
    table: PageTable, listener: Listener, rules: Rules = LARGE, keep: bool = True, **values: Any
) -> PageGame:
    board = values.pop("board", None)
    game = Game.from_board(board, rules, 1, **values) if board else Game(rules, 1)
    live = table.begin(game, keep=keep)
    return table.join(live, Asker(listener, 1))


def move(live: PageGame, listener: Listener, ref: int = 2) -> StepReply:
    """Make the first legal move."""
    start, number = len(listener.replies), live.game.move_number
    live.move(live.game.legal_moves()[0].letter, number, Asker(listener, ref))
    return listener.wait(StepReply, lambda step: step.game == live.name, start)


def let_play(live: PageGame, listener: Listener, spec: str, ref: int = 5, **wish: Any) -> None:
    live.start_player(spec, lambda: make_player(spec), Wish(**wish), Asker(listener, ref))


def ended(listener: Listener, start: int = 0) -> AutoplayEnded:
    return listener.wait(AutoplayEnded, start=start)


def saved(table: PageTable, live: PageGame) -> Record:
    """The record on disk once everything is written."""
    table.close()
    return table.store.read(live.name).record


def wait_until_saved(live: PageGame) -> None:
    for _ in range(10_000):
        if live.is_saved:
            return
        threading.Event().wait(0.001)
    raise AssertionError("never saved")
