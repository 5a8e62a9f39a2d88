"""Parsers of spec values, and the keys that several players share."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.game.notation import did_you_mean, format_number, parse_number, shown
from twofold.game.rules import Rules
from twofold.limits import (
    MAX_DEPTH,
    MAX_DOWNGRADE,
    MAX_JOBS,
    MAX_TABLE_MB,
    MIN_DOWNGRADE,
    check_limit,
)
from twofold.players.base import Player
from twofold.players.own_code import is_code, load_object
from twofold.search.budget import Budget, parse_seconds
from twofold.search.depth import Depth
from twofold.tables.folder import NONE
from twofold.values import Evaluator, Weight, find_evaluator

DEFAULT_PLY: Final = 3
"""Depth of `expectimax` without limits, in plies."""

DEFAULT_DEPTH: Final = 5
"""Depth of `alphabeta` and `minimax` without limits, in half-moves."""


def later(place: str, *first: Any) -> Callable[..., Any]:
    """A function, `MODULE:NAME` below `twofold`, imported when it is called: it loads kernels."""

    def call(*values: Any, **keys: Any) -> Any:
        module, name = place.split(":")
        return getattr(importlib.import_module(f"twofold.{module}"), name)(*first, *values, **keys)

    return call


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a player spec.

    Attributes:
        default: default value, as text.
        help: its meaning, in a few words.
        parse: parses the text, or raises an `InvalidInput`.
        more: further keys that depend on the parsed value.
        hash_of: hash of the file that a parsed value names, for the canonical spec; empty for
            none.
        names_code: True if a value names code to import or a program to run.
        settle: makes a value explicit that depends on the machine; takes text, rules or None, and
            the values given to all keys.
        came_later: True if older results lack the key: canonical specs then omit its default,
            which must not change any move.
    """

    default: str
    help: str
    parse: Callable[[str], Any] = str
    more: "Callable[[Any], Mapping[str, Key]] | None" = None
    hash_of: Callable[[Any], str] | None = None
    names_code: Callable[[str], bool] = lambda _value: False
    settle: Callable[[str, Rules | None, Mapping[str, str]], str] | None = None
    came_later: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One player that a spec can name.

    Attributes:
        make: makes the player from the parsed values of all keys.
        keys: its keys, apart from `Key.more`.
        source: paper or program that it follows; empty for our own.
        has_home: True if it supports only one set of rules.
        words: its name for people; empty for `name`.
        values, takes_limits: `Player.has_values` and `Player.takes_limits` of its players.
    """

    name: str
    summary: str
    make: Callable[..., Player]
    keys: Mapping[str, Key] = field(default_factory=dict)
    source: str = ""
    has_home: bool = False
    words: str = ""
    values: bool = True
    takes_limits: bool = True


def whole(name: str, low: int, high: int, *, even: bool = False) -> Callable[[str], int]:
    """A parser of integers from `low` to `high`; with `even` of even ones."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 12):
            raise InvalidSpec(
                f"expected {name} as a whole number from {low} to {high}, got {shown(text)}"
            )
        value = check_limit(name, int(text), low, high)
        if even and value % 2:
            raise InvalidSpec(f"expected {name} as an even number, got {value}")
        return value

    return parse


@dataclass(frozen=True, slots=True)
class Choice:
    """A parser of the words in `values`."""

    name: str
    values: Mapping[str, Any]

    def __call__(self, text: str) -> Any:
        """The value of a word."""
        if text not in self.values:
            raise InvalidSpec(
                f"expected {self.name}= and one of {', '.join(self.values)}, got {shown(text)}"
                f"{did_you_mean(text, self.values)}"
            )
        return self.values[text]


def evaluator(text: str) -> Any:
    """The evaluator with this name, or the object that `path/to/file.py:Name` names."""
    if not is_code(text):
        return find_evaluator(text)
    found = load_object(text)
    if not isinstance(found, Evaluator):
        raise InvalidSpec(f"expected an Evaluator, got {shown(text)}")
    return found


def _weights(evaluator: Evaluator) -> Mapping[str, Key]:
    """The keys of an evaluator's weights."""

    def read(name: str, weight: Weight, text: str) -> float:
        return weight.at(name, parse_number(text, name, InvalidSpec)).value

    return {
        name: Key(format_number(weight.value), weight.help, partial(read, name, weight))
        for name, weight in evaluator.weight_keys.items()
    }


