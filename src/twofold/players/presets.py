"""The players that a spec can name, with their keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.limits import (
    BITS_MAX_SIDE,
    MAX_DEPTH,
    MAX_DOWNGRADE,
    MAX_JOBS,
    MAX_PLY,
    MAX_TABLE_MB,
    MIN_DOWNGRADE,
    check_limit,
)
from twofold.notation import format_number, parse_number, shown
from twofold.players.base import Player
from twofold.players.engine_spec import (
    hash_of_files,
    parse_command_words,
    parse_option_words,
)
from twofold.players.registry import Entry, Key, load_object, register
from twofold.rules import Move, Rules
from twofold.search.budget import Budget, parse_seconds
from twofold.search.depth import BY_TILES, Depth

DEFAULT_PLAYER: Final = "ntuple:net=default,ply=3"
"""Who plays where no player is named, on 4x4."""

DEFAULT_PLAYER_SMALL: Final = "expectimax:eval=rows,ply=6,cut=0.003"
"""Who does on smaller boards, for which no network is shipped."""

DEFAULT_PLAYER_LARGE: Final = "expectimax:eval=rows,ply=4/3@7"
"""Who does on larger ones: most moves take less than 50 ms on 5x5 and 6x6."""

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
    """The spec of the player where none is named."""
    if rules.shape == (4, 4):
        return DEFAULT_PLAYER
    return DEFAULT_PLAYER_SMALL if max(rules.shape) <= BITS_MAX_SIDE else DEFAULT_PLAYER_LARGE


def _whole(name: str, low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 12):
            raise InvalidSpec(f"expected {name} as a whole number, got {shown(text)}")
        return check_limit(name, int(text), low, high)

    return parse


def _choice(name: str, values: dict[str, Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        if text not in values:
            raise InvalidSpec(f"expected {name}= and one of {', '.join(values)}, got {shown(text)}")
        return values[text]

    return parse


def _evaluator(text: str) -> Any:
    from twofold.evaluators import Evaluator, find_evaluator

    if ":" not in text:
        return find_evaluator(text)
    found = load_object(text)
    if not isinstance(found, Evaluator):
        raise InvalidSpec(f"expected an Evaluator, got {shown(text)}")
    return found


def _weight(name: str, weight: Any) -> Key:
    def parse(text: str) -> float:
        value: float = weight.at(name, parse_number(text, name, InvalidSpec)).value
        return value

    return Key(format_number(weight.value), weight.help, parse)


def _weights(evaluator: Any) -> Mapping[str, Key]:
    """A key for each weight of an evaluator."""
    return {name: _weight(name, weight) for name, weight in evaluator.weight_keys.items()}


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
    **weights: float,
) -> Player:
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(
        eval.reweighted(weights),
        ply or Depth.fixed(DEFAULT_PLY),
        _budget(ply, time, nodes),
        cut=cut,
        table_mb=table_mb,
        threads=threads,
        prune=prune,
    )


def _ntuple(
    net: str,
    ply: Depth | None,
    cut: float,
    time: float | None,
    nodes: int | None,
    table_mb: int,
    threads: int,
    downgrade: int,
) -> Player:
    from twofold.evaluators.network import network_evaluator
    from twofold.players.networks import find_network
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(
        network_evaluator(find_network(net)),
        ply or Depth.fixed(DEFAULT_PLY),
        _budget(ply, time, nodes),
        cut=cut,
        table_mb=table_mb,
        threads=threads,
        downgrade=downgrade,
    )


def _exact(table: str) -> Player:
    from twofold.players.exact import ExactPlayer, find_table

    return ExactPlayer(find_table(table))


def _table_hash(path: str) -> str:
    from twofold.players.exact import table_hash

    return table_hash(path)


def _network_hash(name: str) -> str:
    from twofold.evaluators.library import network_hash

    return network_hash(name)


def _downgrade(text: str) -> int:
    value = 0 if text == "0" else _whole("downgrade", MIN_DOWNGRADE, MAX_DOWNGRADE)(text)
    if value % 2:
        raise InvalidSpec(f"expected downgrade as a sum of tiles, got {value}")
    return value


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


def _nneonneo(ply: Depth, cut: float, table_mb: int, threads: int) -> Player:
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(
        _evaluator("rows"),
        ply,
        cut=cut,
        table_mb=table_mb,
        threads=threads,
        order=(Move.UP, Move.DOWN, Move.LEFT, Move.RIGHT),  # as there
    )


def _quick(ply: Depth, table_mb: int) -> Player:
    from twofold.evaluators.rows import QUICK_WEIGHTS, ROWS
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(ROWS.reweighted(QUICK_WEIGHTS), ply, table_mb=table_mb)


def _baeldung(prune: bool, threads: int) -> Player:
    from twofold.players.searching import SummedPlayer

    return SummedPlayer(_evaluator("baeldung"), prunes=prune, threads=threads)


def _datumbox(search: bool, depth: int) -> Player:
    from twofold.players.searching import AlphaBetaPlayer

    evaluator = _evaluator("clustering")
    return AlphaBetaPlayer(evaluator, depth, prunes=search, wins_at_goal=True, dead_is_score=True)


def _it3105(name: str) -> Callable[..., Player]:
    def make(layers: bool, depth: int, table_mb: int) -> Player:
        from twofold.players.searching import ExpectimaxPlayer

        # Two layers, a move and a spawn, are one ply of an evaluator that values states.
        return ExpectimaxPlayer(
            _evaluator(name),
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
    from twofold.players.engine import EnginePlayer

    limits = Budget(ply=ply, seconds=time, nodes=nodes)
    return EnginePlayer(cmd, limits, timeout=timeout, options=options)


def _even_depth(text: str) -> int:
    depth = _whole("depth", 2, 2 * MAX_PLY - 2)(text)
    if depth % 2:
        raise InvalidSpec(f"expected an even depth, got {depth}")
    return depth


def _optional(parse: Callable[[str], Any], word: str) -> Callable[[str], Any]:
    """A key that may also hold a word, which stands for None."""
    return lambda text: None if text == word else parse(text)


def _node_count(text: str) -> int | None:
    return Budget.parse(f"nodes={text}").nodes


def _cut(text: str) -> float:
    value = parse_number(text, "cut", InvalidSpec)
    if not 0 <= value < 1:
        raise InvalidSpec(f"expected cut from 0 to less than 1, got {shown(text)}")
    return value


_EVAL: Final = Key("rows", "evaluator, or path/to/file.py:Name", _evaluator, _weights)
_TABLE_MB: Final = Key(
    "4",
    "transposition table in MiB; without a cut it changes no value",
    _whole("table_mb", 0, MAX_TABLE_MB),
)
_PLY: Final = Key(
    "auto",
    "depth in plies: 3, or as deep as time and nodes allow; "
    "6/5@3/4@8 for 5 from 3 empty cells on, 4 from 8 on; tiles as nneonneo has it",
    _optional(Depth.parse, "auto"),
)
_TIME: Final = Key(
    "none", "time a move, such as 50ms; the search deepens", _optional(parse_seconds, "none")
)
_NODES: Final = Key(
    "none", "positions a move, such as 1e6; the search deepens", _optional(_node_count, "none")
)
_CUT: Final = Key("0", "do not search what is less probable", _cut)
_THREADS: Final = Key("1", "threads for one move", _whole("threads", 1, MAX_JOBS))
_DEPTH: Final = Key("5", "depth in half-moves", _whole("depth", 1, MAX_DEPTH))
_TWO_PLAYER_KEYS: Final = {
    "eval": _EVAL,
    "depth": Key(
        "auto",
        "depth in half-moves: 5, or as deep as time and nodes allow",
        _optional(_whole("depth", 1, MAX_DEPTH), "auto"),
    ),
    "time": _TIME,
    "nodes": _NODES,
}
_ALPHABETA_KEYS: Final = {**_TWO_PLAYER_KEYS, "table_mb": _TABLE_MB}
_LAYERS: Final = Key(
    "alternating",
    "literal: a second move before the first spawn; alternating: as usual",
    _choice("layers", {"literal": True, "alternating": False}),
)

register(Entry("random", "any legal move, with equal chances", _random))
register(Entry("greedy", "the move with the largest reward", _greedy))
register(Entry("corner", "down or left; right or up only when forced", _corner))
register(
    Entry(
        "expectimax",
        "best on average over the spawns",
        _expectimax,
        {
            "eval": _EVAL,
            "ply": _PLY,
            "cut": _CUT,
            "time": _TIME,
            "nodes": _NODES,
            "table_mb": _TABLE_MB,
            "threads": _THREADS,
            "prune": Key(
                "none",
                "star1: do not search spawns that can change no move; pays from 4 plies on",
                _choice("prune", {"none": False, "star1": True}),
            ),
        },
    )
)
register(
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
            "ply": _PLY,
            "cut": _CUT,
            "time": _TIME,
            "nodes": _NODES,
            "table_mb": _TABLE_MB,
            "threads": _THREADS,
            "downgrade": Key(
                "24576",
                "halve large tiles once the different tiles sum to this; 0 for never",
                _downgrade,
            ),
        },
        source=NTUPLE,
    )
)
register(Entry("minimax", "best against the worst spawns", _two_player(False), _TWO_PLAYER_KEYS))
register(Entry("alphabeta", "minimax with pruning", _two_player(True), _ALPHABETA_KEYS))
register(
    Entry(
        "exact",
        "optimal play of a small game, by a table that `twofold solve` makes",
        _exact,
        {"table": Key("", "file of the table; it has no default", hash_of=_table_hash)},
        has_home=True,
    )
)
register(
    Entry(
        "quick",
        "expectimax that sees little ahead, with weights tuned for that",
        _quick,
        {"ply": Key("3", "depth in plies, as for expectimax", Depth.parse), "table_mb": _TABLE_MB},
    )
)
register(
    Entry(
        "nneonneo",
        "expectimax as deep as there are different tiles, cut by probability",
        _nneonneo,
        {
            "ply": Key(BY_TILES, "depth in plies, as for expectimax", Depth.parse),
            "cut": Key("0.0001", _CUT.help, _cut),
            "table_mb": _TABLE_MB,
            "threads": _THREADS,
        },
        source=NNEONNEO,
    )
)
register(
    Entry(
        "baeldung",
        "sums over spawns, four plies, empty cells and order of lines",
        _baeldung,
        {
            "prune": Key(
                "yes",
                "leave out moves that change nothing",
                _choice("prune", {"yes": True, "no": False}),
            ),
            "threads": _THREADS,
        },
        source=BAELDUNG_URL,
    )
)
register(
    Entry(
        "datumbox",
        "alpha-beta against hurting spawns, score and clustering",
        _datumbox,
        {
            "search": Key(
                "alphabeta",
                "alphabeta or minimax; both make the same move",
                _choice("search", {"alphabeta": True, "minimax": False}),
            ),
            "depth": Key("7", "depth in half-moves", _whole("depth", 1, MAX_DEPTH)),
        },
        source=DATUMBOX_URL,
    )
)
for _name, _what in (("it3105-snake", "snake"), ("it3105-gradient", "gradient")):
    register(
        Entry(
            _name,
            f"expectimax of 6 layers, 8 on nearly full boards, {_what} weights",
            _it3105(_name),
            {
                "layers": _LAYERS,
                "depth": Key("6", "layers of the search, even", _even_depth),
                "table_mb": _TABLE_MB,
            },
            source=IT3105,
        )
    )
register(
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
            ),
            "options": Key("", "its own options: depth=4 style=calm", parse_option_words),
            "ply": Key(
                "none",
                "depth in plies; none for its own",
                _optional(_whole("ply", 1, MAX_PLY), "none"),
            ),
            "time": Key("none", "time a move, such as 50ms", _optional(parse_seconds, "none")),
            "nodes": Key("none", "positions a move, such as 1e6", _optional(_node_count, "none")),
            "timeout": Key(
                "60", "seconds of silence, beyond time, until it is started again", parse_seconds
            ),
        },
        runs_code=True,
    )
)
