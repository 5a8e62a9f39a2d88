"""The players that a spec can name, with their keys."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.limits import MAX_DEPTH, MAX_JOBS, MAX_PLY, MAX_TABLE_MB, check_limit
from twofold.notation import format_number, parse_number, shown
from twofold.players.base import Player
from twofold.players.registry import Entry, Key, load_object, register

DEFAULT_PLAYER: Final = "expectimax:eval=rows,ply=5"
"""Who plays where no player is named."""

BAELDUNG_URL: Final = "Baeldung, An Algorithm to solve 2048"
DATUMBOX_URL: Final = "Datumbox, Using Artificial Intelligence to solve the 2048 Game"
IT3105: Final = "IT3105 report, Expectimax for 2048"


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


def _expectimax(eval: Any, ply: int, table_mb: int, **weights: float) -> Player:  # noqa: A002
    from twofold.players.searching import ExpectimaxPlayer

    return ExpectimaxPlayer(eval.reweighted(weights), ply, table_mb=table_mb)


def _minimax(eval: Any, depth: int, **weights: float) -> Player:  # noqa: A002 - a key's name
    from twofold.players.searching import AlphaBetaPlayer

    return AlphaBetaPlayer(eval.reweighted(weights), depth, prunes=False)


def _alphabeta(eval: Any, depth: int, **weights: float) -> Player:  # noqa: A002
    from twofold.players.searching import AlphaBetaPlayer

    return AlphaBetaPlayer(eval.reweighted(weights), depth)


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
            depth // 2,
            few=4,
            few_ply=depth // 2 + 1,
            second_move=layers,
            table_mb=table_mb,
        )

    return make


def _even_depth(text: str) -> int:
    depth = _whole("depth", 2, 2 * MAX_PLY - 2)(text)
    if depth % 2:
        raise InvalidSpec(f"expected an even depth, got {depth}")
    return depth


_EVAL: Final = Key("rows", "evaluator, or path/to/file.py:Name", _evaluator, _weights)
_TABLE_MB: Final = Key(
    "4", "transposition table in MiB; changes no move", _whole("table_mb", 0, MAX_TABLE_MB)
)
_DEPTH: Final = Key("5", "depth in half-moves", _whole("depth", 1, MAX_DEPTH))
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
            "ply": Key("3", "depth in plies", _whole("ply", 1, MAX_PLY)),
            "table_mb": _TABLE_MB,
        },
    )
)
register(
    Entry("minimax", "best against the worst spawns", _minimax, {"eval": _EVAL, "depth": _DEPTH})
)
register(Entry("alphabeta", "minimax with pruning", _alphabeta, {"eval": _EVAL, "depth": _DEPTH}))
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
            "threads": Key("1", "threads for one move", _whole("threads", 1, MAX_JOBS)),
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
