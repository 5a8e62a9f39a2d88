"""The exact mean score of a player whose move depends on the board alone."""

from collections.abc import Callable

from twofold.game.board import Board
from twofold.game.rules import Move, Rules


def mean_score(
    choose: Callable[[Board], Move], rules: Rules, form: Callable[[Board], Board] = Board.of
) -> float:
    """The mean over all games that its moves lead to, weighted by their chances.

    Boards of one `form` have the same worth.
    """
    known: dict[Board, float] = {}

    def after(board: Board, tiles: int) -> float:
        """The mean score of the rest of the game, after `tiles` spawns."""
        if tiles == 0:
            return rest(board)
        return sum(
            spawn.probability * after(board.place(spawn.cell, spawn.tile), tiles - 1)
            for spawn in board.spawns(rules)
        )

    def rest(board: Board) -> float:
        board = form(board)
        if board.is_over:
            return 0.0
        if board not in known:
            slide = board.slide(choose(board))
            known[board] = slide.reward + after(slide.board, 1)
        return known[board]

    return after(Board.empty(rules.shape), rules.start_tiles)
