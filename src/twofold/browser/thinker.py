"""Asks a player from an event loop, which is never blocked."""

import asyncio
import contextlib
import queue
from collections.abc import Callable
from dataclasses import replace

from twofold.play.asked_player import AskedPlayer, MoveQuestion
from twofold.players.base import Player, checked_move
from twofold.rules import Move, Rules
from twofold.search.budget import Budget
from twofold.search.stop import Stop


class Thinker:
    """A player that is asked from an event loop.

    Args:
        make: makes the player for rules; called in the player's thread, at the first question and
            when the rules change.
        budget: limits on each move; None for the player's own.
    """

    def __init__(self, make: Callable[[Rules], Player], budget: Budget | None = None) -> None:
        self._budget = budget
        self._questions: queue.SimpleQueue[MoveQuestion | None] = queue.SimpleQueue()
        self._asked: MoveQuestion | None = None  # the last question, unless it was dropped
        self._answer: asyncio.Future[Move]
        self._player = AskedPlayer(make, self._questions.get, self._choose, self._hand_over)

    def ask(self, question: MoveQuestion) -> asyncio.Future[Move]:
        """The player's move; an earlier question is dropped."""
        self.drop()
        self._asked = replace(question, stop=Stop())
        self._answer = asyncio.get_running_loop().create_future()
        self._questions.put(self._asked)
        self._player.start()
        return self._answer

    def drop(self) -> None:
        """Stop the search under way."""
        if self._asked is not None:
            if not self._answer.cancel() and not self._answer.cancelled():
                self._answer.exception()  # marks it as retrieved
            self._asked.stop.raise_flag()
            self._asked = None

    def close(self) -> None:
        """End the thread, unless the player never answers."""
        self.drop()
        self._questions.put(None)
        self._player.close()

    def _choose(self, player: Player, asked: MoveQuestion) -> None:
        if self._budget is None:
            move = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        else:
            found = player.analyse(asked.board, self._budget, score=asked.score, stop=asked.stop)
            move = found.best
        self._hand_over(asked, checked_move(player, asked.board, move))

    def _hand_over(self, asked: MoveQuestion, answer: Move | Exception) -> None:
        def set_answer() -> None:
            if asked is not self._asked or self._answer.done():
                return
            if isinstance(answer, Exception):  # raised where the answer is awaited
                self._answer.set_exception(answer)
            else:
                self._answer.set_result(answer)

        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._answer.get_loop().call_soon_threadsafe(set_answer)
