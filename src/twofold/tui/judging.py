"""Judges the moves of a game in a background thread."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from twofold.play.threads import IMPORTING
from twofold.tui.walk import Walk

if TYPE_CHECKING:
    from twofold.players import Player
    from twofold.review.judge import MoveJudgement
    from twofold.review.review import Review
    from twofold.search.budget import Budget
    from twofold.search.stop import Stop

T = TypeVar("T")


class Reading(Generic[T]):
    """Reads an iterator in a background thread.

    Args:
        source: the iterator.
        name: of the thread.
        opening: the value of `latest` before the first item.
        take: called with each item, in the thread.

    Attributes:
        latest: the newest item.
        error: the exception that ended the source.
    """

    def __init__(
        self,
        source: Iterator[T],
        name: str,
        opening: T | None = None,
        take: Callable[[T], object] | None = None,
    ) -> None:
        self.latest = opening
        self.error: BaseException | None = None
        self._source = source
        self._take = take
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            for one in self._source:
                self.latest = one
                if self._take is not None:
                    self._take(one)
        except BaseException as error:  # raised again, or shown, by the waiting thread
            self.error = error

    def wait(self, seconds: float) -> bool:
        """Wait for the end; False after the timeout."""
        self._thread.join(seconds)
        return not self._thread.is_alive()


SUMMARY_SECONDS: Final = 0.5
"""Interval between two summaries, in seconds."""

STOP_SECONDS: Final = 1.0
"""Timeout for the player's last search when judging is closed."""


class Judging:
    """Judges the moves of a walk, one after the other.

    Args:
        walk: receives the judgements.
        make: makes the judging player, in the thread; None for the default judge.
        budget: limits on each move; None for the player's own.

    Attributes:
        player: short spec of the player; empty until it is ready.
        unit: unit of its values.
        summary: the review of the judgements so far; None before the first.
    """

    def __init__(
        self, walk: Walk, make: "Callable[[], Player] | None" = None, budget: "Budget | None" = None
    ) -> None:
        self.player = ""
        self.unit = ""
        self.summary: Review | None = None
        self._walk = walk
        self._make = make
        self._budget = budget
        self._stop: Stop | None = None
        self._closed = False
        self._summed = 0.0
        self._reading = Reading(self._judgements(), "twofold-review", take=self._take)

    @property
    def error(self) -> BaseException | None:
        """The exception that ended the thread."""
        return self._reading.error

    def close(self) -> None:
        """Stop judging."""
        self._closed = True
        if self._stop is not None:
            self._stop.raise_flag()
        self._reading.wait(STOP_SECONDS)

    # ---- the thread

    def _judgements(self) -> "Iterator[MoveJudgement]":
        with IMPORTING:
            from twofold.players import make_player, short_spec
            from twofold.review.review import default_judge, judge, unit_of
            from twofold.search.stop import Stop

            self._stop = stop = Stop()
            if self._closed:
                return
            usual = default_judge(self._walk.game.rules)
            player = make_player(usual) if self._make is None else self._make()
        with player:
            with IMPORTING:
                self.unit = unit_of(player, self._walk.game.rules)
            self.player = short_spec(player.spec)
            yield from judge(self._walk.game, player, self._budget, stop=stop)

    def _take(self, judgement: "MoveJudgement") -> None:
        from twofold.review.review import review

        self._walk.take(judgement)
        if time.monotonic() >= self._summed + SUMMARY_SECONDS or self._walk.is_judged:
            self.summary = review(self._walk.judged)
            self._summed = time.monotonic()
