"""Player specs: makes players from specs, and brings specs into their standard forms."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from twofold.errors import InvalidSpec
from twofold.figures import bytes_words
from twofold.game import notation
from twofold.game.notation import did_you_mean, format_spec, parse_spec, shown
from twofold.game.rules import STANDARD, Rules
from twofold.limits import BITS_MAX_SIDE, cores
from twofold.players.base import Player
from twofold.players.keys import Entry, Key, Late
from twofold.players.own_code import hash_of_code, is_code, is_imported, make_own
from twofold.players.presets import PRESETS
from twofold.search.context import Depth
from twofold.storage.memory import SHARE, free_memory
from twofold.tables.format import AUTO, NONE, SETS, USUAL, files_in, tables_folder
from twofold.tables.pattern import suits


def excess_of(spec: str) -> str:
    """How a player exceeds the machine: more threads than cores, or a table too large; or "".

    The table counts once for each core, as games are played on all of them.
    """
    values = parse_spec(spec).values
    threads, table = _whole(values, "threads"), _whole(values, "table_mb") * 2**20
    if threads > cores():
        return f"{shown(spec)} takes {threads} threads for a move, more than the cores here"
    free = free_memory()
    if free is not None and table * cores() > SHARE * free:
        return (
            f"{shown(spec)} takes {bytes_words(table)} for each game played at a time, more than "
            "the free memory"
        )
    return ""


def _whole(values: Mapping[str, str], key: str) -> int:
    text = values.get(key, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else 0


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
    from twofold.tables.library import settled_tables  # loads kernels

    return settled_tables(AUTO, rules, walls=walls)


_ENTRIES: Final = {entry.name: entry for entry in PRESETS}

_MOST_NAMED: Final = 6
"""Maximum players that an error message suggests."""


def entries() -> tuple[Entry, ...]:
    """All players that a spec can name."""
    return PRESETS


def make_player(spec: str, *, allow_code: bool = True) -> Player:
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
    parsed = parse_player(spec)
    if not allow_code and code_of(spec):
        raise InvalidSpec(
            f"expected a player that imports no code and runs no program, got {shown(spec)}"
        )
    if is_code(parsed.name):
        return _make_from_code(parsed)
    entry = entry_of(parsed.name)
    read: dict[str, Any] = {}
    keys, texts, hashes = _complete(entry, parsed.values, read)
    values, texts = _read_values(keys, texts, read)
    player = entry.make(**values)
    hashes = hashes or file_hashes(texts, keys, read)
    written = {  # without the defaults of keys that came later
        key: text
        for key, text in texts.items()
        if not keys[key].came_later or text != keys[key].default
    }
    player.spec = notation.format_spec(entry.name, written | hashes)
    return player


def code_of(spec: str) -> frozenset[str]:
    """The code and programs that a player runs: names of objects to import, and commands.

    This function alone decides which specs run code, and it imports nothing.

        >>> sorted(code_of("expectimax:eval=my_evaluator.py:EMPTY,ply=2"))
        ['my_evaluator.py:EMPTY']
        >>> code_of("expectimax:eval=rows,ply=2")
        frozenset()
    """
    parsed = parse_player(spec)
    if is_code(parsed.name):
        return frozenset({parsed.name})
    keys = entry_of(parsed.name).keys.items()
    texts = {name: (key, parsed.values.get(name, key.default)) for name, key in keys}
    return frozenset(text for key, text in texts.values() if key.names_code(text))


def home_of(spec: str) -> Rules | None:
    """The only rules that a player supports; None for many. Makes the player if needed."""
    name = parse_player(spec).name
    if is_code(name) or not entry_of(name).has_home:
        return None
    with make_player(spec) as player:
        return player.home


def _read_values(
    keys: Mapping[str, Key], texts: Mapping[str, str], read: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of all keys, and the text of each in its standard form."""
    values = {key: _read(keys[key], key, text, read) for key, text in texts.items()}
    numbers = {key: value for key, value in values.items() if type(value) in (int, float)}
    same = dict(texts)
    same |= {key: notation.format_number(value) for key, value in numbers.items()}  # 03 is 3
    same |= {key: str(value) for key, value in values.items() if isinstance(value, Depth | Late)}
    return values, same


