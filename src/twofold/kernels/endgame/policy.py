"""The policy of a player with endgame tables: the move of a table, or of a search without one."""

from twofold.kernels._jit import kernel
from twofold.kernels.endgame.lookup import table_move
from twofold.kernels.intrinsics import POLICY, call_policy, u64_at
from twofold.kernels.search.context import INNER_POLICY, TABLES


@kernel(POLICY)
def table_first(bits, legal, score, draw, context):
    """The move of the first endgame table that has one, or that of the inner policy."""
    move = table_move(bits, legal, u64_at(context[TABLES]))
    if move >= 0:
        return move
    return call_policy(context[INNER_POLICY], (bits, legal, score, draw, context))
