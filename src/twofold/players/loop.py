"""One whole game by one player."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from twofold.board import Board
from twofold.game import Game, Status
from twofold.players.base import Player
from twofold.players.registry import checked_move
from twofold.rules import Rules


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game went.

    Attributes:
        seed: its seed.
        score: points at the end.
        moves: number of moves made.
        max_tile: largest tile on the final board.
        reached: for each exponent k, the move number at which the largest tile first was
            2^k or more; as long as the largest exponent plus 1.
        board: the final board.
        seconds: time taken, wall clock.
        letters: the moves as letters, if they were kept; else empty.
    """

    seed: int
    score: int
    moves: int
    max_tile: int
    reached: tuple[int, ...]
    board: Board
    seconds: float
    letters: str = ""


def play_game(
    player: Player,
    rules: Rules,
    seed: int,
    *,
    keep_moves: bool = False,
    stop: Callable[[], bool] | None = None,
) -> GameResult | None:
    """Play one game to its end.

    The result depends on (player, rules, seed) alone, unless the player has a time budget.

    Args:
        player: who plays; it is started anew.
        rules: the rules of the game.
        seed: the seed of its dice.
        keep_moves: whether the result holds the moves.
        stop: asked now and then; True abandons the game.

    Returns:
        The result, or None if the game was abandoned.

    Raises:
        UnsupportedRules: the player cannot play under these rules.
        PlayerError: the player made an illegal move.
    """
    player.start(rules, seed)
    return _play_by_choose(player, rules, seed, keep_moves, stop)


def _play_by_choose(
    player: Player, rules: Rules, seed: int, keep_moves: bool, stop: Callable[[], bool] | None
) -> GameResult | None:
    """The general loop: the player is asked for each move."""
    began = time.perf_counter()
    game = Game(rules, seed=seed)
    reached = [0] * (game.board.max_exponent + 1)
    while game.status not in (Status.OVER, Status.STOPPED):
        if stop is not None and stop():
            return None
        answer = player.choose(game.board, score=game.score, move_number=game.move_number)
        game.play(checked_move(player, game.board, answer))
        while len(reached) <= game.board.max_exponent:
            reached.append(game.move_number)
    return GameResult(
        seed=seed,
        score=game.score,
        moves=game.move_number,
        max_tile=game.board.max_tile,
        reached=tuple(reached),
        board=game.board,
        seconds=time.perf_counter() - began,
        letters="".join(move.letter for move in game.moves) if keep_moves else "",
    )
