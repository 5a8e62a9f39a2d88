"""Players that look no further than the move they make."""

from twofold import reference
from twofold.board import Board
from twofold.players.base import Player, check_going
from twofold.rules import Move


class RandomPlayer(Player):
    """Chooses among the legal moves with equal chances, by draws of its own from the seed."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        legal = check_going(board)
        draw = reference.player_dice(self.seed, move_number)
        return legal[((draw >> 32) * len(legal)) >> 32]


class GreedyPlayer(Player):
    """Makes the move with the largest reward; ties in the order up, right, down, left."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return max(check_going(board), key=lambda move: board.slide(move).reward)


class CornerPlayer(Player):
    """Keeps to down and left, and goes right or up only when forced, in this order."""

    ORDER = (Move.DOWN, Move.LEFT, Move.RIGHT, Move.UP)

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        return min(check_going(board), key=self.ORDER.index)
