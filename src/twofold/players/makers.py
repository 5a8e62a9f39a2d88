"""Makes the registered players from the values of their keys. Loads kernels; `presets` does not."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from twofold.game.rules import Move
from twofold.players.base import Player
from twofold.players.keys import DEFAULT_DEPTH, DEFAULT_PLY, Late, evaluator
from twofold.players.searching import ExpectimaxPlayer, RelayPlayer, SearchPlayer
from twofold.search.budget import Budget
from twofold.search.depth import Depth
from twofold.values.evaluator import Evaluator
from twofold.values.rows import BAELDUNG, CLUSTERING, ORDERED, QUICK_WEIGHTS, ROWS

if TYPE_CHECKING:
    from twofold.tables.library import EndgameTables


def expectimax(eval: Any, **keys: Any) -> Player:  # noqa: A002 - a key's name
    """Make `expectimax`."""
    return _searching(_weighted(eval, keys), **keys)


def _weighted(evaluator: Evaluator, keys: dict[str, Any]) -> Evaluator:
    """The evaluator with the weights among some keys, which are taken out of them."""
    return evaluator.reweighted({name: keys.pop(name) for name in evaluator.weight_keys})


def ntuple(
    net: str,
    ply: Depth | None,
    time: float | None,
    nodes: int | None,
    tables: "EndgameTables | None",
    late: Late | None,
    **more: Any,
) -> Player:
    """Make `ntuple`."""
    from twofold.values.network import network_evaluator
    from twofold.values.network_file import load_network

    evaluator = network_evaluator(load_network(net))
    if late is None:
        return _searching(evaluator, ply, time, nodes, tables=tables, **more)
    without_walls, walls = (tables and tables.with_walls(walls) for walls in (False, True))
    return RelayPlayer(
        _searching(evaluator, ply, time, nodes, tables=without_walls, **more),
        _searching(
            ORDERED, late.ply, time, nodes,
            cut=2.0 ** -(late.ply.deepest + 3), tables=walls, table_mb=more["table_mb"],
        ),
        late.tile_sum,
    )  # fmt: skip


def _searching(
    evaluator: Evaluator, ply: Depth | None, time: float | None, nodes: int | None, **more: Any
) -> ExpectimaxPlayer:
    """Expectimax, to `DEFAULT_PLY` if nothing limits it."""
    depth = ply or Depth.fixed(DEFAULT_PLY)
    return ExpectimaxPlayer(evaluator, depth, _budget(ply, time, nodes), **more)


def _budget(ply: Depth | None, time: float | None, nodes: int | None) -> Budget | None:
    """The limits of a spec; a depth is a limit only beside time or nodes."""
    if time is None and nodes is None:
        return None
    return Budget(ply=None if ply is None else ply.fixed_ply, seconds=time, nodes=nodes)


def policy(net: str, ply: int | None, share: float, tables: "EndgameTables | None") -> Player:
    """Make `policy`."""
    from twofold.players.policy import PolicyPlayer
    from twofold.values.policy_network import load_policy, named_policy

    return PolicyPlayer(load_policy(named_policy(net)), ply or 0, share=share, tables=tables)


def exact(table: str) -> Player:
    """Make `exact`."""
    from twofold.players.exact import ExactPlayer, find_table

    return ExactPlayer(find_table(table))


def two_player(
    prunes: bool,
    eval: Any,  # noqa: A002
    depth: int | None,
    table_mb: int = 0,
    **keys: Any,
) -> Player:
    """Make `alphabeta` or `minimax`."""
    from twofold.search.alphabeta import AlphaBeta

    ply = None if depth is None else Depth.fixed((depth + 1) // 2)
    half_moves, evaluator = depth or DEFAULT_DEPTH, _weighted(eval, keys)
    return SearchPlayer(
        evaluator,
        lambda rules: AlphaBeta(evaluator, rules, half_moves, prunes=prunes, table_mb=table_mb),
        _budget(ply, **keys),
    )


def nneonneo(ply: Depth, **more: Any) -> Player:
    """Make `nneonneo`."""
    order = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)  # the order of nneonneo
    return ExpectimaxPlayer(ROWS, ply, order=order, **more)


def quick(ply: Depth, table_mb: int) -> Player:
    """Make `quick`."""
    return ExpectimaxPlayer(ROWS.reweighted(QUICK_WEIGHTS), ply, table_mb=table_mb)


def baeldung(prune: bool, threads: int) -> Player:
    """Make `baeldung`."""
    from twofold.search.alphabeta import Summed

    used = min(threads, len(Move))
    return SearchPlayer(BAELDUNG, lambda rules: Summed(BAELDUNG, rules, prunes=prune, threads=used))


def datumbox(search: bool, depth: int) -> Player:
    """Make `datumbox`."""
    from twofold.search.alphabeta import AlphaBeta

    options = {"prunes": search, "wins_at_goal": True, "dead_is_score": True}
    return SearchPlayer(CLUSTERING, lambda rules: AlphaBeta(CLUSTERING, rules, depth, **options))


def it3105(name: str, layers: bool, depth: int, table_mb: int) -> Player:
    # A layer of moves and one of spawns are one ply of an evaluator of states.
    """Make one of the players `it3105-`."""
    plies = Depth.few(depth // 2, few=4, few_ply=depth // 2 + 1)
    return ExpectimaxPlayer(evaluator(name), plies, second_move=layers, table_mb=table_mb)


def engine(
    cmd: Sequence[str],
    options: Mapping[str, str],
    ply: int | None,
    time: float | None,
    nodes: int | None,
    timeout: float,
) -> Player:
    """Make `engine`."""
    from twofold.players.engine.client import EnginePlayer

    limits = Budget(ply=ply, seconds=time, nodes=nodes)
    return EnginePlayer(cmd, limits, timeout=timeout, options=options)
