"""Entries of the registry: players and their keys."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from twofold.players.base import Player
from twofold.rules import Rules


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
    """

    name: str
    summary: str
    make: Callable[..., Player]
    keys: Mapping[str, Key] = field(default_factory=dict)
    source: str = ""
    has_home: bool = False
