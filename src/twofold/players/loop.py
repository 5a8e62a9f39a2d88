"""One whole game by one player."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from twofold.board import Board
from twofold.game import Game
from twofold.players.base import Player
from twofold.players.registry import checked_move
from twofold.rules import Rules

_FIRST_CHUNK: Final = 16
_LARGEST_CHUNK: Final = 65_536
"""Moves that a kernel makes before the stop function is asked again."""

_PATIENCE: Final = 0.05
"""A chunk that took less than this many seconds is followed by one of twice as many moves."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How one game went.

    Attributes:
        seed: its seed.
        score: points at the end.
        moves: number of moves made.
        max_tile: largest tile on the final board.
        reached: for each exponent up to the largest, the move number at which the largest
            tile first was 2^exponent or more.
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
    began = time.perf_counter()
    player.start(rules, seed)
    progress = _Progress(Game(rules, seed=seed), keep_moves)
    if player.compiled:
        _play_in_kernels(player, progress, stop)
    if not _play_by_choose(player, progress, stop):
        return None
    return progress.result(time.perf_counter() - began)


class _Progress:
    """A game under way, and what the result says about the moves so far."""

    def __init__(self, game: Game, keep_moves: bool) -> None:
        self.game = game
        self.keep_moves = keep_moves
        self.letters: list[str] = []
        self.reached = [0] * (game.board.max_exponent + 1)

    def result(self, seconds: float) -> GameResult:
        game = self.game
        return GameResult(
            seed=game.seed,
            score=game.score,
            moves=game.move_number,
            max_tile=game.board.max_tile,
            reached=tuple(self.reached),
            board=game.board,
            seconds=seconds,
            letters="".join(self.letters),
        )


def _play_by_choose(player: Player, progress: _Progress, stop: Callable[[], bool] | None) -> bool:
    """The general loop: the player is asked for each move. False if it was abandoned."""
    game = progress.game
    while not game.is_finished:
        if stop is not None and stop():
            return False
        answer = player.choose(game.board, score=game.score, move_number=game.move_number)
        move = checked_move(player, game.board, answer)
        game.play(move)
        if progress.keep_moves:
            progress.letters.append(move.letter)
        while len(progress.reached) <= game.board.max_exponent:
            progress.reached.append(game.move_number)
    return True


def _play_in_kernels(player: Player, progress: _Progress, stop: Callable[[], bool] | None) -> None:
    """Let a compiled player's policies play as far as they can.

    What they leave, if anything, is for the general loop: the rest of a game in which the
    stop function asks to stop, or which a policy on bits cannot finish.
    """
    from twofold.players.compiled import CompiledPlayer
    from twofold.players.kernel_game import KernelGame

    if not isinstance(player, CompiledPlayer):
        return
    kernel_game = KernelGame(player, progress.game, progress.reached)
    chunk = _FIRST_CHUNK if stop is not None else _LARGEST_CHUNK
    while kernel_game.can_go_on and not (stop is not None and stop()):
        began = time.perf_counter()
        letters = kernel_game.play(chunk)
        if progress.keep_moves:
            progress.letters.append(letters)
        if time.perf_counter() - began < _PATIENCE:
            chunk = min(2 * chunk, _LARGEST_CHUNK)
    progress.game = kernel_game.game()
    progress.reached = kernel_game.reached()
