"""Asked: what a page waits for, an analysis or a review, until it wants something else."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from twofold.search.stop import Stop
from twofold.web.evaluation import reply_of
from twofold.web.outcomes import follow, solution_of
from twofold.web.protocol import AnalysisReply, OutcomesReply, Reply
from twofold.web.refusals import refused
from twofold.web.searches import AnalysisOrder, Searches

if TYPE_CHECKING:
    from twofold.exact.table import ExactTable

Send = Callable[[Reply], None]


class Asked(ABC):
    """Something that takes time and sends replies on the way.

    Args:
        send: takes replies.
        ref: the number that they carry.
    """

    def __init__(self, send: Send, ref: int) -> None:
        self.stop = Stop()
        self._send = send
        self._ref = ref
        self._lock = threading.Lock()
        self._dropped = False

    def finish(self) -> None:
        """End soon, with what there is by then."""
        self.stop.raise_flag()

    def drop(self) -> None:
        """End soon, and send nothing from now on."""
        with self._lock:
            self._dropped = True
        self.stop.raise_flag()

    @property
    def is_dropped(self) -> bool:
        """Whether nobody waits any more."""
        return self._dropped

    def run(self) -> None:
        """Do it, in a thread; what goes wrong is sent."""
        if self._dropped:
            return
        try:
            self.answer()
        except Exception as error:
            self.send(refused(error, self._ref))

    @abstractmethod
    def answer(self) -> None:
        """Do it; may raise anything."""

    def send(self, reply: Reply) -> None:
        """Send a reply if somebody waits."""
        with self._lock:
            if not self._dropped:
                self._send(reply)


class AskedAnalysis(Asked):
    """An analysis that a page waits for.

    Args:
        searches: where it is done.
        order: what is asked.
        send: takes replies.
        ref: the number that they carry.
    """

    def __init__(self, searches: Searches, order: AnalysisOrder, send: Send, ref: int) -> None:
        super().__init__(send, ref)
        self._searches = searches
        self._order = order

    def answer(self) -> None:
        """Send every analysis, the last one again as the final one, and outcomes if wanted."""
        last: AnalysisReply | None = None
        solved: ExactTable | None = None
        for analysis, player in self._searches.stream(self._order, self.stop):
            if self._dropped:
                return
            solved = solution_of(player) if self._order.outcomes else None
            last = reply_of(
                analysis,
                player,
                spec=self._order.spec,
                ref=self._ref,
                outcomes=solved is not None,
            )
            self.send(last)
        if last is not None:
            self.send(msgspec.structs.replace(last, final=True))
        if solved is not None:
            follow(solved, self._order.board, self.stop, self._send_outcomes)

    def _send_outcomes(self, reply: OutcomesReply) -> None:
        self.send(msgspec.structs.replace(reply, ref=self._ref))
