"""Strengths by name: the player that plays each on a board, and the one used if none is named."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from twofold.endgame.folder import AUTO, NONE, SETS, USUAL, files_in, tables_folder
from twofold.endgame.pattern import suits
from twofold.limits import BITS_MAX_SIDE
from twofold.notation import format_spec, parse_spec
from twofold.rules import Rules

STRENGTHS: Final = {
    "fast": ("ntuple:ply=1", "expectimax:ply=2", "expectimax:ply=2"),
    "normal": ("ntuple:ply=3/2@3,late=24576@4,tables=auto", "expectimax:ply=4", "expectimax:ply=3"),
    "strong": (
        "ntuple:ply=3,late=24576@5,tables=auto",
        "expectimax:eval=rows,ply=6,cut=0.003",
        "expectimax:eval=rows,ply=4/3@7",
    ),
    "max": (
        "ntuple:ply=4/3@4,late=24576@7,tables=auto",
        "expectimax:ply=7,cut=0.001",
        "expectimax:ply=4",
    ),
}
"""Names of strengths: the players for 4x4, for smaller boards and for larger ones.

A move of `strong`, the default player, takes about 0.1 ms on 4x4, of `max` five times as long.
"""

NO_KEYS: Final[Mapping[str, str]] = MappingProxyType({})

DEFAULT_PLAYER: Final = "ntuple:ply=3"
"""The player for 4x4 if none is named and no endgame table is built."""


def default_player(rules: Rules) -> str:
    """The spec of the player that faces use if the user names none: `strong`.

    On 4x4 it includes the endgame tables built on this machine, by name.
    """
    return strength("strong", rules)


def strength(name: str, rules: Rules, given: Mapping[str, str] = NO_KEYS) -> str:
    """The spec of the player that plays at a named strength under these rules.

    `given` are keys of the user, which will replace those of the strength.

    >>> strength("fast", Rules())
    'ntuple:ply=1'
    """
    on_4x4, on_small, on_large = STRENGTHS[name]
    if rules.shape == (4, 4):
        return _with_tables(on_4x4, rules, given)
    return on_small if max(rules.shape) <= BITS_MAX_SIDE else on_large


def _with_tables(spec: str, rules: Rules, given: Mapping[str, str]) -> str:
    """The spec with the tables built here in place of `auto`.

    It hands over late only with all tables that the hand-over was measured with.
    """
    name, values = parse_spec(spec)
    tables = given.get("tables", values.pop("tables", NONE))
    late = given.get("late", values.pop("late", NONE))
    if tables == AUTO:
        tables = _built(rules, late != NONE)
    named = {name for part in tables.split("+") for name in SETS.get(part, (part,))}
    if late != NONE and ("late" in given or named >= set(SETS[USUAL])):
        values["late"] = late
    elif late != NONE and "tables" not in given:
        tables = _built(rules, False)
    return format_spec(name, values | ({"tables": tables} if tables != NONE else {}))


def _built(rules: Rules, walls: bool) -> str:
    """The tables of `auto`, by name."""
    if not (suits(rules) and files_in(tables_folder())):
        return NONE
    from twofold.endgame.library import settled_tables  # loads kernels

    return settled_tables(AUTO, rules, walls=walls)
