"""Players for tests of games that a person and a player share."""

import threading
import time
from typing import Any

from twofold import Analysis, Board, Budget, Move, Player
from twofold.players.base import move_list
from twofold.search.analysis import MoveValue

PATIENCE = 60.0
"""Timeout of each wait, in seconds."""


class Last(Player):
    """Plays the last legal move, and values each move by its number."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return board.legal_moves()[-1]

    def analyse(self, board: Board, budget: Budget | None = None, **more: Any) -> Analysis:
        values = {move: MoveValue(100.0 * (move + 1), 10) for move in board.legal_moves()}
        best = self.choose(board)
        return Analysis(
            board, move_list(board, values, 1), best, self.spec, "points", "1 ply", nodes=40
        )


class Slow(Last):
    """Searches until it is stopped or released."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.go = threading.Event()
        self.stopped = threading.Event()

    def analyse(self, board: Board, budget: Budget | None = None, **more: Any) -> Analysis:
        self.began.set()
        until = time.monotonic() + PATIENCE
        while not self.go.is_set() and time.monotonic() < until:
            if more["stop"].is_raised:
                self.stopped.set()
                break
            time.sleep(0.001)
        return super().analyse(board, budget)


class Failing(Last):
    """Fails in its first search."""

    def analyse(self, board: Board, budget: Budget | None = None, **more: Any) -> Analysis:
        raise ValueError("no idea")
