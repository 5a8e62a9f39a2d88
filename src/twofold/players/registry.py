"""Player specs: which players there are, which keys they take, and how one is made."""

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from twofold import notation
from twofold.board import Board
from twofold.errors import InvalidSpec, PlayerError
from twofold.notation import shown
from twofold.players.base import Player
from twofold.rules import Move, Rules
from twofold.search.depth import Depth


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
    """

    default: str
    help: str
    parse: Callable[[str], Any] = str
    more: "Callable[[Any], Mapping[str, Key]] | None" = None
    hash_of: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One player that can be named in a spec.

    Attributes:
        name: its name.
        summary: one line about how it plays.
        make: makes the player from the parsed values of all keys.
        keys: the keys it takes, whatever their values.
        source: where the rule comes from; empty for our own.
        runs_code: whether it runs a program that one of its keys names.
        has_home: whether it can play under one set of rules alone.
    """

    name: str
    summary: str
    make: Callable[..., Player]
    keys: Mapping[str, Key] = field(default_factory=dict)
    source: str = ""
    runs_code: bool = False
    has_home: bool = False


_ENTRIES: Final[dict[str, Entry]] = {}


def register(entry: Entry) -> Entry:
    """Add a player to those that a spec can name."""
    _ENTRIES[entry.name] = entry
    return entry


def entries() -> tuple[Entry, ...]:
    """Every player that a spec can name, in the order they were registered."""
    _load_presets()
    return tuple(_ENTRIES.values())


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
    parsed = notation.parse_spec(spec)
    if is_code(parsed.name):
        return _make_from_code(parsed, allow_code)
    if not allow_code and any(":" in text for text in parsed.values.values()):
        raise InvalidSpec(f"expected a player without code of its own, got {shown(spec)}")
    entry = _entry(parsed.name)
    if entry.runs_code and not allow_code:
        raise InvalidSpec(f"expected a player that runs no program, got {shown(spec)}")
    keys, texts = _complete(entry, parsed.values)
    values, texts = _read_values(keys, texts)
    player = entry.make(**values)
    player.spec = notation.format_spec(entry.name, texts | file_hashes(texts, keys))
    return player


def home_of(spec: str) -> Rules | None:
    """The only rules that a player can play under; None for one that takes many.

    Raises:
        InvalidSpec: there is no such player, or it has such rules and cannot be made.
    """
    name = notation.parse_spec(spec).name
    if is_code(name) or not _entry(name).has_home:
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
    """The spec with every key written, sorted, and files by content hash: what results keep.

    Raises:
        InvalidSpec: the spec cannot be used.
    """
    with make_player(spec) as player:
        return player.spec


def short_spec(spec: str) -> str:
    """The spec with only what differs from the defaults, as a user would type it.

    It names the same player; hashes of files are left out.

        >>> short_spec("expectimax:cut=0,eval=rows,ply=5")
        'expectimax:ply=5'

    Raises:
        InvalidSpec: the name, a key or a value is unknown or cannot be used.
    """
    parsed = notation.parse_spec(spec)
    if is_code(parsed.name):
        texts = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
        return notation.format_spec(parsed.name, texts)
    entry = _entry(parsed.name)
    keys, texts = _complete(entry, parsed.values)
    _, texts = _read_values(keys, texts)
    changed = {key: text for key, text in texts.items() if text != keys[key].default}
    return notation.format_spec(entry.name, changed)


def is_code(name: str) -> bool:
    """Whether the name of a spec is that of code to import: `path/to/file.py:Name`."""
    return ":" in name or name.endswith(".py")


def runs_program(spec: str) -> bool:
    """Whether the player of a spec runs a program that the spec names.

    Raises:
        InvalidSpec: the spec cannot be read.
    """
    entry = _ENTRIES.get(notation.parse_spec(spec).name)
    return entry is not None and entry.runs_code


def _load_presets() -> None:
    importlib.import_module("twofold.players.presets")


def _entry(name: str) -> Entry:
    _load_presets()
    if name not in _ENTRIES:
        known = ", ".join(_ENTRIES)
        raise InvalidSpec(
            f"expected a player ({known}, or path/to/file.py:Name), got {shown(name)}"
        )
    return _ENTRIES[name]