def _read(key: Key, name: str, text: str, read: dict[str, Any]) -> Any:
    """The value of a key, parsed once: `read` holds the values so far."""
    if name not in read:
        read[name] = key.parse(text)
    return read[name]


def canonical(spec: str) -> str:
    """The spec with all keys, sorted, and files with their hashes: its form in stored results.

    Keys that came later, such as `tables`, are omitted at their default, so that older results
    still belong to the same player.
    """
    with make_player(spec) as player:
        return player.spec


def settled(spec: str, rules: Rules | None = None) -> str:
    """Replace what depends on the machine or the rules.

    `tables=auto` becomes the names of tables, a strength such as `strong` its player.

    Store and show specs in this form. `rules` are those of the games, None for any.

    Raises:
        InvalidTable: an endgame table is missing or invalid.
        UnsupportedRules: endgame tables are named that do not support the rules.
    """
    parsed = parse_player(spec, rules or STANDARD)
    if is_code(parsed.name):
        return spec
    plain = parsed._replace(values=_settled(entry_of(parsed.name).keys, parsed.values, rules))
    return spec if plain == notation.parse_spec(spec) else notation.format_spec(*plain)


def short_spec(spec: str) -> str:
    """The spec without defaults and file hashes, as a user would type it.

    Nothing is imported: weights of an evaluator that is not imported yet are all written.

        >>> short_spec("expectimax:cut=0,eval=rows,ply=5")
        'expectimax:ply=5'
    """
    parsed = parse_player(spec)
    if is_code(parsed.name):
        texts = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
        return notation.format_spec(parsed.name, texts)
    entry = entry_of(parsed.name)
    keys, texts = _known(entry, parsed.values)
    return notation.format_spec(entry.name, _changed(keys, texts))


def short_name(player: str) -> str:
    """A player that a file names, for people: a spec without defaults and hashes; text stays.

    It opens no file and runs nothing, since a file may name anything.

        >>> short_name("ntuple:net=default,net_sha256=561f1a5df3f95bb8,ply=3,threads=1")
        'ntuple:ply=3'
        >>> short_name("me")
        'me'
    """
    try:
        name, values = notation.parse_spec(player)
    except InvalidSpec:
        return player
    if is_code(name) or name not in _ENTRIES:
        return player
    keys, texts = _ENTRIES[name].keys, notation.split_hashes(values)[0]
    changed = _changed(keys, texts)
    if "tables" in changed:
        parts = set(changed["tables"].split("+"))
        for one, tables in SETS.items():
            if parts == set(tables):
                changed["tables"] = one
    return notation.format_spec(name, changed)


def _changed(keys: Mapping[str, Key], texts: Mapping[str, str]) -> dict[str, str]:
    """The values that differ from the defaults."""
    return {
        key: text for key, text in texts.items() if key not in keys or text != keys[key].default
    }


def _known(entry: Entry, values: Mapping[str, str]) -> tuple[Mapping[str, Key], dict[str, str]]:
    """The keys known without importing code, and all values in their standard form."""
    more = [values.get(name, key.default) for name, key in entry.keys.items() if key.more]
    if all(is_imported(text) for text in more if is_code(text)):
        read: dict[str, Any] = {}
        keys, texts, _ = _complete(entry, values, read)
        return keys, _read_values(keys, texts, read)[1]
    return entry.keys, notation.split_hashes(values)[0]


