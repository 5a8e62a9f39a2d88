"""What a spec can name: players, and the keys that they take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from twofold.players.base import Player
from twofold.rules import Rules


def _no_code(_value: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a player spec.

    Attributes:
        default: its value where the spec does not say, as text.
        help: what it means, in a few words.
        parse: reads the text; raises an `InvalidInput` that says what was expected.
        more: the further keys that the spec takes with a parsed value of this one.
        hash_of: the hash of the file that a value names, for the canonical spec; empty for
            none.
        names_code: whether a value names code to import or a program to run.
        settle: the text that stands for a value in results, where what it means depends on the
            machine; takes the text and the rules of the games, None for any.
        came_later: whether there are results of players without it: then its default, which
            changes no move, is not written in canonical specs.
    """

    default: str
    help: str
    parse: Callable[[str], Any] = str
    more: "Callable[[Any], Mapping[str, Key]] | None" = None
    hash_of: Callable[[str], str] | None = None
    names_code: Callable[[str], bool] = _no_code
    settle: Callable[[str, Rules | None], str] | None = None
    came_later: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One player that can be named in a spec.

    Attributes:
        name: its name.
        summary: one line about how it plays.
        make: makes the player from the parsed values of all keys.
        keys: the keys it takes, whatever their values.
        source: where the rule comes from; empty for our own.
        has_home: whether it can play under one set of rules alone.
    """

    name: str
    summary: str
    make: Callable[..., Player]
    keys: Mapping[str, Key] = field(default_factory=dict)
    source: str = ""
    has_home: bool = False
