"""Player specs: which players there are, whether a spec runs code, and how one is made."""

from collections.abc import Mapping
from typing import Any, Final

from twofold import notation
from twofold.errors import InvalidSpec
from twofold.notation import did_you_mean, shown
from twofold.players.base import Player
from twofold.players.entry import Entry, Key
from twofold.players.own_code import hash_of_code, is_code, is_imported, make_own
from twofold.players.presets import PRESETS
from twofold.rules import Rules
from twofold.search.depth import Depth

_ENTRIES: Final = {entry.name: entry for entry in PRESETS}

_MOST_NAMED: Final = 5
"""Most players that an error names beside the one that was asked for."""


def entries() -> tuple[Entry, ...]:
    """Every player that a spec can name."""
    return PRESETS


def make_player(spec: str, *, allow_code: bool = True) -> Player:
    """Make the player that a spec names: `"expectimax:eval=snake,ply=3"`.

    Args:
        spec: `name` or `name:key=value,...`. A name such as `path/to/file.py:Name` or
            `package.module:Name` is imported and may be a `Player` class or a function
            `board -> Move`.
        allow_code: whether such names may be imported and programs be run; False for text of
            unknown origin.

    Raises:
        InvalidSpec: the name, a key or a value is unknown or cannot be used.
    """
    parsed = _parse(spec)
    if not allow_code and code_of(spec):
        raise InvalidSpec(
            f"expected a player without code or a program of its own, got {shown(spec)}"
        )
    if is_code(parsed.name):
        return _make_from_code(parsed)
    entry = entry_of(parsed.name)
    keys, texts, hashes = _complete(entry, parsed.values)
    values, texts = _read_values(keys, texts)
    player = entry.make(**values)
    hashes = hashes or file_hashes(texts, keys)
    player.spec = notation.format_spec(entry.name, _written(keys, texts) | hashes)
    return player


def _written(keys: Mapping[str, Key], texts: Mapping[str, str]) -> dict[str, str]:
    """The values that a canonical spec writes: all but defaults of keys that came later."""
    return {
        key: text
        for key, text in texts.items()
        if not keys[key].came_later or text != keys[key].default
    }


def code_of(spec: str) -> frozenset[str]:
    """The code and the programs that making and asking a player runs; mostly none.

    These are its own name and the values of its keys, where they name something to import or a
    command. This alone decides who runs code: nothing is imported to find out.

        >>> sorted(code_of("expectimax:eval=my_evaluator.py:EMPTY,ply=2"))
        ['my_evaluator.py:EMPTY']
        >>> code_of("expectimax:eval=rows,ply=2")
        frozenset()

    Raises:
        InvalidSpec: the spec cannot be read, or there is no such player.
    """
    parsed = _parse(spec)
    if is_code(parsed.name):
        return frozenset({parsed.name})
    keys = entry_of(parsed.name).keys.items()
    texts = {name: (key, parsed.values.get(name, key.default)) for name, key in keys}
    return frozenset(text for key, text in texts.values() if key.names_code(text))


def home_of(spec: str) -> Rules | None:
    """The only rules that a player can play under; None for one that takes many.

    Raises:
        InvalidSpec: there is no such player, or it has such rules and cannot be made.
    """
    name = notation.parse_spec(spec).name
    if is_code(name) or not entry_of(name).has_home:
        return None
    with make_player(spec) as player:
        return player.home


