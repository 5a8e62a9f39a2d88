"""A player that thinks until it is stopped, and counts the instances that think."""

import threading
import time
from collections.abc import Iterator
from typing import ClassVar

from twofold.game.board import Board
from twofold.game.rules import Move
from twofold.players.base import Player, move_list
from twofold.search.analysis import Analysis
from twofold.search.budget import Budget, Stop

SPEC = "tests.web.thinker:Thinker"


class Thinker(Player):
    """Thinks until it is stopped."""

    lock: ClassVar = threading.Lock()
    stops: ClassVar[list[Stop]] = []
    """The flags of those that think now."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[0]

    def stream(
        self,
        board: Board,
        budget: Budget | None = None,
        *,
        score: int | None = None,
        stop: Stop | None = None,
    ) -> Iterator[Analysis]:
        best = board.legal_moves()[0]
        yield Analysis(board, move_list(board), best, self.spec)
        assert stop is not None
        with self.lock:
            self.stops.append(stop)
        while not stop.is_raised:
            time.sleep(0.001)
        with self.lock:
            self.stops.remove(stop)
        yield Analysis(board, move_list(board), best, self.spec)
