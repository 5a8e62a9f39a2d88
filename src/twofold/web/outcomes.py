"""Outcomes: how games end from a position, for a player that has solved the game.

A pass over all states takes milliseconds on 2x3 and a minute or more on 3x3. It follows the
analysis in the same thread, reports progress, and ends with the time limit or the next request.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from twofold.board import Board
from twofold.errors import InvalidBoard, ResourceError
from twofold.players.base import Player
from twofold.search.stop import Stop
from twofold.web.evaluation import POINTS
from twofold.web.protocol import OutcomesReply, TileChance
from twofold.web.searches import MAX_SECONDS

if TYPE_CHECKING:
    from twofold.exact.outcomes import Outcomes
    from twofold.exact.table import ExactTable

SAY_EVERY: Final = 0.25
"""Seconds between two progress replies."""

Tell = Callable[[OutcomesReply], None]


class _Ended(Exception):
    """Cancelled, or out of time."""


def solution_of(player: Player) -> "ExactTable | None":
    """The table of a player that has solved its game; None for others."""
    if not player.compiled or player.home is None:
        return None
    from twofold.players.exact import ExactPlayer  # loads kernels

    return player.table if isinstance(player, ExactPlayer) else None


def follow(
    table: "ExactTable", board: Board, stop: Stop, tell: Tell, *, seconds: float = MAX_SECONDS
) -> None:
    """Compute how games end from a board; `tell` gets progress and the result.

    Ends early when `stop` is raised or after `seconds`.
    """
    from twofold.exact.outcomes import outcomes

    clock = _Clock(str(board), len(table), stop, tell, seconds)
    try:
        tell(reply_of(outcomes(table, board, on_progress=clock.pass_by), board))
    except _Ended:
        tell(clock.ended())
    except (InvalidBoard, ResourceError) as error:
        tell(clock.said(final=True, note=str(error)))


class _Clock:
    def __init__(self, board: str, states: int, stop: Stop, tell: Tell, seconds: float) -> None:
        self._board, self._states = board, states
        self._stop, self._tell = stop, tell
        self._seconds = seconds
        self._began = self._said = time.monotonic()
        self._first: int | None = None
        self._done = 0.0

    def ended(self) -> OutcomesReply:
        if self._stop.is_raised:
            return replace(self.said(final=True, note="stopped before the end"), reason="stopped")
        note = (
            f"not all games could be followed to their end in {self._seconds:g} s; "
            "a later board takes less"
        )
        return replace(self.said(final=True, note=note), reason="late", seconds=self._seconds)

    def pass_by(self, _layer: int, states: int) -> None:
        self._first = states if self._first is None else self._first
        self._done = (states - self._first) / max(self._states - self._first, 1)
        now = time.monotonic()
        if self._stop.is_raised or now - self._began > self._seconds:
            raise _Ended
        if now - self._said >= SAY_EVERY:
            self._said = now
            self._tell(self.said(final=False))

    def said(self, *, final: bool, note: str = "") -> OutcomesReply:
        return OutcomesReply(board=self._board, final=final, done=self._done, note=note)


def reply_of(found: "Outcomes", board: Board) -> OutcomesReply:
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