def optional(parse: Callable[[str], Any], word: str = NONE) -> Callable[[str], Any]:
    """A parser that maps `word` to None and passes other texts to `parse`."""
    return lambda text: None if text == word else parse(text)


def node_count(text: str) -> int | None:
    """Parse a number of nodes, such as `1e6`."""
    return Budget.parse(f"nodes={text}").nodes


def cut(text: str) -> float:
    """Parse a probability below 1."""
    value = parse_number(text, "cut", InvalidSpec)
    if not 0 <= value < 1:
        raise InvalidSpec(f"expected cut from 0 to less than 1, got {shown(text)}")
    return value


def share(text: str) -> float:
    """Parse a share of a probability."""
    value = parse_number(text, "share", InvalidSpec)
    if not 0 < value <= 1:
        raise InvalidSpec(f"expected share above 0 and up to 1, got {shown(text)}")
    return value


def downgrade(text: str) -> int:
    """Parse a sum of tiles, or 0."""
    return 0 if text == "0" else whole("downgrade", MIN_DOWNGRADE, MAX_DOWNGRADE, even=True)(text)


@dataclass(frozen=True, slots=True)
class Late:
    """Play by order from one corner, from a sum of tiles on, to a depth."""

    tile_sum: int
    ply: Depth

    @classmethod
    def parse(cls, text: str) -> "Late":
        """Parse a sum and a depth such as `24576@4` and `24576@6/5@4`."""
        total, at, ply = text.partition("@")
        if not at:
            raise InvalidSpec(
                f"expected late as {NONE} or SUM@PLY, such as 24576@4, got {shown(text)}"
            )
        return cls(whole("the sum of late", 0, MAX_DOWNGRADE)(total), Depth.parse(ply))

    def __str__(self) -> str:
        return f"{self.tile_sum}@{self.ply}"


def _settled_tables(text: str, rules: Rules | None, values: Mapping[str, str]) -> str:
    if text == NONE:
        return NONE
    walls = values.get("late", NONE) != NONE
    found: str = later("tables.library:settled_tables")(text, rules, walls=walls)
    return found


EVAL: Final = Key(
    "rows", "evaluator, or path/to/file.py:Name", evaluator, _weights, names_code=is_code
)
TABLE_MB: Final = Key(
    "4",
    "transposition table in MiB; changes no value without a cut",
    whole("table_mb", 0, MAX_TABLE_MB),
)
PLY: Final = Key(
    "auto",
    "depth in plies; auto: 3, or iterative deepening within time and nodes; "
    "6/5@3/4@8: 5 from 3 empty cells, 4 from 8; tiles: by the number of different tiles",
    optional(Depth.parse, "auto"),
)
TIME: Final = Key(NONE, "time per move, such as 50ms, with deepening", optional(parse_seconds))
NODES: Final = Key(NONE, "nodes per move, such as 1e6, with deepening", optional(node_count))
CUT: Final = Key("0", "do not search positions less probable than this", cut)
THREADS: Final = Key("1", "threads for one move", whole("threads", 1, MAX_JOBS))
TABLES: Final = Key(
    NONE,
    "endgame tables, names or files: 442-512+443-512; "
    "auto: the strong ones built here, those with walls only with late; "
    "default, large: those of twofold tables build",
    optional(later("tables.library:find_tables")),
    hash_of=lambda tables: "" if tables is None else later("tables.library:hash_of")(tables),
    settle=_settled_tables,
    came_later=True,
)
LATE: Final = Key(
    NONE,
    "once the different tiles sum to this, a search for order from one corner plays, and tables "
    "with walls; 24576@4: with 16384 and 8192, to 4 plies; 24576@6/5@4: as for ply",
    optional(Late.parse),
    came_later=True,
)
SEARCH_KEYS: Final = {
    "ply": PLY,
    "cut": CUT,
    "time": TIME,
    "nodes": NODES,
    "table_mb": TABLE_MB,
    "threads": THREADS,
}
TWO_PLAYER_KEYS: Final = {
    "eval": EVAL,
    "depth": Key(
        "auto",
        "depth in half-moves; auto: 5, or iterative deepening within time and nodes",
        optional(whole("depth", 1, MAX_DEPTH), "auto"),
    ),
    "time": TIME,
    "nodes": NODES,
}
ALPHABETA_KEYS: Final = {**TWO_PLAYER_KEYS, "table_mb": TABLE_MB}
LAYERS: Final = Key(
    "alternating",
    "alternating: move, spawn, move; literal: two moves before the first spawn, as in the report",
    Choice("layers", {"literal": True, "alternating": False}),
)
