"""Playback of a player's game: analyses, frames, pace."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from twofold.board import Board
from twofold.game import Game
from twofold.play.paces import FIRST_MOVES, FIRST_PACE, next_due
from twofold.players import Player
from twofold.players.base import checked_move, move_list
from twofold.search.analysis import Analysis
from twofold.search.stop import Stop
from twofold.tui.background import Reading
from twofold.tui.frame import Chronicle, GameFrame, since


def analyse(player: Player, game: Game) -> Analysis:
    """The player's analysis of the present position; its best move is the one it makes."""
    return analyse_position(player, game.board, game.score, game.move_number)


def analyse_position(
    player: Player, board: Board, score: int, move_number: int, stop: Stop | None = None
) -> Analysis:
    """The player's analysis of a position with a legal move; its best move is the one it makes.

    A player that values no move is asked to choose one; its random choice may depend on
    `move_number`. The player has been started. After `stop` is raised the answer is meaningless.
    """
    if type(player).analyse is Player.analyse:
        analysis = Analysis(board, move_list(board), board.legal_moves()[0], player.spec)
    else:
        analysis = player.analyse(board, score=score, stop=stop)
    if all(one.value is None for one in analysis.moves):
        best = player.choose(board, score=score, move_number=move_number)
        return replace(analysis, best=checked_move(player, board, best))
    checked_move(player, board, analysis.best)
    return analysis


def frames(player: Player, game: Game, clock: Callable[[], float]) -> Iterator[GameFrame]:
    """Let a started player play the game, and yield a frame for each position.

    The next move is made when the next frame is asked for; `clock` gives the time in seconds.
    """
    chronicle = Chronicle(game, since(clock))
    while True:
        analysis = None if game.is_finished else analyse(player, game)
        yield chronicle.frame(analysis)
        if analysis is None:
            return
        game.play(analysis.best)
        chronicle.note()


def paced(
    source: Iterator[GameFrame],
    moves_per_second: float | None,
    stop: threading.Event,
    *,
    slow_start: bool = False,
) -> Iterator[GameFrame]:
    """The frames of a game at a limited pace (None for no limit), until `stop` is set.

    With `slow_start` and no pace, the first moves are slower.
    """
    due = time.monotonic()
    for frame in source:
        yield frame
        if stop.is_set():
            return
        starts = slow_start and frame.move_number < FIRST_MOVES
        pace = moves_per_second or (FIRST_PACE if starts else None)
        if pace is not None:
            due = next_due(due, pace, time.monotonic())
            if stop.wait(due - time.monotonic()):
                return


class Playback(Reading[GameFrame]):
    """Plays a game in a background thread, so that drawing and Ctrl-C never wait."""

    def __init__(self, source: Iterator[GameFrame], opening: GameFrame) -> None:
        super().__init__(source, "twofold-player", opening)

    @property
    def frame(self) -> GameFrame:
        """The newest frame."""
        assert self.latest is not None
        return self.latest
