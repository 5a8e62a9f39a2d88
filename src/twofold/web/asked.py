"""Requests that take time, an analysis, outcomes or a review, until they end or are cancelled.

Outcomes: how games end from a position, for a player that has solved the game.

A pass over all states takes milliseconds on 2x3 and a minute or more on 3x3. It follows the
analysis in the same thread, reports progress, and ends with the time limit or the next request.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from twofold.errors import InvalidBoard, ResourceError, TwofoldError
from twofold.game.board import Board
from twofold.game.notation import printable
from twofold.players.base import Player, describe
from twofold.search.analysis import Analysis
from twofold.search.budget import Stop
from twofold.web.protocol import OutcomesReply, RefusedReply, Reply, TileChance
from twofold.web.searches import MAX_SECONDS, POINTS, AnalysisOrder, Searches, reply_of

if TYPE_CHECKING:
    from twofold.tables.exact import ExactTable, Outcomes

SAY_EVERY: Final = 0.25
"""Seconds between two progress replies."""


class _Ended(Exception):
    """Cancelled, or out of time."""


def solution_of(player: Player) -> "ExactTable | None":
    """The table of a player that has solved its game; None for others."""
    if not player.compiled or player.home is None:
        return None
    from twofold.players.exact import ExactPlayer  # loads kernels

    return player.table if isinstance(player, ExactPlayer) else None


def follow(
    table: "ExactTable",
    board: Board,
    stop: Stop,
    tell: Callable[[OutcomesReply], None],
    *,
    seconds: float = MAX_SECONDS,
) -> None:
    """Compute how games end from a board; `tell` gets progress and the result.

    Ends early when `stop` is raised or after `seconds`.
    """
    from twofold.tables.exact import outcomes

    began = said = time.monotonic()
    first: int | None = None
    now = OutcomesReply(board=str(board), final=False, done=0.0)

    def pass_by(_layer: int, states: int) -> None:
        nonlocal first, now, said
        first = states if first is None else first
        now = replace(now, done=(states - first) / max(len(table) - first, 1))
        when = time.monotonic()
        if stop.is_raised or when - began > seconds:
            raise _Ended
        if when - said >= SAY_EVERY:
            said = when
            tell(now)

    try:
        tell(outcomes_reply(outcomes(table, board, on_progress=pass_by), board))
    except _Ended:
        if stop.is_raised:
            tell(replace(now, final=True, note="stopped before the end", reason="stopped"))
            return
        note = (
            f"not all games could be followed to their end in {seconds:g} s; "
            "a later board takes less"
        )
        tell(replace(now, final=True, note=note, reason="late", seconds=seconds))
    except (InvalidBoard, ResourceError) as error:
        tell(replace(now, final=True, note=str(error)))


def outcomes_reply(found: "Outcomes", board: Board) -> OutcomesReply:
    """Outcomes as a final reply."""
    reach, problem = found.reach, found.problem
    of_goal = problem.unit != POINTS
    return OutcomesReply(
        board=str(board),
        final=True,
        done=1.0,
        tiles=[TileChance(tile, chance, reach[tile]) for tile, chance in found.tiles.items()],
        moves=found.moves,
        setting=problem.setting,
        goal=problem.rules.goal if of_goal or problem.rules.stop_at_goal else 0,
        of_goal=of_goal,
        value=found.value,
    )


INTERNAL: Final = "InternalError"
"""Kind of unexpected errors."""

_MAX_TEXT: Final = 300
_LOG: Final = logging.getLogger("twofold.web")

SendReply = Callable[[Reply], None]
Work = Callable[[Stop, SendReply], None]


def refused(error: Exception, ref: int = 0) -> RefusedReply:
    """An error as a reply to request `ref`; unexpected errors are logged with a traceback."""
    if isinstance(error, TwofoldError):
        return RefusedReply(ref=ref, message=str(error), kind=type(error).__name__)
    _LOG.error("something went wrong", exc_info=error)
    text = printable(describe(error))[:_MAX_TEXT]
    return RefusedReply(
        ref=ref, message=f"something went wrong inside twofold: {text}", kind=INTERNAL
    )


class Asked:
    """A request of a page that takes time; `work` gets a flag that ends it, and sends replies.

    The replies get the number `ref` of the request; errors are sent, too.
    """

    def __init__(self, work: Work, send: SendReply, ref: int) -> None:
        self.stop: Final = Stop()
        self._work, self._send, self._ref = work, send, ref
        self._lock = threading.Lock()
        self._dropped = False

    def drop(self) -> None:
        """Stop soon, and send nothing more."""
        with self._lock:
            self._dropped = True
        self.stop.raise_flag()

    def run(self) -> None:
        """Run it in this thread."""
        if self._dropped:
            return
        try:
            self._work(self.stop, self._answer)
        except Exception as error:
            self._answer(refused(error))

    def _answer(self, reply: Reply) -> None:
        with self._lock:
            if not self._dropped:
                self._send(replace(reply, ref=self._ref))


def send_analysis(
    searches: Searches, order: AnalysisOrder, stop: Stop, send: SendReply, hints: int | None = None
) -> None:
    """Send each analysis, the last one again as final, then outcomes if requested.

    `hints` are those of the game so far.
    """

    def tell(analysis: Analysis, player: Player, final: Stop | None = None) -> None:
        home = player.home if order.at_home else None
        solved = order.outcomes and solution_of(player) is not None
        reply = reply_of(
            analysis,
            player,
            home or order.rules,
            spec=order.spec.text,
            outcomes=solved,
            final=final,
        )
        send(replace(reply, hints=hints))

    last: Analysis | None = None
    for last, player in searches.stream(order, stop):
        tell(last, player)
    if last is None:
        return
    with searches.player(order.spec, order.rules, at_home=order.at_home) as player:
        tell(last, player, final=stop)
        solved = solution_of(player) if order.outcomes else None
    if solved is not None:
        follow(solved, order.board, stop, send)
