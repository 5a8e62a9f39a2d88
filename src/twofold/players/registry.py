"""Specs: the lines of text that name players, the strengths, and making players of both."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.figures import bytes_words
from twofold.game.notation import (
    did_you_mean,
    format_number,
    format_spec,
    parse_spec,
    shown,
    split_hashes,
)
from twofold.game.rules import STANDARD, Rules
from twofold.limits import cores
from twofold.players.base import Player
from twofold.players.keys import DEFAULT_PLY, Entry, Key, Late
from twofold.players.own_code import hash_of_code, is_code, is_imported, load_object, player_of
from twofold.players.presets import DEFAULT, PRESETS, STRENGTHS, strength
from twofold.search.depth import Depth
from twofold.storage.memory import SHARE, free_memory
from twofold.tables.folder import AUTO, NONE

_ENTRIES: Final = {entry.name: entry for entry in PRESETS}

_MOST_NAMED: Final = 6
"""Maximum players that an error message suggests."""

_PLY = re.compile(r"(\d+)(?:/(\d+)@.*)?", re.ASCII)


@dataclass(frozen=True)
class PlayerSpec:
    """A player as text, read once: its name, its keys, and what can be told without making it.

        >>> PlayerSpec.parse("expectimax:cut=0,eval=snake,ply=5").short
        'expectimax:eval=snake,ply=5'
        >>> PlayerSpec.parse("normal").settled(Rules.parse("5x5")).text
        'expectimax:ply=3'

    Attributes:
        text: the spec as given; `settled` writes out what depends on machine and rules.
        name: of a player, of a strength, or `path/to/file.py:Name`.
        values: the keys that it states, as text.
        hashes: the hashes of files that it states, by key.
        asked: the strength that it was asked for as, with its keys, where it is settled.
    """

    text: str
    name: str
    values: dict[str, str] = field(hash=False)
    hashes: dict[str, str] = field(hash=False)
    asked: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> "PlayerSpec":
        """Read `name` or `name:key=value,...`; opens no file and imports nothing.

        Raises:
            InvalidSpec: the text is no spec. Unknown names and keys are found later.
        """
        name, values = parse_spec(text)
        home, colon, _ = name.partition(":")
        if colon and home in _ENTRIES:
            raise InvalidSpec(f"expected key=value after {shown(home + ':')}, got {shown(name)}")
        if is_code(name):  # its other keys are its own, whatever they are called
            hashes = {key: values.pop(key) for key in ("file_sha256",) if key in values}
        else:
            values, hashes = split_hashes(values)
        return cls(text, name, values, hashes)

    @classmethod
    def of_parts(cls, name: str, values: dict[str, str], hashes: dict[str, str]) -> "PlayerSpec":
        """The spec with these parts."""
        return cls(format_spec(name, values | hashes), name, values, hashes)

    @classmethod
    def of(cls, spec: "PlayerSpec | str") -> "PlayerSpec":
        """The spec itself, or its text parsed."""
        return spec if isinstance(spec, PlayerSpec) else cls.parse(spec)

    def __str__(self) -> str:
        return self.text

    def with_keys(self, **values: str) -> "PlayerSpec":
        """The spec with these keys set."""
        return PlayerSpec.of_parts(self.name, self.values | values, self.hashes)

    # ---- who plays

    @property
    def is_code(self) -> bool:
        """True if the player itself is code: `path/to/file.py:Name`."""
        return is_code(self.name)

    @cached_property
    def plain(self) -> "PlayerSpec":
        """The player itself: of a strength such as `strong` its player for 4x4."""
        return self._plain(STANDARD)

    def _plain(self, rules: Rules) -> "PlayerSpec":
        """Keys of the spec replace those of the strength: `strong:threads=2`.

        With `time` or `nodes` the search deepens: the strength's own depth does not count.
        """
        if self.name not in STRENGTHS:
            return self
        name, kept = parse_spec(strength(self.name, rules, self.values))
        if self.values.keys() & {"time", "nodes"}:
            kept.pop("ply", None)
        return PlayerSpec.of_parts(name, kept | self.values, self.hashes)

    def settled(self, rules: Rules | None = None) -> "PlayerSpec":
        """Replace what depends on the machine or the rules.

        `tables=auto` becomes the names of tables, a strength such as `strong` its player.
        Store and show specs in this form. `rules` are those of the games, None for any.

        Raises:
            InvalidTable: an endgame table is missing or invalid.
            UnsupportedRules: endgame tables are named that do not support the rules.
        """
        plain = self._plain(rules or STANDARD)
        if plain.is_code:
            return self
        values = _settled(plain.entry.keys, plain.values, rules)
        found = plain if values == plain.values else plain.with_keys(**values)
        return replace(found, asked="" if found.code else self._strength)

    @property
    def entry(self) -> Entry:
        """The registered player; raises `InvalidSpec` with a list of all players."""
        name = self.plain.name
        if name not in _ENTRIES:
            known = (*STRENGTHS, *_ENTRIES)
            raise InvalidSpec(
                f"expected a player ({', '.join(known)}, or path/to/file.py:Name), "
                f"got {shown(name)}{did_you_mean(name, known)}"
            )
        return _ENTRIES[name]

    def has_key(self, key: str) -> bool:
        """True if a registered player has a key; False for code."""
        return not self.plain.is_code and key in self.entry.keys

    # ---- trust

    @cached_property
    def code(self) -> frozenset[str]:
        """The code and programs that the player runs: names of objects to import, and commands.

        This property alone decides which specs run code, and it imports nothing.

            >>> sorted(PlayerSpec.parse("expectimax:eval=my_evaluator.py:EMPTY,ply=2").code)
            ['my_evaluator.py:EMPTY']
            >>> PlayerSpec.parse("expectimax:eval=rows,ply=2").code
            frozenset()
        """
        plain = self.plain
        if plain.is_code:
            return frozenset({plain.name})
        keys = self.entry.keys
        texts = {name: plain.values.get(name, key.default) for name, key in keys.items()}
        return frozenset(text for name, text in texts.items() if keys[name].names_code(text))

    @property
    def excess(self) -> str:
        """How a player exceeds the machine: more threads than cores, or a table too large; or "".

        The table counts once for each core, as games are played on all of them.
        """
        threads, table = self._whole("threads"), self._whole("table_mb") * 2**20
        if threads > cores():
            return (
                f"{shown(self.text)} takes {threads} threads for a move, more than the cores here"
            )
        free = free_memory()
        if free is not None and table * cores() > SHARE * free:
            return (
                f"{shown(self.text)} takes {bytes_words(table)} for each game played at a time, "
                "more than the free memory"
            )
        return ""

    def _whole(self, key: str) -> int:
        text = self.values.get(key, "")
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else 0

    @property
    def files(self) -> list[str]:
        """The files that it names: networks, tables, code, programs."""
        words = [self.name, *self.values.values()]
        parts = [[word, word.rpartition(":")[0], *re.split(r"[+\s]", word)] for word in words]
        return [part for some in parts for part in some if os.path.isfile(part)]

    # ---- texts

    @property
    def without_hashes(self) -> str:
        """The spec in a form to compare: keys in order, without hashes of files."""
        return format_spec(self.name, self.values)

    @cached_property
    def short(self) -> str:
        """The spec without defaults and file hashes, as a user would type it.

        Nothing is imported: weights of an evaluator that is not imported yet are all written.

        Raises:
            InvalidSpec: the name, a key or a value is unknown or invalid.
        """
        plain = self.plain
        if plain.is_code:
            return plain.without_hashes
        keys, texts = self.entry.keys, plain.values
        more = [texts.get(name, key.default) for name, key in keys.items() if key.more]
        if all(is_imported(text) for text in more if is_code(text)):
            read = _Reading(plain)
            keys, texts = read.keys, read.standard
        changed = {
            key: text for key, text in texts.items() if key not in keys or text != keys[key].default
        }
        return format_spec(plain.name, changed)

    @property
    def _strength(self) -> str:
        return self.asked or self.text * (self.name in STRENGTHS)

    @property
    def title(self) -> str:
        """The player as screens and tables name it: a strength as it was asked for, else `short`.

        >>> PlayerSpec.parse("fast").settled().title
        'fast'
        """
        return self._strength or self.short

    @property
    def people_name(self) -> str:
        """The player as people know it: the strength that it is on 4x4, else its `words`.

        Tables, memory and threads make no other player, as on pages (`js/player_names.js`).

        >>> PlayerSpec.parse("ntuple:net=default,ply=3,threads=1").people_name
        'strong'
        """
        return next((word for word in STRENGTHS if self._is_like(word)), "") or self.words

    def _is_like(self, strength: str) -> bool:
        other = PlayerSpec.parse(strength).plain
        return self.name == other.name and self._core == other._core

    @property
    def _core(self) -> dict[str, str]:
        """The values that give a player another name; its hand-over belongs to its tables."""
        keys, unnamed = self.entry.keys, {"tables", "table_mb", "threads"}
        if self.values.get("tables", NONE) not in (AUTO, NONE):
            unnamed.add("late")
        return {
            key: text
            for key, text in self.values.items()
            if key not in unnamed and (key not in keys or text != keys[key].default)
        }

    @property
    def words(self) -> str:
        """The player in words for people: `network, 2 or 3 plies, with tables`.

        It opens no file and runs nothing, since a file may name anything; other text stays.
        """
        entry = _ENTRIES.get(self.name)
        if entry is None:
            return self.text
        name = entry.words or entry.name
        if entry.name == "expectimax":
            name = self.values.get("eval", entry.keys["eval"].default)
        if "net" in entry.keys:
            network = re.split(r"[/\\]", self.values.get("net", entry.keys["net"].default))[-1]
            name += f" {network}" * (network != entry.keys["net"].default)
        tables = self.values.get("tables", NONE) not in (AUTO, NONE)
        return name + self._depth_words(entry) + ", with tables" * tables

    def _depth_words(self, entry: Entry) -> str:
        ply = self.values.get("ply", entry.keys["ply"].default if "ply" in entry.keys else "")
        if ply == "auto" and {"none"} >= {
            self.values.get(key, "none") for key in ("time", "nodes")
        }:
            ply = str(DEFAULT_PLY)
        found = _PLY.fullmatch(ply)
        if found is None or found[1] == "0":
            return ""
        if found[2]:
            least, most = sorted(map(int, found.groups()))
            return f", {least} or {most} plies"
        return f", {found[1]} {'ply' if found[1] == '1' else 'plies'}"

    # ---- making the player

    @cached_property
    def canonical(self) -> str:
        """The spec with all keys, sorted, and files with their hashes: its form in stored results.

        Keys that came later, such as `tables`, are omitted at their default, so that older results
        still belong to the same player.
        """
        with self.make() as player:
            return player.spec

    @property
    def home(self) -> Rules | None:
        """The only rules that the player supports; None for many. Makes the player if needed."""
        if self.plain.is_code or not self.entry.has_home:
            return None
        with self.make() as player:
            return player.home

    def make(self, *, allow_code: bool = True) -> Player:
        """Make the player; see `make_player`."""
        if not allow_code and self.code:
            raise InvalidSpec(
                "expected a player that imports no code and runs no program, "
                f"got {shown(self.text)}"
            )
        plain = self.plain
        if plain.is_code:
            return plain._make_own()
        read = _Reading(plain)
        player = read.make()
        written = {
            key: text
            for key, text in read.standard.items()
            if not read.keys[key].came_later or text != read.keys[key].default
        }
        made = PlayerSpec.of_parts(plain.name, written, read.file_hashes())
        return _named(player, replace(made, asked=self._strength))

    def _make_own(self) -> Player:
        hashes = {"file_sha256": digest} if (digest := hash_of_code(self.name)) else {}
        if self.hashes and self.hashes != hashes:
            raise InvalidSpec(f"the file of {shown(self.name)} has changed: it has another hash")
        player = player_of(load_object(self.name), self.name, self.values)
        return _named(player, PlayerSpec.of_parts(self.name, self.values, hashes))


def _named(player: Player, spec: PlayerSpec) -> Player:
    player.spec, player.made_from = spec.text, spec
    return player


class _Reading:
    """The keys of a registered player with their values: each is parsed once, when needed first.

    Attributes:
        keys: all keys, with those that depend on the value of another.
        texts: the values as text, with defaults filled in.
    """

    def __init__(self, spec: PlayerSpec) -> None:
        self._entry = spec.entry
        self._values: dict[str, Any] = {}
        self.keys: dict[str, Key] = dict(self._entry.keys)
        given = _settled(self.keys, spec.values)
        self.texts = {name: given.get(name, key.default) for name, key in self.keys.items()}
        self._hashes: dict[str, str] | None = None
        hashes = self.file_hashes() if spec.hashes else {}  # else they are read with the player
        for stated, text in spec.hashes.items():
            if hashes.get(stated) != text:
                raise InvalidSpec(
                    f"the file of {stated}={shown(text)} has changed, or there is none"
                )
        for name, key in self._entry.keys.items():
            if key.more:
                self.keys |= key.more(self.value(name))
        for unknown in (one for one in given if one not in self.keys):
            raise _unknown_key(self._entry, unknown, self.keys)
        self.texts = {name: given.get(name, key.default) for name, key in self.keys.items()}

    def value(self, name: str) -> Any:
        """The value of a key."""
        if name not in self._values:
            self._values[name] = self.keys[name].parse(self.texts[name])
        return self._values[name]

    @property
    def standard(self) -> dict[str, str]:
        """The values as text in their standard form: `03` is `3`."""
        found = {}
        for name, text in self.texts.items():
            value = self.value(name)
            if type(value) in (int, float):
                text = format_number(value)
            found[name] = str(value) if isinstance(value, Depth | Late) else text
        return found

    def file_hashes(self) -> dict[str, str]:
        """The hashes of the files that values name, under the keys `KEY_sha256`."""
        if self._hashes is None:
            self._hashes = {}
            for name, text in self.texts.items():
                hash_of = self.keys[name].hash_of
                digest = hash_of(self.value(name)) if hash_of else ""
                if digest := hash_of_code(text) or digest:
                    self._hashes[f"{name}_sha256"] = digest
        return self._hashes

    def make(self) -> Player:
        """Make the player of the values."""
        return self._entry.make(**{name: self.value(name) for name in self.texts})


def _unknown_key(entry: Entry, key: str, keys: Mapping[str, Key]) -> InvalidSpec:
    hint = did_you_mean(key, keys)
    if key == "depth" and "ply" in keys:
        hint = "; depth=2n-1 half-moves are ply=n: each further ply is a spawn and a move"
    elif key == "ply" and "depth" in keys:
        hint = "; ply=n is depth=2n-1: a spawn and a move are a half-move each"
    return InvalidSpec(
        f"expected a key of {entry.name} ({', '.join(keys) or 'none'}), got {shown(key)}"
        f"{hint}{players_with(key)}"
    )


def players_with(key: str) -> str:
    """A sentence with the players that have a key; empty if none has."""
    names = [entry.name for entry in PRESETS if key in entry.keys]
    more = ", ..." * (len(names) > _MOST_NAMED)
    return f". Players with this key: {', '.join(names[:_MOST_NAMED])}{more}" if names else ""


def _settled(
    keys: Mapping[str, Key], given: Mapping[str, str], rules: Rules | None = None
) -> dict[str, str]:
    settle = {key: one.settle for key, one in keys.items() if one.settle and key in given}
    return {**given, **{key: one(given[key], rules, given) for key, one in settle.items()}}


# ---- specs as text


def entries() -> tuple[Entry, ...]:
    """All players that a spec can name."""
    return PRESETS


def make_player(spec: PlayerSpec | str, *, allow_code: bool = True) -> Player:
    """Make a player from a spec such as `"expectimax:eval=snake,ply=3"`.

    Args:
        spec: `name` or `name:key=value,...`. A name such as `path/to/file.py:Name` or
            `package.module:Name` is imported: a `Player` class or a function `board -> Move`.
            A strength such as `"strong"` is its player for 4x4; for other rules make the player
            of `settled(spec, rules)`.
        allow_code: False to refuse specs that import code or run programs. Use it for specs from
            unknown sources.

    Raises:
        InvalidSpec: the name, a key or a value is unknown or invalid.
    """
    return PlayerSpec.of(spec).make(allow_code=allow_code)


def default_player(rules: Rules) -> PlayerSpec:
    """The player that faces use if the user names none: `strong`.

    On 4x4 it includes the endgame tables built on this machine, by name.
    """
    return PlayerSpec.parse(DEFAULT).settled(rules)


def canonical(spec: str) -> str:
    """`PlayerSpec.canonical` of a text."""
    return PlayerSpec.parse(spec).canonical


def settled(spec: str, rules: Rules | None = None) -> str:
    """`PlayerSpec.settled` of a text, as text."""
    return PlayerSpec.parse(spec).settled(rules).text


def short_spec(spec: str) -> str:
    """`PlayerSpec.short` of a text.

    >>> short_spec("expectimax:cut=0,eval=rows,ply=5")
    'expectimax:ply=5'
    """
    return PlayerSpec.parse(spec).short
