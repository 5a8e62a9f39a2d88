"""Move values only, without the principal variation: faster than an analysis."""

import sys
from typing import TYPE_CHECKING

from twofold.board import Board
from twofold.players.base import Player, check_going
from twofold.rules import Move
from twofold.search.budget import Budget
from twofold.search.stop import Stop

if TYPE_CHECKING:
    from twofold.players.searching import SearchPlayer
    from twofold.search.base import Search


def values_of(
    player: Player, board: Board, score: int, budget: Budget, stop: Stop
) -> dict[Move, float] | None:
    """The values of the legal moves; None if `stop` ended the search.

    An empty budget stands for the player's limits. The player is started for the rules. Moves that
    a policy network left out count at most as much as its best one: their values are not trusted.
    """
    if (searching := searching_of(player.part_for(board))) is not None:
        limits = searching.budget if budget == Budget() else budget
        if limits.seconds is None and limits.nodes is None:
            return _searched(searching.search, board, score, limits.ply, stop)
    found = player.analyse(board, budget, score=score, stop=stop)
    if stop.is_raised:
        return None
    values = {one.move: one.value for one in found.moves if one.value is not None}
    if found.critic is None or found.value is None:
        return values
    return {move: min(value, found.value) for move, value in values.items()}


def searching_of(player: Player) -> "SearchPlayer | None":
    """The player if it searches, else None, without importing the searches."""
    module = sys.modules.get("twofold.players.searching")
    return player if module is not None and isinstance(player, module.SearchPlayer) else None


def _searched(
    search: "Search", board: Board, score: int, ply: int | None, stop: Stop
) -> dict[Move, float] | None:
    position = search.position(board)
    depth = search.own_depth(board) if ply is None else search.depth_of(ply)
    search.begin(afresh=True)
    search.limit_nodes(None)
    try:
        with stop.over([context.words for context in search.contexts]):
            values = search.values(position, score, check_going(board), depth)
        return None if search.gave_up() else {move: one.value for move, one in values.items()}
    finally:
        search.end()
