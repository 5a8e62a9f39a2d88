"""A player that searches for an hour."""

import time

from twofold import Board, Move


def Sleeps(board: Board) -> Move:  # noqa: N802
    time.sleep(3600)
    return board.legal_moves()[0]
