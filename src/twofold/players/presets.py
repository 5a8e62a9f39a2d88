"""The players that a spec can name, with their keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from twofold.endgame.folder import AUTO, NONE, files_in, tables_folder
from twofold.endgame.pattern import suits
from twofold.engine.spec import hash_of_files, parse_command_words, parse_option_words
from twofold.errors import InvalidSpec
from twofold.limits import BITS_MAX_SIDE, MAX_DEPTH, MAX_DOWNGRADE, MAX_PLY, MIN_DOWNGRADE
from twofold.notation import format_spec, parse_spec
from twofold.players.base import Player
from twofold.players.entry import Entry, Key
from twofold.players.keys import (
    ALPHABETA_KEYS,
    CUT,
    EVAL,
    LAYERS,
    NODES,
    PLY,
    TABLE_MB,
    TABLES,
    THREADS,
    TIME,
    TWO_PLAYER_KEYS,
    Choice,
    cut,
    evaluator,
    even_depth,
    node_count,
    optional,
    whole,
)
from twofold.rules import Move, Rules
from twofold.search.budget import Budget, parse_seconds
from twofold.search.depth import BY_TILES, Depth

if TYPE_CHECKING:
    from twofold.endgame.table import EndgameTables
    from twofold.evaluators.base import Evaluator

DEFAULT_PLAYER: Final = "ntuple:net=default,ply=3"
"""Who plays where no player is named, on 4x4."""

DEFAULT_PLAYER_SMALL: Final = "expectimax:eval=rows,ply=6,cut=0.003"
"""Who does on smaller boards, for which no network is shipped."""

DEFAULT_PLAYER_LARGE: Final = "expectimax:eval=rows,ply=4/3@7"
"""Who does on larger ones: most moves take less than 50 ms on 5x5 and 6x6."""

DOWNGRADE: Final = 24_576
"""Sum of different tiles from which on players with a network downgrade where none is named."""

DEFAULT_PLY: Final = 3
"""Depth of `expectimax` where nothing limits it."""

DEFAULT_DEPTH: Final = 5
"""Depth of `alphabeta` and `minimax` where nothing limits it, in half-moves."""

DEFAULT_NETWORK: Final = "default"
"""The network that `ntuple` plays with where none is named."""

NTUPLE: Final = "Szubert and Jaskowski 2014; Guei, Chen and Wu 2021"
BAELDUNG_URL: Final = "Baeldung, An Algorithm to solve 2048"
DATUMBOX_URL: Final = "Datumbox, Using Artificial Intelligence to solve the 2048 Game"
NNEONNEO: Final = "nneonneo/2048-ai, MIT licence"
IT3105: Final = "IT3105 report, Expectimax for 2048"


def default_player(rules: Rules) -> str:
    """The spec of the player where a person watches or asks and names none.

    On 4x4 it plays with the endgame tables that are built on this machine, by name.
    """
    if rules.shape == (4, 4):
        return _with_tables(DEFAULT_PLAYER, rules)
    return DEFAULT_PLAYER_SMALL if max(rules.shape) <= BITS_MAX_SIDE else DEFAULT_PLAYER_LARGE


def _with_tables(spec: str, rules: Rules) -> str:
    """The spec with the endgame tables that are built here, if they are for these rules."""
    if not (suits(rules) and files_in(tables_folder())):
        return spec  # without loading any kernel
    from twofold.endgame.named import settled_tables

    tables, parsed = settled_tables(AUTO, rules), parse_spec(spec)
    return spec if tables == NONE else format_spec(parsed.name, parsed.values | {"tables": tables})


def _random() -> Player:
    from twofold.players.simple import RandomPlayer

    return RandomPlayer()


def _greedy() -> Player:
    from twofold.players.simple import GreedyPlayer

    return GreedyPlayer()


def _corner() -> Player:
    from twofold.players.simple import CornerPlayer

    return CornerPlayer()


def _expectimax(
    eval: Any,  # noqa: A002 - a key's name
    ply: Depth | None,
    cut: float,
    time: float | None,
    nodes: int | None,
    table_mb: int,
    threads: int,
    prune: bool,
    tables: "EndgameTables | None",
    **weights: float,
) -> Player:
    return _searching(
        eval.reweighted(weights),
        ply,
        time,
        nodes,
        cut=cut,
        table_mb=table_mb,
        threads=threads,
        prune=prune,
        tables=tables,
    )


def _ntuple(
    net: str, ply: Depth | None, time: float | None, nodes: int | None, **more: Any
) -> Player:
    from twofold.evaluators.ntuple import network_evaluator
    from twofold.networks.library import load_network

    return _searching(network_evaluator(load_network(net)), ply, time, nodes, **more)


def _searching(
    evaluator: "Evaluator",
    ply: Depth | None,
    time: float | None,
    nodes: int | None,
    **more: Any,
) -> Player:
    """Expectimax, as deep as usual where nothing limits it."""
    from twofold.players.searching import ExpectimaxPlayer

    depth = ply or Depth.fixed(DEFAULT_PLY)
    return ExpectimaxPlayer(evaluator, depth, _budget(ply, time, nodes), **more)


def _exact(table: str) -> Player:
    from twofold.players.exact import ExactPlayer, find_table

    return ExactPlayer(find_table(table))


def _budget(ply: Depth | None, time: float | None, nodes: int | None) -> Budget | None:
    """The limits of a spec; a depth is one only together with a limit of time or nodes."""
    if time is None and nodes is None:
        return None
    return Budget(ply=None if ply is None else ply.fixed_ply, seconds=time, nodes=nodes)


def _two_player(prunes: bool) -> Callable[..., Player]:
    def make(
        eval: Any,  # noqa: A002
        depth: int | None,
        time: float | None,
        nodes: int | None,
        table_mb: int = 0,
        **weights: float,
    ) -> Player:
        from twofold.players.searching import AlphaBetaPlayer

        return AlphaBetaPlayer(
            eval.reweighted(weights),
            depth or DEFAULT_DEPTH,
            _budget(None if depth is None else Depth.fixed((depth + 1) // 2), time, nodes),
            prunes=prunes,
            table_mb=table_mb,
        )

    return make


def _nneonneo(ply: Depth, **more: Any) -> Player:
    from twofold.players.searching import ExpectimaxPlayer

    order = (Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT)  # as there
    return ExpectimaxPlayer(evaluator("rows"), ply, order=order, **more)


def _quick(ply: Depth, table_mb: int) -> Player:
    from twofold.evaluators.rows import QUICK_WEIGHTS, ROWS
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(ROWS.reweighted(QUICK_WEIGHTS), ply, table_mb=table_mb)


def _baeldung(prune: bool, threads: int) -> Player:
    from twofold.players.searching import SummedPlayer

    return SummedPlayer(evaluator("baeldung"), prunes=prune, threads=threads)


def _datumbox(search: bool, depth: int) -> Player:
    from twofold.players.searching import AlphaBetaPlayer

    return AlphaBetaPlayer(
        evaluator("clustering"), depth, prunes=search, wins_at_goal=True, dead_is_score=True
    )


def _it3105(name: str) -> Callable[..., Player]:
    def make(layers: bool, depth: int, table_mb: int) -> Player:
        from twofold.players.searching import ExpectimaxPlayer

        # Two layers, a move and a spawn, are one ply of an evaluator that values states.
        return ExpectimaxPlayer(
            evaluator(name),
            Depth.few(depth // 2, few=4, few_ply=depth // 2 + 1),
            second_move=layers,
            table_mb=table_mb,
        )

    return make


def _engine(
    cmd: Sequence[str],
    options: Mapping[str, str],
    ply: int | None,
    time: float | None,
    nodes: int | None,
    timeout: float,
) -> Player:
    from twofold.engine.player import EnginePlayer

    limits = Budget(ply=ply, seconds=time, nodes=nodes)
    return EnginePlayer(cmd, limits, timeout=timeout, options=options)


def _table_hash(path: str) -> str:
    from twofold.players.exact import table_hash

    return table_hash(path)


def _network_hash(name: str) -> str:
    from twofold.networks.library import network_hash

    return network_hash(name)


def _downgrade(text: str) -> int:
    value = 0 if text == "0" else whole("downgrade", MIN_DOWNGRADE, MAX_DOWNGRADE)(text)
    if value % 2:
        raise InvalidSpec(f"expected downgrade as a sum of tiles, got {value}")
    return value


PRESETS: Final = (
    Entry("random", "any legal move, with equal chances", _random),
    Entry("greedy", "the move with the largest reward", _greedy),
    Entry("corner", "down or left; right or up only when forced", _corner),
    Entry(
        "expectimax",
        "best on average over the spawns",
        _expectimax,
        {
            "eval": EVAL,
            "ply": PLY,
            "cut": CUT,
            "time": TIME,
            "nodes": NODES,
            "table_mb": TABLE_MB,
            "threads": THREADS,
            "prune": Key(
                "none",
                "star1: do not search spawns that can change no move; pays from 4 plies on",
                Choice("prune", {"none": False, "star1": True}),
            ),
            "tables": TABLES,
        },
    ),
    Entry(
        "ntuple",
        "expectimax with an n-tuple network: what it has learnt from games",
        _ntuple,
        {
            "net": Key(
                DEFAULT_NETWORK,
                "network, by name or as a file",
                hash_of=_network_hash,
            ),
            "ply": PLY,
            "cut": CUT,
            "time": TIME,
            "nodes": NODES,
            "table_mb": TABLE_MB,
            "threads": THREADS,
            "downgrade": Key(
                str(DOWNGRADE),
                "halve large tiles once the different tiles sum to this; 0 for never",
                _downgrade,
            ),
            "tables": TABLES,
        },
        source=NTUPLE,
    ),
    Entry("minimax", "best against the worst spawns", _two_player(False), TWO_PLAYER_KEYS),
    Entry("alphabeta", "minimax with pruning", _two_player(True), ALPHABETA_KEYS),
    Entry(
        "exact",
        "optimal play of a small game, by a table that `twofold solve` makes",
        _exact,
        {"table": Key("", "file of the table; it has no default", hash_of=_table_hash)},
        has_home=True,
    ),
    Entry(
        "quick",
        "expectimax that sees little ahead, with weights tuned for that",
        _quick,
        {"ply": Key("3", "depth in plies, as for expectimax", Depth.parse), "table_mb": TABLE_MB},
    ),
    Entry(
        "nneonneo",
        "expectimax as deep as there are different tiles, cut by probability",
        _nneonneo,
        {
            "ply": Key(BY_TILES, "depth in plies, as for expectimax", Depth.parse),
            "cut": Key("0.0001", CUT.help, cut),
            "table_mb": TABLE_MB,
            "threads": THREADS,
            "tables": TABLES,
        },
        source=NNEONNEO,
    ),
    Entry(
        "baeldung",
        "sums over spawns, four plies, empty cells and order of lines",
        _baeldung,
        {
            "prune": Key(
                "yes",
                "leave out moves that change nothing",
                Choice("prune", {"yes": True, "no": False}),
            ),
            "threads": THREADS,
        },
        source=BAELDUNG_URL,
    ),
    Entry(
        "datumbox",
        "alpha-beta against hurting spawns, score and clustering",
        _datumbox,
        {
            "search": Key(
                "alphabeta",
                "alphabeta or minimax; both make the same move",
                Choice("search", {"alphabeta": True, "minimax": False}),
            ),
            "depth": Key("7", "depth in half-moves", whole("depth", 1, MAX_DEPTH)),
        },
        source=DATUMBOX_URL,
    ),
    *(
        Entry(
            f"it3105-{matrix}",
            f"expectimax of 6 layers, 8 on nearly full boards, {matrix} weights",
            _it3105(f"it3105-{matrix}"),
            {
                "layers": LAYERS,
                "depth": Key("6", "layers of the search, even", even_depth),
                "table_mb": TABLE_MB,
            },
            source=IT3105,
        )
        for matrix in ("snake", "gradient")
    ),
    Entry(
        "engine",
        "another program that speaks the engine protocol",
        _engine,
        {
            "cmd": Key(
                "",
                'its command; quote it: cmd="python my.py"',
                parse_command_words,
                hash_of=hash_of_files,
                names_code=lambda _command: True,
            ),
            "options": Key("", "its own options: depth=4 style=calm", parse_option_words),
            "ply": Key(
                "none",
                "depth in plies; none for its own",
                optional(whole("ply", 1, MAX_PLY), "none"),
            ),
            "time": Key("none", "time a move, such as 50ms", optional(parse_seconds, "none")),
            "nodes": Key("none", "positions a move, such as 1e6", optional(node_count, "none")),
            "timeout": Key(
                "60", "seconds of silence, beyond time, until it is started again", parse_seconds
            ),
        },
    ),
)
"""Every player that a spec can name."""