def _read_values(
    keys: Mapping[str, Key], texts: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of all keys, and the text of each in the one form that results keep."""
    values = {key: keys[key].parse(text) for key, text in texts.items()}
    numbers = {key: value for key, value in values.items() if type(value) in (int, float)}
    same = dict(texts)
    same |= {key: notation.format_number(value) for key, value in numbers.items()}  # 03 is 3
    same |= {key: str(value) for key, value in values.items() if isinstance(value, Depth)}
    return values, same


def canonical(spec: str) -> str:
    """The spec with its keys written, sorted, and files by content hash: what results keep.

    A key that players were given later, such as `tables`, is left out at its default: so games
    that were kept before are still games of this player.

    Raises:
        InvalidSpec: the spec cannot be used.
    """
    with make_player(spec) as player:
        return player.spec


def settled(spec: str, rules: Rules | None = None) -> str:
    """The spec with values written out whose meaning depends on what is on this machine.

    That is `tables=auto`, which becomes the names of the endgame tables that are built here. What
    keeps or shows a spec keeps this one. Another spec stays as it is.

    Args:
        spec: names a player.
        rules: what it is going to play; None for any.

    Raises:
        InvalidSpec: there is no such player.
        InvalidTable: an endgame table is not built, or its file cannot be used.
        UnsupportedRules: endgame tables are named, and these rules are not those they are for.
    """
    parsed = _parse(spec)
    if is_code(parsed.name):
        return spec
    values = _settled(entry_of(parsed.name).keys, parsed.values, rules)
    return spec if values == parsed.values else notation.format_spec(parsed.name, values)


def short_spec(spec: str) -> str:
    """The spec with only what differs from the defaults, as a user would type it.

    It names the same player; hashes of files are left out. Nothing is run: the weights of an
    evaluator that was not imported before are all written.

        >>> short_spec("expectimax:cut=0,eval=rows,ply=5")
        'expectimax:ply=5'

    Raises:
        InvalidSpec: the name, a key or a value is unknown or cannot be used.
    """
    parsed = notation.parse_spec(spec)
    if is_code(parsed.name):
        texts = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
        return notation.format_spec(parsed.name, texts)
    entry = entry_of(parsed.name)
    keys, texts = _known(entry, parsed.values)
    changed = {
        key: text for key, text in texts.items() if key not in keys or text != keys[key].default
    }
    return notation.format_spec(entry.name, changed)


def _known(entry: Entry, values: Mapping[str, str]) -> tuple[Mapping[str, Key], dict[str, str]]:
    """The keys that are known without running code, and all values as results keep them."""
    more = [values.get(name, key.default) for name, key in entry.keys.items() if key.more]
    if all(is_imported(text) for text in more if is_code(text)):
        keys, texts, _ = _complete(entry, values)
        return keys, _read_values(keys, texts)[1]
    return entry.keys, notation.split_hashes(values)[0]


def _parse(spec: str) -> notation.Spec:
    parsed = notation.parse_spec(spec)
    home, colon, _ = parsed.name.partition(":")
    if colon and home in _ENTRIES:
        raise InvalidSpec(f"expected key=value after {shown(home + ':')}, got {shown(parsed.name)}")
    return parsed


def entry_of(name: str) -> Entry:
    """The player of that name.

    Raises:
        InvalidSpec: there is none; the text lists the known ones.
    """
    if name not in _ENTRIES:
        known = ", ".join(_ENTRIES)
        raise InvalidSpec(
            f"expected a player ({known}, or path/to/file.py:Name), got {shown(name)}"
            f"{did_you_mean(name, _ENTRIES)}"
        )
    return _ENTRIES[name]


def _complete(
    entry: Entry, values: Mapping[str, str]
) -> tuple[Mapping[str, Key], dict[str, str], dict[str, str]]:
    """All keys, and their values as text: those given, and the defaults of the others.

    The hashes of their files come third, where the spec states one; without, no file is read.
    """
    given, stated = notation.split_hashes(values)
    given = _settled(entry.keys, given)
    texts = {key: given.get(key, entry.keys[key].default) for key in entry.keys}
    hashes = file_hashes(texts, entry.keys) if stated else {}
    for key, text in stated.items():
        if hashes.get(key) != text:
            raise InvalidSpec(f"expected the file whose {key} is {shown(text)}, got another")
    keys = _all_keys(entry, texts)
    for key in given:
        if key not in keys:
            known = ", ".join(keys) or "none"
            raise InvalidSpec(
                f"expected a key of {entry.name} ({known}), got {shown(key)}"
                f"{did_you_mean(key, keys)}{_players_with(key)}"
            )
    return keys, {key: given.get(key, keys[key].default) for key in keys}, hashes


def _players_with(key: str) -> str:
    """Says which players have a key; empty where none has."""
    names = [entry.name for entry in PRESETS if key in entry.keys]
    more = ", ..." * (len(names) > _MOST_NAMED)
    return f". Players with this key: {', '.join(names[:_MOST_NAMED])}{more}" if names else ""


def _settled(
    keys: Mapping[str, Key], given: Mapping[str, str], rules: Rules | None = None
) -> dict[str, str]:
    """The values with those written out whose meaning depends on the machine."""
    settle = {key: one.settle for key, one in keys.items() if one.settle and key in given}
    return {**given, **{key: one(given[key], rules) for key, one in settle.items()}}


def _all_keys(entry: Entry, texts: Mapping[str, str]) -> dict[str, Key]:
    """The keys of a player, and those that the values of its keys bring along."""
    keys = dict(entry.keys)
    for name, key in entry.keys.items():
        if key.more:
            keys |= key.more(key.parse(texts[name]))
    return keys


def file_hashes(texts: Mapping[str, str], keys: Mapping[str, Key] | None = None) -> dict[str, str]:
    """The keys `KEY_sha256` of all values that name an object in a Python file, or a file."""
    hashes = {}
    for name, one in (keys or {}).items():
        if one.hash_of and name in texts and (found := one.hash_of(texts[name])):
            hashes[f"{name}_sha256"] = found
    for key, text in texts.items():
        if found := hash_of_code(text):
            hashes[f"{key}_sha256"] = found
    return hashes


def _make_from_code(parsed: notation.Spec) -> Player:
    values = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
    hashes = file_hashes({"file": parsed.name})
    if parsed.values.get("file_sha256", hashes.get("file_sha256")) != hashes.get("file_sha256"):
        raise InvalidSpec(f"expected the file of {shown(parsed.name)} unchanged, got another hash")
    player = make_own(parsed.name, values)
    player.spec = notation.format_spec(parsed.name, values | hashes)
    return player
