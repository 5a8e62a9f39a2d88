"""Requests that take time, an analysis or a review, until they end or the page cancels them."""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec

from twofold.errors import TwofoldError
from twofold.notation import printable
from twofold.players.faults import describe
from twofold.search.stop import Stop
from twofold.web.evaluation import reply_of
from twofold.web.outcomes import follow, solution_of
from twofold.web.protocol import AnalysisReply, OutcomesReply, RefusedReply, Reply
from twofold.web.searches import AnalysisOrder, Searches

if TYPE_CHECKING:
    from twofold.exact.table import ExactTable

INTERNAL: Final = "InternalError"
"""Kind of unexpected errors."""

_MAX_TEXT: Final = 300
_LOG: Final = logging.getLogger("twofold.web")

Send = Callable[[Reply], None]


def refused(error: Exception, ref: int = 0) -> RefusedReply:
    """An error as a reply to request `ref`; unexpected errors are logged with a traceback."""
    if isinstance(error, TwofoldError):
        return RefusedReply(ref=ref, message=str(error), kind=type(error).__name__)
    _LOG.error("something went wrong", exc_info=error)
    text = printable(describe(error))[:_MAX_TEXT]
    return RefusedReply(
        ref=ref, message=f"something went wrong inside twofold: {text}", kind=INTERNAL
    )


class Asked(ABC):
    """A request that takes time and sends replies with the number `ref`."""

    def __init__(self, send: Send, ref: int) -> None:
        self.stop = Stop()
        self._send = send
        self._ref = ref
        self._lock = threading.Lock()
        self._dropped = False

    def finish(self) -> None:
        """Stop soon, and send the result found so far."""
        self.stop.raise_flag()

    def drop(self) -> None:
        """Stop soon, and send nothing more."""
        with self._lock:
            self._dropped = True
        self.stop.raise_flag()

    def run(self) -> None:
        """Run it in this thread; errors are sent."""
        if self._dropped:
            return
        try:
            self.answer()
        except Exception as error:
            self.send(refused(error, self._ref))

    @abstractmethod
    def answer(self) -> None:
        """Compute the replies and send them; may raise any exception."""

    def send(self, reply: Reply) -> None:
        """Send a reply, unless the request is dropped."""
        with self._lock:
            if not self._dropped:
                self._send(reply)


class AskedAnalysis(Asked):
    """An analysis that a page requested; `hints` are those of its game so far."""

    def __init__(
        self,
        searches: Searches,
        order: AnalysisOrder,
        send: Send,
        ref: int,
        hints: int | None = None,
    ) -> None:
        super().__init__(send, ref)
        self._hints = hints
        self._searches = searches
        self._order = order

    def answer(self) -> None:
        """Send each analysis, the last one again as final, then outcomes if requested."""
        last: AnalysisReply | None = None
        solved: ExactTable | None = None
        for analysis, player in self._searches.stream(self._order, self.stop):
            if self._dropped:
                return
            solved = solution_of(player) if self._order.outcomes else None
            last = reply_of(
                analysis, player, spec=self._order.spec, ref=self._ref, outcomes=solved is not None
            )
            last = msgspec.structs.replace(last, hints=self._hints)
            self.send(last)
        if last is not None:
            self.send(msgspec.structs.replace(last, final=True))
        if solved is not None:

            def send(reply: OutcomesReply) -> None:
                self.send(msgspec.structs.replace(reply, ref=self._ref))

            follow(solved, self._order.board, self.stop, send)
