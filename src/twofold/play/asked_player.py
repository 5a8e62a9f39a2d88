"""A player in a thread of its own that is asked position by position.

For faces that show the analysis of each position, or that send the moves elsewhere.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from twofold.board import Board
from twofold.game import Game
from twofold.play.threads import IMPORTING, start_thread
from twofold.players.base import Player, checked_move, move_list
from twofold.players.faults import as_fault, describe_caught
from twofold.rules import Rules
from twofold.search.analysis import Analysis
from twofold.search.stop import Stop

CLOSE_SECONDS: Final = 1.0
"""Timeout for the player's last search when it is closed."""


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A position with a legal move.

    Attributes:
        score: None if unknown.
        stop: raised to drop the question.
    """

    rules: Rules
    board: Board
    score: int | None
    move_number: int
    seed: int = 0
    stop: Stop = field(default_factory=Stop, compare=False)


def question_of(game: Game) -> MoveQuestion:
    """The present position of a game."""
    return MoveQuestion(game.rules, game.board, game.score, game.move_number, game.seed)


def analyse(player: Player, asked: MoveQuestion) -> Analysis:
    """The analysis of a position by a started player; its best move is the one it makes.

    A player that values no move is asked to choose one; its random choice may depend on the move
    number. If the question is dropped meanwhile, the answer is meaningless.
    """
    if not player.has_values:
        analysis = Analysis(
            asked.board, move_list(asked.board), asked.board.legal_moves()[0], player.spec
        )
    else:
        analysis = player.analyse(asked.board, score=asked.score, stop=asked.stop)
    if all(one.value is None for one in analysis.moves):
        best = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        return replace(analysis, best=checked_move(player, asked.board, best))
    checked_move(player, asked.board, analysis.best)
    return analysis


class AskedPlayer:
    """A player in its own thread, which answers one question after the other.

    Args:
        make: makes the player for rules, in the thread: at the first question, and again when the
            rules change.
        questions: waits for the next question; None ends the thread.
        answer: asks the player, which has been started for the game of the question.
        failed: takes a question and the exception that it ended with.
    """

    def __init__(
        self,
        make: Callable[[Rules], Player],
        questions: Callable[[], MoveQuestion | None],
        answer: Callable[[Player, MoveQuestion], object],
        failed: Callable[[MoveQuestion, Exception], object],
    ) -> None:
        self._make, self._questions = make, questions
        self._answer, self._failed = answer, failed
        self._player: Player | None = None
        self._rules: Rules | None = None  # of the player
        self._seed: int | None = None  # of the game that it was started for
        self._thread: threading.Thread | None = None

    @property
    def is_started(self) -> bool:
        """True once the player has been wanted."""
        return self._thread is not None

    def start(self) -> None:
        """Start the thread, if that has not been done."""
        if self._thread is None:
            self._thread = start_thread(self._run, "twofold-player")

    def close(self) -> None:
        """Wait for the thread, after `questions` has ended it; not for a player that is stuck."""
        if self._thread is not None:
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        while (asked := self._questions()) is not None:
            if asked.stop.is_raised:
                continue
            try:
                self._answer(self._ready(asked), asked)
            except BaseException as error:  # a player may call sys.exit()
                self._failed(asked, as_fault(error))
        try:
            self._end()
        except BaseException as error:  # the player was closed meanwhile
            describe_caught(error)

    def _ready(self, asked: MoveQuestion) -> Player:
        """The player, started for the game of a question."""
        rules, seed = asked.rules, asked.seed
        with IMPORTING:
            if self._player is None or self._rules != rules:
                self._end()
                self._player, self._rules = self._make(rules), rules
            if self._seed != seed:
                self._player.start(rules, seed)
                self._seed = seed
        return self._player

    def _end(self) -> None:
        if self._player is not None:
            self._player.close()
        self._player = self._seed = None
