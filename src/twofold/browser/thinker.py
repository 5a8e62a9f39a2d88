"""Runs a player in its own thread, so that the event loop is never blocked."""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from twofold.board import Board
from twofold.players.base import Player, checked_move
from twofold.rules import Move, Rules
from twofold.search.budget import Budget
from twofold.search.stop import Stop

CLOSE_SECONDS: Final = 1.0
"""Timeout for the player's last search when the thinker is closed."""


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A position with a legal move; `score` is None if unknown."""

    rules: Rules
    board: Board
    score: int | None
    move_number: int


@dataclass(slots=True)
class _Job:
    question: MoveQuestion
    answer: asyncio.Future[Move]
    loop: asyncio.AbstractEventLoop
    stop: Stop = field(default_factory=Stop)


class Thinker:
    """A player that is asked from an event loop.

    Args:
        make: makes the player ready for rules; called in the thread, at the first question and
            when the rules change.
        budget: limits on each move; None for the player's own.
    """

    def __init__(self, make: Callable[[Rules], Player], budget: Budget | None = None) -> None:
        self._make = make
        self._budget = budget
        self._player: Player | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._job: _Job | None = None
        self._thread = threading.Thread(target=self._run, name="twofold-thinker", daemon=True)
        self._thread.start()

    def ask(self, question: MoveQuestion) -> asyncio.Future[Move]:
        """The player's move; an earlier question is dropped."""
        self.drop()
        loop = asyncio.get_running_loop()
        self._job = _Job(question, loop.create_future(), loop)
        self._jobs.put(self._job)
        return self._job.answer

    def drop(self) -> None:
        """Stop the search under way."""
        if self._job is not None:
            if not self._job.answer.cancel() and not self._job.answer.cancelled():
                self._job.answer.exception()  # marks it as retrieved
            self._job.stop.raise_flag()
            self._job = None

    def close(self) -> None:
        """End the thread, unless the player never answers."""
        self.drop()
        self._jobs.put(None)
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                move = self._decide(job)
            except Exception as error:  # raised where the answer is awaited
                self._hand_over(job, error)
            else:
                self._hand_over(job, move)
        if self._player is not None:
            self._player.close()

    def _decide(self, job: _Job) -> Move | None:
        if job.stop.is_raised:
            return None
        asked = job.question
        if self._player is None or self._player.rules != asked.rules:
            self._player = self._make(asked.rules)
        player = self._player
        if self._budget is None:
            move = player.choose(asked.board, score=asked.score, move_number=asked.move_number)
        else:
            found = player.analyse(asked.board, self._budget, score=asked.score, stop=job.stop)
            move = found.best
        return checked_move(player, asked.board, move)

    @staticmethod
    def _hand_over(job: _Job, answer: Move | Exception | None) -> None:
        def set_answer() -> None:
            if job.answer.done():
                return
            if isinstance(answer, Exception):
                job.answer.set_exception(answer)
            elif answer is not None:
                job.answer.set_result(answer)

        with contextlib.suppress(RuntimeError):  # the loop has ended
            job.loop.call_soon_threadsafe(set_answer)
