"""The chance of the next large tile: a question that a page asks again and again, and may stop."""

from typing import Annotated, Final

import msgspec

from twofold.game.board import Board
from twofold.games.chances import Chance, next_large_tile, play_on, player_for
from twofold.players.base import check_going
from twofold.search.budget import Stop
from twofold.web.operations import Operation, operation, operations_of
from twofold.web.protocol import Text as Short
from twofold.web.searches import Searches, rules_for

GAMES: Final = 1_000
"""Number of games; the interval of a share is then at most 3 % wide on each side."""

STEP: Final = 100
"""Most games of one reply."""

SECONDS: Final = 0.4
"""Time of one reply, and one more batch of games."""


class ChanceBody(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A position, and the games counted so far.

    Attributes:
        rules: empty for standard rules on a board of that shape.
        games, reached: those of the reply before; 0 at first.
    """

    board: Short
    rules: Short = ""
    games: Annotated[int, msgspec.Meta(ge=0, le=GAMES)] = 0
    reached: Annotated[int, msgspec.Meta(ge=0, le=GAMES)] = 0


class ChanceReply(msgspec.Struct, frozen=True):
    """The chance of a tile: `reached` of `games`, with the 95 % interval of the share.

    Attributes:
        player: spec of the player of the games.
        done: true if these are enough games.
    """

    tile: int
    games: int
    reached: int
    low: float | None
    high: float | None
    player: str
    done: bool


def chance_operations(searches: Searches) -> list[Operation]:
    """The operation."""
    return operations_of(_Chances(searches))


class _Chances:
    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    @operation("POST /api/chance", at_once=1, examples=[{"board": "0012/0024/0147/259a"}])
    def chance(self, body: ChanceBody, stop: Stop) -> ChanceReply:
        """The chance of the next large tile, from more games of a fast player."""
        board = Board.parse(body.board)
        check_going(board)
        rules = rules_for(board, body.rules)
        tile, spec = next_large_tile(board, rules), player_for(rules)
        now = Chance(tile, body.games, min(body.reached, body.games))
        with self._searches.player(spec, rules) as player:
            now = play_on(
                player,
                board,
                rules,
                tile,
                games=min(now.games + STEP, GAMES),
                seconds=SECONDS,
                before=now,
                stop=lambda: stop.is_raised,
            )
        found = now.interval
        return ChanceReply(
            tile,
            now.games,
            now.reached,
            found.low,
            found.high,
            spec.text,
            done=now.games >= GAMES or stop.is_raised,
        )