def parse_player(spec: str, rules: Rules = STANDARD) -> notation.Spec:
    """The name and keys of a spec; a strength such as `strong` becomes its player.

    Keys of the spec replace those of the strength: `strong:threads=2`. With `time` or `nodes` the
    search deepens: the strength's own depth does not count.

        >>> parse_player("fast")
        Spec(name='ntuple', values={'ply': '1'})

    Raises:
        InvalidSpec: the text is no spec.
        InvalidTable: an endgame table built here is invalid.
    """
    parsed = notation.parse_spec(spec)
    if parsed.name in STRENGTHS:
        plain = notation.parse_spec(strength(parsed.name, rules, parsed.values))
        limited = parsed.values.keys() & {"time", "nodes"}
        kept = {key: text for key, text in plain.values.items() if key != "ply" or not limited}
        return plain._replace(values=kept | parsed.values)
    home, colon, _ = parsed.name.partition(":")
    if colon and home in _ENTRIES:
        raise InvalidSpec(f"expected key=value after {shown(home + ':')}, got {shown(parsed.name)}")
    return parsed


def entry_of(name: str) -> Entry:
    """The entry of a player; raises `InvalidSpec` with a list of all players."""
    if name not in _ENTRIES:
        known = ", ".join((*STRENGTHS, *_ENTRIES))
        raise InvalidSpec(
            f"expected a player ({known}, or path/to/file.py:Name), got {shown(name)}"
            f"{did_you_mean(name, (*STRENGTHS, *_ENTRIES))}"
        )
    return _ENTRIES[name]


def _complete(
    entry: Entry, values: Mapping[str, str], read: dict[str, Any]
) -> tuple[Mapping[str, Key], dict[str, str], dict[str, str]]:
    """All keys, their values as text with defaults filled in, and the hashes of their files.

    Files are hashed only if the spec states a hash.
    """
    given, stated = notation.split_hashes(values)
    given = _settled(entry.keys, given)
    texts = {key: given.get(key, entry.keys[key].default) for key in entry.keys}
    hashes = file_hashes(texts, entry.keys, read) if stated else {}
    for key, text in stated.items():
        if hashes.get(key) != text:
            raise InvalidSpec(f"the file of {key}={shown(text)} has changed, or there is none")
    keys = _all_keys(entry, texts, read)
    for key in given:
        if key not in keys:
            known = ", ".join(keys) or "none"
            raise InvalidSpec(
                f"expected a key of {entry.name} ({known}), got {shown(key)}"
                f"{_other_depth(key, keys) or did_you_mean(key, keys)}{players_with(key)}"
            )
    return keys, {key: given.get(key, keys[key].default) for key in keys}, hashes


def _other_depth(key: str, keys: Mapping[str, Key]) -> str:
    """What the key of the depth is called where another one was given; empty for other keys."""
    if key == "depth" and "ply" in keys:
        return "; depth=2n-1 half-moves are ply=n: each further ply is a spawn and a move"
    if key == "ply" and "depth" in keys:
        return "; ply=n is depth=2n-1: a spawn and a move are a half-move each"
    return ""


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


def _all_keys(entry: Entry, texts: Mapping[str, str], read: dict[str, Any]) -> dict[str, Key]:
    keys = dict(entry.keys)
    for name, key in entry.keys.items():
        if key.more:
            keys |= key.more(_read(key, name, texts[name], read))
    return keys


def file_hashes(
    texts: Mapping[str, str],
    keys: Mapping[str, Key] | None = None,
    read: dict[str, Any] | None = None,
) -> dict[str, str]:
    """Hashes of the files that values name, under the keys `KEY_sha256`; see `_read`."""
    hashes, read = {}, {} if read is None else read
    for name, one in (keys or {}).items():
        if one.hash_of is None or name not in texts:
            continue
        if found := one.hash_of(_read(one, name, texts[name], read)):
            hashes[f"{name}_sha256"] = found
    for key, text in texts.items():
        if found := hash_of_code(text):
            hashes[f"{key}_sha256"] = found
    return hashes


def _make_from_code(parsed: notation.Spec) -> Player:
    values = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
    hashes = file_hashes({"file": parsed.name})
    if parsed.values.get("file_sha256", hashes.get("file_sha256")) != hashes.get("file_sha256"):
        raise InvalidSpec(f"the file of {shown(parsed.name)} has changed: it has another hash")
    player = make_own(parsed.name, values)
    player.spec = notation.format_spec(parsed.name, values | hashes)
    return player
