"""A game as it is played: frames to show, milestones, the pace."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from twofold.board import Board
from twofold.game import Game
from twofold.players import Player
from twofold.players.base import move_list
from twofold.players.registry import checked_move
from twofold.search.analysis import Analysis


@dataclass(frozen=True, slots=True)
class Milestone:
    """When the largest tile first was `tile`: the move number, and the time since the start."""

    tile: int
    move_number: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Frame:
    """A position of the game and what the player thinks of it.

    Attributes:
        board: the position.
        score: points so far.
        move_number: moves made.
        seconds: time since the start.
        analysis: the player's analysis of this position; None before it is known and at
            the end of the game.
        milestones: the tiles reached so far, ascending.
    """

    board: Board
    score: int
    move_number: int
    seconds: float
    analysis: Analysis | None
    milestones: tuple[Milestone, ...]

    @property
    def moves_per_second(self) -> float:
        """Moves a second since the start."""
        return self.move_number / self.seconds if self.seconds > 0 else 0.0


def analyse(player: Player, game: Game) -> Analysis:
    """The player's analysis of the present position; its best move is the one it makes.

    A player that values no move is asked for its move, with the move number that its own
    chance may depend on.
    """
    board = game.board
    if type(player).analyse is Player.analyse:
        analysis = Analysis(board, move_list(board), board.legal_moves()[0], player.spec)
    else:
        analysis = player.analyse(board, score=game.score)
    if all(one.value is None for one in analysis.moves):
        best = player.choose(board, score=game.score, move_number=game.move_number)
        return replace(analysis, best=checked_move(player, board, best))
    checked_move(player, board, analysis.best)
    return analysis


def frames(player: Player, game: Game, clock: Callable[[], float]) -> Iterator[Frame]:
    """Play the game; a frame for each position. A move is made when the next one is asked for.

    Args:
        player: who plays; it has been started.
        game: the game to play on.
        clock: time in seconds.
    """
    began = clock()
    milestones: tuple[Milestone, ...] = ()
    known = game.board.max_tile
    while True:
        if game.board.max_tile > known:
            known = game.board.max_tile
            milestones += (Milestone(known, game.move_number, clock() - began),)
        analysis = None if game.is_finished else analyse(player, game)
        seconds = clock() - began
        yield Frame(game.board, game.score, game.move_number, seconds, analysis, milestones)
        if analysis is None:
            return
        game.play(analysis.best)


def first_frame(game: Game) -> Frame:
    """The position before anything is known of it."""
    return Frame(game.board, game.score, game.move_number, 0.0, None, ())


def paced(
    source: Iterator[Frame], moves_per_second: float | None, stop: threading.Event
) -> Iterator[Frame]:
    """The frames of a game, no faster than asked, until `stop` is set."""
    due = time.monotonic()
    for frame in source:
        yield frame
        if stop.is_set():
            return
        if moves_per_second is not None:
            due = max(due + 1 / moves_per_second, time.monotonic())
            if stop.wait(due - time.monotonic()):
                return


class Playback:
    """Plays a game in a thread of its own, so that drawing and Ctrl-C never wait for it.

    Attributes:
        frame: the newest frame.
        error: what the player raised, if it did.
    """

    def __init__(self, source: Iterator[Frame], opening: Frame) -> None:
        self.frame = opening
        self.error: BaseException | None = None
        self._source = source
        self._thread = threading.Thread(target=self._run, name="twofold-player", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for frame in self._source:
                self.frame = frame
        except BaseException as error:  # shown by the thread that draws
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for the game to end; whether it has."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
