"""Players in plain Python: a class and a function.

twofold watch examples/my_player.py:Tidy
twofold bench examples/my_player.py:Tidy examples/my_player.py:downhill --games 50
"""

from twofold import Board, Move, Player


class Tidy(Player):
    """Keeps the board empty; of equal moves it takes the one with the larger reward."""

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        def worth(move: Move) -> tuple[int, int]:
            after, reward = board.slide(move)
            return len(after.empty_cells), reward

        return max(board.legal_moves(), key=worth)


def downhill(board: Board) -> Move:
    """A function is a player too: down if possible, else left, right, up."""
    order = [Move.DOWN, Move.LEFT, Move.RIGHT, Move.UP]
    return next(move for move in order if move in board.legal_moves())