def _complete(entry: Entry, values: Mapping[str, str]) -> tuple[Mapping[str, Key], dict[str, str]]:
    """All keys, and their values as text: those given, and the defaults of the others."""
    given = {key: text for key, text in values.items() if not key.endswith("_sha256")}
    texts = {key: given.get(key, entry.keys[key].default) for key in entry.keys}
    for key, stated in values.items():
        if key.endswith("_sha256") and file_hashes(texts, entry.keys).get(key) != stated:
            raise InvalidSpec(f"expected the file whose {key} is {shown(stated)}, got another")
    keys = _all_keys(entry, texts)
    for key in given:
        if key not in keys:
            known = ", ".join(keys) or "none"
            raise InvalidSpec(f"expected a key of {entry.name} ({known}), got {shown(key)}")
    return keys, {key: given.get(key, keys[key].default) for key in keys}


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
        path = text.rpartition(":")[0]
        if path.endswith(".py"):
            hashes[f"{key}_sha256"] = _file_hash(Path(path))
    return hashes


def _file_hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InvalidSpec(f"cannot read {shown(str(path))}: {error.strerror}") from None


def load_object(name: str) -> Any:
    """The object that `path/to/file.py:Name` or `package.module:Name` names.

    Raises:
        InvalidSpec: no such file, module or name, or its code fails when imported.
    """
    home, _, attribute = name.rpartition(":")
    module = _import_file(Path(home)) if home.endswith(".py") else _import_module(home)
    if not hasattr(module, attribute):
        raise InvalidSpec(f"expected a name defined in {shown(home)}, got {shown(attribute)}")
    return getattr(module, attribute)


def _import_file(path: Path) -> ModuleType:
    name = f"twofold_file_{path.stem}_{_file_hash(path)}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise InvalidSpec(f"expected a Python file, got {shown(str(path))}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InvalidSpec(
            f"cannot import {shown(os.fspath(path))}: {type(error).__name__}: {error}"
        ) from error
    return module


def _import_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise InvalidSpec(
            f"cannot import {shown(name)}: {type(error).__name__}: {error}"
        ) from error


class FunctionPlayer(Player):
    """A player made from a function `board -> Move`."""

    def __init__(self, function: Callable[[Board], Move]) -> None:
        self.function = function

    def choose(self, board: Board, *, score: int | None = None, move_number: int = 0) -> Move:
        """The function's answer."""
        return self.function(board)


def _make_from_code(parsed: notation.Spec, allow_code: bool) -> Player:
    home = parsed.name.partition(":")[0]
    if any(entry.name == home for entry in entries()):
        raise InvalidSpec(f"expected key=value after {shown(home + ':')}, got {shown(parsed.name)}")
    if not allow_code:
        raise InvalidSpec(f"expected a player without code of its own, got {shown(parsed.name)}")
    found = load_object(parsed.name)
    values = {key: text for key, text in parsed.values.items() if key != "file_sha256"}
    hashes = file_hashes({"file": parsed.name})
    if parsed.values.get("file_sha256", hashes.get("file_sha256")) != hashes.get("file_sha256"):
        raise InvalidSpec(f"expected the file of {shown(parsed.name)} unchanged, got another hash")
    player = _call(found, parsed.name, values)
    player.spec = notation.format_spec(parsed.name, values | hashes)
    return player


def _call(found: Any, name: str, values: Mapping[str, str]) -> Player:
    if isinstance(found, type) and issubclass(found, Player):
        try:
            inspect.signature(found).bind(**values)
        except TypeError as error:
            raise InvalidSpec(f"expected the keys that {shown(name)} takes: {error}") from None
        return found(**values)
    if callable(found) and not isinstance(found, type):
        if values:
            raise InvalidSpec(
                f"expected no keys for the function {shown(name)}, got {shown(values)}"
            )
        return FunctionPlayer(found)
    raise InvalidSpec(f"expected a Player class or a function board -> Move, got {shown(name)}")


def checked_move(player: Player, board: Board, answer: object) -> Move:
    """The player's answer, if it is a legal move.

    Raises:
        PlayerError: it is not; names the player, the board and the answer.
    """
    try:
        move = Move(answer)  # type: ignore[arg-type]
    except ValueError:
        raise PlayerError(f"expected a Move from {player.spec}, got {shown(answer)}") from None
    if move not in board.legal_moves():
        raise PlayerError(
            f"expected a legal move from {player.spec} on {board}, got {move.name.lower()}"
        )
    return move
