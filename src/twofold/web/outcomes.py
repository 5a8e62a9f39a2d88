"""Outcomes: how games end from a position, where the player that is asked has solved the game.

All states that may follow are passed once: in milliseconds on 2x3, in up to a minute and more on
3x3. So it comes after the analysis, in its thread, says how far it is, and ends with the time
that any analysis may take, or as soon as its page asks for something else.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from twofold.board import Board
from twofold.errors import InvalidBoard, ResourceError
from twofold.players.base import Player
from twofold.search.stop import Stop
from twofold.web.protocol import OutcomesReply, TileChance
from twofold.web.searches import MAX_SECONDS

if TYPE_CHECKING:
    from twofold.exact.outcomes import Outcomes
    from twofold.exact.table import ExactTable

SAY_EVERY: Final = 0.25
"""Seconds between two replies that say how far it is."""

Tell = Callable[[OutcomesReply], None]


class _Ended(Exception):
    """Nobody waits any more, or the time is over."""


def solution_of(player: Player) -> "ExactTable | None":
    """The table of a player that has solved its game."""
    if not player.compiled or player.home is None:
        return None
    from twofold.players.exact import ExactPlayer  # loads kernels

    return player.table if isinstance(player, ExactPlayer) else None


def follow(
    table: "ExactTable", board: Board, stop: Stop, tell: Tell, *, seconds: float = MAX_SECONDS
) -> None:
    """Find how games end from a board, and tell it.

    Args:
        table: the solved game.
        board: where games go on from.
        stop: ends it.
        tell: takes a reply, now and then and at the end.
        seconds: longest time.
    """
    from twofold.exact.outcomes import outcomes

    clock = _Clock(str(board), len(table), stop, tell, seconds)
    try:
        tell(reply_of(outcomes(table, board, on_progress=clock.pass_by), board))
    except _Ended:
        tell(clock.said(final=True, note=clock.why))
    except (InvalidBoard, ResourceError) as error:
        tell(clock.said(final=True, note=str(error)))


class _Clock:
    """Says how far it is, and when to end."""

    def __init__(self, board: str, states: int, stop: Stop, tell: Tell, seconds: float) -> None:
        self._board, self._states = board, states
        self._stop, self._tell = stop, tell
        self._seconds = seconds
        self._began = self._said = time.monotonic()
        self._first: int | None = None
        self._done = 0.0

    @property
    def why(self) -> str:
        """Why it ended early."""
        if self._stop.is_raised:
            return "stopped before the end"
        return (
            f"not all games could be followed to their end in {self._seconds:g} s; "
            "a later board takes less"
        )

    def pass_by(self, _layer: int, states: int) -> None:
        """Take note of how many states lie behind."""
        self._first = states if self._first is None else self._first
        self._done = (states - self._first) / max(self._states - self._first, 1)
        now = time.monotonic()
        if self._stop.is_raised or now - self._began > self._seconds:
            raise _Ended
        if now - self._said >= SAY_EVERY:
            self._said = now
            self._tell(self.said(final=False))

    def said(self, *, final: bool, note: str = "") -> OutcomesReply:
        """How far it is."""
        return OutcomesReply(board=self._board, final=final, done=self._done, note=note)


def reply_of(found: "Outcomes", board: Board) -> OutcomesReply:
    """Outcomes as they are sent."""
    reach = found.reach
    return OutcomesReply(
        board=str(board),
        final=True,
        done=1.0,
        tiles=[TileChance(tile, chance, reach[tile]) for tile, chance in found.tiles.items()],
        moves=found.moves,
        problem=str(found.problem),
        worth=found.worth,
    )
