"""Playback of a player's game, frame by frame, at a pace."""

import threading
import time
from collections.abc import Callable, Iterator

from twofold.game import Game
from twofold.play.asked_player import analyse, question_of
from twofold.play.paces import next_due
from twofold.play.shared_game import Chronicle, GameFrame, since
from twofold.players import Player


def frames(player: Player, game: Game, clock: Callable[[], float]) -> Iterator[GameFrame]:
    """Let a started player play the game, and yield a frame for each position.

    The next move is made when the next frame is asked for; `clock` gives the time in seconds.
    """
    chronicle = Chronicle(game, since(clock))
    while True:
        analysis = None if game.is_finished else analyse(player, question_of(game))
        yield chronicle.frame(analysis)
        if analysis is None:
            return
        game.play(analysis.best)
        chronicle.note()


def paced(
    source: Iterator[GameFrame], moves_per_second: float | None, stop: threading.Event
) -> Iterator[GameFrame]:
    """The frames of a game at a limited pace (None for no limit), until `stop` is set."""
    due = time.monotonic()
    for frame in source:
        yield frame
        if stop.is_set():
            return
        if moves_per_second is not None:
            due = next_due(due, moves_per_second, time.monotonic())
            if stop.wait(due - time.monotonic()):
                return
