"""A player that takes its time."""

import threading

from twofold import Board, Move, Player

BOARD = Board.parse("0012/0013/0024/1357")


class Slow(Player):
    """Searches until it is released, and ignores the stop flag."""

    def __init__(self, values: bool = False) -> None:
        self.gate = threading.Event()
        self.closed = threading.Event()
        self.values = values

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        assert self.gate.wait(60)
        return board.legal_moves()[-1]

    def close(self) -> None:
        self.closed.set()
